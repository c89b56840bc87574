// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: AMD's ISA manuals, "Parameter Interpolation"; AMD's register reference,
// SPI_PS_INPUT_ENA, SPI_BARYC_CNTL; LLPC, lgc/lowering/LowerInOut.cpp.
#include "compiler/amdgpu/passes/graphics/LowerFragmentInputs.h"

#include "compiler/amdgpu/passes/WaveOperations.h"
#include "compiler/amdgpu/passes/graphics/StageFacts.h"
#include "compiler/amdgpu/passes/graphics/StageInputs.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include <map>
#include <set>
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// Lane 0 of a quad.
static constexpr uint32_t quadFirst = 0;
/// Attributes that one shader can have.
static constexpr unsigned mostAttributes = 32;

namespace {
/// All ops that read inputs, in the order of the code.
struct Collector : LgcVisitor<Collector> {
  SmallVector<ReadInputOp *, 16> inputs;
  SmallVector<InterpolateInputOp *, 4> interpolated; ///< With the shader's weights.
  SmallVector<ReadVertexInputOp *, 4> ofVertices;
  SmallVector<SampleOffsetOp *, 4> sampleOffsets;
  SmallVector<ReadStageBuiltInOp *, 8> builtIns;
  void visitReadInputOp(ReadInputOp &op) { inputs.push_back(&op); }
  void visitInterpolateInputOp(InterpolateInputOp &op) { interpolated.push_back(&op); }
  void visitReadVertexInputOp(ReadVertexInputOp &op) { ofVertices.push_back(&op); }
  void visitSampleOffsetOp(SampleOffsetOp &op) { sampleOffsets.push_back(&op); }
  void visitReadStageBuiltInOp(ReadStageBuiltInOp &op) { builtIns.push_back(&op); }
};

/// What the ops read of one location.
struct LocationUse {
  bool isFlat = false;
  bool hasHalves = false, hasHighHalves = false; ///< Interpolated as halves.
};

/// Replaces the ops of one fragment shader. Values of inputs are made once each.
class Inputs {
public:
  Inputs(Function &entry, TrackedState &state, bool isPerSample)
      : m_module(*entry.getParent()), m_state(state), m_isPerSample(isPerSample),
        m_isNew(state.getTarget().major >= 11),
        m_builder(&entry.getEntryBlock(), getStartOf(entry)), m_places(entry.getContext()) {}

  Error run(const Collector &ops);

private:
  Error numberAttributes(const Collector &ops);
  Error lowerPlaces(const Collector &ops);
  Value *readAt(const InterpolateInputOp &op);
  Value *readVertex(const ReadVertexInputOp &op);
  static Value *toFormat(IRBuilder<> &builder, uint64_t format, Value *value);
  Value *interpolate(IRBuilder<> &builder, Value *i, Value *j, uint32_t attribute,
                     uint32_t channel);
  Value *readInput(const ReadInputOp &op);
  Value *readHalf(const InOutPlace &place);
  Value *interpolateHalf(IRBuilder<> &builder, Value *i, Value *j, const InOutPlace &place);
  Value *interpolateAt(IRBuilder<> &builder, Value *i, Value *j, const InOutPlace &place);
  Value *interpolate(StageInput weights, uint32_t attribute, uint32_t channel);
  /// I and J of a register of weights, as floats. Notes the register as used.
  std::pair<Value *, Value *> getPair(StageInput weights);
  /// i32 bits of a component at the provoking vertex.
  Value *readFlat(uint32_t attribute, uint32_t channel);
  Value *loadParameter(uint32_t attribute, uint32_t channel);
  /// The same, once for both halves.
  Value *loadHalves(uint32_t attribute, uint32_t channel);
  Expected<Value *> readBuiltIn(const ReadStageBuiltInOp &op);
  Value *makeFragCoord(uint32_t element);
  Value *makeBaryCoord(StageInput weights, uint32_t element);
  /// Element of a register of weights as i32.
  Value *makeWeight(StageInput weights, uint32_t element);
  Value *makeSampleMask();
  /// The number of the sample of this invocation, from bits 11:8 of the ancillary register.
  Value *makeSampleId();
  Value *getMask() { return createStageInput(m_builder, StageInput::PrimitiveMask); }
  Value *toBits(Value *value) { return m_builder.CreateBitCast(value, m_builder.getInt32Ty()); }
  Value *toBool(Value *value) { return m_builder.CreateZExt(value, m_builder.getInt32Ty()); }
  void addRegisters();

  Module &m_module;
  TrackedState &m_state;
  const bool m_isPerSample;
  const bool m_isNew;                        ///< Interpolation of GFX11 and later.
  IRBuilder<> m_builder;                     ///< At the start.
  IRBuilder<> m_places;                      ///< Where an op is.
  std::map<uint32_t, uint32_t> m_attributes; ///< By location.
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, Value *> m_values;
  std::map<std::pair<uint32_t, uint32_t>, Value *> m_halves; ///< By attribute and channel.
  /// Registers of weights that are read.
  std::set<StageInput> m_weights;
  uint32_t m_pointCoordinate = 0; ///< Its attribute, where the shader reads it.
  bool m_readsPosition = false;
};
} // namespace

/// The register with I and J for \p interpolation, which is not Flat.
static StageInput getWeights(Interpolation interpolation) {
  switch (interpolation) {
  case Interpolation::Linear:
    return StageInput::LinearCenter;
  case Interpolation::SmoothCentroid:
    return StageInput::PerspectiveCentroid;
  case Interpolation::LinearCentroid:
    return StageInput::LinearCentroid;
  case Interpolation::SmoothSample:
    return StageInput::PerspectiveSample;
  case Interpolation::LinearSample:
    return StageInput::LinearSample;
  default:
    return StageInput::PerspectiveCenter;
  }
}

/// Numbers locations in ascending order, the point coordinate last, and adds an interpolant for
/// each. Unsupported for more than 32.
Error Inputs::numberAttributes(const Collector &ops) {
  std::map<uint32_t, LocationUse> known;
  auto note = [&](uint64_t location, uint64_t component, bool isFlat) {
    InOutPlace place{static_cast<uint32_t>(location), static_cast<uint32_t>(component)};
    LocationUse &attribute = known[place.location];
    attribute.isFlat = isFlat;
    attribute.hasHalves |= !isFlat && place.isHalf();
    attribute.hasHighHalves |= !isFlat && place.isHighHalf();
  };
  for (const InterpolateInputOp *op : ops.interpolated)
    note(op->getLocation(), op->getComponent(), false);
  for (const ReadVertexInputOp *op : ops.ofVertices)
    note(op->getLocation(), op->getComponent(), true);
  for (const ReadInputOp *op : ops.inputs)
    note(op->getLocation(), op->getComponent(),
         static_cast<Interpolation>(op->getInterpolation()) == Interpolation::Flat);
  bool readsPoint = any_of(ops.builtIns, [](const ReadStageBuiltInOp *op) {
    return static_cast<spv::BuiltIn>(op->getBuiltIn()) == spv::BuiltIn::PointCoord;
  });
  auto count = static_cast<uint32_t>(known.size()) + uint32_t(readsPoint);
  if (count > mostAttributes)
    return unsupported(Twine(count) + " attributes");
  for (const auto &[location, attribute] : known) {
    auto number = static_cast<uint32_t>(m_attributes.size());
    m_attributes[location] = number;
    if (attribute.hasHalves)
      addInterpolantHalves(m_module, location, attribute.hasHighHalves);
    else
      addInterpolant(m_module, location, attribute.isFlat && !faultPlanted(Fault::FlatLost));
  }
  if (readsPoint) {
    m_pointCoordinate = count - 1;
    if (faultPlanted(Fault::PointCoordinateLost))
      addInterpolant(m_module, /*semantic=*/0, /*isFlat=*/false);
    else
      addPointCoordinate(m_module);
  }
  addRegister(m_module, ".spi_ps_in_control", ".num_interps", count);
  return Error::success();
}

/// P0, P10 and P20 in the first three lanes of each quad, as a float.
Value *Inputs::loadParameter(uint32_t attribute, uint32_t channel) {
  return m_builder.CreateIntrinsic(
      Intrinsic::amdgcn_lds_param_load, {},
      {m_builder.getInt32(channel), m_builder.getInt32(attribute), getMask()});
}

Value *Inputs::loadHalves(uint32_t attribute, uint32_t channel) {
  Value *&parameter = m_halves[{attribute, channel}];
  if (!parameter)
    parameter = loadParameter(attribute, channel);
  return parameter;
}

std::pair<Value *, Value *> Inputs::getPair(StageInput weights) {
  m_weights.insert(weights);
  Value *pair = createFloatInput(m_builder, weights);
  Value *i = m_builder.CreateExtractElement(pair, uint64_t(0));
  Value *j = m_builder.CreateExtractElement(pair, uint64_t(1));
  if (faultPlanted(Fault::WeightsSwapped))
    std::swap(i, j);
  return {i, j};
}

/// Interpolates one channel with the weights in a register.
Value *Inputs::interpolate(StageInput weights, uint32_t attribute, uint32_t channel) {
  auto [i, j] = getPair(weights);
  return interpolate(m_builder, i, j, attribute, channel);
}

/// Interpolates one half of a component; a half. The weights and the sum of the first two terms are
/// floats.
Value *Inputs::interpolateHalf(IRBuilder<> &builder, Value *i, Value *j, const InOutPlace &place) {
  uint32_t attribute = m_attributes.at(place.location);
  Value *high = builder.getInt1(place.isHighHalf() != faultPlanted(Fault::InterpolatedHalfSwapped));
  if (m_isNew) {
    Value *parameter = loadHalves(attribute, place.getDword());
    Value *partial = builder.CreateIntrinsic(Intrinsic::amdgcn_interp_inreg_p10_f16, {},
                                             {parameter, i, parameter, high});
    return builder.CreateIntrinsic(Intrinsic::amdgcn_interp_inreg_p2_f16, {},
                                   {parameter, j, partial, high});
  }
  Value *channel = builder.getInt32(place.getDword()), *number = builder.getInt32(attribute);
  Value *partial = builder.CreateIntrinsic(Intrinsic::amdgcn_interp_p1_f16, {},
                                           {i, channel, number, high, getMask()});
  return builder.CreateIntrinsic(Intrinsic::amdgcn_interp_p2_f16, {},
                                 {partial, j, channel, number, high, getMask()});
}

/// A float, or a half where \p place is one of 16 bits.
Value *Inputs::interpolateAt(IRBuilder<> &builder, Value *i, Value *j, const InOutPlace &place) {
  if (place.isHalf())
    return interpolateHalf(builder, i, j, place);
  return interpolate(builder, i, j, m_attributes.at(place.location), place.component);
}

/// Parameters are loaded at the start, where whole quads run.
Value *Inputs::interpolate(IRBuilder<> &builder, Value *i, Value *j, uint32_t attribute,
                           uint32_t channel) {
  if (m_isNew) {
    Value *parameter = loadParameter(attribute, channel);
    Value *partial =
        builder.CreateIntrinsic(Intrinsic::amdgcn_interp_inreg_p10, {}, {parameter, i, parameter});
    return builder.CreateIntrinsic(Intrinsic::amdgcn_interp_inreg_p2, {}, {parameter, j, partial});
  }
  Value *place[] = {builder.getInt32(channel), builder.getInt32(attribute), getMask()};
  Value *partial =
      builder.CreateIntrinsic(Intrinsic::amdgcn_interp_p1, {}, {i, place[0], place[1], place[2]});
  return builder.CreateIntrinsic(Intrinsic::amdgcn_interp_p2, {},
                                 {partial, j, place[0], place[1], place[2]});
}

Value *Inputs::readFlat(uint32_t attribute, uint32_t channel) {
  constexpr unsigned FirstParameter = 2; // P0: of the provoking vertex where FLAT_SHADE is set.
  if (!m_isNew)
    return m_builder.CreateIntrinsic(Intrinsic::amdgcn_interp_mov, {},
                                     {m_builder.getInt32(FirstParameter),
                                      m_builder.getInt32(channel), m_builder.getInt32(attribute),
                                      getMask()});
  Value *parameter = toBits(loadParameter(attribute, channel));
  WaveOperations wave(m_builder, m_state.getTarget(), m_state.getWaveSize());
  Value *first = wave.dppForAll(parameter, quadFirst);
  return m_builder.CreateIntrinsic(Intrinsic::amdgcn_wqm, first->getType(), {first});
}

/// 16 bits of a flat component.
Value *Inputs::readHalf(const InOutPlace &place) {
  constexpr auto Flat = static_cast<uint64_t>(Interpolation::Flat);
  Value *&whole = m_values[{place.location, place.getDword(), Flat}];
  if (!whole)
    whole = toBits(readFlat(m_attributes.at(place.location), place.getDword()));
  return place.isHighHalf() != faultPlanted(Fault::FlatHalfSwapped)
             ? m_builder.CreateLShr(whole, 16)
             : m_builder.CreateAnd(whole, 0xffff);
}

/// Returns i32 bits. Each location, component and kind of interpolation is read once.
Value *Inputs::readInput(const ReadInputOp &op) {
  auto location = static_cast<uint32_t>(op.getLocation());
  auto channel = static_cast<uint32_t>(op.getComponent());
  Value *&value = m_values[{location, channel, op.getInterpolation()}];
  if (value)
    return value;
  InOutPlace place{location, channel};
  auto interpolation = static_cast<Interpolation>(op.getInterpolation());
  if (interpolation == Interpolation::SmoothCentroid && faultPlanted(Fault::CentroidLost))
    interpolation = Interpolation::Smooth;
  if (interpolation == Interpolation::Linear && faultPlanted(Fault::LinearAsSmooth))
    interpolation = Interpolation::Smooth;
  if (interpolation == Interpolation::Flat) {
    value = place.isHalf()
                ? readHalf(place)
                : toFormat(m_builder, op.getFormat(), readFlat(m_attributes.at(location), channel));
    return value;
  }
  auto [i, j] = getPair(getWeights(interpolation));
  return value = toFormat(m_builder, op.getFormat(), interpolateAt(m_builder, i, j, place));
}

/// \p value, which is 32 bits as hardware has them or a half, as an op gives it.
Value *Inputs::toFormat(IRBuilder<> &builder, uint64_t format, Value *value) {
  if (static_cast<InOutType>(format) != InOutType::F16)
    return builder.CreateBitCast(value, builder.getInt32Ty());
  if (!value->getType()->isHalfTy())
    value = builder.CreateFPTrunc(builder.CreateBitCast(value, builder.getFloatTy()),
                                  builder.getHalfTy());
  return builder.CreateZExt(builder.CreateBitCast(value, builder.getInt16Ty()),
                            builder.getInt32Ty());
}

/// Interpolates where the op is, with its weights.
Value *Inputs::readAt(const InterpolateInputOp &op) {
  InOutPlace place{static_cast<uint32_t>(op.getLocation()),
                   static_cast<uint32_t>(op.getComponent())};
  return interpolateAt(m_places, op.getI(), op.getJ(), place);
}

/// Where FLAT_SHADE is set, P0, P10 and P20 are what the three vertices provide.
Value *Inputs::readVertex(const ReadVertexInputOp &op) {
  constexpr uint32_t Parameters[] = {2, 0, 1}; // Of interp.mov: P0, P10, P20.
  constexpr uint32_t AllLanes = 0b01010101;
  auto vertex = static_cast<uint32_t>(op.getVertex());
  auto channel = static_cast<uint32_t>(op.getComponent());
  uint32_t attribute = m_attributes.at(static_cast<uint32_t>(op.getLocation()));
  if (!m_isNew)
    return m_builder.CreateIntrinsic(Intrinsic::amdgcn_interp_mov, {},
                                     {m_builder.getInt32(Parameters[vertex]),
                                      m_builder.getInt32(channel), m_builder.getInt32(attribute),
                                      getMask()});
  WaveOperations wave(m_builder, m_state.getTarget(), m_state.getWaveSize());
  Value *value = wave.dppForAll(toBits(loadParameter(attribute, channel)), vertex * AllLanes);
  return m_builder.CreateIntrinsic(Intrinsic::amdgcn_wqm, value->getType(), {value});
}

namespace {
/// Standard sample locations (Vulkan 1.3, "Multisampling"): x, then y, four bits a sample, in
/// sixteenths of a pixel.
struct SampleRow {
  uint32_t samples;
  uint64_t x, y;
};
} // namespace

/// The lowest four bits are of sample 0.
static constexpr SampleRow sampleRows[] = {
    {1, 0x8, 0x8},
    {2, 0x4c, 0x4c},
    {4, 0xa2e6, 0xea62},
    {8, 0xfb135d79, 0x1f7d39b5},
    {16, 0x1ef02486bda3c579, 0x0f48c21e3bd67a59},
};

/// Where sample \p number is, in pixels from the center.
static Value *makeSampleOffset(IRBuilder<> &builder, Value *number, uint32_t samples) {
  Type *i64 = builder.getInt64Ty();
  Value *result =
      ConstantVector::getSplat(ElementCount::getFixed(2), ConstantFP::get(builder.getFloatTy(), 0));
  const auto *row =
      find_if(sampleRows, [&](const SampleRow &each) { return each.samples == samples; });
  assert(row != std::end(sampleRows) && "pipelines have 1 to 16 samples");
  Value *shift = builder.CreateShl(builder.CreateZExt(number, i64), 2);
  for (auto [element, table] : {std::pair(0, row->x), std::pair(1, row->y)}) {
    Value *place = builder.CreateAnd(builder.CreateLShr(builder.getInt64(table), shift), 15);
    Value *pixels = builder.CreateFMul(builder.CreateUIToFP(place, builder.getFloatTy()),
                                       ConstantFP::get(builder.getFloatTy(), 1.0 / 16));
    pixels = builder.CreateFSub(pixels, ConstantFP::get(builder.getFloatTy(), 0.5));
    result = builder.CreateInsertElement(result, pixels, uint64_t(element));
  }
  return result;
}

/// The fourth one is 1 / W.
Value *Inputs::makeFragCoord(uint32_t element) {
  m_readsPosition = true;
  auto input = static_cast<StageInput>(static_cast<uint32_t>(StageInput::PositionX) + element);
  Value *value = createFloatInput(m_builder, input);
  if (input == StageInput::PositionW && !faultPlanted(Fault::FragCoordReciprocal))
    value = m_builder.CreateIntrinsic(Intrinsic::amdgcn_rcp, value->getType(), {value});
  return toBits(value);
}

/// The weights of the three vertices in their order.
Value *Inputs::makeBaryCoord(StageInput weights, uint32_t element) {
  m_weights.insert(weights);
  Value *pair = createFloatInput(m_builder, weights);
  Value *i = m_builder.CreateExtractElement(pair, uint64_t(0));
  Value *j = m_builder.CreateExtractElement(pair, uint64_t(1));
  if (element > 0)
    return toBits(element == 1 ? i : j);
  Value *rest = m_builder.CreateFSub(ConstantFP::get(i->getType(), 1), i);
  return toBits(m_builder.CreateFSub(rest, j));
}

Value *Inputs::makeWeight(StageInput weights, uint32_t element) {
  m_weights.insert(weights);
  return m_builder.CreateExtractElement(createStageInput(m_builder, weights), uint64_t(element));
}

Value *Inputs::makeSampleId() {
  Value *ancillary = createStageInput(m_builder, StageInput::Ancillary);
  return m_builder.CreateAnd(m_builder.CreateLShr(ancillary, 8), 0xf);
}

/// The samples that this invocation covers: with one invocation a sample, its own.
Value *Inputs::makeSampleMask() {
  addFlag(m_module, StageFlag::PsSampleMask);
  Value *covered = createStageInput(m_builder, StageInput::SampleCoverage);
  if (!m_isPerSample)
    return covered;
  return m_builder.CreateAnd(covered, m_builder.CreateShl(m_builder.getInt32(1), makeSampleId()));
}

namespace {
/// A built-in of what GraphicsState does not have.
struct LackingRow {
  spv::BuiltIn builtIn;
  StringLiteral state;
};
} // namespace

/// For messages that name what is missing.
static constexpr LackingRow lackingState[] = {
    {spv::BuiltIn::FullyCoveredEXT, "conservative rasterization"},
    {spv::BuiltIn::ShadingRateKHR, "fragment shading rates"},
    {spv::BuiltIn::FragSizeEXT, "fragment density maps"},
    {spv::BuiltIn::FragInvocationCountEXT, "fragment density maps"},
};

/// Returns i32 bits of one element, bools as 0 or 1. Unsupported for built-ins that no hardware
/// register or state provides.
Expected<Value *> Inputs::readBuiltIn(const ReadStageBuiltInOp &op) {
  auto element = static_cast<uint32_t>(op.getElement());
  switch (static_cast<spv::BuiltIn>(op.getBuiltIn())) {
  case spv::BuiltIn::FragCoord:
    return makeFragCoord(element);
  case spv::BuiltIn::PointCoord:
    if (faultPlanted(Fault::PointCoordinateSwapped))
      element ^= 1;
    return toBits(interpolate(StageInput::PerspectiveCenter, m_pointCoordinate, element));
  case spv::BuiltIn::FrontFacing: {
    Value *face = createStageInput(m_builder, StageInput::FrontFace);
    bool isWrong = faultPlanted(Fault::FacingInverted);
    return toBool(isWrong ? m_builder.CreateIsNull(face) : m_builder.CreateIsNotNull(face));
  }
  case spv::BuiltIn::SampleId:
    return makeSampleId();
  case spv::BuiltIn::SamplePosition: {
    // Positions are those of samples (POS_FLOAT_LOCATION).
    Value *position = m_builder.CreateBitCast(makeFragCoord(element), m_builder.getFloatTy());
    return toBits(
        m_builder.CreateIntrinsic(Intrinsic::amdgcn_fract, position->getType(), {position}));
  }
  case spv::BuiltIn::SampleMask:
    return makeSampleMask();
  case spv::BuiltIn::HelperInvocation:
    return toBool(m_builder.CreateNot(
        m_builder.CreateIntrinsic(m_builder.getInt1Ty(), Intrinsic::amdgcn_ps_live, {})));
  case spv::BuiltIn::BaryCoordKHR:
    return makeBaryCoord(
        m_isPerSample ? StageInput::PerspectiveSample : StageInput::PerspectiveCenter, element);
  case spv::BuiltIn::BaryCoordNoPerspKHR:
    return makeBaryCoord(m_isPerSample ? StageInput::LinearSample : StageInput::LinearCenter,
                         element);
  case spv::BuiltIn::BaryCoordNoPerspAMD:
    return makeWeight(StageInput::LinearCenter, element);
  case spv::BuiltIn::BaryCoordNoPerspCentroidAMD:
    return makeWeight(StageInput::LinearCentroid, element);
  case spv::BuiltIn::BaryCoordNoPerspSampleAMD:
    return makeWeight(StageInput::LinearSample, element);
  case spv::BuiltIn::BaryCoordSmoothAMD:
    return makeWeight(StageInput::PerspectiveCenter, element);
  case spv::BuiltIn::BaryCoordSmoothCentroidAMD:
    return makeWeight(StageInput::PerspectiveCentroid, element);
  case spv::BuiltIn::BaryCoordSmoothSampleAMD:
    return makeWeight(StageInput::PerspectiveSample, element);
  case spv::BuiltIn::BaryCoordPullModelAMD:
    return makeWeight(StageInput::PerspectivePullModel, element);
  case spv::BuiltIn::ViewIndex:
    return createStageInput(m_builder, StageInput::ViewIndex);
  default:
    break;
  }
  const StageBuiltIn *known = findStageBuiltIn(op.getBuiltIn());
  const auto *lacking = find_if(lackingState, [&](const LackingRow &row) {
    return static_cast<uint64_t>(row.builtIn) == op.getBuiltIn();
  });
  std::string what = ("built-in " + (known ? StringRef(known->name) : StringRef("input")) +
                      " in a fragment shader")
                         .str();
  if (lacking != std::end(lackingState))
    what += (": no pipeline state has " + lacking->state).str();
  return unsupported(what);
}

/// Adds the registers that follow from what was read: facing, place of positions, sample rate,
/// centroids.
void Inputs::addRegisters() {
  addRegister(m_module, ".spi_baryc_cntl", ".front_face_all_bits", 1);
  constexpr unsigned AtSample = 2;
  if (m_readsPosition && m_isPerSample && !faultPlanted(Fault::PositionAtCenter))
    addRegister(m_module, ".spi_baryc_cntl", ".pos_float_location", AtSample);
  if (m_isPerSample)
    addRegister(m_module, "", ".ps_iter_sample", 1);
  // With both, the hardware leaves out centroids where all samples are covered.
  auto hasBoth = [&](StageInput center, StageInput centroid) {
    return m_weights.count(center) && m_weights.count(centroid);
  };
  if (hasBoth(StageInput::PerspectiveCenter, StageInput::PerspectiveCentroid) ||
      hasBoth(StageInput::LinearCenter, StageInput::LinearCentroid))
    addRegister(m_module, ".spi_ps_in_control", ".bc_optimize_disable", 1);
}

/// Replaces the ops that say themselves where they read.
Error Inputs::lowerPlaces(const Collector &ops) {
  for (InterpolateInputOp *op : ops.interpolated) {
    m_places.SetInsertPoint(op);
    op->replaceAllUsesWith(toFormat(m_places, op->getFormat(), readAt(*op)));
  }
  for (ReadVertexInputOp *op : ops.ofVertices)
    op->replaceAllUsesWith(toFormat(m_builder, op->getFormat(), readVertex(*op)));
  for (SampleOffsetOp *op : ops.sampleOffsets) {
    uint32_t samples = m_state.getSamples();
    if (samples > 16)
      return unsupported("interpolation at one of " + Twine(samples) + " samples");
    m_places.SetInsertPoint(op);
    op->replaceAllUsesWith(makeSampleOffset(m_places, op->getSample(), samples));
  }
  return Error::success();
}

/// Replaces all ops and erases them. Values are made at the start of the function, except those of
/// lowerPlaces.
Error Inputs::run(const Collector &ops) {
  if (Error error = numberAttributes(ops))
    return error;
  if (Error error = lowerPlaces(ops))
    return error;
  for (ReadInputOp *op : ops.inputs)
    op->replaceAllUsesWith(readInput(*op));
  for (ReadStageBuiltInOp *op : ops.builtIns) {
    Expected<Value *> value = readBuiltIn(*op);
    if (!value)
      return value.takeError();
    op->replaceAllUsesWith(*value);
  }
  // Last: the point at which values are made may be one of the ops.
  for (InterpolateInputOp *op : ops.interpolated)
    op->eraseFromParent();
  for (ReadVertexInputOp *op : ops.ofVertices)
    op->eraseFromParent();
  for (SampleOffsetOp *op : ops.sampleOffsets)
    op->eraseFromParent();
  for (ReadInputOp *op : ops.inputs)
    op->eraseFromParent();
  for (ReadStageBuiltInOp *op : ops.builtIns)
    op->eraseFromParent();
  addRegisters();
  return Error::success();
}

/// Returns whether an input is interpolated at samples, so that there is one invocation a sample.
static bool readsSample(const Collector &ops) {
  return any_of(ops.inputs, [](const ReadInputOp *op) {
    auto interpolation = static_cast<Interpolation>(op->getInterpolation());
    return interpolation == Interpolation::SmoothSample ||
           interpolation == Interpolation::LinearSample;
  });
}

/// The shader runs once a sample if its mode, an input or the state requires it.
static Error lower(Module &module, Function &entry) {
  Expected<TrackedState> state = TrackedState::open(module, "lower-fragment-inputs");
  if (!state)
    return state.takeError();
  Expected<StageMode> mode = getStageMode(entry);
  if (!mode)
    return mode.takeError();
  Collector ops;
  ops.visit(entry);
  bool isPerSample = mode->sampleShading || readsSample(ops) || state->isPerSample();
  return Inputs(entry, *state, isPerSample).run(ops);
}

PreservedAnalyses amdgpu::LowerFragmentInputs::run(Module &module, ModuleAnalysisManager &) {
  Function *entry = findStage(module, ShaderStage::Fragment);
  if (!entry)
    return PreservedAnalyses::all();
  if (Error error = lower(module, *entry))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
