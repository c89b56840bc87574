// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/math/FloatSum.h"

#include "oracles/machine/spirv/math/FloatMath.h"
#include <algorithm>
#include <limits>

using namespace llvm;
using namespace assay::reference;

/// The power of two that the lowest bit of an ExactSum represents.
static constexpr int LowestExponent = -1074;
/// Bits of a double's significand.
static constexpr int DoubleBits = 53;

/// Adds the significand of \p x, shifted to its place.
void ExactSum::add(double x) {
  if (x == 0)
    return;
  int exponent = std::max(exponentOf(x) - DoubleBits + 1, LowestExponent);
  double magnitude = x < 0 ? -x : x;
  // In two steps, because 2^1074 is no double.
  double whole = scaleByPower(magnitude, -exponent);
  APInt term(Bits, static_cast<uint64_t>(whole));
  term <<= static_cast<unsigned>(exponent - LowestExponent);
  if (x < 0)
    m_value -= term;
  else
    m_value += term;
}

/// Exact: a sum is an integer of many bits.
ExactSum ExactSum::negated() const {
  ExactSum result = *this;
  result.m_value.negate();
  return result;
}

/// Keeps the 53 highest bits. The rest is cut off or, of a negative sum, rounded away from zero.
double ExactSum::down() const {
  bool isNegative = m_value.isNegative();
  APInt magnitude = m_value.abs();
  unsigned used = magnitude.getActiveBits();
  unsigned cut = used > DoubleBits ? used - DoubleBits : 0;
  APInt top = magnitude.lshr(cut);
  // Down is away from zero for what is negative.
  if (isNegative && magnitude.countr_zero() < cut)
    ++top;
  double result =
      scaleByPower(static_cast<double>(top.getZExtValue()), static_cast<int>(cut) + LowestExponent);
  return isNegative ? -result : result;
}

/// Adds \p term to all that is known of the sum.
void FloatSums::take(Sum &sum, const Interval &term) {
  sum.lo.add(term.lo);
  sum.hi.add(term.hi);
  sum.magnitude.add(std::max(-term.lo, term.hi));
  sum.points &= term.isPoint();
  sum.quantum = std::min(sum.quantum, quantumOf(term.lo));
}

/// All that some order of the additions may give: exact where no order rounds, unbounded where one
/// may overflow.
Interval FloatSums::bound(const Sum &sum, const FloatRules &rules) {
  const FloatFormat &format = formatOf(rules.width);
  double total = -sum.magnitude.negated().down();
  Interval exact{sum.lo.down(), -sum.hi.negated().down(), false};
  if (total > format.maxFinite)
    return Interval::whole(); // Some order may overflow on its way.
  if (sum.points && total <= sum.quantum * powerOfTwo(format.precision) &&
      sum.quantum >= format.minDenormal)
    return exact;
  double unit = powerOfTwo((rules.towardZero ? 1 : 0) - format.precision);
  double error = total * sum.additions * unit;
  if (rules.mayFlush)
    error += sum.additions * format.minNormal;
  return widenBy(exact, error * 1.0001 + sum.additions * format.minDenormal);
}

/// Whether nobody has written between two additions.
static bool isSame(const Scalar &a, const Scalar &b) {
  return a.bits == b.bits && a.flags == b.flags &&
         (!(a.flags & Ranged) || (a.lo == b.lo && a.hi == b.hi));
}

/// A sum starts again whenever the old value is not what the last addition left. Atomics are
/// neither arithmetic nor conversion instructions, of which SPV_KHR_float_controls sets the
/// rounding.
Scalar FloatSums::add(const PublishedOrder::Location &location, const Scalar &old,
                      const Scalar &value, const FloatRules &rules) {
  FloatRules single = rules;
  if (rules.towardZero && !rules.isIeee) {
    single.towardZero = false;
    single.eitherWay = true;
  }
  Interval before = intervalOf(old, rules), term = intervalOf(value, rules);
  auto isFinite = [](const Interval &a) {
    return !a.isEmpty() && !a.nan && a.lo - a.lo == 0 && a.hi - a.hi == 0;
  };
  Sum &sum = m_sums[location];
  if (!isFinite(before) || !isFinite(term)) {
    sum = Sum(); // Whatever the order, what is not a number decides.
    return scalarOf(reference::add(before, term, single), rules);
  }
  if (!sum.additions || !isSame(sum.written, old)) {
    sum = Sum();
    sum.quantum = std::numeric_limits<double>::infinity();
    take(sum, before);
  }
  take(sum, term);
  ++sum.additions;
  // The first addition rounds just once.
  Interval result = sum.additions == 1 ? reference::add(before, term, single) : bound(sum, rules);
  return sum.written = scalarOf(result, rules);
}
