// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source of the rules: Stepanov and Serebryany, "MemorySanitizer: fast detector of uninitialized
// memory use in C++" (CGO 2015), section 3; the operations' own meanings are those of gcn_alu.
#include "oracles/machine/gcn/sanitizer/DefinednessFlow.h"

#include "oracles/machine/gcn/Operands.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Returns a mask of the bits of one operand.
static uint64_t widthMask(OperandKind kind) {
  unsigned bits = kindBits(kind);
  return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

/// Bits of the result. Operations without a destination have all: their result is SCC or a lane
/// mask.
static uint64_t resultMask(const AluOp &alu) {
  return alu.dst == OperandKind::None ? ~uint64_t(0) : widthMask(alu.dst);
}

static bool anyUndefined(const FlowInput &input) {
  return input.carryUndefined || input.sources[0].undefined || input.sources[1].undefined ||
         input.sources[2].undefined;
}

/// Everything depends on everything.
static FlowOutput flowAll(const FlowInput &input) {
  if (!anyUndefined(input))
    return {};
  return {resultMask(*input.alu), true};
}

/// Returns the result of the operation for the given sources, with the carry, clamp and lane of \p
/// input. SCC and the carry out are dropped.
static uint64_t runAlu(const FlowInput &input, const uint64_t (&sources)[3]) {
  AluInput alu;
  for (unsigned i = 0; i < 3; ++i)
    alu.src[i] = sources[i];
  alu.carry = input.carry;
  alu.clamp = input.clamp;
  alu.lane = input.lane;
  return input.alu->function(alu, input.mode).value;
}

/// Each bit of the result depends on at most one bit of each source in \p Data (or is the same
/// monotone function of several of one source); the other sources say which. So a bit is defined
/// when it comes out the same with undefined bits all zeros and all ones, in every combination.
template <unsigned Data> static FlowOutput flowBitwise(const FlowInput &input) {
  if (!anyUndefined(input))
    return {};
  for (unsigned i = 0; i < 3; ++i)
    if (!(Data >> i & 1) && input.sources[i].undefined)
      return flowAll(input);
  uint64_t ones = ~uint64_t(0);
  uint64_t zeros = ~uint64_t(0);
  for (unsigned choice = 0; choice < 8; ++choice) {
    if (choice & ~Data)
      continue;
    uint64_t sources[3];
    for (unsigned i = 0; i < 3; ++i) {
      const MaybeBits &bits = input.sources[i];
      sources[i] = choice >> i & 1 ? bits.value | bits.undefined : bits.value & ~bits.undefined;
    }
    uint64_t result = runAlu(input, sources);
    ones &= result;
    zeros &= ~result;
  }
  uint64_t mask = resultMask(*input.alu);
  uint64_t undefined = ~(ones | zeros) & mask;
  // The SALU's SCC of these is "the result is not 0".
  return {undefined, undefined && !(ones & mask)};
}

/// Sums and products: a bit depends on the bits below it only.
static uint64_t upwards(uint64_t undefined) {
  return undefined ? ~uint64_t(0) << countr_zero(undefined) : 0;
}

template <uint64_t Mask> static FlowOutput flowUpwards(const FlowInput &input) {
  if (input.clamp || input.carryUndefined)
    return flowAll(input);
  uint64_t undefined = (input.sources[0].undefined | input.sources[1].undefined) & Mask;
  undefined |= input.sources[2].undefined;
  return {upwards(undefined) & resultMask(*input.alu), undefined != 0};
}

/// (a << b) + c, the shift by a known amount.
static FlowOutput flowShiftAdd(const FlowInput &input) {
  if (input.sources[1].undefined)
    return flowAll(input);
  uint64_t shifted = input.sources[0].undefined << (input.sources[1].value & 31);
  return {upwards((shifted & 0xffffffff) | input.sources[2].undefined) & 0xffffffff, false};
}

/// (a + b) << c.
static FlowOutput flowAddShift(const FlowInput &input) {
  if (input.sources[2].undefined)
    return flowAll(input);
  uint64_t sum = upwards(input.sources[0].undefined | input.sources[1].undefined);
  return {(sum << (input.sources[2].value & 31)) & 0xffffffff, false};
}

/// s_lshlN_add_u32: SCC is the carry.
template <unsigned Shift> static FlowOutput flowShiftAddScc(const FlowInput &input) {
  uint64_t undefined = input.sources[0].undefined << Shift | input.sources[1].undefined;
  return {upwards(undefined) & 0xffffffff, undefined != 0};
}

/// The carry chooses \p True when it is set, and \p False when not.
template <unsigned False, unsigned True> static FlowOutput flowSelect(const FlowInput &input) {
  const MaybeBits &no = input.sources[False];
  const MaybeBits &yes = input.sources[True];
  uint64_t undefined = input.carry ? yes.undefined : no.undefined;
  if (input.carryUndefined)
    undefined = no.undefined | yes.undefined | (no.value ^ yes.value);
  return {undefined & resultMask(*input.alu), false};
}

/// s_cmovk_i32: the sign-extended constant, or the old destination.
static FlowOutput flowSelectConstant(const FlowInput &input) {
  if (input.carryUndefined || input.sources[0].undefined)
    return flowAll(input);
  return {input.carry ? 0 : input.sources[1].undefined, false};
}

/// Two halves, each from a source of its own.
static FlowOutput flowPack(const FlowInput &input) {
  uint64_t low = input.sources[0].undefined ? 0xffff : 0;
  uint64_t high = input.sources[1].undefined ? 0xffff0000 : 0;
  return {low | high, false};
}

/// v_pack_b32_f16 copies its halves.
static FlowOutput flowPackBits(const FlowInput &input) {
  return {(input.sources[0].undefined & 0xffff) | (input.sources[1].undefined & 0xffff) << 16,
          false};
}

/// Two halves computed apart.
static FlowOutput flowPacked(const FlowInput &input) {
  uint64_t undefined = 0;
  for (const MaybeBits &source : input.sources)
    undefined |= source.undefined;
  return {(undefined & 0xffff ? 0xffffull : 0) | (undefined & 0xffff0000 ? 0xffff0000ull : 0),
          false};
}

/// v_cvt_f32_ubyteN: the whole result depends on byte number \p Byte.
template <unsigned Byte> static FlowOutput flowByte(const FlowInput &input) {
  return {input.sources[0].undefined >> (8 * Byte) & 0xff ? 0xffffffffull : 0, false};
}

/// v_cvt_pk_u8_f32 puts one byte into its third source.
static FlowOutput flowInsertByte(const FlowInput &input) {
  if (input.sources[1].undefined)
    return flowAll(input);
  uint64_t byte = 0xffull << (8 * (input.sources[1].value & 3));
  uint64_t kept = input.sources[2].undefined & ~byte;
  return {kept | (input.sources[0].undefined ? byte : 0), false};
}

/// SCC: the named bit.
static FlowOutput flowBitTest(const FlowInput &input) {
  if (input.sources[1].undefined)
    return {0, true};
  unsigned bits = kindBits(input.alu->src[0]);
  return {0, bool(input.sources[0].undefined >> (input.sources[1].value & (bits - 1)) & 1)};
}

/// v_mbcnt_lo, v_mbcnt_hi count the mask's bits below the lane.
template <unsigned FirstLane> static FlowOutput flowMaskCount(const FlowInput &input) {
  unsigned below = input.lane <= FirstLane ? 0 : std::min(input.lane - FirstLane, 32u);
  uint64_t counted = input.sources[0].undefined & ((uint64_t(1) << below) - 1);
  uint64_t undefined = counted ? 1 : input.sources[1].undefined;
  return {upwards(undefined) & 0xffffffff, false};
}

/// A count of ones, with SCC for "some".
static FlowOutput flowCount(const FlowInput &input) {
  const MaybeBits &source = input.sources[0];
  if (!source.undefined)
    return {};
  return {resultMask(*input.alu), (source.value & ~source.undefined) == 0};
}

namespace {
/// Comparisons up to an exchange of operands and a negation, which do not change what is undefined.
enum class Relation : uint8_t { Equal, Less };
} // namespace

/// Smallest and largest value of a source, as unsigned numbers in the order of \p isSigned.
static std::pair<uint64_t, uint64_t> rangeOf(const MaybeBits &bits, uint64_t sign) {
  uint64_t value = bits.value ^ sign;
  return {value & ~bits.undefined, value | bits.undefined};
}

/// The constant of s_cmpk_*_i32 has 16 bits, and a sign.
static MaybeBits extended(MaybeBits bits, OperandKind kind, OperandKind to, bool isSigned) {
  if (!isSigned || kindBits(kind) != 16 || kindBits(to) == 16)
    return bits;
  auto extend = [](uint64_t value) {
    return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(value)));
  };
  return {extend(bits.value), extend(bits.undefined)};
}

/// eq and ne are decided by one defined bit that differs; the orders by the ranges.
template <Relation Which, bool Swapped, bool Signed>
static FlowOutput flowCompare(const FlowInput &input) {
  const OperandKind *kinds = input.alu->src;
  MaybeBits left = extended(input.sources[Swapped], kinds[Swapped], kinds[0], Signed);
  MaybeBits right = extended(input.sources[!Swapped], kinds[!Swapped], kinds[0], Signed);
  uint64_t undefined = left.undefined | right.undefined;
  if (!undefined)
    return {};
  if (Which == Relation::Equal) {
    bool differs = (left.value ^ right.value) & ~undefined;
    return {!differs, !differs};
  }
  uint64_t sign = Signed ? uint64_t(1) << (kindBits(input.alu->src[0]) - 1) : 0;
  auto [lowLeft, highLeft] = rangeOf(left, sign);
  auto [lowRight, highRight] = rangeOf(right, sign);
  bool decided = highLeft < lowRight || lowLeft >= highRight;
  return {!decided, !decided};
}

/// Comparisons that are always true or always false.
static FlowOutput flowConstant(const FlowInput &) {
  return {};
}

namespace {
/// Operations that share a rule, as LLVM's base names of AluOp, with '|' between them.
struct FlowRow {
  const char *names;
  FlowFunction flow;
};

constexpr FlowRow Rows[] = {
    {"v_mov_b32|v_mov_b16|v_mov_b64|v_dual_mov_b32|s_mov_b32|s_mov_b64|s_movk_i32|s_not_b32|"
     "s_not_b64|v_not_b32|v_not_b16|s_brev_b32|s_brev_b64|v_bfrev_b32|s_sext_i32_i8|"
     "s_sext_i32_i16|v_cvt_u32_u16|v_cvt_i32_i16|s_wqm_b32|s_wqm_b64|s_quadmask_b32|"
     "s_quadmask_b64|s_bitreplicate_b64_b32|"
     // The second source is the amount, or offset and width.
     "s_lshl_b32|s_lshl_b64|s_lshr_b32|s_lshr_b64|s_ashr_i32|s_ashr_i64|s_bfe_u32|s_bfe_i32|"
     "s_bfe_u64|s_bfe_i64|v_bfe_u32|v_bfe_i32",
     flowBitwise<1>},
    {"v_lshlrev_b32|v_lshrrev_b32|v_ashrrev_i32|v_lshlrev_b64|v_lshrrev_b64|v_ashrrev_i64|"
     "v_lshlrev_b16|v_lshrrev_b16|v_ashrrev_i16|v_dual_lshlrev_b32|s_bitset0_b32|s_bitset0_b64|"
     "s_bitset1_b32|s_bitset1_b64",
     flowBitwise<2>},
    {"s_and_b32|s_and_b64|s_or_b32|s_or_b64|s_xor_b32|s_xor_b64|s_nand_b32|s_nand_b64|s_nor_b32|"
     "s_nor_b64|s_xnor_b32|s_xnor_b64|s_andn2_b32|s_andn2_b64|s_and_not1_b32|s_and_not1_b64|"
     "s_orn2_b32|s_orn2_b64|s_or_not1_b32|s_or_not1_b64|v_and_b32|v_or_b32|v_xor_b32|v_xnor_b32|"
     "v_and_b16|v_or_b16|v_xor_b16|v_dual_and_b32|s_pack_ll_b32_b16|s_pack_lh_b32_b16|"
     "s_pack_hl_b32_b16|s_pack_hh_b32_b16|v_alignbit_b32|v_alignbyte_b32|v_perm_b32",
     flowBitwise<3>},
    {"v_lshl_or_b32", flowBitwise<5>},
    {"v_and_or_b32|v_or3_b32|v_xor3_b32|v_bfi_b32", flowBitwise<7>},
    {"v_add_u32|v_add_nc_u32|v_sub_u32|v_sub_nc_u32|v_subrev_u32|v_subrev_nc_u32|v_add_i32|"
     "v_add_nc_i32|v_sub_i32|v_sub_nc_i32|v_add_co_u32|v_sub_co_u32|v_subrev_co_u32|"
     "v_addc_co_u32|v_subb_co_u32|v_subbrev_co_u32|v_add_co_ci_u32|v_sub_co_ci_u32|"
     "v_subrev_co_ci_u32|v_add_u16|v_add_nc_u16|v_sub_u16|v_sub_nc_u16|v_subrev_u16|v_add_i16|"
     "v_add_nc_i16|v_sub_i16|v_sub_nc_i16|v_mul_lo_u16|v_mad_u16|v_mad_i16|v_mul_lo_u32|"
     "v_mad_u64_u32|v_mad_co_u64_u32|v_add3_u32|v_xad_u32|v_dual_add_nc_u32|s_add_u32|s_add_i32|"
     "s_sub_u32|s_sub_i32|s_addc_u32|s_subb_u32|s_add_co_u32|s_add_co_i32|s_sub_co_u32|"
     "s_sub_co_i32|s_add_co_ci_u32|s_sub_co_ci_u32|s_mul_i32|s_addk_i32|s_addk_co_i32|s_mulk_i32|"
     "s_mul_u64|s_add_nc_u64|s_sub_nc_u64|s_add_u64|s_sub_u64",
     flowUpwards<~uint64_t(0)>},
    {"v_mul_u32_u24|v_mul_i32_i24|v_mad_u32_u24|v_mad_i32_i24", flowUpwards<0xffffff>},
    {"v_lshl_add_u32", flowShiftAdd},
    {"v_add_lshl_u32", flowAddShift},
    {"s_lshl1_add_u32", flowShiftAddScc<1>},
    {"s_lshl2_add_u32", flowShiftAddScc<2>},
    {"s_lshl3_add_u32", flowShiftAddScc<3>},
    {"s_lshl4_add_u32", flowShiftAddScc<4>},
    {"v_cndmask_b32|v_cndmask_b16|v_dual_cndmask_b32", flowSelect<0, 1>},
    // SCC set: the first source. s_cmov keeps its destination, the second one here, when not.
    {"s_cselect_b32|s_cselect_b64|s_cmov_b32|s_cmov_b64", flowSelect<1, 0>},
    {"s_cmovk_i32", flowSelectConstant},
    {"v_cvt_pk_u16_u32|v_cvt_pk_i16_i32|v_cvt_pkrtz_f16_f32|v_cvt_pk_rtz_f16_f32|"
     "v_cvt_pknorm_i16_f32|v_cvt_pknorm_u16_f32|v_cvt_pk_norm_i16_f32|v_cvt_pk_norm_u16_f32|"
     "v_cvt_pknorm_i16_f16|v_cvt_pknorm_u16_f16|v_cvt_pk_norm_i16_f16|v_cvt_pk_norm_u16_f16|"
     "v_cvt_pk_i16_f32|v_cvt_pk_u16_f32|s_cvt_pk_rtz_f16_f32",
     flowPack},
    {"v_pack_b32_f16", flowPackBits},
    {"v_cvt_pk_u8_f32|v_cvt_pkaccum_u8_f32", flowInsertByte},
    {"v_cvt_f32_ubyte0", flowByte<0>},
    {"v_cvt_f32_ubyte1", flowByte<1>},
    {"v_cvt_f32_ubyte2", flowByte<2>},
    {"v_cvt_f32_ubyte3", flowByte<3>},
    {"s_bitcmp0_b32|s_bitcmp1_b32|s_bitcmp0_b64|s_bitcmp1_b64", flowBitTest},
    {"v_mbcnt_lo_u32_b32", flowMaskCount<0>},
    {"v_mbcnt_hi_u32_b32", flowMaskCount<32>},
    {"s_bcnt1_i32_b32|s_bcnt1_i32_b64", flowCount},
};

/// A relation as it is in the name of an integer comparison.
struct CompareRow {
  StringLiteral relation;
  FlowFunction isSigned;
  FlowFunction isUnsigned;
};

constexpr CompareRow CompareRows[] = {
    {"eq", flowCompare<Relation::Equal, false, true>, flowCompare<Relation::Equal, false, false>},
    {"ne", flowCompare<Relation::Equal, false, true>, flowCompare<Relation::Equal, false, false>},
    {"lg", flowCompare<Relation::Equal, false, true>, flowCompare<Relation::Equal, false, false>},
    {"lt", flowCompare<Relation::Less, false, true>, flowCompare<Relation::Less, false, false>},
    {"ge", flowCompare<Relation::Less, false, true>, flowCompare<Relation::Less, false, false>},
    {"gt", flowCompare<Relation::Less, true, true>, flowCompare<Relation::Less, true, false>},
    {"le", flowCompare<Relation::Less, true, true>, flowCompare<Relation::Less, true, false>},
    {"f", flowConstant, flowConstant},
    {"t", flowConstant, flowConstant},
};
} // namespace

/// Returns the rows by the name of each operation.
static StringMap<FlowFunction> makeFlowMap() {
  StringMap<FlowFunction> map;
  for (const FlowRow &row : Rows) {
    SmallVector<StringRef, 32> names;
    StringRef(row.names).split(names, '|');
    for (StringRef name : names)
      map[name] = row.flow;
  }
  return map;
}

/// "v_cmpx_lt_i32", "s_cmpk_eq_u32": integer comparisons.
static FlowFunction findCompare(StringRef name) {
  if (!name.consume_front("v_cmpx_") && !name.consume_front("v_cmp_") &&
      !name.consume_front("s_cmpk_") && !name.consume_front("s_cmp_"))
    return nullptr;
  auto [relation, type] = name.split('_');
  if (!type.starts_with("i") && !type.starts_with("u"))
    return nullptr;
  for (const CompareRow &row : CompareRows)
    if (row.relation == relation)
      return type.starts_with("i") ? row.isSigned : row.isUnsigned;
  return nullptr;
}

/// Never null: packed operations without a rule are computed by halves; all others depend on
/// everything.
FlowFunction gcn::findFlow(const AluOp &alu) {
  static const StringMap<FlowFunction> map = makeFlowMap();
  if (FlowFunction flow = map.lookup(alu.name))
    return flow;
  if (FlowFunction flow = findCompare(alu.name))
    return flow;
  return alu.flags & Packed ? flowPacked : flowAll;
}
