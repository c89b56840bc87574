// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector conversions between formats, and those that pack two results.
#include "oracles/machine/gcn_alu/Convert.h"
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include <algorithm>

using namespace assay::gcn;

using U16 = uint16_t;
using I16 = int16_t;
using U32 = uint32_t;
using I32 = int32_t;

/// v_cvt_f32_ubyteN: an unsigned byte.
template <unsigned Byte> static float byteToFloat(U32 a) {
  return float((a >> (8 * Byte)) & 0xff);
}

/// v_cvt_rpi and v_cvt_flr saturate NaNs by their sign, other than the manuals say.
static I32 nanBySign(float nan) {
  return signOf(nan) ? std::numeric_limits<I32>::min() : std::numeric_limits<I32>::max();
}

/// floor(x + 0.5) of the exact sum. (That of a double loses only what no floor sees.)
static I32 nearestToInteger(float a, const AluMode &mode) {
  if (isNan(a))
    return nanBySign(a);
  return saturateWhole<I32>(floorExact(widen(flushIn(a, mode)) + 0.5));
}

/// Saturates; NaNs by their sign.
static I32 floorToInteger(float a, const AluMode &mode) {
  if (isNan(a))
    return nanBySign(a);
  return saturateWhole<I32>(floorExact(widen(flushIn(a, mode))));
}

/// [-1, 1] or [0, 1] to the whole range of I, to nearest even; 0 for NaN.
template <typename I, typename T> static I toNorm(T a, const AluMode &mode) {
  if (isNan(a))
    return 0;
  double value = std::clamp(widen(flushIn(a, mode)), std::is_signed_v<I> ? -1.0 : 0.0, 1.0);
  return I(nearestEven(value * double(std::numeric_limits<I>::max())));
}

/// \p low in bits 15:0.
template <typename I> static U32 packPair(I low, I high) {
  return U32(U16(low)) | U32(U16(high)) << 16;
}

/// Two normalized numbers of 16 bits.
template <typename I, typename T> static U32 packNorm(T a, T b, const AluMode &mode) {
  return packPair(toNorm<I>(a, mode), toNorm<I>(b, mode));
}

/// Two integers of 16 bits, truncated and saturated.
template <typename I> static U32 packIntegers(float a, float b) {
  return packPair(toInteger<I>(a), toInteger<I>(b));
}

/// Saturates.
static I16 narrowI16(I32 a) {
  return I16(std::clamp(a, -32768, 32767));
}

/// Saturates.
static U16 narrowU16(U32 a) {
  return U16(std::min(a, 65535u));
}

/// Saturates: negative numbers become 0.
static U32 narrowU8(I16 a) {
  return U32(std::clamp(I32(a), 0, 255));
}

/// Rounds by the f32 mode, as no other conversion to an integer does.
static U32 insertByte(float a, U32 index, U32 into, const AluMode &mode) {
  unsigned shift = 8 * (index & 3);
  U32 byte = 0;
  if (isInfinite(a))
    byte = signOf(a) ? 0 : 255;
  else if (!isNan(a))
    byte = saturateWhole<uint8_t>(roundWhole(widen(flushIn(a, mode)), mode.f32Round));
  return (into & ~(0xffu << shift)) | byte << shift;
}

/// v_cvt_pkaccum_u8_f32: the destination is the third source.
static U32 insertByteOld(float a, U32 index, Old<U32> into, const AluMode &mode) {
  return insertByte(a, index, into.value, mode);
}

/// v_pack_b32_f16 moves no bits blindly: it treats its sources as floats.
static U32 packAsFloats(Half a, Half b, const AluMode &mode) {
  auto canonical = [&](Half half) {
    Half result{};
    return propagateNan(result, mode, half) ? result : flushIn(half, mode);
  };
  return packHalves(canonical(a), canonical(b));
}

/// From floats to integers and normalized integers.
static constexpr AluOp integerRows[] = {
    valu<[](float a) { return toInteger<I32>(a); }>("v_cvt_i32_f32"),
    valu<[](float a) { return toInteger<U32>(a); }>("v_cvt_u32_f32"),
    valu<[](double a) { return toInteger<I32>(a); }>("v_cvt_i32_f64"),
    valu<[](double a) { return toInteger<U32>(a); }>("v_cvt_u32_f64"),
    valu<[](Half a) { return toInteger<I16>(a); }>("v_cvt_i16_f16"),
    valu<[](Half a) { return toInteger<U16>(a); }>("v_cvt_u16_f16"),
    valu<nearestToInteger>("v_cvt_rpi_i32_f32@9-10|v_cvt_nearest_i32_f32@11"),
    valu<floorToInteger>("v_cvt_flr_i32_f32@9-10|v_cvt_floor_i32_f32@11"),
    valu<toNorm<I16, Half>>("v_cvt_norm_i16_f16"),
    valu<toNorm<U16, Half>>("v_cvt_norm_u16_f16"),
};

/// To floats: from integers, bytes, and floats of another width.
static constexpr AluOp floatRows[] = {
    valu<fromInteger<float, I32>>("v_cvt_f32_i32"),
    valu<fromInteger<float, U32>>("v_cvt_f32_u32"),
    valu<fromInteger<double, I32>>("v_cvt_f64_i32"),
    valu<fromInteger<double, U32>>("v_cvt_f64_u32"),
    valu<fromInteger<Half, I16>>("v_cvt_f16_i16"),
    valu<fromInteger<Half, U16>>("v_cvt_f16_u16"),
    valu<convertFloat<float, Half>>("v_cvt_f32_f16"),
    valu<convertFloat<Half, float>>("v_cvt_f16_f32"),
    valu<convertFloat<float, double>>("v_cvt_f32_f64"),
    valu<convertFloat<double, float>>("v_cvt_f64_f32"),
    valu<byteToFloat<0>>("v_cvt_f32_ubyte0"),
    valu<byteToFloat<1>>("v_cvt_f32_ubyte1"),
    valu<byteToFloat<2>>("v_cvt_f32_ubyte2"),
    valu<byteToFloat<3>>("v_cvt_f32_ubyte3"),
    valu<[](U32 a) { return float(I32(a << 28) >> 28) / 16.0f; }>("v_cvt_off_f32_i4"),
};

/// Two results in one register, the first in its low half; and single bytes inserted into a
/// register.
static constexpr AluOp packRows[] = {
    valu<packRoundZero>("v_cvt_pkrtz_f16_f32@9-10|v_cvt_pk_rtz_f16_f32@11"),
    valu<packNorm<I16, float>>("v_cvt_pknorm_i16_f32@9-10|v_cvt_pk_norm_i16_f32@11"),
    valu<packNorm<U16, float>>("v_cvt_pknorm_u16_f32@9-10|v_cvt_pk_norm_u16_f32@11"),
    valu<packNorm<I16, Half>>("v_cvt_pknorm_i16_f16@9-10|v_cvt_pk_norm_i16_f16@11"),
    valu<packNorm<U16, Half>>("v_cvt_pknorm_u16_f16@9-10|v_cvt_pk_norm_u16_f16@11"),
    valu<packIntegers<I16>>("v_cvt_pk_i16_f32", 11),
    valu<packIntegers<U16>>("v_cvt_pk_u16_f32", 11),
    valu<[](I32 a, I32 b) { return packPair(narrowI16(a), narrowI16(b)); }>("v_cvt_pk_i16_i32"),
    valu<[](U32 a, U32 b) { return packPair(narrowU16(a), narrowU16(b)); }>("v_cvt_pk_u16_u32"),
    valu<insertByte>("v_cvt_pk_u8_f32"),
    valu<insertByteOld>("v_cvt_pkaccum_u8_f32", 9, 9),
    valu<packAsFloats>("v_pack_b32_f16"),
    valu<[](U32 a) { return U16(narrowU8(I16(a)) | narrowU8(I16(a >> 16)) << 8); }>(
        "v_sat_pk_u8_i16"),
};

void assay::gcn::addValuConvertRows(RowSink sink) {
  sink(integerRows);
  sink(floatRows);
  sink(packRows);
}
