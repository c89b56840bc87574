// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar integer and logic operations: SOP1, SOP2, SOPC, SOPK. Moves, branches, exec masks and
// registers outside the SGPR file belong to the wave machine.
#include "oracles/machine/gcn_alu/Bits.h"
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"

using namespace assay::gcn;

using U32 = uint32_t;
using I32 = int32_t;
using U64 = uint64_t;
using I64 = int64_t;

/// SIMM16 as a signed number.
static constexpr I32 extended(Imm16 immediate) {
  return int16_t(immediate.bits);
}

/// SCC is the carry out.
template <typename T> static WithCarry<T> addWithCarry(T a, T b, bool carry) {
  T sum = T(a + b);
  T total = T(sum + T(carry));
  return {total, sum < a || total < sum};
}

/// SCC is the borrow: the exact difference is negative.
static WithCarry<U32> subtractWithBorrow(U32 a, U32 b, bool borrow) {
  return {a - b - U32(borrow), U64(a) < U64(b) + U64(borrow)};
}

/// SCC is signed overflow; the sum wraps.
static WithCarry<I32> addOverflow(I32 a, I32 b) {
  I32 sum = 0;
  bool overflow = __builtin_add_overflow(a, b, &sum);
  return {sum, overflow};
}

/// SCC is signed overflow; the difference wraps.
static WithCarry<I32> subtractOverflow(I32 a, I32 b) {
  I32 difference = 0;
  bool overflow = __builtin_sub_overflow(a, b, &difference);
  return {difference, overflow};
}

/// SCC says that the sum does not fit 32 bits.
template <unsigned Shift> static WithCarry<U32> shiftAdd(U32 a, U32 b) {
  U64 sum = (U64(a) << Shift) + b;
  return {U32(sum), sum > 0xffffffffu};
}

/// s_bfe: the field's place is in bits [5:0] ([4:0] for 32 bits) of \p field, its width in [22:16].
template <typename T> static WithCarry<T> scalarExtract(T value, U32 field) {
  constexpr unsigned bits = sizeof(T) * 8;
  return sccNonZero(extractField(value, field & (bits - 1), (field >> 16) & 0x7f));
}

/// s_wqm_b32: all four lanes of each quad that has one.
static WithCarry<U32> replicateQuads(U32 value) {
  return sccNonZero(wholeQuads(value));
}

/// Bit pair N of the result is bit N of \p value, twice.
static U64 replicateBits(U32 value) {
  U64 result = 0;
  for (unsigned bit = 0; bit < 32; ++bit)
    result |= U64((value >> bit) & 1) * 3 << (2 * bit);
  return result;
}

/// Low halves of both; higher bits of \p high are shifted out.
static U32 packHalves(U32 low, U32 high) {
  return (low & 0xffff) | high << 16;
}

/// Logic, moves, selects and packing. SCC is set where the result is wrapped in sccNonZero().
static constexpr AluOp logicRows[] = {
    salu<[](U32 a, U32 b) { return sccNonZero(a & b); }>("s_and_b32"),
    salu<[](U64 a, U64 b) { return sccNonZero(a & b); }>("s_and_b64"),
    salu<[](U32 a, U32 b) { return sccNonZero(a | b); }>("s_or_b32"),
    salu<[](U64 a, U64 b) { return sccNonZero(a | b); }>("s_or_b64"),
    salu<[](U32 a, U32 b) { return sccNonZero(a ^ b); }>("s_xor_b32"),
    salu<[](U64 a, U64 b) { return sccNonZero(a ^ b); }>("s_xor_b64"),
    salu<[](U32 a, U32 b) { return sccNonZero(~(a & b)); }>("s_nand_b32"),
    salu<[](U64 a, U64 b) { return sccNonZero(~(a & b)); }>("s_nand_b64"),
    salu<[](U32 a, U32 b) { return sccNonZero(~(a | b)); }>("s_nor_b32"),
    salu<[](U64 a, U64 b) { return sccNonZero(~(a | b)); }>("s_nor_b64"),
    salu<[](U32 a, U32 b) { return sccNonZero(~(a ^ b)); }>("s_xnor_b32"),
    salu<[](U64 a, U64 b) { return sccNonZero(~(a ^ b)); }>("s_xnor_b64"),
    salu<[](U32 a, U32 b) { return sccNonZero(a & ~b); }>("s_andn2_b32@9-10|s_and_not1_b32@11"),
    salu<[](U64 a, U64 b) { return sccNonZero(a & ~b); }>("s_andn2_b64@9-10|s_and_not1_b64@11"),
    salu<[](U32 a, U32 b) { return sccNonZero(a | ~b); }>("s_orn2_b32@9-10|s_or_not1_b32@11"),
    salu<[](U64 a, U64 b) { return sccNonZero(a | ~b); }>("s_orn2_b64@9-10|s_or_not1_b64@11"),
    salu<[](U32 a) { return sccNonZero(~a); }>("s_not_b32"),
    salu<[](U64 a) { return sccNonZero(~a); }>("s_not_b64"),
    salu<[](U32 a) { return a; }>("s_mov_b32"),
    salu<[](U64 a) { return a; }>("s_mov_b64"),
    salu<[](Imm16 a) { return extended(a); }>("s_movk_i32"),
    salu<[](U32 a, Carry scc, Old<U32> old) { return scc.value ? a : old.value; }>("s_cmov_b32"),
    salu<[](U64 a, Carry scc, Old<U64> old) { return scc.value ? a : old.value; }>("s_cmov_b64"),
    salu<[](Imm16 a, Carry scc, Old<I32> old) { return scc.value ? extended(a) : old.value; }>(
        "s_cmovk_i32"),
    salu<[](U32 a, U32 b, Carry scc) { return scc.value ? a : b; }>("s_cselect_b32"),
    salu<[](U64 a, U64 b, Carry scc) { return scc.value ? a : b; }>("s_cselect_b64"),
    salu<[](U32 a, U32 b) { return packHalves(a, b); }>("s_pack_ll_b32_b16"),
    salu<[](U32 a, U32 b) { return packHalves(a, b >> 16); }>("s_pack_lh_b32_b16"),
    salu<[](U32 a, U32 b) { return packHalves(a >> 16, b); }>("s_pack_hl_b32_b16", 11),
    salu<[](U32 a, U32 b) { return packHalves(a >> 16, b >> 16); }>("s_pack_hh_b32_b16"),
};

/// Shifts use only the low 5 or 6 bits of the amount. Searches return a bit position, or -1 where
/// they find none.
static constexpr AluOp bitRows[] = {
    salu<[](U32 a, U32 b) { return sccNonZero(a << (b & 31)); }>("s_lshl_b32"),
    salu<[](U64 a, U32 b) { return sccNonZero(a << (b & 63)); }>("s_lshl_b64"),
    salu<[](U32 a, U32 b) { return sccNonZero(a >> (b & 31)); }>("s_lshr_b32"),
    salu<[](U64 a, U32 b) { return sccNonZero(a >> (b & 63)); }>("s_lshr_b64"),
    salu<[](I32 a, U32 b) { return sccNonZero(a >> (b & 31)); }>("s_ashr_i32"),
    salu<[](I64 a, U32 b) { return sccNonZero(a >> (b & 63)); }>("s_ashr_i64"),
    salu<[](U32 a, U32 b) { return fieldMask<U32>(a & 31, b & 31); }>("s_bfm_b32"),
    salu<[](U32 a, U32 b) { return fieldMask<U64>(a & 63, b & 63); }>("s_bfm_b64"),
    salu<[](U32 a, U32 b) { return scalarExtract(a, b); }>("s_bfe_u32"),
    salu<[](I32 a, U32 b) { return scalarExtract(a, b); }>("s_bfe_i32"),
    salu<[](U64 a, U32 b) { return scalarExtract(a, b); }>("s_bfe_u64"),
    salu<[](I64 a, U32 b) { return scalarExtract(a, b); }>("s_bfe_i64"),
    salu<[](U32 a) { return reverseBits(a); }>("s_brev_b32"),
    salu<[](U64 a) { return reverseBits(a); }>("s_brev_b64"),
    salu<[](U32 a) { return sccNonZero(I32(countOnes(~a))); }>("s_bcnt0_i32_b32"),
    salu<[](U64 a) { return sccNonZero(I32(countOnes(~a))); }>("s_bcnt0_i32_b64"),
    salu<[](U32 a) { return sccNonZero(I32(countOnes(a))); }>("s_bcnt1_i32_b32"),
    salu<[](U64 a) { return sccNonZero(I32(countOnes(a))); }>("s_bcnt1_i32_b64"),
    salu<[](U32 a) { return firstSetBit(~a); }>("s_ff0_i32_b32", 9, 10),
    salu<[](U64 a) { return firstSetBit(~a); }>("s_ff0_i32_b64", 9, 10),
    salu<[](U32 a) { return firstSetBit(a); }>("s_ff1_i32_b32@9-10|s_ctz_i32_b32@11"),
    salu<[](U64 a) { return firstSetBit(a); }>("s_ff1_i32_b64@9-10|s_ctz_i32_b64@11"),
    salu<[](U32 a) { return leadingZeros(a); }>("s_flbit_i32_b32@9-10|s_clz_i32_u32@11"),
    salu<[](U64 a) { return leadingZeros(a); }>("s_flbit_i32_b64@9-10|s_clz_i32_u64@11"),
    salu<[](I32 a) { return leadingSigns(a); }>("s_flbit_i32@9-10|s_cls_i32@11"),
    salu<[](I64 a) { return leadingSigns(a); }>("s_flbit_i32_i64@9-10|s_cls_i32_i64@11"),
    salu<[](U32 a) { return I32(int8_t(a)); }>("s_sext_i32_i8"),
    salu<[](U32 a) { return I32(int16_t(a)); }>("s_sext_i32_i16"),
    salu<[](U32 a, Old<U32> old) { return old.value & ~(1u << (a & 31)); }>("s_bitset0_b32"),
    salu<[](U32 a, Old<U64> old) { return old.value & ~(U64(1) << (a & 63)); }>("s_bitset0_b64"),
    salu<[](U32 a, Old<U32> old) { return old.value | 1u << (a & 31); }>("s_bitset1_b32"),
    salu<[](U32 a, Old<U64> old) { return old.value | U64(1) << (a & 63); }>("s_bitset1_b64"),
    salu<[](U32 a) { return replicateBits(a); }>("s_bitreplicate_b64_b32"),
    salu<[](U32 a) { return replicateQuads(a); }>("s_wqm_b32"),
    salu<[](U64 a) { return sccNonZero(wholeQuads(a)); }>("s_wqm_b64"),
    salu<[](U32 a) { return sccNonZero(quadMask(a)); }>("s_quadmask_b32"),
    salu<[](U64 a) { return sccNonZero(quadMask(a)); }>("s_quadmask_b64"),
    salu<[](U32 a, U32 b) { return OnlyScc{!((a >> (b & 31)) & 1)}; }>("s_bitcmp0_b32"),
    salu<[](U64 a, U32 b) { return OnlyScc{!((a >> (b & 63)) & 1)}; }>("s_bitcmp0_b64"),
    salu<[](U32 a, U32 b) { return OnlyScc{bool((a >> (b & 31)) & 1)}; }>("s_bitcmp1_b32"),
    salu<[](U64 a, U32 b) { return OnlyScc{bool((a >> (b & 63)) & 1)}; }>("s_bitcmp1_b64"),
};

/// SCC is the carry or borrow of unsigned operations and the overflow of signed ones. Minima set it
/// if the first source is less, maxima if it is not less.
static constexpr AluOp arithmeticRows[] = {
    salu<[](U32 a, U32 b) { return addWithCarry(a, b, false); }>("s_add_u32@9-11|s_add_co_u32@12"),
    salu<[](U32 a, U32 b) { return subtractWithBorrow(a, b, false); }>(
        "s_sub_u32@9-11|s_sub_co_u32@12"),
    salu<[](I32 a, I32 b) { return addOverflow(a, b); }>("s_add_i32@9-11|s_add_co_i32@12"),
    salu<[](I32 a, I32 b) { return subtractOverflow(a, b); }>("s_sub_i32@9-11|s_sub_co_i32@12"),
    salu<[](U32 a, U32 b, Carry scc) { return addWithCarry(a, b, scc.value); }>(
        "s_addc_u32@9-11|s_add_co_ci_u32@12"),
    salu<[](U32 a, U32 b, Carry scc) { return subtractWithBorrow(a, b, scc.value); }>(
        "s_subb_u32@9-11|s_sub_co_ci_u32@12"),
    salu<[](Imm16 a, Old<I32> old) { return addOverflow(old.value, extended(a)); }>(
        "s_addk_i32@9-11|s_addk_co_i32@12"),
    salu<[](Imm16 a, Old<I32> old) { return U32(old.value) * U32(extended(a)); }>("s_mulk_i32"),
    salu<[](U64 a, U64 b) { return a + b; }>("s_add_nc_u64", 12),
    salu<[](U64 a, U64 b) { return a - b; }>("s_sub_nc_u64", 12),
    salu<[](U64 a, U64 b) { return a * b; }>("s_mul_u64", 12),
    salu<[](U32 a, U32 b) { return a * b; }>("s_mul_i32"),
    salu<[](U32 a, U32 b) { return U32(U64(a) * b >> 32); }>("s_mul_hi_u32"),
    salu<[](I32 a, I32 b) { return I32(I64(a) * b >> 32); }>("s_mul_hi_i32"),
    salu<shiftAdd<1>>("s_lshl1_add_u32"),
    salu<shiftAdd<2>>("s_lshl2_add_u32"),
    salu<shiftAdd<3>>("s_lshl3_add_u32"),
    salu<shiftAdd<4>>("s_lshl4_add_u32"),
    salu<[](I32 a) { return sccNonZero(a < 0 ? 0u - U32(a) : U32(a)); }>("s_abs_i32"),
    salu<[](I32 a, I32 b) {
      U32 difference = U32(a) - U32(b);
      return sccNonZero(I32(difference) < 0 ? 0u - difference : difference);
    }>("s_absdiff_i32"),
    salu<[](I32 a, I32 b) { return WithCarry<I32>{a < b ? a : b, a < b}; }>("s_min_i32"),
    salu<[](U32 a, U32 b) { return WithCarry<U32>{a < b ? a : b, a < b}; }>("s_min_u32"),
    salu<[](I32 a, I32 b) { return WithCarry<I32>{a >= b ? a : b, a >= b}; }>("s_max_i32"),
    salu<[](U32 a, U32 b) { return WithCarry<U32>{a >= b ? a : b, a >= b}; }>("s_max_u32"),
};

/// Comparisons write SCC only. Those with a 16-bit immediate (s_cmpk) end with GFX11.
static constexpr AluOp compareRows[] = {
    salu<[](I32 a, I32 b) { return OnlyScc{a == b}; }>("s_cmp_eq_i32"),
    salu<[](I32 a, I32 b) { return OnlyScc{a != b}; }>("s_cmp_lg_i32"),
    salu<[](I32 a, I32 b) { return OnlyScc{a > b}; }>("s_cmp_gt_i32"),
    salu<[](I32 a, I32 b) { return OnlyScc{a >= b}; }>("s_cmp_ge_i32"),
    salu<[](I32 a, I32 b) { return OnlyScc{a < b}; }>("s_cmp_lt_i32"),
    salu<[](I32 a, I32 b) { return OnlyScc{a <= b}; }>("s_cmp_le_i32"),
    salu<[](U32 a, U32 b) { return OnlyScc{a == b}; }>("s_cmp_eq_u32"),
    salu<[](U32 a, U32 b) { return OnlyScc{a != b}; }>("s_cmp_lg_u32"),
    salu<[](U32 a, U32 b) { return OnlyScc{a > b}; }>("s_cmp_gt_u32"),
    salu<[](U32 a, U32 b) { return OnlyScc{a >= b}; }>("s_cmp_ge_u32"),
    salu<[](U32 a, U32 b) { return OnlyScc{a < b}; }>("s_cmp_lt_u32"),
    salu<[](U32 a, U32 b) { return OnlyScc{a <= b}; }>("s_cmp_le_u32"),
    salu<[](U64 a, U64 b) { return OnlyScc{a == b}; }>("s_cmp_eq_u64"),
    salu<[](U64 a, U64 b) { return OnlyScc{a != b}; }>("s_cmp_lg_u64"),
    salu<[](I32 a, Imm16 b) { return OnlyScc{a == extended(b)}; }>("s_cmpk_eq_i32", 9, 11),
    salu<[](I32 a, Imm16 b) { return OnlyScc{a != extended(b)}; }>("s_cmpk_lg_i32", 9, 11),
    salu<[](I32 a, Imm16 b) { return OnlyScc{a > extended(b)}; }>("s_cmpk_gt_i32", 9, 11),
    salu<[](I32 a, Imm16 b) { return OnlyScc{a >= extended(b)}; }>("s_cmpk_ge_i32", 9, 11),
    salu<[](I32 a, Imm16 b) { return OnlyScc{a < extended(b)}; }>("s_cmpk_lt_i32", 9, 11),
    salu<[](I32 a, Imm16 b) { return OnlyScc{a <= extended(b)}; }>("s_cmpk_le_i32", 9, 11),
    salu<[](U32 a, uint16_t b) { return OnlyScc{a == b}; }>("s_cmpk_eq_u32", 9, 11),
    salu<[](U32 a, uint16_t b) { return OnlyScc{a != b}; }>("s_cmpk_lg_u32", 9, 11),
    salu<[](U32 a, uint16_t b) { return OnlyScc{a > b}; }>("s_cmpk_gt_u32", 9, 11),
    salu<[](U32 a, uint16_t b) { return OnlyScc{a >= b}; }>("s_cmpk_ge_u32", 9, 11),
    salu<[](U32 a, uint16_t b) { return OnlyScc{a < b}; }>("s_cmpk_lt_u32", 9, 11),
    salu<[](U32 a, uint16_t b) { return OnlyScc{a <= b}; }>("s_cmpk_le_u32", 9, 11),
};

void assay::gcn::addSaluIntegerRows(RowSink sink) {
  sink(logicRows);
  sink(bitRows);
  sink(arithmeticRows);
  sink(compareRows);
}
