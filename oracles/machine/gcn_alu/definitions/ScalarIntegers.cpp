// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SOP1, SOP2, SOPC and SOPK on integers and bits. Source: AMD's ISA manuals (Vega, RDNA 2, RDNA 3,
// RDNA 4), chapters "SOP1 Instructions" and so on, in their order.
#include "oracles/machine/gcn_alu/definitions/Definition.h"
#include <algorithm>

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

/// SCC says that the destination's bits are not all 0.
static Answer nonZero(Q q, Exact value) {
  return {value, lowBits(value, widthOf(q.shape.dst)) != 0};
}

/// 2^\p exponent, below 127.
static Exact power(unsigned exponent) {
  return Exact(1) << exponent;
}

/// The bits of source \p index, the lowest first.
static bool bit(Q q, unsigned index, unsigned position) {
  return (q.bits(index) >> position) & 1;
}

/// In bits.
static unsigned sourceWidth(Q q, unsigned index) {
  return widthOf(q.shape.sources[index]);
}

/// What a shift amount in source \p index means to a shifted operand of \p width bits.
static unsigned amount(Q q, unsigned index, unsigned width) {
  return unsigned(q.bits(index) % width);
}

/// Rounds towards minus infinity, as a shift of a signed number does.
static Exact divideByPower(Exact value, unsigned exponent) {
  Exact divisor = power(exponent);
  Exact quotient = value / divisor;
  return quotient * divisor > value ? quotient - 1 : quotient;
}

/// s_bfe: source 1 has the offset in its low bits and the width in bits 22:16. No width gives 0.
static Answer extractField(Q q) {
  unsigned width = sourceWidth(q, 0);
  unsigned offset = unsigned(q.bits(1) % width);
  unsigned count = std::min(unsigned(q.bits(1) >> 16) % 128, width);
  if (count == 0)
    return nonZero(q, 0);
  Exact slice = divideByPower(q[0], offset);
  uint64_t bits = lowBits(slice, count);
  return nonZero(q, numberOf(bits, count, isSigned(q.shape.sources[0])));
}

/// The lowest bit becomes the highest.
static Answer reversed(Q q) {
  unsigned width = sourceWidth(q, 0);
  Exact value = 0;
  for (unsigned position = 0; position < width; ++position)
    value += bit(q, 0, position) ? power(width - 1 - position) : 0;
  return value;
}

/// How many bits of source 0 are \p q.parameter.
static Answer countBits(Q q) {
  unsigned count = 0;
  for (unsigned position = 0; position < sourceWidth(q, 0); ++position)
    count += bit(q, 0, position) == bool(q.parameter);
  return nonZero(q, count);
}

/// The place of the lowest bit that is q.parameter; -1 if there is none.
static Answer firstFromBelow(Q q) {
  for (unsigned position = 0; position < sourceWidth(q, 0); ++position)
    if (bit(q, 0, position) == bool(q.parameter))
      return Exact(position);
  return Exact(-1);
}

/// Zeros above the highest one; -1 for 0.
static Answer zerosFromAbove(Q q) {
  unsigned width = sourceWidth(q, 0);
  for (unsigned count = 0; count < width; ++count)
    if (bit(q, 0, width - 1 - count))
      return Exact(count);
  return Exact(-1);
}

/// The place, from above, of the first bit unlike the sign.
static Answer signsFromAbove(Q q) {
  unsigned width = sourceWidth(q, 0);
  for (unsigned count = 1; count < width; ++count)
    if (bit(q, 0, width - 1 - count) != bit(q, 0, width - 1))
      return Exact(count);
  return Exact(-1);
}

/// Whether one of four bits of source 0 is set.
static bool quadHasLane(Q q, unsigned quad) {
  return (q.bits(0) >> (4 * quad)) % 16 != 0;
}

/// All four bits of each quad that has one.
static Answer wholeQuads(Q q) {
  Exact value = 0;
  for (unsigned lane = 0; lane < sourceWidth(q, 0); ++lane)
    value += quadHasLane(q, lane / 4) ? power(lane) : 0;
  return nonZero(q, value);
}

/// A bit for each quad that has a lane.
static Answer quadMask(Q q) {
  Exact value = 0;
  for (unsigned quad = 0; quad < sourceWidth(q, 0) / 4; ++quad)
    value += quadHasLane(q, quad) ? power(quad) : 0;
  return nonZero(q, value);
}

/// Each bit of source 0 twice.
static Answer doubledBits(Q q) {
  Exact value = 0;
  for (unsigned position = 0; position < 32; ++position)
    if (bit(q, 0, position))
      value += power(2 * position) + power(2 * position + 1);
  return value;
}

/// A number that the destination cannot hold overflows.
static Answer overflowing(Q q, Exact value) {
  return {value, saturated(value, widthOf(q.shape.dst), isSigned(q.shape.dst)) != value};
}

/// Exact also of the least 32-bit number, which has no counterpart in 32 bits.
static Exact absolute(Exact value) {
  return value < 0 ? -value : value;
}

/// What the destination register holds when \p value is written to it, as a signed number.
static Exact wrapped(Exact value) {
  return numberOf(lowBits(value, 32), 32, true);
}

/// The 16 bits of source \p index from \p position on.
static Exact halfAt(Q q, unsigned index, unsigned position) {
  return Exact(q.bits(index)) / power(position) % 65536;
}

/// q.parameter: 1 for the high half of source 0, 2 for that of source 1.
static Answer packed(Q q) {
  return halfAt(q, 0, q.parameter & 1 ? 16 : 0) + halfAt(q, 1, q.parameter & 2 ? 16 : 0) * 65536;
}

/// Bitwise operations bit by bit: q.parameter is the truth table, bit 2 * a + b of which is the
/// result of bits a and b.
static Answer logic(Q q) {
  unsigned width = widthOf(q.shape.dst);
  Exact value = 0;
  for (unsigned position = 0; position < width; ++position) {
    unsigned row = 2 * bit(q, 0, position) + bit(q, 1, position);
    value += (q.parameter >> row) & 1 ? power(position) : 0;
  }
  return nonZero(q, value);
}

/// The complement of a number is -1 minus it.
static Answer inverted(Q q) {
  return nonZero(q, -1 - q[0]);
}

/// Exact; the driver wraps the result to the destination.
static Answer shiftedLeft(Q q) {
  unsigned width = widthOf(q.shape.dst);
  return nonZero(q, q[0] * power(amount(q, 1, width)));
}

/// Rounds down, so that it serves both kinds of shift: signs are those of the sources.
static Answer shiftedRight(Q q) {
  return nonZero(q, divideByPower(q[0], amount(q, 1, widthOf(q.shape.dst))));
}

/// A field of ones.
static Answer fieldMask(Q q) {
  unsigned width = widthOf(q.shape.dst);
  return (power(amount(q, 0, width)) - 1) * power(amount(q, 1, width));
}

/// q.parameter is the bit's new value.
static Answer bitSet(Q q) {
  unsigned width = widthOf(q.shape.dst);
  unsigned place = amount(q, 0, width);
  Exact rest = q[1] - (bit(q, 1, place) ? power(place) : 0);
  return rest + q.parameter * power(place);
}

/// SCC: the named bit of source 0 is q.parameter.
static Answer bitIs(Q q) {
  return {0, bit(q, 0, amount(q, 1, sourceWidth(q, 0))) == bool(q.parameter)};
}

/// q.parameter is the shift.
static Answer shiftAdd(Q q) {
  return overflowing(q, q[0] * power(unsigned(q.parameter)) + q[1]);
}

/// q.parameter: less 1, equal 2, greater 4.
static Answer compared(Q q) {
  unsigned relation = q[0] < q[1] ? 1 : q[0] == q[1] ? 2 : 4;
  return {0, (relation & q.parameter) != 0};
}

/// The last number is the truth table: bit 2a + b is the result for the bits a and b.
static const Definition LogicDefinitions[] = {
    {"s_and_b32", "u32 scc = u32 u32", logic, 0b1000},
    {"s_and_b64", "u64 scc = u64 u64", logic, 0b1000},
    {"s_or_b32", "u32 scc = u32 u32", logic, 0b1110},
    {"s_or_b64", "u64 scc = u64 u64", logic, 0b1110},
    {"s_xor_b32", "u32 scc = u32 u32", logic, 0b0110},
    {"s_xor_b64", "u64 scc = u64 u64", logic, 0b0110},
    {"s_nand_b32", "u32 scc = u32 u32", logic, 0b0111},
    {"s_nand_b64", "u64 scc = u64 u64", logic, 0b0111},
    {"s_nor_b32", "u32 scc = u32 u32", logic, 0b0001},
    {"s_nor_b64", "u64 scc = u64 u64", logic, 0b0001},
    {"s_xnor_b32", "u32 scc = u32 u32", logic, 0b1001},
    {"s_xnor_b64", "u64 scc = u64 u64", logic, 0b1001},
    {"s_andn2_b32@9-10|s_and_not1_b32@11", "u32 scc = u32 u32", logic, 0b0100},
    {"s_andn2_b64@9-10|s_and_not1_b64@11", "u64 scc = u64 u64", logic, 0b0100},
    {"s_orn2_b32@9-10|s_or_not1_b32@11", "u32 scc = u32 u32", logic, 0b1101},
    {"s_orn2_b64@9-10|s_or_not1_b64@11", "u64 scc = u64 u64", logic, 0b1101},
    {"s_not_b32", "u32 scc = u32", inverted},
    {"s_not_b64", "u64 scc = u64", inverted},
};

/// The last number selects the halves that s_pack takes: bit 0 that of the first source, bit 1 that
/// of the second.
static const Definition MoveDefinitions[] = {
    {"s_mov_b32", "u32 = u32", [](Q q) -> Answer { return q[0]; }},
    {"s_mov_b64", "u64 = u64", [](Q q) -> Answer { return q[0]; }},
    {"s_movk_i32", "i32 = imm16", [](Q q) -> Answer { return q[0]; }},
    {"s_cmov_b32", "u32 = u32 old:u32 scc", [](Q q) -> Answer { return q[q.carry() ? 0 : 1]; }},
    {"s_cmov_b64", "u64 = u64 old:u64 scc", [](Q q) -> Answer { return q[q.carry() ? 0 : 1]; }},
    {"s_cmovk_i32", "i32 = imm16 old:i32 scc", [](Q q) -> Answer { return q[q.carry() ? 0 : 1]; }},
    {"s_cselect_b32", "u32 = u32 u32 scc", [](Q q) -> Answer { return q[q.carry() ? 0 : 1]; }},
    {"s_cselect_b64", "u64 = u64 u64 scc", [](Q q) -> Answer { return q[q.carry() ? 0 : 1]; }},
    {"s_pack_ll_b32_b16", "u32 = u32 u32", packed, 0},
    {"s_pack_hl_b32_b16@11", "u32 = u32 u32", packed, 1},
    {"s_pack_lh_b32_b16", "u32 = u32 u32", packed, 2},
    {"s_pack_hh_b32_b16", "u32 = u32 u32", packed, 3},
    {"s_sext_i32_i8", "i32 = u32", [](Q q) -> Answer { return numberOf(q.bits(0), 8, true); }},
    {"s_sext_i32_i16", "i32 = u32", [](Q q) -> Answer { return numberOf(q.bits(0), 16, true); }},
};

/// The last number is the value of the bit that is counted, searched, written or compared with.
static const Definition BitDefinitions[] = {
    {"s_lshl_b32", "u32 scc = u32 u32", shiftedLeft},
    {"s_lshl_b64", "u64 scc = u64 u32", shiftedLeft},
    {"s_lshr_b32", "u32 scc = u32 u32", shiftedRight},
    {"s_lshr_b64", "u64 scc = u64 u32", shiftedRight},
    {"s_ashr_i32", "i32 scc = i32 u32", shiftedRight},
    {"s_ashr_i64", "i64 scc = i64 u32", shiftedRight},
    {"s_bfm_b32", "u32 = u32 u32", fieldMask},
    {"s_bfm_b64", "u64 = u32 u32", fieldMask},
    {"s_bfe_u32", "u32 scc = u32 u32", extractField},
    {"s_bfe_i32", "i32 scc = i32 u32", extractField},
    {"s_bfe_u64", "u64 scc = u64 u32", extractField},
    {"s_bfe_i64", "i64 scc = i64 u32", extractField},
    {"s_brev_b32", "u32 = u32", reversed},
    {"s_brev_b64", "u64 = u64", reversed},
    {"s_bcnt0_i32_b32", "i32 scc = u32", countBits, 0},
    {"s_bcnt0_i32_b64", "i32 scc = u64", countBits, 0},
    {"s_bcnt1_i32_b32", "i32 scc = u32", countBits, 1},
    {"s_bcnt1_i32_b64", "i32 scc = u64", countBits, 1},
    {"s_ff0_i32_b32@9-10", "i32 = u32", firstFromBelow, 0},
    {"s_ff0_i32_b64@9-10", "i32 = u64", firstFromBelow, 0},
    {"s_ff1_i32_b32@9-10|s_ctz_i32_b32@11", "i32 = u32", firstFromBelow, 1},
    {"s_ff1_i32_b64@9-10|s_ctz_i32_b64@11", "i32 = u64", firstFromBelow, 1},
    {"s_flbit_i32_b32@9-10|s_clz_i32_u32@11", "i32 = u32", zerosFromAbove},
    {"s_flbit_i32_b64@9-10|s_clz_i32_u64@11", "i32 = u64", zerosFromAbove},
    {"s_flbit_i32@9-10|s_cls_i32@11", "i32 = i32", signsFromAbove},
    {"s_flbit_i32_i64@9-10|s_cls_i32_i64@11", "i32 = i64", signsFromAbove},
    {"s_bitset0_b32", "u32 = u32 old:u32", bitSet, 0},
    {"s_bitset0_b64", "u64 = u32 old:u64", bitSet, 0},
    {"s_bitset1_b32", "u32 = u32 old:u32", bitSet, 1},
    {"s_bitset1_b64", "u64 = u32 old:u64", bitSet, 1},
    {"s_bitreplicate_b64_b32", "u64 = u32", doubledBits},
    {"s_wqm_b32", "u32 scc = u32", wholeQuads},
    {"s_wqm_b64", "u64 scc = u64", wholeQuads},
    {"s_quadmask_b32", "u32 scc = u32", quadMask},
    {"s_quadmask_b64", "u64 scc = u64", quadMask},
    {"s_bitcmp0_b32", "- scc = u32 u32", bitIs, 0},
    {"s_bitcmp0_b64", "- scc = u64 u32", bitIs, 0},
    {"s_bitcmp1_b32", "- scc = u32 u32", bitIs, 1},
    {"s_bitcmp1_b64", "- scc = u64 u32", bitIs, 1},
};

/// Sources are exact integers. overflowing() derives SCC from what does not fit the destination.
static const Definition ArithmeticDefinitions[] = {
    {"s_add_u32@9-11|s_add_co_u32@12", "u32 scc = u32 u32",
     [](Q q) { return overflowing(q, q[0] + q[1]); }},
    {"s_sub_u32@9-11|s_sub_co_u32@12", "u32 scc = u32 u32",
     [](Q q) { return overflowing(q, q[0] - q[1]); }},
    {"s_add_i32@9-11|s_add_co_i32@12", "i32 scc = i32 i32",
     [](Q q) { return overflowing(q, q[0] + q[1]); }},
    {"s_sub_i32@9-11|s_sub_co_i32@12", "i32 scc = i32 i32",
     [](Q q) { return overflowing(q, q[0] - q[1]); }},
    {"s_addc_u32@9-11|s_add_co_ci_u32@12", "u32 scc = u32 u32 scc",
     [](Q q) { return overflowing(q, q[0] + q[1] + q.carry()); }},
    {"s_subb_u32@9-11|s_sub_co_ci_u32@12", "u32 scc = u32 u32 scc",
     [](Q q) { return overflowing(q, q[0] - q[1] - q.carry()); }},
    {"s_addk_i32@9-11|s_addk_co_i32@12", "i32 scc = imm16 old:i32",
     [](Q q) { return overflowing(q, q[0] + q[1]); }},
    {"s_mulk_i32", "u32 = imm16 old:i32", [](Q q) -> Answer { return q[0] * q[1]; }},
    {"s_add_nc_u64@12", "u64 = u64 u64", [](Q q) -> Answer { return q[0] + q[1]; }},
    {"s_sub_nc_u64@12", "u64 = u64 u64", [](Q q) -> Answer { return q[0] - q[1]; }},
    // Modulo 2^128, which is 0 modulo 2^64.
    {"s_mul_u64@12", "u64 = u64 u64",
     [](Q q) -> Answer { return Exact(static_cast<unsigned __int128>(q[0]) * q.bits(1)); }},
    {"s_mul_i32", "u32 = u32 u32", [](Q q) -> Answer { return q[0] * q[1]; }},
    {"s_mul_hi_u32", "u32 = u32 u32", [](Q q) -> Answer { return q[0] * q[1] / power(32); }},
    {"s_mul_hi_i32", "i32 = i32 i32", [](Q q) -> Answer { return divideByPower(q[0] * q[1], 32); }},
    {"s_lshl1_add_u32", "u32 scc = u32 u32", shiftAdd, 1},
    {"s_lshl2_add_u32", "u32 scc = u32 u32", shiftAdd, 2},
    {"s_lshl3_add_u32", "u32 scc = u32 u32", shiftAdd, 3},
    {"s_lshl4_add_u32", "u32 scc = u32 u32", shiftAdd, 4},
    {"s_abs_i32", "u32 scc = i32", [](Q q) { return nonZero(q, absolute(q[0])); }},
    {"s_absdiff_i32", "u32 scc = i32 i32",
     [](Q q) { return nonZero(q, absolute(wrapped(q[0] - q[1]))); }},
    {"s_min_i32", "i32 scc = i32 i32",
     [](Q q) -> Answer { return {std::min(q[0], q[1]), q[0] < q[1]}; }},
    {"s_min_u32", "u32 scc = u32 u32",
     [](Q q) -> Answer { return {std::min(q[0], q[1]), q[0] < q[1]}; }},
    {"s_max_i32", "i32 scc = i32 i32",
     [](Q q) -> Answer { return {std::max(q[0], q[1]), q[0] >= q[1]}; }},
    {"s_max_u32", "u32 scc = u32 u32",
     [](Q q) -> Answer { return {std::max(q[0], q[1]), q[0] >= q[1]}; }},
};

/// s_cmp, and s_cmpk with an immediate.
static void defineCompares(DefinitionSink sink) {
  static constexpr std::pair<const char *, unsigned> relations[] = {
      {"eq", 2}, {"lg", 5}, {"gt", 4}, {"ge", 6}, {"lt", 1}, {"le", 3}};
  for (auto [name, relation] : relations) {
    std::string plain = std::string("s_cmp_") + name, immediate = std::string("s_cmpk_") + name;
    sink({plain + "_i32", "- scc = i32 i32", compared, relation});
    sink({plain + "_u32", "- scc = u32 u32", compared, relation});
    sink({immediate + "_i32@9-11", "- scc = i32 imm16", compared, relation});
    sink({immediate + "_u32@9-11", "- scc = u32 u16", compared, relation});
  }
  sink({"s_cmp_eq_u64", "- scc = u64 u64", compared, 2});
  sink({"s_cmp_lg_u64", "- scc = u64 u64", compared, 5});
}

void definitions::defineScalarIntegers(DefinitionSink sink) {
  defineAll(sink, LogicDefinitions);
  defineAll(sink, MoveDefinitions);
  defineAll(sink, BitDefinitions);
  defineAll(sink, ArithmeticDefinitions);
  defineCompares(sink);
}
