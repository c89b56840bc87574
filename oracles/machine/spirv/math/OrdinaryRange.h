// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and products of 32-bit floats whose ranges need no thought about zeros, denormals,
// infinities and NaN: the same results as the functions of Interval.h give, in less time.
#pragma once

#include "oracles/machine/spirv/math/Interval.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <utility>

namespace assay::reference {

/// True where the functions below may be used: 32 bits, rounded to nearest, and nothing that a
/// decoration takes away or gives. Denormals of operands may be flushed or not.
inline bool hasOrdinaryRules(const FloatRules &rules) {
  return rules.width == 32 && !rules.towardZero && !rules.relaxed && !rules.eitherWay &&
         !rules.mustFlush;
}

/// The numbers that an operand may be.
struct OrdinaryRange {
  double lo = 0, hi = 0;

  /// Neither bound is zero, a denormal or too large.
  bool isOrdinary() const { return isOrdinaryBound(lo) && isOrdinaryBound(hi) && lo <= hi; }
  static bool isOrdinaryBound(double x) {
    double size = x < 0 ? -x : x;
    return size >= 0x1p-126 && size <= 0x1.fffffep127;
  }
  /// Products of such bounds are exact: they have 26 bits at most.
  bool isShort() const {
    return !((llvm::bit_cast<uint64_t>(lo) | llvm::bit_cast<uint64_t>(hi)) & 0x7ffffff);
  }
};

inline double valueOfFloat(const Scalar &value) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(value.bits));
}

/// The float next to \p x from above, if \p x is none; no bound of an ordinary range leaves these.
inline double ceilOrdinary(double x) {
  auto nearest = static_cast<float>(x);
  if (nearest >= x)
    return nearest;
  auto bits = llvm::bit_cast<uint32_t>(nearest);
  return llvm::bit_cast<float>(nearest > 0 ? bits + 1 : bits - 1);
}

/// The range of \p value as intervalOf() has it; false where it takes more thought.
inline bool readOrdinary(const Scalar &value, bool unrounded, OrdinaryRange &range) {
  if (value.flags == 0) {
    range.lo = range.hi = valueOfFloat(value);
  } else if (value.flags == Ranged ||
             (unrounded && (value.flags & ~RoundedBits) == (Ranged | Fusable))) {
    range = {value.lo, value.hi};
  } else if (value.flags == (Ranged | Fusable | RoundedBits)) {
    range.lo = range.hi = valueOfFloat(value);
  } else if (value.flags == (Ranged | Fusable)) {
    if (!OrdinaryRange{value.lo, value.hi}.isOrdinary())
      return false;
    range = {ceilOrdinary(value.lo), -ceilOrdinary(-value.hi)};
    if (range.lo > range.hi) // No float inside.
      std::swap(range.lo, range.hi);
  } else {
    return false;
  }
  return range.isOrdinary();
}

/// \p nominal moved into [lo, hi], which are floats, as the result of an operation.
inline Scalar ordinaryScalar(double lo, double hi, double nominal) {
  auto nearest = static_cast<float>(std::min(std::max(nominal, lo), hi));
  uint64_t bits = llvm::bit_cast<uint32_t>(nearest);
  if (lo == hi)
    return Scalar::exact(bits);
  return {bits, {lo}, hi, Ranged, Cause::Math};
}

/// a + b rounded to a float; the sum of doubles before is bounded from the side of \p isUpper.
inline double roundedOrdinarySum(double a, double b, bool isUpper) {
  double sum = a + b, part = sum - a;
  double error = (a - (sum - part)) + (b - part);
  if (isUpper ? error > 0 : error < 0) {
    auto bits = llvm::bit_cast<uint64_t>(sum);
    sum = llvm::bit_cast<double>(isUpper == (sum > 0) ? bits + 1 : bits - 1);
  }
  return static_cast<float>(sum);
}

/// As add() of the operands' intervals, a product unrounded where \p contract permits it; false:
/// nothing is done.
inline bool addOrdinary(const Scalar &a, const Scalar &b, bool contract, Scalar &result) {
  OrdinaryRange x, y;
  if (!readOrdinary(a, contract, x) || !readOrdinary(b, contract, y))
    return false;
  double lo = roundedOrdinarySum(x.lo, y.lo, false), hi = roundedOrdinarySum(x.hi, y.hi, true);
  if (!OrdinaryRange{lo, hi}.isOrdinary())
    return false;
  result = ordinaryScalar(lo, hi, static_cast<float>(valueOfFloat(a) + valueOfFloat(b)));
  return true;
}

/// As fusableProduct(); false: nothing is done.
inline bool multiplyOrdinary(const Scalar &a, const Scalar &b, bool contract, Scalar &result) {
  OrdinaryRange x, y;
  if (!readOrdinary(a, false, x) || !readOrdinary(b, false, y) || !x.isShort() || !y.isShort())
    return false;
  double corners[] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi};
  double lo = std::min(std::min(corners[0], corners[1]), std::min(corners[2], corners[3]));
  double hi = std::max(std::max(corners[0], corners[1]), std::max(corners[2], corners[3]));
  double roundedLo = static_cast<float>(lo), roundedHi = static_cast<float>(hi);
  if (!OrdinaryRange{roundedLo, roundedHi}.isOrdinary())
    return false;
  result =
      ordinaryScalar(roundedLo, roundedHi, static_cast<float>(valueOfFloat(a) * valueOfFloat(b)));
  bool isPoint = roundedLo == roundedHi;
  if (!contract || (isPoint && lo == hi && lo == roundedLo))
    return true;
  result.flags = Ranged | Fusable | (isPoint ? RoundedBits : 0);
  result.lo = std::min(lo, roundedLo);
  result.hi = std::max(hi, roundedHi);
  return true;
}

} // namespace assay::reference
