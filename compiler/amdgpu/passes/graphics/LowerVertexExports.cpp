// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: AMD's ISA manuals, "Exports"; AMD's register reference, PA_CL_VS_OUT_CNTL; LLPC,
// lgc/lowering/RegisterMetadataBuilder.cpp (buildPaSpecificRegisters) and LowerInOut.cpp.
#include "compiler/amdgpu/passes/graphics/LowerVertexExports.h"

#include "compiler/amdgpu/passes/graphics/StageFacts.h"
#include "compiler/amdgpu/passes/graphics/StageInputs.h"
#include "compiler/amdgpu/passes/graphics/StageOutputs.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// Targets of exports.
static constexpr unsigned positionTarget = 12, parameterTarget = 32;
/// Bytes of a parameter in the attribute ring, and of the unit of its offset.
static constexpr unsigned parameterBytes = 16, ringUnitShift = 9;

namespace {
using Scalars = std::array<Value *, 4>; ///< i32 each; null: not written.

/// Collects positions and parameters first, then exports them at the return.
class Exports {
public:
  Exports(Module &module, TrackedState &state, StageOutputs outputs)
      : m_module(module), m_state(state), m_outputs(std::move(outputs)), m_builder(m_outputs.end) {}

  Error run();

private:
  void takePositions();
  void takeMisc();
  Error takeDistances();
  void takeDistance(uint32_t slot, Value *value, StringRef flags);
  uint32_t countScalars(spv::BuiltIn builtIn) const;
  /// Fills m_parameters. Outputs without a written component get no parameter.
  void takeParameters();
  /// Exports positions, then parameters; with an attribute ring the parameters are stored before.
  void exportAll();
  /// Emits one export; components that are null are left out of its mask.
  void exportScalars(unsigned target, const Scalars &scalars, bool isDone);
  Value *makeRingData(const Scalars &scalars);
  Value *setStride(Value *ring);
  void storeParameters();
  /// Adds the number of positions, the semantics of parameters and the registers that count them.
  void addRegisters();
  /// Sets the field \p key of PA_CL_VS_OUT_CNTL to 1.
  void setControl(StringRef key) { addRegister(m_module, ".pa_cl_vs_out_cntl", key, 1); }
  Value *toParameter(const OutputScalar &scalar);
  Value *addHalf(Value *component, const InOutPlace &place, Value *bits);
  /// The value written to a scalar of \p builtIn, or null where none or an undefined one is.
  Value *getBuiltIn(spv::BuiltIn builtIn, uint32_t scalar = 0) {
    Value *value = m_outputs.findBuiltIn(static_cast<uint32_t>(builtIn), scalar);
    return value && !isa<UndefValue>(value) ? value : nullptr;
  }

  Module &m_module;
  TrackedState &m_state;
  const StageOutputs m_outputs;
  IRBuilder<> m_builder;
  /// Position, then the vectors of takeMisc and takeDistances.
  SmallVector<Scalars, 4> m_positions;
  /// Clip distances, then cull distances, four a vector.
  std::array<Scalars, 2> m_distances = {};
  /// By location.
  std::map<uint32_t, Scalars> m_parameters;
};
} // namespace

/// A shader need not write all of its position; what it leaves is any value.
void Exports::takePositions() {
  Scalars position = {};
  for (uint32_t i = 0; i < 4; ++i) {
    position[i] = getBuiltIn(spv::BuiltIn::Position, i);
    if (!position[i])
      position[i] = m_builder.getInt32(0);
  }
  if (faultPlanted(Fault::PositionOrder))
    std::swap(position[0], position[1]);
  m_positions.push_back(position);
  takeMisc();
}

/// The vector of what is neither position nor distance: point size; layer in bits 10:0 of z, the
/// viewport in bits 19:16.
void Exports::takeMisc() {
  Value *size = getBuiltIn(spv::BuiltIn::PointSize);
  if (size && !m_state.drawsPoints()) // Only points have a size.
    size = nullptr;
  Value *layer = getBuiltIn(spv::BuiltIn::Layer);
  Value *viewport = getBuiltIn(spv::BuiltIn::ViewportIndex);
  if (!size && !layer && !viewport)
    return;
  Scalars misc = {size, nullptr, layer, nullptr};
  if (size)
    setControl(".use_vtx_point_size");
  if (layer)
    setControl(".use_vtx_render_target_indx");
  if (viewport) {
    setControl(".use_vtx_viewport_indx");
    addFlag(m_module, StageFlag::UsesViewport);
    addRegister(m_module, "", ".vgt_reuse_off", 1);
    Value *high = m_builder.CreateShl(viewport, 16);
    misc[2] = layer ? m_builder.CreateOr(layer, high) : high;
  }
  setControl(".vs_out_misc_vec_ena");
  setControl(".vs_out_misc_side_bus_ena");
  m_positions.push_back(misc);
}

/// "clip_dist_ena_3" of \p flags "clip": a distance in slot \p slot of both vectors.
void Exports::takeDistance(uint32_t slot, Value *value, StringRef flags) {
  m_distances[slot / 4][slot % 4] = value;
  setControl(("." + flags + "_dist_ena_" + Twine(slot)).str());
}

/// The number of scalars of \p builtIn up to the last one that is written.
uint32_t Exports::countScalars(spv::BuiltIn builtIn) const {
  uint32_t count = 0;
  for (const auto &[key, value] : m_outputs.builtIns)
    if (key.first == static_cast<uint32_t>(builtIn) && !isa<UndefValue>(value))
      count = std::max(count, key.second + 1);
  return count;
}

/// Distances of culling follow those of clipping. A driver's maxCombinedClipAndCullDistances is 8,
/// as many as two exports hold.
Error Exports::takeDistances() {
  constexpr uint32_t MostDistances = 8;
  uint32_t clipCount = countScalars(spv::BuiltIn::ClipDistance);
  uint32_t cullCount = countScalars(spv::BuiltIn::CullDistance);
  if (clipCount + cullCount > MostDistances)
    return unsupported(Twine(clipCount) + " clip distances and " + Twine(cullCount) +
                       " cull distances: at most 8 in all");
  for (uint32_t i = 0; i < clipCount; ++i)
    if (Value *value = getBuiltIn(spv::BuiltIn::ClipDistance, i))
      takeDistance(i, value, "clip");
  for (uint32_t i = 0; i < cullCount; ++i)
    if (Value *value = getBuiltIn(spv::BuiltIn::CullDistance, i))
      takeDistance(clipCount + i, value, faultPlanted(Fault::CullAsClip) ? "clip" : "cull");
  if (clipCount + cullCount == 0)
    return Error::success();
  setControl(".vs_out_cc_dist0_vec_ena");
  m_positions.push_back(m_distances[0]);
  if (clipCount + cullCount > 4) {
    setControl(".vs_out_cc_dist1_vec_ena");
    m_positions.push_back(m_distances[1]);
  }
  // From GFX10.3 on the side bus takes all positions but the first (LLPC).
  const TargetInfo &target = m_state.getTarget();
  if (target.major > 10 || (target.major == 10 && target.minor >= 3))
    setControl(".vs_out_misc_side_bus_ena");
  return Error::success();
}

/// A half whose place is a component becomes a float, which interpolation needs there.
Value *Exports::toParameter(const OutputScalar &scalar) {
  if (scalar.type != InOutType::F16)
    return scalar.bits;
  Value *half = m_builder.CreateBitCast(m_builder.CreateTrunc(scalar.bits, m_builder.getInt16Ty()),
                                        m_builder.getHalfTy());
  return m_builder.CreateBitCast(m_builder.CreateFPExt(half, m_builder.getFloatTy()),
                                 m_builder.getInt32Ty());
}

/// \p component, which may be null, with the 16 bits of \p bits in a half of it.
Value *Exports::addHalf(Value *component, const InOutPlace &place, Value *bits) {
  Value *half =
      place.isHighHalf() ? m_builder.CreateShl(bits, 16) : m_builder.CreateAnd(bits, 0xffff);
  if (!component || faultPlanted(Fault::HalfShared))
    return half;
  return m_builder.CreateOr(component, half);
}

/// An undefined component counts as not written.
void Exports::takeParameters() {
  for (const auto &[key, scalar] : m_outputs.located) {
    InOutPlace place = key;
    if (faultPlanted(Fault::ParameterComponent) && place.component % 4 < 2)
      place.component ^= 1;
    if (isa<UndefValue>(scalar.bits))
      continue;
    Value *&value = m_parameters[place.location][place.getDword()];
    value = place.isHalf() ? addHalf(value, place, scalar.bits) : toParameter(scalar);
  }
}

/// Exports the bits as floats; the valid-mask operand is not set.
void Exports::exportScalars(unsigned target, const Scalars &scalars, bool isDone) {
  uint32_t mask = 0;
  SmallVector<Value *, 8> arguments = {m_builder.getInt32(target), nullptr};
  for (unsigned i = 0; i < 4; ++i) {
    Value *bits = scalars[i] ? scalars[i] : PoisonValue::get(m_builder.getInt32Ty());
    mask |= uint32_t(scalars[i] != nullptr) << i;
    arguments.push_back(m_builder.CreateBitCast(bits, m_builder.getFloatTy()));
  }
  arguments[1] = m_builder.getInt32(mask);
  arguments.append({m_builder.getInt1(isDone), m_builder.getFalse()});
  m_builder.CreateIntrinsic(Intrinsic::amdgcn_exp, m_builder.getFloatTy(), arguments);
}

/// The components of a parameter up to the last one that is written; 0 for one that is not.
Value *Exports::makeRingData(const Scalars &scalars) {
  unsigned count = scalars.size();
  while (count > 1 && !scalars[count - 1])
    --count;
  auto component = [&](unsigned i) {
    return m_builder.CreateBitCast(scalars[i] ? scalars[i] : m_builder.getInt32(0),
                                   m_builder.getFloatTy());
  };
  if (count == 1)
    return component(0);
  Value *vector = PoisonValue::get(FixedVectorType::get(m_builder.getFloatTy(), count));
  for (unsigned i = 0; i < count; ++i)
    vector = m_builder.CreateInsertElement(vector, component(i), uint64_t(i));
  return vector;
}

/// \p ring with room for all parameters of a vertex. The driver's stride is that of one (LLPC,
/// NggPrimShader.cpp); STRIDE is in bits 29:16 of the second dword.
Value *Exports::setStride(Value *ring) {
  constexpr uint32_t StrideMask = 0x3fff0000;
  constexpr unsigned StrideShift = 16;
  if (m_parameters.size() < 2 || faultPlanted(Fault::RingStride))
    return ring;
  auto stride = static_cast<uint32_t>(m_parameters.size()) * parameterBytes;
  Value *word = m_builder.CreateExtractElement(ring, uint64_t(1));
  word = m_builder.CreateOr(m_builder.CreateAnd(word, ~StrideMask), stride << StrideShift);
  return m_builder.CreateInsertElement(ring, word, uint64_t(1));
}

/// The ring's descriptor swizzles: parameters of 32 neighbouring vertices are together. Positions
/// come after the stores are done, because fragments may start with the last of them (LLPC,
/// waAtmPrecedesPos).
void Exports::storeParameters() {
  Value *table =
      createTablePointer(m_builder, createStageInput(m_builder, StageInput::GlobalTable));
  auto *words = FixedVectorType::get(m_builder.getInt32Ty(), 4);
  Value *address =
      m_builder.CreateConstInBoundsGEP1_32(m_builder.getInt32Ty(), table, pal::AttributeRing);
  LoadInst *loaded = m_builder.CreateAlignedLoad(words, address, Align(16), "ring");
  loaded->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(m_builder.getContext(), {}));
  Value *ring = setStride(loaded);
  Value *offset =
      m_builder.CreateShl(createStageInput(m_builder, StageInput::RingOffset), ringUnitShift);
  if (faultPlanted(Fault::RingOffset))
    offset = m_builder.getInt32(0);
  Value *lane = createThreadOfGroup(m_builder, m_state.getWaveSize());
  unsigned byte = 0;
  for (const auto &[location, scalars] : m_parameters) {
    constexpr unsigned Coherent = 1; // GLC: past the caches of one unit.
    Value *data = makeRingData(scalars);
    m_builder.CreateIntrinsic(Intrinsic::amdgcn_struct_buffer_store, data->getType(),
                              {data, ring, lane, m_builder.getInt32(byte), offset,
                               m_builder.getInt32(m_state.getTarget().major < 12 ? Coherent : 0)});
    byte += parameterBytes;
  }
  m_builder.CreateFence(AtomicOrdering::Release,
                        m_builder.getContext().getOrInsertSyncScopeID("agent"));
}

/// The last position is the one marked as done, whatever parameters follow.
void Exports::exportAll() {
  bool hasRing = m_state.getTarget().major >= 11;
  if (hasRing && !m_parameters.empty())
    storeParameters();
  for (auto [index, position] : enumerate(m_positions)) {
    bool isLast = index + 1 == m_positions.size();
    exportScalars(positionTarget + static_cast<unsigned>(index), position, isLast);
  }
  unsigned parameter = 0;
  for (const auto &[location, scalars] : m_parameters)
    if (!hasRing)
      exportScalars(parameterTarget + parameter++, scalars, /*isDone=*/false);
}

void Exports::addRegisters() {
  addPositions(m_module, static_cast<uint32_t>(m_positions.size()));
  uint32_t index = 0;
  for (const auto &[location, scalars] : m_parameters)
    addParameter(m_module, location, index++);
  if (index > 1)
    addRegister(m_module, ".spi_vs_out_config", ".vs_export_count",
                faultPlanted(Fault::ParameterCount) ? index - 2 : index - 1);
  if (index == 0 && m_state.getTarget().major >= 10)
    addRegister(m_module, ".spi_vs_out_config", ".no_pc_export", 1);
}

Error Exports::run() {
  takePositions();
  if (Error error = takeDistances())
    return error;
  takeParameters();
  exportAll();
  addRegisters();
  return Error::success();
}

/// A vertex shader that never returns has one position, which it never exports.
static Error lower(Module &module, Function &entry) {
  Expected<TrackedState> state = TrackedState::open(module, "lower-vertex-exports");
  if (!state)
    return state.takeError();
  StageOutputs outputs = takeOutputs(entry);
  if (!outputs.end) { // It never returns, and has no outputs.
    addPositions(module, 1);
    return Error::success();
  }
  return Exports(module, *state, std::move(outputs)).run();
}

PreservedAnalyses amdgpu::LowerVertexExports::run(Module &module, ModuleAnalysisManager &) {
  Function *entry = findStage(module, ShaderStage::Vertex);
  if (!entry)
    return PreservedAnalyses::all();
  if (Error error = lower(module, *entry))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
