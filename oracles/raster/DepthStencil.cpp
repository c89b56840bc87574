// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/DepthStencil.h"

#include "support/Fault.h"
#include <cassert>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// Exchanges Yes and No. Maybe stays.
static Answer negate(Answer answer) {
  return answer == Answer::Yes ? Answer::No : answer == Answer::No ? Answer::Yes : Answer::Maybe;
}

/// Returns whether every, some or no choice from both ranges has a < b.
static Answer isLess(Range a, Range b) {
  return a.hi < b.lo ? Answer::Yes : a.lo < b.hi ? Answer::Maybe : Answer::No;
}

/// Yes only for two equal numbers: equal ranges may still hold different ones.
static Answer isEqual(Range a, Range b) {
  if (a.isPoint() && a == b)
    return Answer::Yes;
  return a.lo <= b.hi && b.lo <= a.hi ? Answer::Maybe : Answer::No;
}

/// Maybe where the ranges do not decide.
Answer raster::compare(CompareOp op, Range a, Range b) {
  switch (op) {
  case CompareOp::Never:
    return Answer::No;
  case CompareOp::Less:
    return isLess(a, b);
  case CompareOp::Equal:
    return isEqual(a, b);
  case CompareOp::LessOrEqual:
    return faultPlanted(Fault::RasterDepthStrict) ? isLess(a, b) : negate(isLess(b, a));
  case CompareOp::Greater:
    return isLess(b, a);
  case CompareOp::NotEqual:
    return negate(isEqual(a, b));
  case CompareOp::GreaterOrEqual:
    return negate(isLess(a, b));
  case CompareOp::Always:
    return Answer::Yes;
  }
  llvm_unreachable("no such comparison");
}

bool raster::compare(CompareOp op, uint32_t a, uint32_t b) {
  return compare(op, Range::point(a), Range::point(b)) == Answer::Yes;
}

/// Applies \p op without the write mask. All 8 bits of \p old take part.
static uint8_t applyStencil(StencilOp op, uint32_t reference, uint8_t old) {
  switch (op) {
  case StencilOp::Keep:
    return old;
  case StencilOp::Zero:
    return 0;
  case StencilOp::Replace:
    return uint8_t(reference);
  case StencilOp::IncrementAndClamp:
    return faultPlanted(Fault::RasterStencilWraps) || old < 255 ? uint8_t(old + 1) : old;
  case StencilOp::DecrementAndClamp:
    return old ? uint8_t(old - 1) : old;
  case StencilOp::Invert:
    return uint8_t(~old);
  case StencilOp::IncrementAndWrap:
    return uint8_t(old + 1);
  case StencilOp::DecrementAndWrap:
    return uint8_t(old - 1);
  }
  llvm_unreachable("no such operation");
}

/// Bits outside of the write mask stay.
uint8_t raster::updateStencil(StencilOp op, const StencilFaceState &state, uint8_t old) {
  uint8_t mask = uint8_t(state.writeMask);
  if (faultPlanted(Fault::RasterStencilMask))
    mask = 0xff;
  return uint8_t((old & ~mask) | (applyStencil(op, state.reference, old) & mask));
}

/// Returns every result that an implementation may have: several where a depth is not known
/// exactly.
SmallVector<DepthStencilResult, 2> raster::testDepthStencil(const DepthStencilState &state,
                                                            const DepthStencilInput &input,
                                                            const DepthStencilValue &old,
                                                            bool hasDepth, bool hasStencil) {
  SmallVector<DepthStencilResult, 2> results;
  // The order is depth bounds, stencil, depth. One that fails the first leaves all as it is.
  Answer inBounds = Answer::Yes;
  if (state.depthBoundsTest && hasDepth)
    inBounds =
        std::min(compare(CompareOp::GreaterOrEqual, old.depth, Range::point(state.minDepthBounds)),
                 compare(CompareOp::LessOrEqual, old.depth, Range::point(state.maxDepthBounds)));
  if (inBounds != Answer::Yes)
    results.push_back({false, old});
  if (inBounds == Answer::No)
    return results;

  StencilFaceState face = input.isFront ? state.front : state.back;
  face.reference = input.reference;
  bool testsStencil = state.stencilTest && hasStencil;
  auto withStencil = [&](StencilOp op) {
    DepthStencilValue value = old;
    if (testsStencil)
      value.stencil = updateStencil(op, face, old.stencil);
    return value;
  };
  if (testsStencil &&
      !compare(face.compare, face.reference & face.compareMask, old.stencil & face.compareMask)) {
    results.push_back({false, withStencil(face.fail)});
    return results;
  }
  bool testsDepth = state.depthTest && hasDepth;
  Range depth = input.isSame ? Range() : input.depth;
  Range oldDepth = input.isSame ? Range() : old.depth;
  Answer passes = testsDepth ? compare(state.depthCompare, depth, oldDepth) : Answer::Yes;
  if (passes != Answer::Yes)
    results.push_back({false, withStencil(face.depthFail)});
  if (passes != Answer::No) {
    DepthStencilValue value = withStencil(face.pass);
    // Without the test there is no write either.
    if (testsDepth && state.depthWrite)
      value.depth = input.depth;
    results.push_back({true, value});
  }
  return results;
}

/// The clamp may be negative; 0 means that there is none.
Range raster::getDepthBias(const RasterizationState &state, Range slope, Range unit) {
  if (!state.depthBias)
    return {};
  Range bias =
      slope * Range::point(state.depthBiasSlope) + unit * Range::point(state.depthBiasConstant);
  double clamp = state.depthBiasClamp;
  if (clamp > 0)
    return minimum(bias, Range::point(clamp));
  return clamp < 0 ? maximum(bias, Range::point(clamp)) : bias;
}

/// Fixed-point depths leave the unit open by a factor of two; that of floats depends on the largest
/// depth of the primitive.
Range raster::getDepthUnit(unsigned unormBits, double maxDepth) {
  if (unormBits)
    return {std::ldexp(1.0, -int(unormBits)), std::ldexp(1.0, 1 - int(unormBits))};
  return Range::point(maxDepth == 0 ? 0 : std::ldexp(1.0, std::ilogb(maxDepth) - 23));
}
