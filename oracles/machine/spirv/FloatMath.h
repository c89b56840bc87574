// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementary functions in double precision, written here so that no result depends on a libm. Each
// is within ElementaryError (relative) of the exact value; only IEEE operations are used.
#pragma once

#include <cstdint>

namespace assay::reference {

constexpr double Pi = 3.14159265358979323846;
/// Bound of the relative error of every function below (absolute for sine and cosine near zeros of
/// the function that are not zero themselves).
constexpr double ElementaryError = 4e-15;

double exp2Of(double x);
double expOf(double x);
double logOf(double x);  ///< x > 0; -inf for 0.
double log2Of(double x); ///< x > 0; -inf for 0. Exact for powers of two.
double sinOf(double x);  ///< |x| <= 4.
double cosOf(double x);  ///< |x| <= 4.
double atanOf(double x);
double atan2Of(double y, double x); ///< Not both zero.

/// Bits of a float32 as a double, and the nearest float32 (ties to even) of a double as bits.
double fromFloat(uint64_t bits);
uint32_t toFloat(double value);
/// The double next to \p x in the direction of the infinities.
double nextUp(double x);
double nextDown(double x);
/// The smallest float32 >= x and the largest float32 <= x.
double ceilToFloat(double x);
double floorToFloat(double x);
/// The distance of consecutive float32 values around \p x.
double ulpOf(double x);
/// Rounds to an integral value: down, and to nearest even.
double floorOf(double x);
double roundEvenOf(double x);
/// float16 bits to double, and double to the nearest float16 (ties to even).
double fromHalf(uint16_t bits);
uint16_t toHalf(double value);

} // namespace assay::reference
