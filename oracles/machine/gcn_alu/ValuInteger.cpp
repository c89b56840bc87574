// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector operations on 32- and 64-bit integers and bits.
#include "oracles/machine/gcn_alu/Bits.h"
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include <algorithm>

using namespace assay::gcn;

using U32 = uint32_t;
using I32 = int32_t;
using U64 = uint64_t;
using I64 = int64_t;

/// Into the range of T: what the clamp bit asks of integer results.
template <typename T> static T saturate(I64 value) {
  return T(
      std::clamp(value, I64(std::numeric_limits<T>::min()), I64(std::numeric_limits<T>::max())));
}

/// Wraps, or saturates with the clamp bit.
template <typename T> static T fit(I64 value, Clamp clamp) {
  return clamp.value ? saturate<T>(value) : T(value);
}

/// Saturates at 2^32 - 1 with the clamp bit.
static U32 addU32(U32 a, U32 b, Clamp c) {
  return fit<U32>(I64(a) + b, c);
}

/// Saturates at 0 with the clamp bit.
static U32 subU32(U32 a, U32 b, Clamp c) {
  return fit<U32>(I64(a) - b, c);
}

/// The clamp saturates; without it the sum wraps.
static I32 addI32(I32 a, I32 b, Clamp c) {
  return fit<I32>(I64(a) + b, c);
}

/// The clamp saturates; without it the difference wraps.
static I32 subI32(I32 a, I32 b, Clamp c) {
  return fit<I32>(I64(a) - b, c);
}

/// The carry out is that of the exact sum, whether the result is clamped or not.
static WithCarry<U32> addCarry(U32 a, U32 b, Carry in, Clamp c) {
  I64 sum = I64(a) + b + in.value;
  return {fit<U32>(sum, c), sum > 0xffffffffll};
}

/// The borrow is that of the exact difference, whether the result is clamped or not.
static WithCarry<U32> subBorrow(U32 a, U32 b, Carry in, Clamp c) {
  I64 difference = I64(a) - b - in.value;
  return {fit<U32>(difference, c), difference < 0};
}

/// The low 24 bits, sign-extended.
static I32 low24(I32 value) {
  return I32(U32(value) << 8) >> 8;
}

/// The same, zero-extended.
static U32 low24(U32 value) {
  return value & 0xffffff;
}

/// Only the low bits of \p amount count, as many as the width needs. Signed values shift right by
/// their sign.
template <typename T> static T maskShift(T value, U32 amount, bool left) {
  unsigned count = amount & (sizeof(T) * 8 - 1);
  using U = std::make_unsigned_t<T>;
  return left ? T(U(value) << count) : T(value >> count);
}

/// The carry is bit 64 of the sum.
static WithCarry<U64> madU64(U32 a, U32 b, U64 c) {
  U64 product = U64(a) * b;
  U64 sum = product + c;
  return {sum, sum < product};
}

/// The carry is bit 64 of the exact sum, which is its sign.
static WithCarry<I64> madI64(I32 a, I32 b, I64 c) {
  __int128 sum = __int128(I64(a) * b) + c;
  return {I64(sum), sum < 0}; // bit 64 of the 65-bit sum
}

/// One byte of v_perm_b32's result.
static U32 permuteByte(U64 data, U32 selector) {
  if (selector >= 13)
    return 0xff;
  if (selector == 12)
    return 0;
  if (selector >= 8) {
    unsigned signBit = 15 + 16 * (selector - 8);
    return (data >> signBit) & 1 ? 0xff : 0;
  }
  return U32(data >> (8 * selector)) & 0xff;
}

/// v_perm_b32: each byte of \p selectors chooses one byte of the result.
static U32 permute(U32 high, U32 low, U32 selectors) {
  U64 data = U64(high) << 32 | low;
  U32 result = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    result |= permuteByte(data, (selectors >> (8 * byte)) & 0xff) << (8 * byte);
  return result;
}

template <typename T> static T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// The lanes below \p lane, of lanes 0 to 31.
static U32 laneMaskLow(unsigned lane) {
  return lane >= 32 ? ~0u : (1u << lane) - 1;
}

/// The lanes below \p lane, of lanes 32 to 63.
static U32 laneMaskHigh(unsigned lane) {
  return lane < 32 ? 0 : laneMaskLow(lane - 32);
}

/// GFX9 and later generations name the same operations differently; a pair of rows has one
/// function.
static constexpr AluOp addRows[] = {
    valu<addU32>("v_add_u32", 9, 9),
    valu<addU32>("v_add_nc_u32|v_dual_add_nc_u32@11", 10),
    valu<subU32>("v_sub_u32", 9, 9),
    valu<subU32>("v_sub_nc_u32", 10),
    valu<[](U32 a, U32 b, Clamp c) { return subU32(b, a, c); }>("v_subrev_u32", 9, 9),
    valu<[](U32 a, U32 b, Clamp c) { return subU32(b, a, c); }>("v_subrev_nc_u32", 10),
    valu<addI32>("v_add_i32", 9, 9),
    valu<addI32>("v_add_nc_i32", 10),
    valu<subI32>("v_sub_i32", 9, 9),
    valu<subI32>("v_sub_nc_i32", 10),
    valu<[](U32 a, U32 b, Clamp c) { return addCarry(a, b, {false}, c); }>("v_add_co_u32"),
    valu<[](U32 a, U32 b, Clamp c) { return subBorrow(a, b, {false}, c); }>("v_sub_co_u32"),
    valu<[](U32 a, U32 b, Clamp c) { return subBorrow(b, a, {false}, c); }>("v_subrev_co_u32"),
    valu<addCarry>("v_addc_co_u32", 9, 9),
    valu<addCarry>("v_add_co_ci_u32", 10),
    valu<subBorrow>("v_subb_co_u32", 9, 9),
    valu<subBorrow>("v_sub_co_ci_u32", 10),
    valu<[](U32 a, U32 b, Carry in, Clamp c) { return subBorrow(b, a, in, c); }>("v_subbrev_co_u32",
                                                                                 9, 9),
    valu<[](U32 a, U32 b, Carry in, Clamp c) { return subBorrow(b, a, in, c); }>(
        "v_subrev_co_ci_u32", 10),
    valu<[](U32 a, U32 b, U32 c) { return a + b + c; }>("v_add3_u32"),
    valu<[](U32 a, U32 b, U32 c) { return (a << (b & 31)) + c; }>("v_lshl_add_u32"),
    valu<[](U32 a, U32 b, U32 c) { return (a + b) << (c & 31); }>("v_add_lshl_u32"),
    valu<[](U32 a, U32 b, U32 c) { return (a ^ b) + c; }>("v_xad_u32"),
};

/// The 24-bit forms read the low 24 bits of a register, sign-extended where they are signed.
static constexpr AluOp multiplyRows[] = {
    valu<[](U32 a, U32 b) { return a * b; }>("v_mul_lo_u32|v_mul_lo_i32@10-10"),
    valu<[](U32 a, U32 b) { return U32(U64(a) * b >> 32); }>("v_mul_hi_u32"),
    valu<[](I32 a, I32 b) { return I32(I64(a) * b >> 32); }>("v_mul_hi_i32"),
    valu<[](U32 a, U32 b) { return low24(a) * low24(b); }>("v_mul_u32_u24"),
    valu<[](I32 a, I32 b) { return I32(I64(low24(a)) * low24(b)); }>("v_mul_i32_i24"),
    valu<[](U32 a, U32 b) { return U32(U64(low24(a)) * low24(b) >> 32); }>("v_mul_hi_u32_u24"),
    valu<[](I32 a, I32 b) { return I32(I64(low24(a)) * low24(b) >> 32); }>("v_mul_hi_i32_i24"),
    valu<[](U32 a, U32 b, U32 c, Clamp k) { return fit<U32>(I64(low24(a)) * low24(b) + c, k); }>(
        "v_mad_u32_u24"),
    valu<[](I32 a, I32 b, I32 c, Clamp k) { return fit<I32>(I64(low24(a)) * low24(b) + c, k); }>(
        "v_mad_i32_i24"),
    valu<madU64>("v_mad_u64_u32", 9, 11),
    valu<madU64>("v_mad_co_u64_u32", 12),
    valu<madI64>("v_mad_i64_i32", 9, 11),
    valu<madI64>("v_mad_co_i64_i32", 12),
    valu<[](uint16_t a, uint16_t b, U32 c, Clamp k) { return fit<U32>(I64(a) * b + c, k); }>(
        "v_mad_u32_u16"),
    valu<[](int16_t a, int16_t b, I32 c, Clamp k) { return fit<I32>(I64(a) * b + c, k); }>(
        "v_mad_i32_i16"),
};

/// The carry chooses source 1.
static AluOutput select(const AluInput &input, const AluMode &) {
  return {input.carry ? input.src[1] : input.src[0], false};
}

/// Moves, selects, logic, shifts, fields and searches. Shifts use the low bits of their amount
/// only.
static constexpr AluOp bitRows[] = {
    // Untyped moves and selects: F32, because VOP3 gives the select neg and abs.
    valu<[](U32 a) { return a; }>("v_mov_b32|v_dual_mov_b32@11"),
    {"v_cndmask_b32|v_dual_cndmask_b32@11",
     select,
     OperandKind::F32,
     {OperandKind::F32, OperandKind::F32, OperandKind::None},
     CarryIn,
     9,
     12,
     &LiftedKernels<select, KernelResult::Value, false>::table},
    valu<[](U32 a, U32 b) { return a & b; }>("v_and_b32|v_dual_and_b32@11"),
    valu<[](U32 a, U32 b) { return a | b; }>("v_or_b32"),
    valu<[](U32 a, U32 b) { return a ^ b; }>("v_xor_b32"),
    valu<[](U32 a, U32 b) { return ~(a ^ b); }>("v_xnor_b32"),
    valu<[](U32 a) { return ~a; }>("v_not_b32"),
    valu<[](U32 a, U32 b, U32 c) { return (a & b) | c; }>("v_and_or_b32"),
    valu<[](U32 a, U32 b, U32 c) { return a | b | c; }>("v_or3_b32"),
    valu<[](U32 a, U32 b, U32 c) { return a ^ b ^ c; }>("v_xor3_b32", 10),
    valu<[](U32 a, U32 b, U32 c) { return (a << (b & 31)) | c; }>("v_lshl_or_b32"),
    valu<[](U32 a, U32 b) { return maskShift(b, a, true); }>("v_lshlrev_b32|v_dual_lshlrev_b32@11"),
    valu<[](U32 a, U32 b) { return maskShift(b, a, false); }>("v_lshrrev_b32"),
    valu<[](U32 a, I32 b) { return maskShift(b, a, false); }>("v_ashrrev_i32"),
    valu<[](U32 a, U64 b) { return maskShift(b, a, true); }>("v_lshlrev_b64"),
    valu<[](U32 a, U64 b) { return maskShift(b, a, false); }>("v_lshrrev_b64"),
    valu<[](U32 a, I64 b) { return maskShift(b, a, false); }>("v_ashrrev_i64"),
    valu<[](U32 a, U32 b, U32 c) { return extractField(a, b & 31, c & 31); }>("v_bfe_u32"),
    valu<[](I32 a, U32 b, U32 c) { return extractField(a, b & 31, c & 31); }>("v_bfe_i32"),
    valu<[](U32 a, U32 b, U32 c) { return (a & b) | (~a & c); }>("v_bfi_b32"),
    valu<[](U32 a, U32 b) { return fieldMask<U32>(a & 31, b & 31); }>("v_bfm_b32"),
    valu<[](U32 a) { return reverseBits(a); }>("v_bfrev_b32"),
    valu<[](U32 a, U32 b) { return countOnes(a) + b; }>("v_bcnt_u32_b32"),
    valu<[](U32 a, U32 b, LaneId l) { return countOnes(a & laneMaskLow(l.value)) + b; }>(
        "v_mbcnt_lo_u32_b32"),
    valu<[](U32 a, U32 b, LaneId l) { return countOnes(a & laneMaskHigh(l.value)) + b; }>(
        "v_mbcnt_hi_u32_b32"),
    valu<[](U32 a) { return leadingZeros(a); }>("v_ffbh_u32@9-10|v_clz_i32_u32@11"),
    valu<[](I32 a) { return leadingSigns(a); }>("v_ffbh_i32@9-10|v_cls_i32@11"),
    valu<[](U32 a) { return firstSetBit(a); }>("v_ffbl_b32@9-10|v_ctz_i32_b32@11"),
    // Their third source is 16 bits wide where registers have halves.
    valu<[](U32 a, U32 b, uint16_t c) { return U32((U64(a) << 32 | b) >> (c & 31)); }>(
        "v_alignbit_b32"),
    valu<[](U32 a, U32 b, uint16_t c) { return U32((U64(a) << 32 | b) >> (8 * (c & 3))); }>(
        "v_alignbyte_b32"),
    valu<permute>("v_perm_b32"),
};

static constexpr AluOp minMaxRows[] = {
    valu<[](I32 a, I32 b) { return std::min(a, b); }>("v_min_i32"),
    valu<[](I32 a, I32 b) { return std::max(a, b); }>("v_max_i32"),
    valu<[](U32 a, U32 b) { return std::min(a, b); }>("v_min_u32"),
    valu<[](U32 a, U32 b) { return std::max(a, b); }>("v_max_u32"),
    valu<[](I32 a, I32 b, I32 c) { return std::min({a, b, c}); }>("v_min3_i32"),
    valu<[](I32 a, I32 b, I32 c) { return std::max({a, b, c}); }>("v_max3_i32"),
    valu<[](U32 a, U32 b, U32 c) { return std::min({a, b, c}); }>("v_min3_u32"),
    valu<[](U32 a, U32 b, U32 c) { return std::max({a, b, c}); }>("v_max3_u32"),
    valu<median<I32>>("v_med3_i32"),
    valu<median<U32>>("v_med3_u32"),
    valu<[](I32 a, I32 b, I32 c) { return std::min(std::max(a, b), c); }>("v_maxmin_i32", 11),
    valu<[](U32 a, U32 b, U32 c) { return std::min(std::max(a, b), c); }>("v_maxmin_u32", 11),
    valu<[](I32 a, I32 b, I32 c) { return std::max(std::min(a, b), c); }>("v_minmax_i32", 11),
    valu<[](U32 a, U32 b, U32 c) { return std::max(std::min(a, b), c); }>("v_minmax_u32", 11),
};

void assay::gcn::addValuIntegerRows(RowSink sink) {
  sink(addRows);
  sink(multiplyRows);
  sink(bitRows);
  sink(minMaxRows);
}
