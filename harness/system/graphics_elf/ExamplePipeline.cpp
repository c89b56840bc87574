// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/system/graphics_elf/ExamplePipeline.h"

#include "compiler/amdgpu/Backend.h"
#include "compiler/pal/PixelMetadata.h"
#include "support/Error.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace assay;
using namespace assay::pal;

/// Vertex shader of the hardware's VS stage. Its table is kept out of .text, so that the ELF has
/// relocations.
static constexpr StringLiteral hardwareVertex = R"(
@table = internal unnamed_addr addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]
define amdgpu_vs void @_amdgpu_vs_main(i32 inreg %internal, i32 inreg %vertices, i32 %vertex) #1 {
  %index = and i32 %vertex, 3
  %place = getelementptr [4 x float], ptr addrspace(4) @table, i32 0, i32 %index
  %value = load float, ptr addrspace(4) %place
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %value, float %value, float 0.0, float 1.0, i1 true, i1 false)
  call void @llvm.amdgcn.exp.f32(i32 32, i32 15, float %value, float 1.0, float 1.0, float 1.0, i1 false, i1 false)
  ret void
}
)";

/// Vertex shader of an NGG pipeline in passthrough mode. SGPRs 0 to 7 are the system's; s3 has the
/// counts that GS_ALLOC_REQ passes on.
static constexpr StringLiteral primitiveShader = R"(
define amdgpu_gs void @_amdgpu_gs_main(<3 x i32> inreg %system, i32 inreg %info, <4 x i32> inreg %more, i32 inreg %internal, i32 inreg %vertices, i32 %primitive, i32 %off23, i32 %id, i32 %instance, i32 %off45, i32 %vertex) #1 {
  %size = lshr i32 %info, 12
  call void @llvm.amdgcn.s.sendmsg(i32 9, i32 %size)
  call void @llvm.amdgcn.exp.i32(i32 20, i32 1, i32 %primitive, i32 poison, i32 poison, i32 poison, i1 true, i1 false)
  %value = uitofp i32 %vertex to float
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %value, float %value, float 0.0, float 1.0, i1 true, i1 false)
PARAMETER
  ret void
}
)";

/// The parameter export up to GFX10, which replaces PARAMETER.
static constexpr StringLiteral parameterExport =
    "  call void @llvm.amdgcn.exp.f32(i32 32, i32 15, float %value, float 1.0, float 1.0, float "
    "1.0, i1 false, i1 false)";

/// Interpolation of one attribute up to GFX10, which replaces INTERPOLATION.
static constexpr StringLiteral oldInterpolation = R"(
  %p1 = call float @llvm.amdgcn.interp.p1(float %i, i32 0, i32 0, i32 %mask)
  %u = call float @llvm.amdgcn.interp.p2(float %p1, float %j, i32 0, i32 0, i32 %mask)
)";
/// Interpolation of the same attribute from GFX11 on.
static constexpr StringLiteral newInterpolation = R"(
  %p = call float @llvm.amdgcn.lds.param.load(i32 0, i32 0, i32 %mask)
  %p10 = call float @llvm.amdgcn.interp.inreg.p10(float %p, float %i, float %p)
  %u = call float @llvm.amdgcn.interp.inreg.p2(float %p, float %j, float %p10)
)";

/// Fragment shader with one input and one target. Its second user SGPR indexes the table.
static constexpr StringLiteral pixelShader = R"(
@colors = internal unnamed_addr addrspace(4) constant [4 x float] [float 5.0, float 6.0, float 7.0, float 8.0]
define amdgpu_ps void @_amdgpu_ps_main(i32 inreg %internal, i32 inreg %entry, i32 inreg %mask, <2 x float> %sample, <2 x float> %center) #2 {
  %i = extractelement <2 x float> %center, i32 0
  %j = extractelement <2 x float> %center, i32 1
INTERPOLATION
  %index = and i32 %entry, 3
  %place = getelementptr [4 x float], ptr addrspace(4) @colors, i32 0, i32 %index
  %color = load float, ptr addrspace(4) %place
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %u, float %u, float %color, float 1.0, i1 true, i1 true)
  ret void
}
)";

/// Whether a vertex stage is compiled.
static bool hasVertex(const ExamplePipeline &example) {
  return example.shaders != ExampleShaders::Fragment;
}

/// Whether a fragment stage is compiled.
static bool hasFragment(const ExamplePipeline &example) {
  return example.shaders != ExampleShaders::Vertex;
}

/// Returns whether the vertex stage is a primitive shader.
static bool isNgg(const ExamplePipeline &example) {
  return example.type == GraphicsPipelineType::Ngg;
}

/// Returns \p text with the first \p word replaced. Nothing else changes; a text without the word
/// gets \p by at its end.
static std::string replace(StringRef text, StringRef word, StringRef by) {
  auto [before, after] = text.split(word);
  return (before + by + after).str();
}

/// The functions of all stages are in one module.
std::string assay::makeExampleIr(const ExamplePipeline &example, const TargetInfo &target) {
  std::string text;
  if (hasVertex(example) && !isNgg(example))
    text += hardwareVertex;
  // From GFX11 on the parameter goes to the attribute ring, which this example leaves out.
  if (hasVertex(example) && isNgg(example))
    text += replace(primitiveShader, "PARAMETER", target.major < 11 ? parameterExport : "");
  if (hasFragment(example))
    text += replace(pixelShader, "INTERPOLATION",
                    target.major < 11 ? oldInterpolation : newInterpolation);
  return text + "attributes #1 = { nounwind }\n"
                "attributes #2 = { nounwind \"InitialPSInputAddr\"=\"2\" }\n";
}

/// Metadata of a hardware stage with two user SGPRs and no scratch. The first user SGPR is the
/// global table, the second the table of vertex buffers or, for the fragment stage, user data entry
/// 0.
static GraphicsStage makeStage(HardwareStage stage, const ExamplePipeline &example,
                               const TargetInfo &target) {
  GraphicsStage result;
  result.stage = stage;
  result.wavefrontSize = example.waveSize;
  result.userSgprs = 2;
  result.userDataRegMap[0] = GlobalTable;
  result.userDataRegMap[1] = stage == HardwareStage::Ps ? 0 : uint32_t(VertexBufferTable);
  result.floatMode = 0xC0;
  result.sgprLimit = target.major == 9 ? 102 : 106;
  result.vgprLimit = 256;
  return result;
}

/// Sets what only NGG has: subgroups of 128 vertices and primitives in passthrough mode.
static void setPrimitiveRegisters(GraphicsMetadata &metadata, const TargetInfo &target) {
  constexpr uint32_t Threads = 128;
  GraphicsRegisters &registers = metadata.registers;
  VgtShaderStagesEn &stages = registers.vgtShaderStagesEn;
  stages.primgenEn = true;
  stages.esStageEn = target.major < 12 ? 2 : 0; // ES_STAGE_REAL
  stages.primgenPassthruEn = target.major < 12;
  stages.primgenPassthruNoMsg = target.major >= 11;
  registers.gsVgprCompCnt = target.major < 12 ? 1 : 0;
  registers.vgtGsMaxVertOut = 1;
  registers.vgtEsgsRingItemsize = target.major < 12 ? 1 : 0;
  registers.vgtGsOnchipCntl = {Threads, Threads, Threads};
  registers.geNggSubgrpCntl = {.primAmpFactor = 1, .threadsPerSubgroup = 256};
  registers.maxVertsPerSubgroup = Threads;
  registers.spiShaderIdxFormat = static_cast<uint32_t>(PositionFormat::OneComponent);
  registers.vgtGsOutPrimType = OutputPrimitive::TriangleStrip;
  metadata.nggSubgroupSize = Threads;
}

/// Sets the registers of the stages that precede rasterization, with one position export and, for
/// NGG, those of setPrimitiveRegisters().
static void setVertexRegisters(GraphicsMetadata &metadata, const ExamplePipeline &example,
                               const TargetInfo &target) {
  GraphicsRegisters &registers = metadata.registers;
  registers.vgtShaderStagesEn.maxPrimgroupInWave = 2;
  registers.iaMultiVgtParam.primgroupSize = 127;
  registers.paClClipCntl.dxLinearAttrClipEna = true;
  PaClVteCntl &transform = registers.paClVteCntl;
  transform.xScaleEna = transform.xOffsetEna = transform.yScaleEna = transform.yOffsetEna = true;
  transform.zScaleEna = transform.zOffsetEna = transform.vtxW0Fmt = true;
  registers.paSuVtxCntl = {.pixCenter = true, .roundMode = 2, .quantMode = 5};
  registers.spiShaderPosFormat[0] = PositionFormat::FourComponents;
  if (isNgg(example))
    setPrimitiveRegisters(metadata, target);
}

/// Sets one input and one target with 32 bits per channel. Colours are exported to target 0 without
/// conversion.
static void setPixelRegisters(GraphicsRegisters &registers) {
  registers.spiPsInputCntl = {SpiPsInputCntl()};
  registers.spiPsInControl.numInterps = 1;
  registers.spiBarycCntl.frontFaceAllBits = true;
  registers.setColorFormat(0, ExportFormat::Abgr32);
  registers.setColorMask(0, 0xf);
  registers.dbShaderControl.zOrder = 1;
  registers.dbShaderControl.alphaToMaskDisable = true;
}

/// Hashes are constants. A part, which has only one of the stages, also has the semantics by which
/// it is linked.
GraphicsMetadata assay::makeExampleMetadata(const ExamplePipeline &example,
                                            const TargetInfo &target) {
  constexpr uint32_t Location = 4;
  HardwareStage hardware = isNgg(example) ? HardwareStage::Gs : HardwareStage::Vs;
  bool isPart = example.shaders != ExampleShaders::Both;
  GraphicsMetadata metadata;
  metadata.type = example.type;
  metadata.pipelineHash = {0x1111111111111111, 0x2222222222222222};
  metadata.userDataLimit = 1;
  if (hasVertex(example)) {
    metadata.shaders.push_back({ShaderStage::Vertex, {0x3333333333333333, 1}, hardware});
    metadata.stages.push_back(makeStage(hardware, example, target));
    setVertexRegisters(metadata, example, target);
    if (isPart)
      metadata.semantics.preraster = {{.semantic = Location, .index = 0}};
  }
  if (hasFragment(example)) {
    metadata.shaders.push_back({ShaderStage::Fragment, {0x4444444444444444, 1}, HardwareStage::Ps});
    metadata.stages.push_back(makeStage(HardwareStage::Ps, example, target));
    setPixelRegisters(metadata.registers);
    if (isPart)
      metadata.semantics.psInputs = {Location};
  }
  return metadata;
}

Expected<std::vector<uint8_t>>
/// The metadata is verified only where \p change is null, because it may be wrong on purpose
/// otherwise. Errors are those of the parser, the options and the back-end.
assay::compileExample(const ExamplePipeline &example, const TargetInfo &target,
                      function_ref<void(GraphicsMetadata &)> change) {
  DiagnosticCollector diagnostics;
  LLVMContext context;
  diagnostics.attach(context);
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(makeExampleIr(example, target), diagnostic, context);
  if (!module)
    return invalidInput(diagnostic.getMessage());
  initializeModule(*module);
  CompileOptions options;
  options.target = &target;
  options.waveSize = example.waveSize;
  options.palVersion = example.palVersion;
  if (Error bad = verifyCompileOptions(options))
    return std::move(bad);
  GraphicsMetadata metadata = makeExampleMetadata(example, target);
  if (change)
    change(metadata);
  else if (Error bad = verifyGraphicsMetadata(metadata, target))
    return std::move(bad);
  setModuleMetadata(*module, metadata, target);
  if (example.isPart)
    if (Error bad = hideVersion(*module))
      return std::move(bad);
  Expected<std::unique_ptr<Backend>> backend = amdgpu::createBackend(options);
  if (!backend)
    return backend.takeError();
  return (*backend)->emit(*module, EmitPhase::Elf, diagnostics);
}
