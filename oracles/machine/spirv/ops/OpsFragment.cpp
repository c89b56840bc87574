// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of fragment shaders: derivatives, the end of fragments, interpolation functions. The
// four invocations of a quad are a subgroup, so that a derivative is an operation of a tangle.
#include "oracles/machine/spirv/draw/Fragment.h"
#include "oracles/machine/spirv/ops/OpsSubgroup.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
/// Which differences in a quad are right: that of the own row or column, or any; or any unless
/// spirv-ieee takes the own one, as llvmpipe does (lp_bld_quad.c).
enum class Detail : uint8_t { Fine, Any, Free };
/// The neighbour in x is lane ^ 1, that in y lane ^ 2.
enum class Axis : uint8_t { X = 1, Y = 2 };
} // namespace

/// The difference along \p axis of the pair that \p lane belongs to.
static Scalar differenceOf(Tangle &tangle, const Inst &inst, uint32_t operand, uint32_t component,
                           uint32_t lane, Axis axis) {
  uint32_t bit = static_cast<uint32_t>(axis);
  const Invocation *low = tangle.lanes[lane & ~bit], *high = tangle.lanes[lane | bit];
  if (!low || !high)
    return Scalar::undefined(Cause::Inactive);
  if (faultPlanted(Fault::ReferenceDerivativeSign))
    std::swap(low, high);
  Scalar a = const_cast<Invocation *>(low)->at(operand)[component];
  Scalar b = const_cast<Invocation *>(high)->at(operand)[component];
  if ((a.flags | b.flags) & Poison)
    return inheritPoison(a, b);
  return scalarOf(sub(intervalOf(b, inst.rules), intervalOf(a, inst.rules), inst.rules),
                  inst.rules);
}

/// The derivative of a component for the member \p lane.
static Scalar derivativeOf(Tangle &tangle, const Inst &inst, uint32_t operand, uint32_t component,
                           uint32_t lane, Axis axis, Detail detail) {
  Scalar own = differenceOf(tangle, inst, operand, component, lane, axis);
  bool takesOwn = detail == Detail::Fine || (detail == Detail::Free && inst.rules.isIeee);
  if (takesOwn || own.isPoison())
    return own;
  uint32_t across = 3 & ~static_cast<uint32_t>(axis);
  Scalar other = differenceOf(tangle, inst, operand, component, lane ^ across, axis);
  if (other.isPoison())
    return own; // The other row has parted: only the fine result can be meant.
  Interval all = hull(intervalOf(own, inst.rules), intervalOf(other, inst.rules));
  return scalarOf(all, inst.rules, fromBits(own.bits, inst.rules.width));
}

/// A quad is a workgroup, so the local index is the lane.
static uint32_t laneOf(const Invocation &invocation) {
  return invocation.localIndex;
}

/// Computes all results before it writes any. With both axes the result is the sum of the
/// magnitudes.
template <bool HasX, bool HasY, Detail How>
static Status differentiate(Tangle &tangle, const Inst &inst) {
  std::vector<Scalar> results;
  for (Invocation *member : tangle.members)
    for (uint32_t i = 0; i < inst.n; ++i) {
      std::optional<Scalar> result;
      for (auto [isAsked, axis] : {std::pair(HasX, Axis::X), std::pair(HasY, Axis::Y)}) {
        if (!isAsked)
          continue;
        Scalar one = derivativeOf(tangle, inst, inst.op[0], i, laneOf(*member), axis, How);
        if (!HasX || !HasY) {
          result = one;
        } else if (!result) { // fwidth: |x| + |y|.
          result =
              one.isPoison() ? one : scalarOf(absolute(intervalOf(one, inst.rules)), inst.rules);
        } else if ((result->flags | one.flags) & Poison) {
          result = inheritPoison(*result, one);
        } else {
          result = scalarOf(add(intervalOf(*result, inst.rules),
                                absolute(intervalOf(one, inst.rules)), inst.rules),
                            inst.rules);
        }
      }
      results.push_back(*result);
    }
  // Operand and result may share slots of a member.
  const Scalar *next = results.data();
  for (Invocation *member : tangle.members) {
    copyScalars(next, inst.n, member->at(inst.dst));
    next += inst.n;
  }
  return Status::Next;
}

/// Unsupported outside of fragment shaders, where there are no quads.
template <bool HasX, bool HasY, Detail How>
static Error prepareDerivative(Decoder &decoder, Operands operands, Inst &inst) {
  if (decoder.program().stage != ShaderStage::Fragment)
    return unsupported("derivatives outside of fragment shaders");
  return addTangleSite(decoder, operands, inst, {differentiate<HasX, HasY, How>});
}

/// For instructions without operands and result.
static Error prepareNothing(Decoder &, Operands, Inst &) {
  return Error::success();
}

/// OpKill and OpTerminateInvocation: neighbours may not ask for its values any more.
static Status killFragment(Invocation &invocation, const Inst &) {
  invocation.isKilled = !faultPlanted(Fault::ReferenceKeepsKilled);
  return Status::Done;
}

/// The invocation continues as a helper; its fragment is discarded.
static Status demote(Invocation &invocation, const Inst &) {
  invocation.isKilled = true;
  invocation.isHelper = true;
  return Status::Next;
}

/// True from the start for helpers, and after a demotion.
static Status askHelper(Invocation &invocation, const Inst &inst) {
  *invocation.at(inst.dst) = Scalar::boolean(invocation.isHelper);
  return Status::Next;
}

/// OpDPdx and the like leave the choice between fine and coarse to the implementation; precision
/// spirv-ieee takes the fine ones.
ArrayRef<OpRow> reference::fragmentOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpDPdx), prepareDerivative<true, false, Detail::Free>, waitForTangle},
      {uint32_t(Op::OpDPdy), prepareDerivative<false, true, Detail::Free>, waitForTangle},
      {uint32_t(Op::OpFwidth), prepareDerivative<true, true, Detail::Free>, waitForTangle},
      {uint32_t(Op::OpDPdxFine), prepareDerivative<true, false, Detail::Fine>, waitForTangle},
      {uint32_t(Op::OpDPdyFine), prepareDerivative<false, true, Detail::Fine>, waitForTangle},
      {uint32_t(Op::OpFwidthFine), prepareDerivative<true, true, Detail::Fine>, waitForTangle},
      {uint32_t(Op::OpDPdxCoarse), prepareDerivative<true, false, Detail::Any>, waitForTangle},
      {uint32_t(Op::OpDPdyCoarse), prepareDerivative<false, true, Detail::Any>, waitForTangle},
      {uint32_t(Op::OpFwidthCoarse), prepareDerivative<true, true, Detail::Any>, waitForTangle},
      {uint32_t(Op::OpKill), prepareNothing, killFragment},
      {uint32_t(Op::OpTerminateInvocation), prepareNothing, killFragment},
      {uint32_t(Op::OpDemoteToHelperInvocation), prepareNothing, demote},
      {uint32_t(Op::OpIsHelperInvocationEXT), prepareNothing, askHelper},
  };
  return rows;
}

/// op[0] the pointer, op[1] the sample or offset.
static Error prepareInterpolation(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> count = decoder.scalarCount(inst.source->typeId);
  if (!count)
    return count.takeError();
  inst.n = *count;
  return decoder.refs(operands, inst);
}

/// The scalars after the pointer op[0], interpolated at \p place.
static Status interpolateAt(Invocation &invocation, const Inst &inst, const raster::Place &place) {
  const Scalar pointer = *invocation.at(inst.op[0]);
  if (pointer.isPoison())
    return invocation.execution->poisonUsed(pointer, "an address", invocation, inst);
  const FragmentPlace &at = *invocation.fragment;
  const std::vector<InterfaceScalar> &inputs = invocation.program().shaderInputs;
  Scalar *dst = invocation.at(inst.dst);
  for (uint32_t i = 0; i < inst.n; ++i) {
    auto input = find_if(inputs, [&](const InterfaceScalar &each) {
      return !each.builtIn && each.slot == pointer.bits + i;
    });
    if (input == inputs.end())
      return invocation.execution->stopUnsupported("interpolation of what is no input");
    dst[i] = at.inputs->interpolateAt(*input, *at.primitive, place);
  }
  return Status::Next;
}

/// Evaluates the input at the centroid of the fragment's covered samples.
static Status interpolateAtCentroid(Invocation &invocation, const Inst &inst) {
  return interpolateAt(invocation, inst, invocation.fragment->get().centroid);
}

/// A point in the pixel of \p at; \p x and \p y are in [0, 1].
static raster::Place placeOfPixel(const FragmentPlace &at, double x, double y) {
  return {raster::Range::point(at.x() + x), raster::Range::point(at.y() + y)};
}

/// op[1]: the number of the sample. Unsupported for a number beyond the sample count.
static Status interpolateAtSample(Invocation &invocation, const Inst &inst) {
  const Scalar sample = *invocation.at(inst.op[1]);
  if (sample.isPoison())
    return invocation.execution->poisonUsed(sample, "a sample's number", invocation, inst);
  const FragmentPlace &at = *invocation.fragment;
  ArrayRef<raster::SamplePosition> positions = raster::getSamplePositions(at.samples);
  if (sample.bits >= positions.size())
    return invocation.execution->stopUnsupported("interpolation at a sample that does not exist");
  const raster::SamplePosition &position = positions[sample.bits];
  return interpolateAt(invocation, inst, placeOfPixel(at, position.x / 16.0, position.y / 16.0));
}

/// op[1]: the offset from the pixel's centre, widened by its quantization.
static Status interpolateAtOffset(Invocation &invocation, const Inst &inst) {
  const Scalar *offset = invocation.at(inst.op[1]);
  raster::Place place = placeOfPixel(*invocation.fragment, 0.5, 0.5);
  for (unsigned i = 0; i < 2; ++i) {
    if (offset[i].isPoison())
      return invocation.execution->poisonUsed(offset[i], "an offset", invocation, inst);
    Interval value = intervalOf(offset[i], inst.rules);
    // Quantized to subPixelInterpolationOffsetBits, at least 4.
    raster::Range &range = i ? place.y : place.x;
    range = range + raster::Range{value.lo - 1.0 / 16, value.hi + 1.0 / 16};
  }
  return interpolateAt(invocation, inst, place);
}

/// InterpolateAtCentroid, InterpolateAtSample and InterpolateAtOffset.
ArrayRef<OpRow> reference::glslFragmentOps() {
  static const OpRow rows[] = {
      {76, prepareInterpolation, interpolateAtCentroid},
      {77, prepareInterpolation, interpolateAtSample},
      {78, prepareInterpolation, interpolateAtOffset},
  };
  return rows;
}

/// Names the pixel and the primitive of a fragment, for messages.
std::string Execution::describeFragment(const Invocation &invocation) {
  const FragmentPlace &at = *invocation.fragment;
  return "fragment (" + std::to_string(at.x()) + ", " + std::to_string(at.y()) + ") of primitive " +
         std::to_string(at.primitive->primitiveId);
}
