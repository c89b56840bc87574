// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interval arithmetic by Vulkan's precision rules for floats of 16, 32 and 64 bits (Vulkan 1.3,
// appendix "Precision and Operation of SPIR-V Instructions"). An interval holds every result that
// an implementation may give. Where Vulkan lets a correctly rounded operation round either way,
// round-to-nearest-even is taken: every implementation of interest does that, and a wrong rounding
// is worth a finding.
//
// Bounds are doubles. Exact results of 16 and 32 bits fit into them or are enclosed by them. An
// exact result of 64 bits that does not fit (a product that may be fused) is enclosed by the two
// doubles around it, which is as wide as one rounding; sums and products themselves are rounded
// from their exact values. Vulkan says of 64 bits only that they are at least as precise as 32;
// here the rules of 32 bits count in units of 64 bits, again as all implementations of interest do.
#pragma once

#include "oracles/machine/spirv/Value.h"

namespace assay::reference {

struct Interval {
  double lo = 0;
  double hi = 0;
  bool nan = false;
  bool isUndefined = false; ///< The operands lie outside of the function's domain.

  static Interval point(double x) { return {x, x, false}; }
  /// Anything at all: what Vulkan does not specify.
  static Interval whole();
  static Interval onlyNan();
  static Interval undefined();
  bool isEmpty() const { return lo > hi; }
  bool isPoint() const { return lo == hi && !nan; }
  bool isExactly(double x) const { return lo == x && hi == x && !nan; }
  bool contains(double x) const { return lo <= x && x <= hi; }
};

/// The width of a float operation, and the freedoms that execution modes and decorations take away
/// or give.
struct FloatRules {
  uint8_t width = 32;
  bool mayFlush = true;      ///< Denormal operands and results may be replaced by zero.
  bool mustFlush = false;    ///< Denormal results are (with mayFlush).
  bool towardZero = false;   ///< Rounds toward zero instead of to nearest even.
  bool freeRounding = false; ///< No mode says how to round: steps of a formula go either way.
  bool eitherWay = false;    ///< Sums and products are such steps.
  bool relaxed = false;      ///< RelaxedPrecision: 2^-10 relative.
  bool contract = true;      ///< No NoContraction: products may be fused.
  bool signedZero = false;   ///< SignedZeroInfNanPreserve: else a zero may have either sign.
  bool isPractical = false;  ///< Precision::Practical or more.
  bool isIeee = false;       ///< Precision::Ieee; then contract and eitherWay are false.
};

/// The rules for the steps of a formula that a function inherits its precision from: what it does
/// instead need not follow them, so that all that they may give counts.
inline FloatRules stepsOf(FloatRules rules) {
  rules.eitherWay = rules.freeRounding;
  return rules;
}

/// The interval of a float scalar as an operand. \p unrounded keeps a fusable product as it is; any
/// other consumer sees it rounded.
Interval intervalOf(const Scalar &value, const FloatRules &rules, bool unrounded = false);
/// The scalar of a result. \p nominal is the value a plain IEEE implementation gives; it is moved
/// into the interval if it lies outside.
Scalar scalarOf(Interval interval, const FloatRules &rules, double nominal);
/// As above, with the middle as the nominal value.
Scalar scalarOf(Interval interval, const FloatRules &rules);
/// The scalar as whoever does not fuse sees it: a fusable product is rounded.
Scalar settle(const Scalar &value, unsigned width);
/// True for zero and normal numbers of 32 bits: what needs no thought about flushing, NaN or
/// infinity.
inline bool isOrdinary(uint64_t bits) {
  return ((bits >> 23 & 0xff) - 1) < 254 || !(bits & 0x7fffffff);
}

Interval hull(Interval a, Interval b);
/// Widens by \p ulps units in the last place, or by \p amount.
Interval widenUlps(Interval a, double ulps, const FloatRules &rules = {});
Interval widenBy(Interval a, double amount);
/// Shrinks to the floats of \p width inside.
Interval tighten(Interval a, unsigned width = 32);

Interval negate(Interval a);
Interval absolute(Interval a);
// Rounded; denormals are kept.
Interval add(Interval a, Interval b, const FloatRules &rules = {});
Interval sub(Interval a, Interval b, const FloatRules &rules = {});
Interval mul(Interval a, Interval b, const FloatRules &rules = {});
/// Both the rounded and the exact product.
Interval mulUnrounded(Interval a, Interval b, const FloatRules &rules = {});
/// Adds zero where a denormal may have been flushed to it.
Interval flush(Interval a, const FloatRules &rules = {});
Interval divide(Interval a, Interval b, const FloatRules &rules = {}); ///< 2.5 ULP.
Interval minimum(Interval a, Interval b);
Interval maximum(Interval a, Interval b);
Interval clampTo(Interval a, double lo, double hi);
Interval roundDown(Interval a);
Interval roundUp(Interval a);
Interval roundToZero(Interval a);
Interval roundToEven(Interval a);
/// Converts to the width of \p rules.
Interval convert(Interval a, const FloatRules &rules);

Interval inverseSqrt(Interval a, const FloatRules &rules = {}); ///< 2 ULP.
Interval squareRoot(Interval a, const FloatRules &rules = {});  ///< 1 / inverseSqrt.
// Of 16 and 32 bits only.
Interval exp2Interval(Interval a, const FloatRules &rules = {});
Interval expInterval(Interval a, const FloatRules &rules = {});
Interval log2Interval(Interval a, const FloatRules &rules = {});
Interval logInterval(Interval a, const FloatRules &rules = {});
Interval powInterval(Interval x, Interval y, const FloatRules &rules = {});
Interval sinInterval(Interval a, const FloatRules &rules = {});
Interval cosInterval(Interval a, const FloatRules &rules = {});
Interval atanInterval(Interval a, const FloatRules &rules = {});
Interval atan2Interval(Interval y, Interval x, const FloatRules &rules = {});

/// 2^k such that \p x is a multiple of it and no larger power of two will do; infinity for zero,
/// zero where there is no such double.
double quantumOf(double x);
/// x[0]*y[0] + ... with the sum in any order and any products fused; exact where no order can
/// round.
Interval dotProduct(const Interval *x, const Interval *y, unsigned count,
                    const FloatRules &rules = {});

} // namespace assay::reference
