// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between floats and to and from integers, normalized numbers and 8-bit floats.
// Sources: AMD's ISA manuals; for rounding, NaNs and 8-bit floats docs/errata-amdgpu.md.
#include "oracles/machine/gcn_alu/definitions/Floats.h"
#include <algorithm>

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

/// The bits of a float as an answer.
static Answer bitsOf(const Float &result) {
  return Exact(result.bits);
}

/// \p a in another format, rounded once.
static Float converted(const Float &a, const Format &format, const Rules &rules) {
  if (a.isNan())
    return convertedNan(a, format, rules);
  if (a.isInfinite())
    return infinityOf(format, a.isNegative());
  return rounded(a.value(), format, rules);
}

/// NaNs keep what fits of their fraction, by convertedNan().
static Answer floatToFloat(Q q) {
  return bitsOf(converted(inputOf(q, 0), resultFormat(q), resultRules(q)));
}

/// \p value of a number as a float.
static Float wholeToFloat(Exact value, const Format &format, const Rules &rules) {
  Exact magnitude = value < 0 ? -value : value;
  return rounded(Real::of(uint64_t(magnitude), 0, value < 0), format, rules);
}

/// Rounded by MODE.
static Answer integerToFloat(Q q) {
  return bitsOf(wholeToFloat(q[0], resultFormat(q), resultRules(q)));
}

/// Byte q.parameter of source 0.
static Answer byteToFloat(Q q) {
  Exact byte = (q.bits(0) >> (8 * q.parameter)) & 0xff;
  return bitsOf(wholeToFloat(byte, Single, Rules()));
}

/// s_cvt_hi_f32_f16.
static Answer upperHalfToFloat(Q q) {
  Rules rules = rulesOf(Half, q.mode);
  Float half = Float{q.bits(0) >> 16 & 0xffff, Half}.flushed(rules.keepsInputs);
  return bitsOf(converted(half, Single, resultRules(q)));
}

/// Sixteenths of a signed nibble.
static Answer nibbleToFloat(Q q) {
  Exact value = numberOf(q.bits(0) & 15, 4, true);
  Exact magnitude = value < 0 ? -value : value;
  return bitsOf(rounded(Real::of(uint64_t(magnitude), -4, value < 0), Single, Rules()));
}

/// \p a to the nearest number of \p width bits after rounding by \p round; NaN is 0.
static Exact toWhole(const Float &a, mpfr_rnd_t round, unsigned width, bool isSigned) {
  if (a.isNan())
    return 0;
  Exact edge = Exact(1) << 100;
  if (a.isInfinite())
    return saturated(a.isNegative() ? -edge : edge, width, isSigned);
  Real whole = a.value().whole(round);
  bool isLarge = !whole.isZero() && whole.top() > 60;
  Exact value = isLarge ? (whole.isNegative() ? -edge : edge) : Exact(whole.toInteger());
  return saturated(value, width, isSigned);
}

/// Truncated and saturated to the destination.
static Answer floatToInteger(Q q) {
  return toWhole(inputOf(q, 0), MPFR_RNDZ, widthOf(q.shape.dst), isSigned(q.shape.dst));
}

/// v_cvt_rpi (q.parameter adds a half) and v_cvt_flr: NaN saturates by its sign.
static Answer floorToInteger(Q q) {
  Float a = inputOf(q, 0);
  if (a.isNan() || a.isInfinite())
    return saturated(a.isNegative() ? -(Exact(1) << 40) : Exact(1) << 40, 32, true);
  Real shifted = a.value() + Real::of(uint64_t(q.parameter), -1, false);
  Real whole = shifted.whole(MPFR_RNDD);
  bool isLarge = !whole.isZero() && whole.top() > 60;
  Exact edge = Exact(1) << 40;
  return saturated(isLarge ? (whole.isNegative() ? -edge : edge) : Exact(whole.toInteger()), 32,
                   true);
}

/// Two results of 16 bits, the first low.
static Answer sideBySide(Exact low, Exact high) {
  return Exact(lowBits(low, 16) | lowBits(high, 16) << 16);
}

/// q.parameter: signed.
static Answer packIntegers(Q q) {
  bool isSigned = q.parameter != 0;
  return sideBySide(toWhole(inputOf(q, 0), MPFR_RNDZ, 16, isSigned),
                    toWhole(inputOf(q, 1), MPFR_RNDZ, 16, isSigned));
}

/// [-1, 1] or [0, 1] to the whole range, to nearest even.
static Exact normalized(const Float &a, bool isSigned) {
  Exact highest = isSigned ? 32767 : 65535;
  Exact lowest = isSigned ? -highest : Exact(0);
  if (a.isNan())
    return 0;
  if (a.isInfinite())
    return a.isNegative() ? lowest : highest;
  Real product = a.value() * Real::of(uint64_t(highest), 0, false);
  if (!product.isZero() && product.top() > 40)
    return a.isNegative() ? lowest : highest;
  Exact whole = product.whole(MPFR_RNDN).toInteger();
  return std::min(std::max(whole, lowest), highest);
}

/// To 16 bits; signed or not by the destination's type.
static Answer normalize(Q q) {
  return normalized(inputOf(q, 0), isSigned(q.shape.dst));
}

/// q.parameter: signed.
static Answer packNormalized(Q q) {
  return sideBySide(normalized(inputOf(q, 0), q.parameter != 0),
                    normalized(inputOf(q, 1), q.parameter != 0));
}

/// Toward zero, by f16's denormals; nothing overflows then.
static Answer packTowardZero(Q q) {
  Rules rules = rulesOf(Half, q.mode);
  rules.round = 3;
  return sideBySide(converted(inputOf(q, 0), Half, rules).bits,
                    converted(inputOf(q, 1), Half, rules).bits);
}

/// Both halves as floats: denormals flushed and NaNs quiet where MODE wants it.
static Answer packHalves(Q q) {
  Rules rules = rulesOf(Half, q.mode);
  auto canonical = [&](unsigned index) {
    Float a = inputOf(q, index);
    return Exact((a.isNan() ? asResult(a, rules) : a).bits);
  };
  return sideBySide(canonical(0), canonical(1));
}

/// Rounded by the f32 mode, into the byte that source 1 chooses of source 2.
static Answer insertByte(Q q) {
  Exact byte = toWhole(inputOf(q, 0), roundingOf(q.mode.f32Round), 8, false);
  uint64_t shift = 8 * (q.bits(1) % 4);
  return Exact((q.bits(2) & ~(uint64_t(255) << shift)) | uint64_t(byte) << shift);
}

/// The 8-bit formats of OCP. E4M3 has numbers where others have infinity and NaNs, all but one.
static constexpr Format Fp8 = {8, 3, 7};
static constexpr Format Bf8 = {8, 2, 15}; ///< E5M2: like IEEE.

/// Exact, in a format with a larger exponent range; NaN is always the same one.
static Float byteFloatToSingle(uint64_t bits, const Format &format) {
  Float byte = {bits & 0xff, format};
  bool isFp8 = format.fraction == 3;
  if (isFp8 ? byte.magnitude() == 0x7f : byte.isNan())
    return invalidOf(Single);
  if (!isFp8 && byte.isInfinite())
    return infinityOf(Single, byte.isNegative());
  return rounded(byte.value(), Single, Rules());
}

/// q.parameter is 8 for E4M3 and 5 for E5M2.
static const Format &byteFormat(Q q) {
  return q.parameter == 8 ? Fp8 : Bf8;
}

/// The byte that the instruction selects.
static Answer byteFloatToFloat(Q q) {
  return bitsOf(byteFloatToSingle(q.bits(0) >> (8 * q.input.byteSelect), byteFormat(q)));
}

/// The two low bytes, to two f32.
static Answer byteFloatsToFloats(Q q) {
  uint64_t low = byteFloatToSingle(q.bits(0), byteFormat(q)).bits;
  return Exact(low | byteFloatToSingle(q.bits(0) >> 8, byteFormat(q)).bits << 32);
}

/// The number of units of the last place of \p format at \p value that stochastic rounding keeps:
/// a number cut to f32's places below the last one of a normal result, \p random / 2^32 of such a
/// unit added, and cut off.
static Real stochastic(const Real &value, int unit, const Format &format, uint64_t random) {
  int places = 23 - int(format.fraction);
  Real fine = value.scaled(places - unit).whole(MPFR_RNDZ);
  Real noise = Real::of(random >> (32 - places), 0, false);
  return (fine + noise).scaled(-places).whole(MPFR_RNDZ);
}

/// The byte for \p a, to the nearest even or with \p random, which is null otherwise.
static uint64_t singleToByteFloat(const Float &a, const Format &format, bool saturates,
                                  const uint64_t *random) {
  bool isFp8 = format.fraction == 3;
  uint64_t sign = a.isNegative() ? 0x80 : 0;
  uint64_t infinity = sign | (isFp8 ? 0x7f : 0x7c), largest = sign | (isFp8 ? 0x7e : 0x7b);
  if (a.isNan())
    return isFp8 ? 0xff : 0xfe;
  if (a.isInfinite())
    return infinity;
  if (a.isZero())
    return sign;
  Real value = a.value().magnitude();
  int unit = std::max(value.top(), format.minExponent()) - int(format.fraction);
  Real units =
      random ? stochastic(value, unit, format, *random) : value.scaled(-unit).whole(MPFR_RNDN);
  Real result = units.scaled(unit);
  Real limit = isFp8 ? Real::of(448, 0, false) : Real::of(57344, 0, false);
  if (limit < result)
    return saturates ? largest : infinity;
  // 256 to 448 lie beyond Format's idea of E4M3: one exponent more.
  bool isTop = isFp8 && !(result < Real::of(256, 0, false));
  uint64_t bits = rounded(isTop ? result.scaled(-1) : result, format, Rules()).bits;
  return sign | (bits + (isTop ? 8 : 0));
}

/// Two sources, to the nearest even.
static Answer floatsToByteFloats(Q q) {
  auto byte = [&](unsigned index) {
    return singleToByteFloat(inputOf(q, index), byteFormat(q), q.mode.fp16Overflow, nullptr);
  };
  return Exact(byte(0) | byte(1) << 8);
}

/// Source 1 is the random number. The result goes to the selected byte of source 2.
static Answer floatToByteFloatAtRandom(Q q) {
  uint64_t random = q.bits(1);
  uint64_t byte = singleToByteFloat(inputOf(q, 0), byteFormat(q), q.mode.fp16Overflow, &random);
  unsigned shift = 8 * q.input.byteSelect;
  return Exact((q.bits(2) & ~(uint64_t(255) << shift)) | byte << shift);
}

/// One rounded fma a term, to nearest even, denormals kept; q.parameter is 10 * first + second.
static Answer dotOfByteFloats(Q q) {
  auto format = [](int64_t digit) { return digit == 8 ? Fp8 : Bf8; };
  Rules rules = {0, true, true, false, q.mode.ieee || q.mode.gfxMajor >= 12};
  Float sum = sourceOf(q, 2);
  for (unsigned shift : {0u, 8u, 16u, 24u})
    sum =
        fused(byteFloatToSingle(q.bits(0) >> shift, format(q.parameter / 10)),
              byteFloatToSingle(q.bits(1) >> shift, format(q.parameter % 10)), sum, Single, rules);
  return bitsOf(sum);
}

/// To floats. The last number selects the byte.
static const Definition Floats[] = {
    {"v_cvt_f32_f16", "f32 = f16", floatToFloat},
    {"v_cvt_f16_f32", "f16 = f32", floatToFloat},
    {"v_cvt_f32_f64", "f32 = f64", floatToFloat},
    {"v_cvt_f64_f32", "f64 = f32", floatToFloat},
    {"s_cvt_f16_f32@11", "f16 = f32", floatToFloat},
    {"s_cvt_f32_f16@11", "f32 = f16", floatToFloat},
    {"s_cvt_hi_f32_f16@11", "f32 = u32", upperHalfToFloat},
    {"v_cvt_f32_i32", "f32 = i32", integerToFloat},
    {"v_cvt_f32_u32", "f32 = u32", integerToFloat},
    {"s_cvt_f32_i32@11", "f32 = i32", integerToFloat},
    {"s_cvt_f32_u32@11", "f32 = u32", integerToFloat},
    {"v_cvt_f64_i32", "f64 = i32", integerToFloat},
    {"v_cvt_f64_u32", "f64 = u32", integerToFloat},
    {"v_cvt_f16_i16", "f16 = i16", integerToFloat},
    {"v_cvt_f16_u16", "f16 = u16", integerToFloat},
    {"v_cvt_f32_ubyte0", "f32 = u32", byteToFloat, 0},
    {"v_cvt_f32_ubyte1", "f32 = u32", byteToFloat, 1},
    {"v_cvt_f32_ubyte2", "f32 = u32", byteToFloat, 2},
    {"v_cvt_f32_ubyte3", "f32 = u32", byteToFloat, 3},
    {"v_cvt_off_f32_i4", "f32 = u32", nibbleToFloat},
};

/// To integers. The last number is in halves what is added before rounding down.
static const Definition Integers[] = {
    {"v_cvt_i32_f32", "i32 = f32", floatToInteger},
    {"v_cvt_u32_f32", "u32 = f32", floatToInteger},
    {"s_cvt_i32_f32@11", "i32 = f32", floatToInteger},
    {"s_cvt_u32_f32@11", "u32 = f32", floatToInteger},
    {"v_cvt_i32_f64", "i32 = f64", floatToInteger},
    {"v_cvt_u32_f64", "u32 = f64", floatToInteger},
    {"v_cvt_i16_f16", "i16 = f16", floatToInteger},
    {"v_cvt_u16_f16", "u16 = f16", floatToInteger},
    {"v_cvt_rpi_i32_f32@9-10|v_cvt_nearest_i32_f32@11", "i32 = f32", floorToInteger, 1},
    {"v_cvt_flr_i32_f32@9-10|v_cvt_floor_i32_f32@11", "i32 = f32", floorToInteger, 0},
    {"v_cvt_norm_i16_f16", "i16 = f16", normalize},
    {"v_cvt_norm_u16_f16", "u16 = f16", normalize},
};

/// Two results in one register. The last number is 1 for signed results.
static const Definition Packs[] = {
    {"v_cvt_pkrtz_f16_f32@9-10|v_cvt_pk_rtz_f16_f32@11", "u32 = f32 f32", packTowardZero},
    {"s_cvt_pk_rtz_f16_f32@11", "u32 = f32 f32", packTowardZero},
    {"v_cvt_pknorm_i16_f32@9-10|v_cvt_pk_norm_i16_f32@11", "u32 = f32 f32", packNormalized, 1},
    {"v_cvt_pknorm_u16_f32@9-10|v_cvt_pk_norm_u16_f32@11", "u32 = f32 f32", packNormalized, 0},
    {"v_cvt_pknorm_i16_f16@9-10|v_cvt_pk_norm_i16_f16@11", "u32 = f16 f16", packNormalized, 1},
    {"v_cvt_pknorm_u16_f16@9-10|v_cvt_pk_norm_u16_f16@11", "u32 = f16 f16", packNormalized, 0},
    {"v_cvt_pk_i16_f32@11", "u32 = f32 f32", packIntegers, 1},
    {"v_cvt_pk_u16_f32@11", "u32 = f32 f32", packIntegers, 0},
    {"v_cvt_pk_u8_f32", "u32 = f32 u32 u32", insertByte},
    {"v_cvt_pkaccum_u8_f32@9-9", "u32 = f32 u32 old:u32", insertByte},
    {"v_pack_b32_f16", "u32 = f16 f16", packHalves},
};

/// The last number names the format, 8 for fp8 and 5 for bf8; dot products have a digit for each
/// source.
static const Definition ByteFloats[] = {
    {"v_cvt_f32_fp8@12", "f32 = u32", byteFloatToFloat, 8},
    {"v_cvt_f32_bf8@12", "f32 = u32", byteFloatToFloat, 5},
    {"v_cvt_pk_f32_fp8@12", "pkf32 = u16", byteFloatsToFloats, 8},
    {"v_cvt_pk_f32_bf8@12", "pkf32 = u16", byteFloatsToFloats, 5},
    {"v_cvt_pk_fp8_f32@12", "u16 = f32 f32", floatsToByteFloats, 8},
    {"v_cvt_pk_bf8_f32@12", "u16 = f32 f32", floatsToByteFloats, 5},
    {"v_cvt_sr_fp8_f32@12", "u32 = f32 u32 old:u32", floatToByteFloatAtRandom, 8},
    {"v_cvt_sr_bf8_f32@12", "u32 = f32 u32 old:u32", floatToByteFloatAtRandom, 5},
    {"v_dot4_f32_fp8_fp8@12", "f32 = pkb8 pkb8 f32", dotOfByteFloats, 88},
    {"v_dot4_f32_fp8_bf8@12", "f32 = pkb8 pkb8 f32", dotOfByteFloats, 85},
    {"v_dot4_f32_bf8_fp8@12", "f32 = pkb8 pkb8 f32", dotOfByteFloats, 58},
    {"v_dot4_f32_bf8_bf8@12", "f32 = pkb8 pkb8 f32", dotOfByteFloats, 55},
};

void definitions::defineFloatConversions(DefinitionSink sink) {
  defineAll(sink, Floats);
  defineAll(sink, Integers);
  defineAll(sink, Packs);
  defineAll(sink, ByteFloats);
}
