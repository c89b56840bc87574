// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number that an implementation may choose: everything between two bounds. Plain data, shared by
// all parts of the model.
#pragma once

#include <algorithm>
#include <cmath>

namespace assay::raster {

/// All numbers from \p lo to \p hi, both included; one number where they are equal.
struct Range {
  double lo = 0, hi = 0;

  static Range point(double x) { return {x, x}; }
  bool isPoint() const { return lo == hi; }
  double middle() const { return isPoint() ? lo : (lo + hi) / 2; }
  bool contains(double x) const { return lo <= x && x <= hi; }
  bool operator==(const Range &) const = default;
};

// Bounds of the exact results. Rounding of doubles is not widened: operands are floats of 32 bits,
// and whoever needs less than 2^-40 of them adds it.
inline Range operator+(Range a, Range b) {
  return {a.lo + b.lo, a.hi + b.hi};
}
inline Range operator-(Range a, Range b) {
  return {a.lo - b.hi, a.hi - b.lo};
}
inline Range operator*(Range a, Range b) {
  if (a.isPoint() && b.isPoint())
    return Range::point(a.lo * b.lo);
  auto [lo, hi] = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  return {lo, hi};
}
/// The smaller of any two choices.
inline Range minimum(Range a, Range b) {
  return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
}
/// The larger of any two choices.
inline Range maximum(Range a, Range b) {
  return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
}
/// Each choice clamped to [\p lo, \p hi].
inline Range clampTo(Range a, double lo, double hi) {
  return {std::clamp(a.lo, lo, hi), std::clamp(a.hi, lo, hi)};
}
/// The smallest range that contains both.
inline Range hull(Range a, Range b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}
/// \p a with \p amount more on both sides.
inline Range widen(Range a, double amount) {
  return {a.lo - amount, a.hi + amount};
}

/// The answer to a question about ranges.
enum class Answer : unsigned char { No, Maybe, Yes };

} // namespace assay::raster
