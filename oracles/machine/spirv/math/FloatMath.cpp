// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/math/FloatMath.h"

#include "llvm/ADT/bit.h"
#include <limits>

using namespace assay;
using namespace assay::reference;

static constexpr double Ln2 = 0.693147180559945309417;
// ln 2 in two parts: the first has 20 trailing zero bits, so that k * Ln2High is exact for small k.
static constexpr double Ln2High = 0x1.62e42fefap-1;
static constexpr double Ln2Low = 0x1.cf79abc9e3b3ap-40;
// pi/2 in two parts, the first with 20 trailing zero bits.
static constexpr double HalfPiHigh = 0x1.921fb544p+0;
static constexpr double HalfPiLow = 0x1.0b4611a626331p-34;
static constexpr double Infinity = std::numeric_limits<double>::infinity();

/// The encoding of \p x.
static uint64_t bitsOf(double x) {
  return llvm::bit_cast<uint64_t>(x);
}

/// Denormals are exact: exponents go down to -1074.
double reference::powerOfTwo(int k) {
  if (k > 1023)
    return Infinity;
  if (k < -1022)
    return k < -1074 ? 0.0 : llvm::bit_cast<double>(uint64_t(1) << (k + 1074));
  return llvm::bit_cast<double>(uint64_t(k + 1023) << 52);
}

/// Returns x * 2^k. The result may round twice where it is denormal.
double reference::scaleByPower(double x, int k) {
  int half = k / 2; // In two steps, so that neither factor overflows before the product does.
  return x * powerOfTwo(half) * powerOfTwo(k - half);
}

/// Doubles from 2^52 on are integers already. Zeros keep their signs.
double reference::floorOf(double x) {
  if (!(x > -0x1p52 && x < 0x1p52) || x == 0)
    return x;
  double truncated = static_cast<double>(static_cast<int64_t>(x));
  double result = truncated > x ? truncated - 1 : truncated;
  return result == 0 && bitsOf(x) >> 63 ? -0.0 : result;
}

/// Rounds to the nearest integer, ties to even. Keeps the sign of zero, and all values from 2^52
/// on.
double reference::roundEvenOf(double x) {
  if (!(x > -0x1p52 && x < 0x1p52) || x == 0)
    return x;
  // Adding 2^52 leaves no fraction bits, and the hardware rounds to even.
  double result = x > 0 ? (x + 0x1p52) - 0x1p52 : (x - 0x1p52) + 0x1p52;
  return result == 0 && bitsOf(x) >> 63 ? -0.0 : result;
}

/// e^r for |r| <= 0.35 by its series.
static double expSeries(double r) {
  double sum = 1;
  for (int i = 18; i >= 1; --i)
    sum = 1 + sum * r / i;
  return sum;
}

/// 2^k times the series of the rest, which is at most a half.
double reference::exp2Of(double x) {
  if (x > 1100)
    return Infinity;
  if (x < -1100)
    return 0;
  double k = roundEvenOf(x);
  return scaleByPower(expSeries((x - k) * Ln2), static_cast<int>(k));
}

/// Subtracts a multiple of ln 2 in two parts, so that little is lost.
double reference::expOf(double x) {
  if (x > 750)
    return Infinity;
  if (x < -750)
    return 0;
  double k = roundEvenOf(x / Ln2);
  return scaleByPower(expSeries((x - k * Ln2High) - k * Ln2Low), static_cast<int>(k));
}

/// Takes x = m * 2^exponent apart, with m in [1/sqrt(2), sqrt(2)).
static double splitExponent(double x, int &exponent) {
  exponent = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent = -54;
  }
  uint64_t bits = bitsOf(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = llvm::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (m > 1.41421356237309504880) {
    m *= 0.5;
    ++exponent;
  }
  return m;
}

/// ln m for m in [1/sqrt(2), sqrt(2)]: 2 atanh((m-1)/(m+1)).
static double logSeries(double m) {
  double s = (m - 1) / (m + 1), square = s * s, sum = 0;
  for (int i = 27; i >= 1; i -= 2)
    sum = sum * square + 1.0 / i;
  return 2 * s * sum;
}

/// The exponent times ln 2, in two parts, plus the logarithm of the significand.
double reference::logOf(double x) {
  if (x == 0)
    return -Infinity;
  if (x == Infinity)
    return x;
  int exponent;
  double m = splitExponent(x, exponent);
  return exponent * Ln2High + (logSeries(m) + exponent * Ln2Low);
}

/// Returns -infinity for 0 and infinity for infinity. Negative values and NaN are not allowed.
double reference::log2Of(double x) {
  if (x == 0)
    return -Infinity;
  if (x == Infinity)
    return x;
  int exponent;
  double m = splitExponent(x, exponent);
  return exponent + logSeries(m) / Ln2;
}

/// Sine and cosine of |r| <= 0.8 by their series.
static double sinSeries(double r) {
  double square = r * r, sum = 1;
  for (int i = 20; i >= 2; i -= 2)
    sum = 1 - sum * square / (i * (i + 1));
  return r * sum;
}
/// Sums the Taylor series of the cosine. The caller has reduced the argument to at most about pi /
/// 4.
static double cosSeries(double r) {
  double square = r * r, sum = 1;
  for (int i = 19; i >= 1; i -= 2)
    sum = 1 - sum * square / (i * (i + 1));
  return sum;
}

/// sin(x + quarter * pi/2).
static double sinQuarter(double x, int quarter) {
  double k = roundEvenOf(x / (Pi / 2));
  double r = (x - k * HalfPiHigh) - k * HalfPiLow;
  int q = (static_cast<int>(k) + quarter) & 3;
  double value = q & 1 ? cosSeries(r) : sinSeries(r);
  return q & 2 ? -value : value;
}
double reference::sinOf(double x) {
  return sinQuarter(x, 0);
}
double reference::cosOf(double x) {
  return sinQuarter(x, 1);
}

/// Reduces the argument to at most sqrt(2) - 1, then sums the series.
double reference::atanOf(double x) {
  if (x < 0)
    return -atanOf(-x);
  if (x > 1)
    return Pi / 2 - atanOf(1 / x);
  if (x > 0.41421356237309504880)
    return Pi / 4 + atanOf((x - 1) / (x + 1));
  double square = x * x, sum = 0;
  for (int i = 43; i >= 1; i -= 2)
    sum = 1.0 / i - sum * square;
  return x * sum;
}

/// Infinities of both operands count as equally large.
double reference::atan2Of(double y, double x) {
  if (x == 0)
    return y > 0 ? Pi / 2 : -Pi / 2;
  bool bothInfinite = (y == Infinity || y == -Infinity) && (x == Infinity || x == -Infinity);
  double ratio = bothInfinite ? (y > 0) == (x > 0) ? 1.0 : -1.0 : y / x;
  double angle = atanOf(ratio);
  if (x > 0)
    return angle;
  return bitsOf(y) >> 63 ? angle - Pi : angle + Pi;
}

/// Only the low 32 bits are read.
double reference::fromFloat(uint64_t bits) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
}
uint32_t reference::toFloat(double value) {
  return llvm::bit_cast<uint32_t>(static_cast<float>(value));
}

/// Returns the smallest double that is greater. Infinity and NaN stay; -infinity becomes the least
/// finite double.
double reference::nextUp(double x) {
  if (x != x || x == Infinity)
    return x;
  if (x == 0)
    return 0x1p-1074;
  uint64_t bits = bitsOf(x);
  return llvm::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}
double reference::nextDown(double x) {
  return -nextUp(-x);
}

/// \p width is 16, 32 or 64.
const FloatFormat &reference::formatOf(unsigned width) {
  static constexpr FloatFormat formats[] = {
      {11, -14, 0x1p-14, 65504, 0x1p-24},
      {24, -126, 0x1p-126, 0x1.fffffep127, 0x1p-149},
      {53, -1022, 0x1p-1022, std::numeric_limits<double>::max(), 0x1p-1074}};
  return formats[width == 16 ? 0 : width == 32 ? 1 : 2];
}

/// Returns the value of a float of 16, 32 or 64 bits, which are the low bits of \p bits.
double reference::fromBits(uint64_t bits, unsigned width) {
  if (width == 32)
    return fromFloat(bits);
  return width == 16 ? fromHalf(static_cast<uint16_t>(bits)) : llvm::bit_cast<double>(bits);
}
uint64_t reference::toBits(double value, unsigned width) {
  if (width == 32)
    return toFloat(value);
  return width == 16 ? toHalf(value) : bitsOf(value);
}

/// Denormals, infinities and NaN are not ordinary.
bool reference::isOrdinaryBits(uint64_t bits, unsigned width) {
  int mantissa = formatOf(width).precision - 1;
  uint64_t exponents = (uint64_t(1) << (width - 1 - mantissa)) - 1;
  uint64_t exponent = bits >> mantissa & exponents;
  uint64_t magnitude = bits << (64 - width) << 1;
  return (exponent && exponent != exponents) || !magnitude;
}

/// Denormals are scaled up first.
int reference::exponentOf(double x) {
  auto exponent = static_cast<int>(bitsOf(x) >> 52 & 0x7ff);
  return exponent ? exponent - 1023 : exponentOf(x * 0x1p54) - 54;
}

/// Units in the last place that |x| is not a multiple of are cut off; \p left gets |x| in units.
static double unitOf(double x, const FloatFormat &format, double &left) {
  int exponent = exponentOf(x);
  if (exponent < format.minExponent)
    exponent = format.minExponent;
  double unit = powerOfTwo(exponent - format.precision + 1);
  left = (x < 0 ? -x : x) / unit;
  return unit;
}

/// False for infinities and NaN.
static bool isFinite(double x) {
  return x - x == 0;
}

/// The float of 32 bits next to \p x, which is no NaN and not the infinity of that side.
static float stepFloat(float x, bool isUp) {
  if (x == 0)
    return isUp ? 0x1p-149f : -0x1p-149f;
  auto bits = llvm::bit_cast<uint32_t>(x);
  return llvm::bit_cast<float>(isUp == (x > 0) ? bits + 1 : bits - 1);
}

/// Infinities and NaN stay as they are.
double reference::roundToWidth(double x, unsigned width, bool towardZero) {
  if (width == 64 || x == 0 || !isFinite(x))
    return x;
  if (width == 32) {
    auto nearest = static_cast<float>(x);
    bool isOutside = x < 0 ? nearest < x : nearest > x;
    return towardZero && isOutside ? stepFloat(nearest, x < 0) : nearest;
  }
  const FloatFormat &format = formatOf(width);
  double magnitude = x < 0 ? -x : x, result = towardZero ? format.maxFinite : Infinity;
  if (magnitude < 2 * format.maxFinite) {
    double units, unit = unitOf(x, format, units);
    double rounded = (towardZero ? floorOf(units) : roundEvenOf(units)) * unit;
    if (rounded <= format.maxFinite)
      result = rounded;
  }
  return x < 0 ? -result : result;
}

/// Beyond the largest finite number the result is infinity.
double reference::ceilToWidth(double x, unsigned width) {
  if (width == 64 || x == 0 || !isFinite(x))
    return x;
  if (width == 32) {
    auto nearest = static_cast<float>(x);
    return nearest < x ? stepFloat(nearest, true) : nearest;
  }
  double toZero = roundToWidth(x, width, true);
  if (toZero >= x)
    return toZero;
  // Only a positive x lies above what truncation leaves.
  const FloatFormat &format = formatOf(width);
  if (toZero >= format.maxFinite)
    return Infinity;
  double units, unit = toZero == 0 ? format.minDenormal : unitOf(toZero, format, units);
  return toZero + unit;
}
double reference::floorToWidth(double x, unsigned width) {
  return -ceilToWidth(-x, width);
}

/// Zero and denormals have the unit of the smallest normal numbers; infinities that of the largest.
double reference::ulpOf(double x, unsigned width) {
  const FloatFormat &format = formatOf(width);
  int largest = -format.minExponent + 1;
  int exponent = x == 0 ? format.minExponent : isFinite(x) ? exponentOf(x) : largest;
  if (exponent > largest)
    exponent = largest;
  if (exponent < format.minExponent)
    exponent = format.minExponent;
  return powerOfTwo(exponent - format.precision + 1);
}

namespace {
/// significand * 2^exponent.
struct Parts {
  uint64_t significand;
  int exponent;
};
} // namespace

/// The magnitude of \p x, which is finite, as an integer times a power of two.
static Parts partsOf(double x) {
  uint64_t bits = bitsOf(x);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & 0xfffffffffffffull;
  return exponent ? Parts{mantissa | uint64_t(1) << 52, exponent - 1075} : Parts{mantissa, -1074};
}

/// Compares |a * b| with |p|, which is the product rounded to nearest: below 0, 0 or above 0.
static int compareProduct(double a, double b, double p) {
  if (p == 0 || !isFinite(p))
    return p == 0 ? 1 : -1;
  Parts left = partsOf(a), right = partsOf(b), whole = partsOf(p);
  unsigned __int128 exact = static_cast<unsigned __int128>(left.significand) * right.significand;
  int shift = whole.exponent - (left.exponent + right.exponent);
  // A significand of a denormal has leading zeros; then the product has low bits to spare.
  if (shift < 0)
    exact <<= -shift;
  unsigned __int128 rounded = static_cast<unsigned __int128>(whole.significand)
                              << (shift < 0 ? 0 : shift);
  return exact < rounded ? -1 : exact > rounded;
}

/// Returns the greatest double that is not above the exact product. Zeros, infinities and NaN give
/// the IEEE result.
double reference::productDown(double a, double b) {
  double p = a * b;
  if (a == 0 || b == 0 || !isFinite(a) || !isFinite(b) || p != p)
    return p; // With its sign; zero times infinity is handled by the caller.
  // Two factors of 26 bits have a product of 52, as all floats of 32 bits and less.
  bool isShort = !((bitsOf(a) | bitsOf(b)) & 0x7ffffff);
  if (isShort && (p >= 0x1p-1022 || p <= -0x1p-1022) && isFinite(p))
    return p;
  int excess = compareProduct(a, b, p);
  bool isNegative = (a < 0) != (b < 0);
  bool isBelow = isNegative ? excess > 0 : excess < 0;
  return isBelow ? nextDown(p) : p;
}

/// Exact for all bits; NaN loses its payload.
double reference::fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double mantissa = bits & 0x3ff;
  double value = exponent == 31
                     ? (mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : Infinity)
                 : exponent == 0 ? mantissa * 0x1p-24
                                 : (mantissa + 1024) * powerOfTwo(exponent - 25);
  return bits >> 15 ? -value : value;
}

/// Numbers from 65520 on become infinity.
uint16_t reference::toHalf(double value) {
  uint16_t sign = bitsOf(value) >> 63 ? 0x8000 : 0;
  if (value != value)
    return sign | 0x7e00;
  double magnitude = llvm::bit_cast<double>(bitsOf(value) & 0x7fffffffffffffffull);
  if (magnitude >= 65520)
    return sign | 0x7c00;
  int exponent = static_cast<int>(bitsOf(magnitude) >> 52) - 1023;
  if (exponent < -14)
    exponent = -14;
  // In units of the last place; 1024 there means that rounding reached the next exponent, which the
  // sum below turns into just that.
  auto mantissa = static_cast<uint16_t>(roundEvenOf(magnitude * powerOfTwo(10 - exponent)));
  return sign | static_cast<uint16_t>(mantissa + ((exponent + 14) << 10));
}
