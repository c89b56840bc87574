// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector conversions from and to 8-bit floats, and their dot products. Which byte or half of a
// register is meant, AluInput says, or the wave machine has chosen it.
#include "oracles/machine/gcn_alu/ByteFloat.h"
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include <algorithm>

using namespace assay::gcn;

/// The exact value as f32. NaNs all become the default NaN.
float assay::gcn::decodeByte(uint8_t bits, const ByteFormat &format) {
  unsigned magnitude = bits & 0x7f;
  bool negative = bits & 0x80;
  if (magnitude > format.largest)
    return format.hasInfinity() && magnitude == 0x7c ? infinity<float>(negative)
                                                     : defaultNan<float>();
  unsigned field = magnitude >> format.fraction;
  unsigned units = magnitude & ((1u << format.fraction) - 1);
  if (field != 0)
    units |= 1u << format.fraction;
  int exponent = int(std::max(field, 1u)) - format.bias - int(format.fraction);
  auto value = float(units * powerOfTwo(exponent));
  return negative ? negate(value) : value;
}

/// \p magnitude in units of 2^unit: rounded to nearest even, or with \p random.
static unsigned roundUnits(float magnitude, int unit, int fraction, const uint32_t *random) {
  double scaled = widen(magnitude) * powerOfTwo(-unit);
  if (!random) {
    auto whole = uint64_t(std::min(scaled, 65536.0));
    double rest = std::min(scaled, 65536.0) - double(whole);
    return unsigned(whole) + unsigned(rest > 0.5 || (rest == 0.5 && (whole & 1)));
  }
  // Below the normal range the source is cut to as many bits as a normal one has, first.
  int places = 23 - fraction;
  auto kept = uint64_t(std::min(scaled, 65536.0) * powerOfTwo(places));
  return unsigned((kept + (*random >> (32 - places))) >> places);
}

/// Rounds to the nearest even or, with \p random, stochastically. Overflow gives the format's
/// infinity or NaN, with FP16_OVFL the largest number.
uint8_t assay::gcn::encodeByte(float value, const ByteFormat &format, const AluMode &mode,
                               const uint32_t *random) {
  value = flushIn(value, mode);
  unsigned sign = signOf(value) ? 0x80 : 0;
  if (isNan(value))
    return format.nan;
  unsigned overflow = sign | (format.hasInfinity() ? 0x7c : 0x7f);
  if (isInfinite(value))
    return uint8_t(overflow);
  float magnitude = absolute(value);
  int exponent = int(magnitudeOf(value) >> 23) - 127;
  auto fraction = int(format.fraction);
  int unit = std::max(exponent, 1 - format.bias) - fraction;
  unsigned units = roundUnits(magnitude, unit, fraction, random);
  // A carry into the exponent comes out right.
  unsigned field = unsigned(unit + fraction + format.bias - 1);
  unsigned bits = (field << fraction) + units;
  if (bits > format.largest)
    return uint8_t(mode.fp16Overflow ? sign | format.largest : overflow);
  return uint8_t(sign | bits);
}

/// Converts the selected byte of a register.
template <const ByteFormat &F> static float fromByte(uint32_t a, ByteSelect byte) {
  return decodeByte(uint8_t(a >> (8 * byte.value)), F);
}

/// Converts two bytes to two f32, the low one first.
template <const ByteFormat &F> static PkFloat fromPair(uint16_t a) {
  uint64_t low = bitsOf(decodeByte(uint8_t(a), F));
  return {low | uint64_t(bitsOf(decodeByte(uint8_t(a >> 8), F))) << 32};
}

/// Converts two f32 to two bytes, the first low.
template <const ByteFormat &F> static uint16_t toPair(float a, float b, const AluMode &mode) {
  return uint16_t(encodeByte(a, F, mode) | encodeByte(b, F, mode) << 8);
}

/// v_cvt_sr: rounds stochastically, into the selected byte of the destination.
template <const ByteFormat &F>
static uint32_t toByte(float a, uint32_t random, Old<uint32_t> old, ByteSelect byte,
                       const AluMode &mode) {
  unsigned shift = 8 * byte.value;
  uint32_t bits = encodeByte(a, F, mode, &random);
  return (old.value & ~(0xffu << shift)) | bits << shift;
}

/// The manual's order: one rounded fma a term, from the accumulator on. Fixed rounding to nearest
/// even, denormals kept, as GFX12's other dot products have it.
template <const ByteFormat &A, const ByteFormat &B>
static float dotBytes(PkBytes a, PkBytes b, float c, AluMode mode) {
  mode.f32Round = RoundEven;
  mode.f32DenormIn = mode.f32DenormOut = true;
  for (unsigned shift : {0u, 8u, 16u, 24u})
    c = floatFma(decodeByte(uint8_t(a.bits >> shift), A), decodeByte(uint8_t(b.bits >> shift), B),
                 c, mode);
  return c;
}

/// Each operation has a row for each format, and the dot products for each pair of them. All are of
/// GFX12.
static constexpr AluOp rows[] = {
    valu<fromByte<fp8Format>>("v_cvt_f32_fp8", 12),
    valu<fromByte<bf8Format>>("v_cvt_f32_bf8", 12),
    valu<fromPair<fp8Format>>("v_cvt_pk_f32_fp8", 12),
    valu<fromPair<bf8Format>>("v_cvt_pk_f32_bf8", 12),
    valu<toPair<fp8Format>>("v_cvt_pk_fp8_f32", 12),
    valu<toPair<bf8Format>>("v_cvt_pk_bf8_f32", 12),
    valu<toByte<fp8Format>>("v_cvt_sr_fp8_f32", 12),
    valu<toByte<bf8Format>>("v_cvt_sr_bf8_f32", 12),
    valu<dotBytes<fp8Format, fp8Format>>("v_dot4_f32_fp8_fp8", 12),
    valu<dotBytes<fp8Format, bf8Format>>("v_dot4_f32_fp8_bf8", 12),
    valu<dotBytes<bf8Format, fp8Format>>("v_dot4_f32_bf8_fp8", 12),
    valu<dotBytes<bf8Format, bf8Format>>("v_dot4_f32_bf8_bf8", 12),
};

void assay::gcn::addValuByteFloatRows(RowSink sink) {
  sink(rows);
}
