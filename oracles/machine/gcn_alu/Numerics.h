// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary floating point as the AMD ALUs do it, for f16, f32 and f64 alike: rounding mode and
// denormal handling come from AluMode, never from the host's control register. A NaN result is the
// first NaN source (quiet where the mode wants that), or the negative default NaN when no source is
// one (docs/errata-amdgpu.md, "NaN results").
//
// Every operation is exact up to one rounding. f32 and f16 go through double made "round to odd"
// (the last bit records that bits were lost), which rounds correctly to any format of at most 51
// bits; f64 uses the host's operation to nearest even and APFloat for the other modes.
#pragma once

#include "oracles/machine/gcn_alu/Alu.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cstdint>

/// Of what kernels of f32 are made of: a loop with a call in it is none for vectors (LiftKernel.h).
#define ASSAY_IN_KERNELS [[gnu::always_inline]] inline

namespace assay::gcn {

/// An f16, as bits.
struct Half {
  uint16_t bits;
};
/// A bf16, as bits.
struct Brain {
  uint16_t bits;
};

/// What is to know of a format: Bits is its image as an unsigned integer.
template <typename T> struct FloatFormat;
template <> struct FloatFormat<Half> {
  using Bits = uint16_t;
  static constexpr unsigned fraction = 10;
  static constexpr int maxExponent = 15;
};
template <> struct FloatFormat<Brain> {
  using Bits = uint16_t;
  static constexpr unsigned fraction = 7;
  static constexpr int maxExponent = 127;
};
template <> struct FloatFormat<float> {
  using Bits = uint32_t;
  static constexpr unsigned fraction = 23;
  static constexpr int maxExponent = 127;
};
template <> struct FloatFormat<double> {
  using Bits = uint64_t;
  static constexpr unsigned fraction = 52;
  static constexpr int maxExponent = 1023;
};

template <typename T> using BitsOf = FloatFormat<T>::Bits;

template <typename T> BitsOf<T> bitsOf(T value) {
  return llvm::bit_cast<BitsOf<T>>(value);
}
template <typename T> T floatOf(BitsOf<T> bits) {
  return llvm::bit_cast<T>(bits);
}

template <typename T> constexpr BitsOf<T> signMask = BitsOf<T>(BitsOf<T>(1) << (sizeof(T) * 8 - 1));
template <typename T>
constexpr BitsOf<T> fractionMask = BitsOf<T>((BitsOf<T>(1) << FloatFormat<T>::fraction) - 1);
template <typename T>
constexpr BitsOf<T> infinityBits = BitsOf<T>(~(signMask<T> | fractionMask<T>));
template <typename T>
constexpr BitsOf<T> quietBit = BitsOf<T>(BitsOf<T>(1) << (FloatFormat<T>::fraction - 1));

template <typename T> bool signOf(T value) {
  return (bitsOf(value) & signMask<T>) != 0;
}
template <typename T> BitsOf<T> magnitudeOf(T value) {
  return BitsOf<T>(bitsOf(value) & ~signMask<T>);
}
template <typename T> bool isNan(T value) {
  return magnitudeOf(value) > infinityBits<T>;
}
template <typename T> bool isInfinite(T value) {
  return magnitudeOf(value) == infinityBits<T>;
}
template <typename T> bool isZero(T value) {
  return magnitudeOf(value) == 0;
}
template <typename T> bool isSignallingNan(T value) {
  return isNan(value) && !(bitsOf(value) & quietBit<T>);
}
template <typename T> bool isDenormal(T value) {
  return !isZero(value) && magnitudeOf(value) <= fractionMask<T>;
}
template <typename T> T negate(T value) {
  return floatOf<T>(BitsOf<T>(bitsOf(value) ^ signMask<T>));
}
template <typename T> T absolute(T value) {
  return floatOf<T>(magnitudeOf(value));
}
template <typename T> T withSign(T value, bool negative) {
  return floatOf<T>(BitsOf<T>(magnitudeOf(value) | (negative ? signMask<T> : 0)));
}
template <typename T> T quieten(T nan) {
  return floatOf<T>(BitsOf<T>(bitsOf(nan) | quietBit<T>));
}
template <typename T> T defaultNan() {
  return floatOf<T>(BitsOf<T>(signMask<T> | infinityBits<T> | quietBit<T>));
}
template <typename T> T infinity(bool negative) {
  return floatOf<T>(BitsOf<T>(infinityBits<T> | (negative ? signMask<T> : 0)));
}
template <typename T> T zero(bool negative = false) {
  return floatOf<T>(BitsOf<T>(negative ? signMask<T> : 0));
}

/// The MODE fields that rule format T.
template <typename T> unsigned roundMode(const AluMode &mode) {
  return sizeof(T) == 4 ? mode.f32Round : mode.f16f64Round;
}
template <typename T> bool keepsDenormIn(const AluMode &mode) {
  return sizeof(T) == 4 ? mode.f32DenormIn : mode.f16f64DenormIn;
}
template <typename T> bool keepsDenormOut(const AluMode &mode) {
  return sizeof(T) == 4 ? mode.f32DenormOut : mode.f16f64DenormOut;
}

template <typename T> T flushed(T value) {
  return isDenormal(value) ? zero<T>(signOf(value)) : value;
}
template <typename T> T flushIn(T value, const AluMode &mode) {
  return keepsDenormIn<T>(mode) ? value : flushed(value);
}
template <typename T> T flushOut(T value, const AluMode &mode) {
  return keepsDenormOut<T>(mode) ? value : flushed(value);
}

/// Values of \ref roundTo's \p round, as in the MODE register.
enum Rounding : unsigned { RoundEven = 0, RoundUp = 1, RoundDown = 2, RoundZero = 3 };

/// The exact value of a number that is not NaN.
double widen(Half value);
double widen(Brain value);
inline double widen(float value) {
  return double(value);
}
inline double widen(double value) {
  return value;
}

/// Rounds once. A NaN keeps its sign and its topmost payload bits.
template <typename T> T roundTo(double value, unsigned round);
template <> Half roundTo<Half>(double value, unsigned round);
template <> Brain roundTo<Brain>(double value, unsigned round);
/// By one of the directed modes.
float roundDirected(double value, unsigned round);
template <> inline float roundTo<float>(double value, unsigned round) {
  return round == RoundEven ? float(value) : roundDirected(value, round);
}
template <> inline double roundTo<double>(double value, unsigned) {
  return value;
}

/// Moves \p sum, which is inexact by \p error (NaN where \p sum is not finite), so that its last
/// bit is set.
inline double stickyOdd(double sum, double error) {
  auto image = llvm::bit_cast<uint64_t>(sum);
  // Nearest even is off by at most half a unit: the odd neighbour lies on the error's side.
  uint64_t inward = (image ^ llvm::bit_cast<uint64_t>(error)) >> 63;
  bool isInexact = error < 0 || error > 0;
  return llvm::bit_cast<double>(isInexact ? (image - inward) | 1 : image);
}

/// a + b, rounded to odd. Inline, as all that kernels of f32 are made of (LiftKernel.h).
inline double addOdd(double a, double b) {
  double sum = a + b;
  double bPart = sum - a;
  double error = (a - (sum - bPart)) + (b - bPart);
  return stickyOdd(sum, error);
}

/// 2^\p exponent, for exponents that f64 has as normal numbers.
inline double powerOfTwo(int exponent) {
  return llvm::bit_cast<double>(uint64_t(exponent + 1023) << 52);
}

/// f64 arithmetic as MODE has it: rounding, and tiny results where denormals are not kept.
double addF64(double a, double b, const AluMode &mode);
double mulF64(double a, double b, const AluMode &mode);
double fmaF64(double a, double b, double c, const AluMode &mode);
double ldexpF64(double a, int exponent, const AluMode &mode);
double sqrtF64(double a);
/// a * 2^exponent in rounding \p round, denormals kept.
double scaleF64(double a, int exponent, unsigned round);

/// The smallest normal number, as bits.
template <typename T> constexpr BitsOf<T> minNormalBits = BitsOf<T>(fractionMask<T> + 1);

/// Whether \p exact, rounded to T's precision but with any exponent, stays below the normal range.
/// (Tininess is judged after rounding: docs/errata-amdgpu.md.)
template <typename T> ASSAY_IN_KERNELS bool isTiny(double exact, unsigned round) {
  if (round == RoundEven) {
    // Half a unit below the normal range, and all beyond, goes to the smallest normal number.
    constexpr int least = 1 - FloatFormat<T>::maxExponent;
    return absolute(exact) <
           powerOfTwo(least) - powerOfTwo(least - int(FloatFormat<T>::fraction) - 2);
  }
  constexpr int up = FloatFormat<T>::maxExponent / 2 + 1;
  T scaled = roundTo<T>(exact * powerOfTwo(up), round);
  return magnitudeOf(scaled) < minNormalBits<T> + (BitsOf<T>(up) << FloatFormat<T>::fraction);
}

/// Small results are tiny or not when judged at full precision: \p scaled gives the same operation
/// with its result scaled up by 2^200.
template <typename Scaled> double flushTiny(double result, const AluMode &mode, Scaled scaled) {
  if (mode.f16f64DenormOut || isZero(result) || magnitudeOf(result) > minNormalBits<double>)
    return result;
  double limit = floatOf<double>(minNormalBits<double>) * powerOfTwo(200);
  return absolute(scaled()) < limit ? zero<double>(signOf(result)) : result;
}

/// Makes a NaN that arose in the operation the default one.
template <typename T> T settled(T value) {
  return isNan(value) ? defaultNan<T>() : value;
}

/// A result of an operation without NaN sources: \p exact - rounded to odd, where it has too many
/// bits - rounded once, with what MODE says of tiny and of large results. T is not f64.
template <typename T> ASSAY_IN_KERNELS T finish(double exact, unsigned round, const AluMode &mode) {
  T result = roundTo<T>(exact, round);
  bool isSmall = round == RoundEven || magnitudeOf(result) <= minNormalBits<T>;
  if (!keepsDenormOut<T>(mode) && isSmall && isTiny<T>(exact, round))
    return zero<T>(signOf(result));
  if (std::is_same_v<T, Half> && mode.fp16Overflow && isInfinite(result) && !isInfinite(exact))
    return withSign(floatOf<T>(BitsOf<T>(infinityBits<T> - 1)), signOf(result));
  return settled(result);
}
template <typename T> T finish(double exact, const AluMode &mode) {
  return finish<T>(exact, roundMode<T>(mode), mode);
}

/// Whether results that come from a signalling NaN are quiet: with MODE.IEEE, and from GFX12 on.
inline bool quietsNans(const AluMode &mode) {
  return mode.ieee || mode.gfxMajor >= 12;
}

/// The NaN that an operation on these sources gives, or false.
template <typename T> bool propagateNan(T &result, const AluMode &mode, T a) {
  if (!isNan(a))
    return false;
  result = quietsNans(mode) ? quieten(a) : a;
  return true;
}
template <typename T, typename... Rest>
bool propagateNan(T &result, const AluMode &mode, T a, Rest... rest) {
  return propagateNan(result, mode, a) || propagateNan(result, mode, rest...);
}

template <typename T> ASSAY_IN_KERNELS T floatAdd(T a, T b, const AluMode &mode) {
  T result{};
  if (propagateNan(result, mode, a, b))
    return result;
  a = flushIn(a, mode);
  b = flushIn(b, mode);
  if constexpr (sizeof(T) == 8)
    return settled(addF64(a, b, mode));
  else if (sizeof(T) == 4 && mode.f32Round == RoundEven)
    return finish<T>(widen(a) + widen(b), mode); // 53 >= 2 * 24 + 2: no double rounding
  else {
    unsigned round = roundMode<T>(mode);
    double sum = addOdd(widen(a), widen(b));
    if (sum == 0 && (!isZero(a) || !isZero(b) || signOf(a) != signOf(b)))
      sum = round == RoundDown ? -0.0 : 0.0; // the sign of an exact zero follows the mode
    return finish<T>(sum, mode);
  }
}

template <typename T> T floatSub(T a, T b, const AluMode &mode) {
  return floatAdd(a, isNan(b) ? b : negate(b), mode);
}

template <typename T> ASSAY_IN_KERNELS T floatMul(T a, T b, const AluMode &mode) {
  T result{};
  if (propagateNan(result, mode, a, b))
    return result;
  a = flushIn(a, mode);
  b = flushIn(b, mode);
  if constexpr (sizeof(T) == 8)
    return settled(mulF64(a, b, mode));
  else
    return finish<T>(widen(a) * widen(b), mode); // exact in double
}

/// a * b + c of sources that are not f64, rounded to odd: whoever takes it rounds once, by \p
/// round.
template <typename T> ASSAY_IN_KERNELS double exactFma(T a, T b, T c, unsigned round) {
  double product = widen(a) * widen(b);
  double sum = addOdd(product, widen(c));
  bool bothZero = product == 0 && isZero(c);
  // The sum of zeros of one sign has it; another exact zero is negative in one mode.
  if (round == RoundDown && sum == 0 && (!bothZero || bitsOf(product) >> 63 != unsigned(signOf(c))))
    sum = -0.0;
  return sum;
}

/// The NaN of a fused operation. An invalid product comes before the NaN of the addend.
template <typename T> ASSAY_IN_KERNELS bool fmaNan(T &result, const AluMode &mode, T a, T b, T c) {
  if (propagateNan(result, mode, a, b))
    return true;
  if ((isInfinite(a) && isZero(b)) || (isZero(a) && isInfinite(b))) {
    result = defaultNan<T>();
    return true;
  }
  return propagateNan(result, mode, c);
}

template <typename T> ASSAY_IN_KERNELS T floatFma(T a, T b, T c, const AluMode &mode) {
  T result{};
  a = flushIn(a, mode);
  b = flushIn(b, mode);
  c = flushIn(c, mode);
  if (fmaNan(result, mode, a, b, c))
    return result;
  if constexpr (sizeof(T) == 8)
    return settled(fmaF64(a, b, c, mode));
  else
    return finish<T>(exactFma(a, b, c, roundMode<T>(mode)), mode);
}

/// v_mad, v_mac: product and sum rounded apart, denormals never kept.
template <typename T> ASSAY_IN_KERNELS T floatMad(T a, T b, T c, AluMode mode) {
  mode.f32DenormIn = mode.f32DenormOut = false;
  mode.f16f64DenormIn = mode.f16f64DenormOut = false;
  return floatAdd(floatMul(a, b, mode), c, mode);
}

template <typename T> T floatLdexp(T value, int exponent, const AluMode &mode) {
  T result{};
  if (propagateNan(result, mode, value))
    return result;
  value = flushIn(value, mode);
  if constexpr (sizeof(T) == 8)
    return ldexpF64(value, exponent, mode);
  else // beyond +-400 every f32 is 0 or infinite, and within, double is exact
    return finish<T>(widen(value) * powerOfTwo(std::clamp(exponent, -400, 400)), mode);
}

/// IEEE order on flushed sources; false when a source is NaN.
template <typename T> bool isLess(T a, T b) {
  return widen(a) < widen(b);
}
template <> inline bool isLess(float a, float b) {
  return a < b;
}

} // namespace assay::gcn
