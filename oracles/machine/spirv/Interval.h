// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interval arithmetic by Vulkan's precision rules for 32-bit floats (Vulkan 1.3, appendix
// "Precision and Operation of SPIR-V Instructions"). An interval holds every result that an
// implementation may give. Where Vulkan lets a correctly rounded operation round either way,
// round-to-nearest-even is taken: every implementation of interest does that, and a wrong rounding
// is worth a finding.
#pragma once

#include "oracles/machine/spirv/Value.h"

namespace assay::reference {

struct Interval {
  double lo = 0;
  double hi = 0;
  bool nan = false;

  static Interval point(double x) { return {x, x, false}; }
  /// Anything at all: what Vulkan does not specify.
  static Interval whole();
  static Interval onlyNan();
  bool isEmpty() const { return lo > hi; }
  bool isPoint() const { return lo == hi && !nan; }
  bool isExactly(double x) const { return lo == x && hi == x && !nan; }
  bool contains(double x) const { return lo <= x && x <= hi; }
};

/// The freedoms that execution modes and decorations take away or give.
struct FloatRules {
  bool mayFlush = true; ///< Denormal operands and results may be replaced by zero.
  bool relaxed = false; ///< RelaxedPrecision: 2^-10 relative.
  bool contract = true; ///< No NoContraction: products may be fused.
  bool signedZero =
      false; ///< SignedZeroInfNanPreserve: else a negative zero may be a positive one.
};

/// The interval of a float scalar as an operand. \p unrounded keeps a fusable product as it is; any
/// other consumer sees it rounded.
Interval intervalOf(const Scalar &value, const FloatRules &rules, bool unrounded = false);
/// The scalar of a result. \p nominal is the value a plain IEEE implementation gives; it is moved
/// into the interval if it lies outside.
Scalar scalarOf(Interval interval, const FloatRules &rules, double nominal);
/// As above, with the middle as the nominal value.
Scalar scalarOf(Interval interval, const FloatRules &rules);
/// True for zero and normal numbers: what needs no thought about flushing, NaN or infinity.
inline bool isOrdinary(uint64_t bits) {
  return ((bits >> 23 & 0xff) - 1) < 254 || !(bits & 0x7fffffff);
}

Interval hull(Interval a, Interval b);
/// Widens by \p ulps units in the last place, or by \p amount.
Interval widenUlps(Interval a, double ulps);
Interval widenBy(Interval a, double amount);
/// Shrinks to the float32 values inside.
Interval tighten(Interval a);

Interval negate(Interval a);
Interval absolute(Interval a);
Interval add(Interval a, Interval b); ///< Rounded, like sub and mul; denormals are kept.
Interval sub(Interval a, Interval b);
Interval mul(Interval a, Interval b);
Interval mulUnrounded(Interval a, Interval b); ///< Both the rounded and the exact product.
/// Adds zero where a denormal may have been flushed to it: for the inner steps of an expression.
Interval flush(Interval a);
Interval divide(Interval a, Interval b); ///< 2.5 ULP.
Interval minimum(Interval a, Interval b);
Interval maximum(Interval a, Interval b);
Interval clampTo(Interval a, double lo, double hi);
Interval roundDown(Interval a);
Interval roundUp(Interval a);
Interval roundToZero(Interval a);
Interval roundToEven(Interval a);

Interval inverseSqrt(Interval a); ///< 2 ULP.
Interval squareRoot(Interval a);  ///< 1 / inverseSqrt.
Interval exp2Interval(Interval a);
Interval expInterval(Interval a);
Interval log2Interval(Interval a);
Interval logInterval(Interval a);
Interval powInterval(Interval x, Interval y);
Interval sinInterval(Interval a);
Interval cosInterval(Interval a);
Interval atanInterval(Interval a);
Interval atan2Interval(Interval y, Interval x);

/// 2^k such that \p x is a multiple of it and no larger power of two will do; infinity for zero,
/// zero where there is no such double.
double quantumOf(double x);
/// x[0]*y[0] + ... with the sum in any order and any products fused; exact where no order can
/// round.
Interval dotProduct(const Interval *x, const Interval *y, unsigned count);

} // namespace assay::reference
