// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/execution/Judge.h"

#include <cmath>
#include <iterator>

using namespace assay;

/// Keeps the first difference of the two.
void Judgement::merge(Judgement other) {
  findings.insert(findings.end(), std::make_move_iterator(other.findings.begin()),
                  std::make_move_iterator(other.findings.end()));
  if (!firstDifference)
    firstDifference = std::move(other.firstDifference);
  compared += other.compared;
}

/// As <=, with -0 below +0.
static bool notAbove(double a, double b) {
  if (a == 0 && b == 0)
    return std::signbit(a) || !std::signbit(b);
  return a <= b;
}

/// The bounds belong to the interval.
bool assay::intervalContains(const FloatInterval &interval, double value) {
  if (std::isnan(value))
    return interval.mayBeNan;
  return notAbove(interval.lo, value) && notAbove(value, interval.hi);
}
