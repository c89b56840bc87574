// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding of doubles to the smaller formats, and f64 arithmetic in all four rounding modes.
#include "oracles/machine/gcn_alu/Numerics.h"
#include "llvm/ADT/APFloat.h"
#include <utility>

using namespace llvm;
using namespace assay::gcn;

/// A small float as double, which is exact. NaNs keep payload and sign, and are not made quiet.
template <typename T> static double widenSmall(T value) {
  uint64_t magnitude = magnitudeOf(value);
  double result = 0;
  if (magnitude >= infinityBits<T>) {
    uint64_t payload = (magnitude & fractionMask<T>) << (52 - FloatFormat<T>::fraction);
    result = bit_cast<double>(0x7ff0000000000000ull | payload);
  } else if (magnitude <= fractionMask<T>) {
    int exponent = 1 - FloatFormat<T>::maxExponent - int(FloatFormat<T>::fraction);
    result = double(magnitude) * powerOfTwo(exponent);
  } else {
    uint64_t rebias = uint64_t(1023 - FloatFormat<T>::maxExponent) << 52;
    result = bit_cast<double>((magnitude << (52 - FloatFormat<T>::fraction)) + rebias);
  }
  return signOf(value) ? -result : result;
}

/// Exact for all numbers.
double assay::gcn::widen(Half value) {
  return widenSmall(value);
}
double assay::gcn::widen(Brain value) {
  return widenSmall(value);
}

/// \p value, which is at least 0 and below 2^53, to an integer; \p round seen from a positive
/// number.
static uint64_t roundInteger(double value, unsigned round) {
  uint64_t whole = uint64_t(value);
  double rest = value - double(whole);
  bool up = false;
  if (round == RoundEven)
    up = rest > 0.5 || (rest == 0.5 && (whole & 1));
  else if (round == RoundUp)
    up = rest > 0;
  return whole + unsigned(up);
}

/// Rounds once, to the format of T; \p round is a field of MODE. NaNs keep their topmost payload
/// bits and become quiet. Denormals are kept.
template <typename T> static T roundGeneric(double value, unsigned round) {
  using Bits = BitsOf<T>;
  constexpr int fraction = FloatFormat<T>::fraction;
  constexpr int minExponent = 1 - FloatFormat<T>::maxExponent;
  uint64_t image = bit_cast<uint64_t>(value);
  bool negative = image >> 63;
  uint64_t magnitude = image & ~(uint64_t(1) << 63);
  if (magnitude > 0x7ff0000000000000ull)
    return withSign(floatOf<T>(Bits(infinityBits<T> | quietBit<T> |
                                    Bits((magnitude >> (52 - fraction)) & fractionMask<T>))),
                    negative);
  if (magnitude == 0x7ff0000000000000ull)
    return infinity<T>(negative);
  if (negative && (round == RoundUp || round == RoundDown))
    round = round == RoundUp ? RoundDown : RoundUp;
  int exponent = int(magnitude >> 52) - 1023;
  if (exponent > FloatFormat<T>::maxExponent)
    return withSign(
        floatOf<T>(Bits(infinityBits<T> - (round == RoundEven || round == RoundUp ? 0 : 1))),
        negative);
  // The unit in the last place; below the normal range it stays that of the smallest normals.
  int unit = (exponent < minExponent ? minExponent : exponent) - fraction;
  uint64_t count = roundInteger(bit_cast<double>(magnitude) * powerOfTwo(-unit), round);
  // Carries into the exponent field come out right, into infinity too, except where the mode
  // forbids infinity, and then count cannot have been rounded up.
  uint64_t base = exponent < minExponent ? 0 : uint64_t(exponent - minExponent) << fraction;
  return withSign(floatOf<T>(Bits(base + count)), negative);
}

template <> Half assay::gcn::roundTo<Half>(double value, unsigned round) {
  return roundGeneric<Half>(value, round);
}

template <> Brain assay::gcn::roundTo<Brain>(double value, unsigned round) {
  return roundGeneric<Brain>(value, round);
}

/// Rounds in any of the four modes; roundTo<float>() calls it for all but nearest even.
float assay::gcn::roundDirected(double value, unsigned round) {
  return roundGeneric<float>(value, round);
}

/// LLVM's name of a field of MODE.
static APFloat::roundingMode apRounding(unsigned round) {
  static constexpr APFloat::roundingMode modes[] = {
      APFloat::rmNearestTiesToEven, APFloat::rmTowardPositive, APFloat::rmTowardNegative,
      APFloat::rmTowardZero};
  return modes[round & 3];
}

/// The host adds to the nearest even; LLVM does the other modes.
static double addRounded(double a, double b, unsigned round) {
  if (round == RoundEven)
    return a + b;
  APFloat value(a);
  value.add(APFloat(b), apRounding(round));
  return value.convertToDouble();
}

/// As addRounded().
static double fmaRounded(double a, double b, double c, unsigned round) {
  if (round == RoundEven)
    return __builtin_fma(a, b, c);
  APFloat value(a);
  value.fusedMultiplyAdd(APFloat(b), APFloat(c), apRounding(round));
  return value.convertToDouble();
}

/// As addRounded().
static double mulRounded(double a, double b, unsigned round) {
  if (round == RoundEven)
    return a * b;
  APFloat value(a);
  value.multiply(APFloat(b), apRounding(round));
  return value.convertToDouble();
}

/// Rounded and flushed by the f64 fields of MODE. Sources are flushed by the caller, here and
/// below.
double assay::gcn::addF64(double a, double b, const AluMode &mode) {
  // A sum in the denormal range is exact.
  return flushOut(addRounded(a, b, mode.f16f64Round), mode);
}

/// Rounds once. The second computation is scaled up, for results that are denormal. NaNs are the
/// caller's matter.
double assay::gcn::mulF64(double a, double b, const AluMode &mode) {
  if (absolute(a) > absolute(b))
    std::swap(a, b); // the smaller one can be scaled up
  return flushTiny(mulRounded(a, b, mode.f16f64Round), mode,
                   [&] { return mulRounded(a * powerOfTwo(200), b, mode.f16f64Round); });
}

/// Rounds once; denormal results are handled as in mulF64(). NaNs are the caller's matter.
double assay::gcn::fmaF64(double a, double b, double c, const AluMode &mode) {
  if (absolute(a) > absolute(b))
    std::swap(a, b);
  // Where the result is small, c is, too: else the product's last bit is above it.
  return flushTiny(fmaRounded(a, b, c, mode.f16f64Round), mode, [&] {
    return fmaRounded(a * powerOfTwo(200), b, c * powerOfTwo(200), mode.f16f64Round);
  });
}

/// \p a * 2^\p exponent, rounded once; denormals are kept.
double assay::gcn::scaleF64(double a, int exponent, unsigned round) {
  return scalbn(APFloat(a), exponent, apRounding(round)).convertToDouble();
}

/// Rounds a denormal result once. Exponents beyond 5000 are cut, as the result is 0 or infinite in
/// any case.
double assay::gcn::ldexpF64(double a, int exponent, const AluMode &mode) {
  exponent = std::clamp(exponent, -5000, 5000); // beyond, all is 0 or infinite
  return flushTiny(scaleF64(a, exponent, mode.f16f64Round), mode,
                   [&] { return scaleF64(a, exponent + 200, mode.f16f64Round); });
}

/// To the nearest even.
double assay::gcn::sqrtF64(double a) {
  return __builtin_sqrt(a);
}
