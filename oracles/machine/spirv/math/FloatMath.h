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
// Sine and cosine of |x| <= 2^23; above 4 with an absolute error of 2^-28 at most.
double sinOf(double x);
double cosOf(double x);
double atanOf(double x);
double atan2Of(double y, double x); ///< Not both zero.

/// What a width of 16, 32 or 64 bits represents.
struct FloatFormat {
  int precision;    ///< Bits of the significand, the hidden one included.
  int minExponent;  ///< Of normal numbers.
  double minNormal; ///< 2^minExponent.
  double maxFinite;
  double minDenormal;
};
const FloatFormat &formatOf(unsigned width);

/// Bits of a float of \p width as a double, and the nearest float (ties to even) as bits.
double fromBits(uint64_t bits, unsigned width);
uint64_t toBits(double value, unsigned width);
/// As above, for 32 bits.
double fromFloat(uint64_t bits);
uint32_t toFloat(double value);
/// The double next to \p x in the direction of the infinities.
double nextUp(double x);
double nextDown(double x);
/// \p x rounded to \p width: to nearest even, or toward zero (to the largest number, not to
/// infinity, where it is too large).
double roundToWidth(double x, unsigned width, bool towardZero = false);
/// The smallest float of \p width >= x and the largest one <= x.
double ceilToWidth(double x, unsigned width);
double floorToWidth(double x, unsigned width);
/// The distance of consecutive floats of \p width around \p x.
double ulpOf(double x, unsigned width = 32);
/// 2^k, saturating to 0 and infinity.
double powerOfTwo(int k);
/// x * 2^k without overflow on the way.
double scaleByPower(double x, int k);
/// True for zero, normal numbers of \p width and nothing else.
bool isOrdinaryBits(uint64_t bits, unsigned width);
/// The product of two doubles rounded toward minus infinity, whatever their exponents.
double productDown(double a, double b);
/// Rounds to an integral value: down, and to nearest even.
double floorOf(double x);
double roundEvenOf(double x);
/// The exponent of the leading bit of \p x, which is finite and not zero.
int exponentOf(double x);
/// float16 bits to double, and double to the nearest float16 (ties to even).
double fromHalf(uint16_t bits);
uint16_t toHalf(double value);

} // namespace assay::reference
