// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of floats that invocations build in memory by atomic additions, in an order that nobody
// knows: what any order may give.
#pragma once

#include "oracles/machine/spirv/math/Interval.h"
#include "oracles/machine/spirv/memory/Order.h"
#include "llvm/ADT/APInt.h"
#include <map>

namespace assay::reference {

/// The exact sum of any doubles: the same whatever their order.
class ExactSum {
public:
  void add(double x); ///< \p x is finite.
  /// The largest double <= the sum; negate() first for the smallest one >= it.
  double down() const;
  ExactSum negated() const;

private:
  static constexpr unsigned Bits = 2240; ///< 2^-1074 to 2^1024, the sign, and 2^64 of them.
  llvm::APInt m_value = llvm::APInt(Bits, 0);
};

/// The sums in memory, by location.
class FloatSums {
public:
  /// The value at \p location after an atomic addition of \p value to \p old, neither of them
  /// poison. Additions count together as long as nothing else writes there.
  Scalar add(const PublishedOrder::Location &location, const Scalar &old, const Scalar &value,
             const FloatRules &rules);

private:
  /// The terms of one sum so far, the first value in memory included.
  struct Sum {
    Scalar written = Scalar::exact(0); ///< What the last addition left.
    ExactSum lo, hi, magnitude;
    double quantum = 0; ///< All terms are multiples of it.
    bool points = true; ///< All terms are single values.
    unsigned additions = 0;
  };
  static void take(Sum &sum, const Interval &term);
  static Interval bound(const Sum &sum, const FloatRules &rules);

  std::map<PublishedOrder::Location, Sum> m_sums;
};

} // namespace assay::reference
