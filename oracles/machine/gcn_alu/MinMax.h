// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Minimum and maximum as the generations have them. All order -0 below +0 and select a source, with
// denormals flushed on the way in only; they differ in what a NaN does. Legacy: up to GFX11, by
// MODE.IEEE. Number and Propagate: GFX12's v_min_num and v_minimum.
#pragma once

#include "oracles/machine/gcn_alu/Numerics.h"

namespace assay::gcn {

/// Legacy and Number give the other source where one is a NaN (Legacy with MODE.IEEE: unless the
/// NaN is signalling), Propagate gives the NaN.
enum class NanRule { Legacy, Number, Propagate };

/// Orders everything but NaN, -0 below +0.
template <typename T> bool isBelow(T a, T b) {
  if (signOf(a) != signOf(b))
    return signOf(a);
  return signOf(a) ? magnitudeOf(a) > magnitudeOf(b) : magnitudeOf(a) < magnitudeOf(b);
}

/// True when a NaN decided: \p result is set.
template <NanRule Rule, typename T> bool nanDecides(T &result, T a, T b, const AluMode &mode) {
  if (!isNan(a) && !isNan(b))
    return false;
  bool quietsSignalling = Rule == NanRule::Legacy && mode.ieee;
  if constexpr (Rule == NanRule::Propagate)
    result = quieten(isNan(a) ? a : b); // the first, signalling or not: docs/errata-amdgpu.md
  else if (quietsSignalling && isSignallingNan(a))
    result = quieten(a);
  else if (quietsSignalling && isSignallingNan(b))
    result = quieten(b);
  else if (isNan(b))
    result = Rule == NanRule::Number && isNan(a) ? quieten(a) : a;
  else
    result = b;
  return true;
}

/// The smaller or the larger source, after the NaN rule. Of equal sources, the second.
template <NanRule Rule, bool Maximum, typename T> T pickExtreme(T a, T b, const AluMode &mode) {
  a = flushIn(a, mode);
  b = flushIn(b, mode);
  T result{};
  if (nanDecides<Rule>(result, a, b, mode))
    return result;
  bool first = Maximum ? isBelow(b, a) : isBelow(a, b);
  return first ? a : b;
}

template <NanRule Rule, typename T> T floatMin(T a, T b, const AluMode &mode) {
  return pickExtreme<Rule, false>(a, b, mode);
}
template <NanRule Rule, typename T> T floatMax(T a, T b, const AluMode &mode) {
  return pickExtreme<Rule, true>(a, b, mode);
}
/// The NaN rule is applied to the first two, then to their result and \p c.
template <NanRule Rule, typename T> T floatMin3(T a, T b, T c, const AluMode &mode) {
  return floatMin<Rule>(floatMin<Rule>(a, b, mode), c, mode);
}
template <NanRule Rule, typename T> T floatMax3(T a, T b, T c, const AluMode &mode) {
  return floatMax<Rule>(floatMax<Rule>(a, b, mode), c, mode);
}
/// min(max(a, b), c).
template <NanRule Rule, typename T> T floatMaxMin(T a, T b, T c, const AluMode &mode) {
  return floatMin<Rule>(floatMax<Rule>(a, b, mode), c, mode);
}
/// max(min(a, b), c).
template <NanRule Rule, typename T> T floatMinMax(T a, T b, T c, const AluMode &mode) {
  return floatMax<Rule>(floatMin<Rule>(a, b, mode), c, mode);
}

/// The median; with a NaN, min3 of the three. GFX12 tells -0 from +0, the manuals' text for those
/// before does not.
template <NanRule Rule, typename T> T floatMed3(T a, T b, T c, const AluMode &mode) {
  if (isNan(a) || isNan(b) || isNan(c))
    return floatMin3<Rule>(a, b, c, mode);
  T largest = floatMax3<Rule>(a, b, c, mode);
  auto isLargest = [&](T source) {
    source = flushIn(source, mode);
    return Rule == NanRule::Legacy ? widen(largest) == widen(source)
                                   : bitsOf(largest) == bitsOf(source);
  };
  if (isLargest(a))
    return floatMax<Rule>(b, c, mode);
  if (isLargest(b))
    return floatMax<Rule>(a, c, mode);
  return floatMax<Rule>(a, b, mode);
}

} // namespace assay::gcn
