// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: LLPC, lgc/lowering/RegisterMetadataBuilder.cpp; AMD's register reference.
#include "compiler/amdgpu/passes/graphics/StageMetadata.h"

#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;
using namespace assay::pal;

/// NGG is a choice on GFX10 and the only possibility from GFX11 on; the choice is read on GFX10
/// only.
HardwareStage amdgpu::getHardwareStage(ShaderStage stage, TrackedState &state) {
  if (stage == ShaderStage::Fragment)
    return HardwareStage::Ps;
  const TargetInfo &target = state.getTarget();
  bool isNgg = target.major >= 11 || (target.major == 10 && state.usesNgg());
  return isNgg ? HardwareStage::Gs : HardwareStage::Vs;
}

/// Returns what rasterization gets; strips of lines and triangles also represent lists.
static OutputPrimitive getOutputPrimitive(PrimitiveKind kind) {
  switch (kind) {
  case PrimitiveKind::Points:
    return OutputPrimitive::PointList;
  case PrimitiveKind::Lines:
    return OutputPrimitive::LineStrip;
  case PrimitiveKind::Triangles:
    return OutputPrimitive::TriangleStrip;
  }
  llvm_unreachable("a primitive of another kind");
}

/// NGG in passthrough mode: a workgroup has as many primitives as vertices at most, so that none
/// can exceed its 256 threads.
static void setPrimitiveRegisters(GraphicsMetadata &metadata, const StageUse &use,
                                  TrackedState &state) {
  constexpr uint32_t Threads = 256, Vertices = 128;
  unsigned major = state.getTarget().major;
  bool readsPrimitiveId = use.inputs.count(StageInput::PrimitiveId) != 0;
  bool readsInstance = use.inputs.count(StageInput::InstanceId) != 0;
  GraphicsRegisters &registers = metadata.registers;
  VgtShaderStagesEn &stages = registers.vgtShaderStagesEn;
  stages.primgenEn = true;
  stages.esStageEn = major < 12 ? 2 : 0; // ES_STAGE_REAL
  stages.primgenPassthruEn = major < 12;
  stages.primgenPassthruNoMsg = major >= 11;
  registers.gsVgprCompCnt = (major < 12 ? 1 : 0) + uint32_t(readsPrimitiveId);
  registers.esVgprCompCnt = readsInstance ? (major < 12 ? 3 : 1) : 0;
  registers.vgtGsMaxVertOut = 1;
  registers.vgtEsgsRingItemsize = major < 12 ? 1 : 0;
  registers.vgtGsOnchipCntl = {Vertices, Vertices, Vertices};
  registers.geNggSubgrpCntl = {.primAmpFactor = 1, .threadsPerSubgroup = Threads};
  registers.maxVertsPerSubgroup = Vertices;
  registers.spiShaderIdxFormat = static_cast<uint32_t>(PositionFormat::OneComponent);
  registers.vgtGsOutPrimType = getOutputPrimitive(state.getPrimitiveKind());
  registers.nggDisableProvokReuse = readsPrimitiveId;
  metadata.nggSubgroupSize = Vertices;
}

/// VGPRs of a hardware VS: GFX9 has the instance in the second one, later chips in the fourth.
static uint32_t countVertexVgprs(const StageUse &use, const TargetInfo &target) {
  uint32_t count = 0;
  if (use.inputs.count(StageInput::PrimitiveId))
    count = 2;
  if (use.inputs.count(StageInput::InstanceId))
    count = std::max(count, target.major == 9 ? 1u : 3u);
  return count;
}

/// Sets the registers that all vertex shaders need, then those of the hardware stage.
static void setVertexRegisters(GraphicsMetadata &metadata, const StageUse &use,
                               TrackedState &state) {
  GraphicsRegisters &registers = metadata.registers;
  registers.vgtShaderStagesEn.maxPrimgroupInWave = 2;
  registers.iaMultiVgtParam.primgroupSize = 127;
  registers.paClClipCntl.dxLinearAttrClipEna = true;
  registers.paClClipCntl.rasterizationKill = state.discardsPrimitives();
  PaClVteCntl &transform = registers.paClVteCntl;
  transform.xScaleEna = transform.xOffsetEna = transform.yScaleEna = transform.yOffsetEna = true;
  transform.zScaleEna = transform.zOffsetEna = transform.vtxW0Fmt = true;
  registers.paSuVtxCntl = {.pixCenter = true, .roundMode = 2, .quantMode = 5};
  registers.vgtPrimitiveIdEn = use.inputs.count(StageInput::PrimitiveId) != 0;
  if (use.hardware == HardwareStage::Gs)
    setPrimitiveRegisters(metadata, use, state);
  else
    registers.vsVgprCompCnt =
        faultPlanted(Fault::VertexVgprCount) ? 0 : countVertexVgprs(use, state.getTarget());
}

/// When depth and stencil are tested: before the shader if it asks so, or has no effect of its own;
/// else after it, even for samples that the hierarchical test rejects.
static void setPixelRegisters(GraphicsRegisters &registers, const StageUse &use) {
  enum : uint32_t { LateZ = 0, EarlyZThenLateZ = 1 };
  DbShaderControl &control = registers.dbShaderControl;
  bool isEarly = use.mode.earlyFragmentTests;
  bool isLate = !isEarly && use.writesMemory;
  control.zOrder = isLate ? LateZ : EarlyZThenLateZ;
  control.depthBeforeShader = isEarly && !faultPlanted(Fault::EarlyTestsLost);
  control.execOnHierFail = isLate;
  control.execOnNoop = isEarly && use.writesMemory;
  enum : uint32_t { AnyZ = 0, LessThanZ = 1, GreaterThanZ = 2 };
  control.conservativeZExport = use.mode.depthLess      ? LessThanZ
                                : use.mode.depthGreater ? GreaterThanZ
                                                        : AnyZ;
}

/// GFX11 and later have NGG pipelines only, so that fragment shaders are of that type, too.
GraphicsMetadata amdgpu::makeStageMetadata(const StageFacts &facts, const StageUse &use,
                                           TrackedState &state) {
  GraphicsMetadata metadata;
  bool isVertex = use.mode.stage == ShaderStage::Vertex;
  metadata.type = use.hardware == HardwareStage::Gs || state.getTarget().major >= 11
                      ? GraphicsPipelineType::Ngg
                      : GraphicsPipelineType::VsPs;
  metadata.pipelineHash = state.getPipelineHash();
  metadata.shaders.push_back({use.mode.stage, state.getShaderHash(), use.hardware});
  metadata.registers = facts.registers;
  metadata.semantics = facts.semantics;
  metadata.userDataLimit = state.getUserDataEntries();
  metadata.psSampleMask = facts.psSampleMask;
  metadata.psDummyExport = facts.psDummyExport;
  metadata.usesViewportArrayIndex = facts.usesViewport;
  if (isVertex)
    setVertexRegisters(metadata, use, state);
  else
    setPixelRegisters(metadata.registers, use);
  return metadata;
}
