// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quick functions: argument reduction and series. Every step is an IEEE operation, hence
// reproducible; the lengths of the series follow from the first term left out (at most 2^-56 of the
// result).
#include "oracles/machine/gcn_alu/Transcendental.h"

using namespace llvm;
using namespace assay::gcn;

/// From here on every double is an integer.
static constexpr double allIntegers = 4503599627370496.0; // 2^52

/// A whole number; infinities and NaNs are returned as they are, and zeros keep their sign.
double assay::gcn::nearestEven(double x) {
  double magnitude = absolute(x);
  if (!(magnitude < allIntegers))
    return x;
  double rounded = (magnitude + allIntegers) - allIntegers;
  return withSign(rounded, signOf(x));
}

/// Toward zero; otherwise as nearestEven().
double assay::gcn::truncateExact(double x) {
  double magnitude = absolute(x);
  if (!(magnitude < allIntegers))
    return x;
  return withSign(double(int64_t(magnitude)), signOf(x));
}

/// Toward minus infinity; otherwise as nearestEven().
double assay::gcn::floorExact(double x) {
  double whole = truncateExact(x);
  return whole > x ? whole - 1.0 : whole;
}

/// Sum of coefficient(k) * x^k, highest first.
template <unsigned N> static double polynomial(const double (&coefficients)[N], double x) {
  double result = coefficients[0];
  for (unsigned index = 1; index < N; ++index)
    result = result * x + coefficients[index];
  return result;
}

/// 2^x. 0 for what is below the range of f32 by far.
double Exp2::quick(double x) {
  if (x != x)
    return x;
  if (x >= 1024)
    return infinity<double>(false);
  if (x < -1021)
    return 0;
  double whole = nearestEven(x);
  // e^r for |r| <= ln(2) / 2: r^15 / 15! < 2^-62.
  double r = (x - whole) * 0.69314718055994530942;
  static constexpr double factorials[] = {1.0 / 87178291200,
                                          1.0 / 6227020800,
                                          1.0 / 479001600,
                                          1.0 / 39916800,
                                          1.0 / 3628800,
                                          1.0 / 362880,
                                          1.0 / 40320,
                                          1.0 / 5040,
                                          1.0 / 720,
                                          1.0 / 120,
                                          1.0 / 24,
                                          1.0 / 6,
                                          1.0 / 2,
                                          1.0,
                                          1.0};
  // Two factors: 2^1024 is no double, though the product may be one.
  return polynomial(factorials, r) * powerOfTwo(int(whole) - 1) * 2.0;
}

/// The logarithm to base 2; of zeros minus infinity, of negative numbers NaN.
double Log2::quick(double x) {
  if (x != x)
    return x;
  if (x == 0)
    return infinity<double>(true);
  if (x < 0)
    return defaultNan<double>();
  if (isInfinite(x))
    return x;
  int exponent = 0;
  if (isDenormal(x)) {
    x *= powerOfTwo(54);
    exponent = -54;
  }
  uint64_t image = bitsOf(x);
  exponent += int(image >> 52) - 1023;
  double m = floatOf<double>((image & fractionMask<double>) | (uint64_t(1023) << 52));
  if (m > 1.41421356237309504880) {
    m *= 0.5;
    ++exponent;
  }
  // ln(m) = 2 artanh(s), |s| < 0.172: s^23 / 23 < 2^-62.
  double s = (m - 1.0) / (m + 1.0);
  static constexpr double odd[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                   1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  double logarithm = 2.0 * s * polynomial(odd, s * s);
  return double(exponent) + logarithm * 1.44269504088896340736;
}

/// sin and cos of \p r with |r| <= pi / 4: r^19 / 19! < 2^-62.
static double sinSmall(double r) {
  static constexpr double terms[] = {1.0 / 355687428096000,
                                     -1.0 / 1307674368000,
                                     1.0 / 6227020800,
                                     -1.0 / 39916800,
                                     1.0 / 362880,
                                     -1.0 / 5040,
                                     1.0 / 120,
                                     -1.0 / 6,
                                     1.0};
  return r * polynomial(terms, r * r);
}

/// |r| <= pi / 4.
static double cosSmall(double r) {
  static constexpr double terms[] = {1.0 / 6402373705728000.0 * -1.0,
                                     1.0 / 20922789888000,
                                     -1.0 / 87178291200,
                                     1.0 / 479001600,
                                     -1.0 / 3628800,
                                     1.0 / 40320,
                                     -1.0 / 720,
                                     1.0 / 24,
                                     -1.0 / 2,
                                     1.0};
  return polynomial(terms, r * r);
}

/// sin(2 pi x) shifted by \p quarters quarter turns.
static double sinQuarters(double x, int quarters) {
  double turn = x - floorExact(x); // exact, or within 2^-53 of 1
  double nearest = nearestEven(turn * 4.0);
  double r = (turn - nearest * 0.25) * 6.28318530717958647693;
  switch ((int(nearest) + quarters) & 3) {
  case 0:
    return sinSmall(r);
  case 1:
    return cosSmall(r);
  case 2:
    return -sinSmall(r);
  default:
    return -cosSmall(r);
  }
}

/// \p x is in turns. Infinity gives the default NaN.
double SinTurns::quick(double x) {
  if (isInfinite(x))
    return defaultNan<double>();
  // Odd: the reduction below then keeps small negative arguments exact; and zeros have the sign of
  // the argument, as IEEE 754 has it for sinPi.
  double result = sinQuarters(absolute(x), 0);
  return result == 0 ? withSign(result, signOf(x)) : signOf(x) ? -result : result;
}

/// cos(2 pi x). A zero result is +0.
double CosTurns::quick(double x) {
  return isInfinite(x) ? defaultNan<double>() : sinQuarters(absolute(x), 1) + 0.0;
}

/// Two roundings; of a zero, infinity of its sign.
double InverseRoot::quick(double x) {
  return x == 0 ? infinity<double>(signOf(x)) : 1.0 / sqrtF64(x);
}
