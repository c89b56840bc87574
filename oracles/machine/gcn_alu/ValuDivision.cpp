// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The helpers from which compilers build larger functions: division (scale, fmas, fixup), cube-map
// coordinates, and the segments of 2/pi for the reduction of large angles.
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include "llvm/ADT/APFloat.h"

using namespace llvm;
using namespace assay::gcn;

namespace {
template <typename T> struct DivisionLimits;

/// Differences and values of exponent fields at which v_div_scale scales, and by what.
template <> struct DivisionLimits<float> {
  static constexpr int farApart = 96, scale = 64, tiny = 24, underflow = -150;
};

template <> struct DivisionLimits<double> {
  static constexpr int farApart = 768, scale = 128, tiny = 53, underflow = -1075;
};

} // namespace

/// The biased exponent; 0 for zeros and denormals.
template <typename T> static int exponentField(T a) {
  return int(magnitudeOf(a) >> FloatFormat<T>::fraction);
}

/// \p a * 2^\p exponent, rounded once and flushed by the mode; NaNs become quiet.
template <typename T> static T scaledBy(T a, int exponent, const AluMode &mode) {
  if (isNan(a))
    return quieten(a);
  if constexpr (sizeof(T) == 8)
    return ldexpF64(a, exponent, mode);
  else
    return finish<T>(widen(a) * powerOfTwo(exponent), mode);
}

/// v_div_scale: source \p a is the denominator \p b or the numerator \p c, as the caller wants
/// either scaled; the carry tells v_div_fmas to scale the quotient back. Exponent fields decide, as
/// chips do it (docs/errata-amdgpu.md); the manuals' conditions on values do not divide correctly.
template <typename T> static WithCarry<T> divScale(T a, T b, T c, const AluMode &mode) {
  using Limits = DivisionLimits<T>;
  a = flushIn(a, mode);
  b = flushIn(b, mode);
  c = flushIn(c, mode);
  bool isDenominator = bitsOf(a) == bitsOf(b);
  int difference = exponentField(c) - exponentField(b);
  int scale = 0;
  bool scalesBack = false;
  if (difference >= Limits::farApart) {
    scale = isDenominator ? Limits::scale : 0;
    scalesBack = true;
  } else if (exponentField(b) == 0) {
    scale = Limits::scale;
  } else if (exponentField(b) >=
             2 * FloatFormat<T>::maxExponent - 1) { // the reciprocal is denormal
    scalesBack = difference <= -Limits::farApart;
    scale = scalesBack && !isDenominator ? 0 : -Limits::scale;
  } else if (difference <= -Limits::farApart) {
    scale = isDenominator ? 0 : Limits::scale;
    scalesBack = true;
  } else if (exponentField(c) <= Limits::tiny) {
    scale = Limits::scale;
  }
  if (isZero(b) || isZero(c))
    return {defaultNan<T>(), scalesBack};
  return {scaledBy(a, scale, mode), scalesBack};
}

/// fma and a power of two with one rounding. \p T is f64: through f128 rounded to odd.
static double scaledFma(double a, double b, double c, int scale, const AluMode &mode) {
  bool lost = false;
  APFloat x(a), y(b), z(c);
  for (APFloat *value : {&x, &y, &z})
    value->convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &lost);
  static constexpr APFloat::roundingMode modes[] = {
      APFloat::rmNearestTiesToEven, APFloat::rmTowardPositive, APFloat::rmTowardNegative,
      APFloat::rmTowardZero};
  APFloat::roundingMode round = modes[mode.f16f64Round & 3];
  auto status = x.fusedMultiplyAdd(y, z, APFloat::rmTowardZero);
  if (status & APFloat::opInexact)
    x = APFloat(APFloat::IEEEquad(), x.bitcastToAPInt() | APInt(128, 1));
  else if (x.isZero()) // its sign depends on the mode
    x = APFloat(fmaF64(a, b, c, mode)), x.convert(APFloat::IEEEquad(), round, &lost);
  auto rounded = [&](int exponent) {
    APFloat result = scalbn(x, exponent, APFloat::rmTowardZero);
    result.convert(APFloat::IEEEdouble(), round, &lost);
    return result.convertToDouble();
  };
  return flushTiny(rounded(scale), mode, [&] { return rounded(scale + 200); });
}

/// The exact fma is scaled as a double, then rounded once.
static float scaledFma(float a, float b, float c, int scale, const AluMode &mode) {
  return finish<float>(exactFma(a, b, c, mode.f32Round) * powerOfTwo(scale), mode);
}

/// v_div_fmas: which way to scale back shows in the addend, the approximate quotient: scaled up
/// quotients are those that would have been denormal (docs/errata-amdgpu.md). Denormal sources are
/// kept, whatever the mode says.
template <typename T> static T divFmas(T a, T b, T c, Carry scaled, AluMode mode) {
  T result{};
  mode.f32DenormIn = mode.f16f64DenormIn = true;
  if (!scaled.value)
    return floatFma(a, b, c, mode);
  if (fmaNan(result, mode, a, b, c))
    return result;
  int scale = exponentField(c) > FloatFormat<T>::maxExponent ? DivisionLimits<T>::scale
                                                             : -DivisionLimits<T>::scale;
  return settled(scaledFma(a, b, c, scale, mode));
}

/// The smallest step away from zero, or zero, as \p round has it.
template <typename T> static T underflowed(bool negative, unsigned round) {
  bool away = round == (negative ? RoundDown : RoundUp);
  return withSign(floatOf<T>(BitsOf<T>(away)), negative);
}

/// Infinity, or the largest number, as \p round has it.
template <typename T> static T overflowed(bool negative, unsigned round) {
  bool away = round == RoundEven || round == (negative ? RoundDown : RoundUp);
  return withSign(floatOf<T>(BitsOf<T>(infinityBits<T> - (away ? 0 : 1))), negative);
}

/// The cases of \p c / \p b that need no arithmetic. True when \p result is set.
template <typename T> static bool specialQuotient(T &result, T b, T c) {
  bool negative = signOf(b) != signOf(c);
  if (isNan(c) || isNan(b))
    result = quieten(isNan(c) ? c : b);
  else if ((isZero(b) && isZero(c)) || (isInfinite(b) && isInfinite(c)))
    result = defaultNan<T>();
  else if (isZero(b) || isInfinite(c))
    result = infinity<T>(negative);
  else if (isInfinite(b) || isZero(c))
    result = zero<T>(negative);
  else
    return false;
  return true;
}

/// FP16_OVFL: the largest number for infinity.
template <typename T> static unsigned fixupRound(const AluMode &mode) {
  bool saturates = std::is_same_v<T, Half> && mode.fp16Overflow;
  return saturates ? unsigned(RoundZero) : roundMode<T>(mode);
}

/// v_div_fixup: \p a is the quotient \p c / \p b except for special cases, and kept as it is where
/// it is denormal.
///
/// A quotient beyond the largest number makes the refinement before it NaN (infinity times 0). The
/// manuals' last case, "exponent(S1) == 255: overflow", can't be reached as written; read with S0
/// it is what repairs this.
template <typename T> static T divFixup(T a, T b, T c, const AluMode &mode) {
  b = flushIn(b, mode);
  c = flushIn(c, mode);
  T result{};
  if (specialQuotient(result, b, c))
    return result;
  bool negative = signOf(b) != signOf(c);
  if constexpr (sizeof(T) > 2)
    if (exponentField(c) - exponentField(b) < DivisionLimits<T>::underflow)
      return flushOut(underflowed<T>(negative, roundMode<T>(mode)), mode);
  if (isNan(a) || isInfinite(a))
    return overflowed<T>(negative, fixupRound<T>(mode));
  return withSign(a, negative);
}

namespace {
/// The axis of the largest coordinate.
enum class CubeAxis { X, Y, Z };

} // namespace

/// Comparisons of cube operations take denormals for 0 in every mode; what is selected is copied.
static CubeAxis majorAxis(float x, float y, float z) {
  x = absolute(flushed(x));
  y = absolute(flushed(y));
  z = absolute(flushed(z));
  if (z >= x && z >= y)
    return CubeAxis::Z;
  return y >= x ? CubeAxis::Y : CubeAxis::X;
}

/// The coordinate along the major axis, with its denormals.
static float majorOf(float x, float y, float z) {
  CubeAxis axis = majorAxis(x, y, z);
  return axis == CubeAxis::Z ? z : axis == CubeAxis::Y ? y : x;
}

/// The number of the face: twice the axis, plus 1 on the negative side.
static float cubeId(float x, float y, float z) {
  bool negative = flushed(majorOf(x, y, z)) < 0.0f;
  switch (majorAxis(x, y, z)) {
  case CubeAxis::Z:
    return negative ? 5.0f : 4.0f;
  case CubeAxis::Y:
    return negative ? 3.0f : 2.0f;
  default:
    return negative ? 1.0f : 0.0f;
  }
}

/// A source as it is, but that NaNs become quiet where the mode wants it.
static float copied(float a, const AluMode &mode) {
  float nan{};
  return propagateNan(nan, mode, a) ? nan : a;
}

/// The horizontal coordinate on the face, not divided by the major one.
static float cubeS(float x, float y, float z, const AluMode &mode) {
  bool negative = flushed(majorOf(x, y, z)) < 0.0f;
  switch (majorAxis(x, y, z)) {
  case CubeAxis::Z:
    return copied(negative ? negate(x) : x, mode);
  case CubeAxis::Y:
    return copied(x, mode);
  default:
    return copied(negative ? z : negate(z), mode);
  }
}

/// The vertical coordinate on the face, not divided by the major one.
static float cubeT(float x, float y, float z, const AluMode &mode) {
  if (majorAxis(x, y, z) != CubeAxis::Y)
    return copied(negate(y), mode);
  return copied(flushed(y) < 0.0f ? negate(z) : z, mode);
}

/// Twice the major coordinate. A zero keeps its sign only where the mode rounds down.
static float cubeMajor(float x, float y, float z, const AluMode &mode) {
  float major = flushed(majorOf(x, y, z));
  if (isZero(major))
    return mode.f32Round == RoundDown ? major : 0.0f;
  return floatMul(major, 2.0f, mode);
}

/// The binary digits of 2/pi after the point, from the first on.
static constexpr uint64_t twoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// \p count digits of 2/pi after \p skip of them, as an integer; there are 1201.
static uint64_t digitsOfTwoOverPi(unsigned skip, unsigned count) {
  uint64_t result = 0;
  for (unsigned digit = skip; digit < skip + count; ++digit) {
    uint64_t bit = digit < 1201 ? (twoOverPi[digit / 64] >> (63 - digit % 64)) & 1 : 0;
    result = result << 1 | bit;
  }
  return result;
}

/// 53 digits of 2/pi for the segment, as a number of their place. Large exponents of \p a skip
/// digits and scale the result.
static double trigPreop(double a, uint32_t segment, const AluMode &mode) {
  unsigned shift = (segment & 31) * 53;
  int exponent = exponentField(a);
  if (exponent > 1077)
    shift += unsigned(exponent - 1077);
  int scale = -53 - int(shift) + (exponent >= 1968 ? 128 : 0);
  return flushOut(scaleF64(double(digitsOfTwoOverPi(shift, 53)), scale, RoundZero), mode);
}

/// In the order in which a division uses them. The legacy form of v_div_fixup_f16 clears the high
/// half of the register; the other one keeps it.
static constexpr AluOp rows[] = {
    valu<divScale<float>>("v_div_scale_f32"),
    valu<divScale<double>>("v_div_scale_f64"),
    valu<divFmas<float>>("v_div_fmas_f32"),
    valu<divFmas<double>>("v_div_fmas_f64"),
    valu<divFixup<float>>("v_div_fixup_f32"),
    valu<divFixup<double>>("v_div_fixup_f64"),
    valu<divFixup<Half>>("v_div_fixup_f16", 9, 12, PreservesHigh),
    valu<divFixup<Half>>("v_div_fixup_legacy_f16", 9, 9),
    valu<cubeId>("v_cubeid_f32"),
    valu<cubeS>("v_cubesc_f32"),
    valu<cubeT>("v_cubetc_f32"),
    valu<cubeMajor>("v_cubema_f32"),
    valu<trigPreop>("v_trig_preop_f64"),
};

void assay::gcn::addValuDivisionRows(RowSink sink) {
  sink(rows);
}
