// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VOP1, VOP2 and VOP3 on 32- and 64-bit integers and bits. Source: AMD's ISA manuals (Vega, RDNA 2,
// RDNA 3, RDNA 4), chapters of these encodings; saturation by the clamp bit from their section
// "Output modifiers".
#include "oracles/machine/gcn_alu/definitions/Definition.h"
#include <algorithm>

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

/// 2^\p exponent; below 127.
static Exact power(unsigned exponent) {
  return Exact(1) << exponent;
}

/// Rounds towards minus infinity, as a shift of a signed number does.
static Exact divideByPower(Exact value, unsigned exponent) {
  Exact divisor = power(exponent);
  Exact remainder = value % divisor;
  return (value - (remainder < 0 ? remainder + divisor : remainder)) / divisor;
}

/// Bit \p position of source \p index.
static bool bit(Q q, unsigned index, unsigned position) {
  return (q.bits(index) >> position) & 1;
}

/// Source \p index as a number of 24 bits, signed when q.parameter is 1.
static Exact low24(Q q, unsigned index) {
  return numberOf(q.bits(index), 24, q.parameter == 1);
}

/// Source \p index as a shift amount of a 32-bit operand.
static unsigned amount(Q q, unsigned index) {
  return unsigned(q.bits(index) % 32);
}

/// The carry-out of additions and subtractions: the exact result is outside 0 to 2^32 - 1.
static Answer carrying(Exact value) {
  return {value, value < 0 || value >= power(32)};
}

/// Results that LLVM calls b32 logic of up to three sources: q.parameter is the truth table, bit
/// 4 * a + 2 * b + c of which is the result of bits a, b and c (2 * a + b of two sources).
static Answer logic(Q q) {
  Exact value = 0;
  size_t sources = q.shape.sources.size();
  for (unsigned position = 0; position < 32; ++position) {
    unsigned row = 0;
    for (unsigned index = 0; index < sources; ++index)
      row = 2 * row + bit(q, index, position);
    value += (q.parameter >> row) & 1 ? power(position) : 0;
  }
  return value;
}

/// v_bfe: source 1 is the offset, source 2 the width. No width gives 0.
static Answer field(Q q) {
  unsigned count = amount(q, 2);
  if (count == 0)
    return Exact(0);
  uint64_t bits = lowBits(divideByPower(q[0], amount(q, 1)), count);
  return numberOf(bits, count, isSigned(q.shape.sources[0]));
}

/// The lowest bit becomes the highest.
static Answer reversed(Q q) {
  Exact value = 0;
  for (unsigned position = 0; position < 32; ++position)
    value += bit(q, 0, position) ? power(31 - position) : 0;
  return value;
}

/// Ones of source 0 in the places of lanes below this one; q.parameter is the first lane that
/// source 0 has a bit for.
static Answer onesBelow(Q q) {
  Exact count = 0;
  for (unsigned position = 0; position < 32; ++position)
    count += bit(q, 0, position) && position + q.parameter < q.input.lane;
  return count + q[1];
}

/// The ones of source 0, plus source 1.
static Answer ones(Q q) {
  Exact count = 0;
  for (unsigned position = 0; position < 32; ++position)
    count += bit(q, 0, position);
  return count + q[1];
}

/// Zeros above the highest one; -1 for 0.
static Answer zerosFromAbove(Q q) {
  for (unsigned count = 0; count < 32; ++count)
    if (bit(q, 0, 31 - count))
      return Exact(count);
  return Exact(-1);
}

/// Zeros below the lowest one; -1 for 0.
static Answer zerosFromBelow(Q q) {
  for (unsigned count = 0; count < 32; ++count)
    if (bit(q, 0, count))
      return Exact(count);
  return Exact(-1);
}

/// The place, from above, of the first bit unlike the sign; -1 if there is none.
static Answer signsFromAbove(Q q) {
  for (unsigned count = 1; count < 32; ++count)
    if (bit(q, 0, 31 - count) != bit(q, 0, 31))
      return Exact(count);
  return Exact(-1);
}

/// Sources 0 and 1 as 64 bits, shifted right by source 2 in units of q.parameter bits.
static Answer aligned(Q q) {
  Exact pair = q[0] * power(32) + q[1];
  return pair / power(unsigned(q.bits(2) % uint64_t(q.parameter == 8 ? 4 : 32) * q.parameter));
}

/// V_PERM_B32's BYTE_PERMUTE of the eight bytes {S0, S1}, counted from S1's lowest.
static uint8_t selectedByte(Q q, unsigned selector) {
  auto byteAt = [&](unsigned place) {
    return uint8_t(q.bits(place < 4 ? 1 : 0) >> (8 * (place % 4)));
  };
  if (selector < 8)
    return byteAt(selector);
  if (selector > 11)
    return selector == 12 ? 0x00 : 0xff;
  return byteAt(2 * (selector - 8) + 1) >= 0x80 ? 0xff : 0x00; // the sign of byte 1, 3, 5, 7
}

/// v_perm: each byte of source 2 selects one byte of the result.
static Answer permuted(Q q) {
  Exact value = 0;
  for (unsigned place = 0; place < 4; ++place)
    value += selectedByte(q, unsigned(q.bits(2) >> (8 * place)) % 256) * power(8 * place);
  return value;
}

static Answer median(Q q) {
  Exact values[] = {q[0], q[1], q[2]};
  std::sort(std::begin(values), std::end(values));
  return values[1];
}

/// Of two or three sources.
static Answer smallest(Q q) {
  Exact value = std::min(q[0], q[1]);
  return q.shape.sources.size() == 3 ? std::min(value, q[2]) : value;
}

static Answer largest(Q q) {
  Exact value = std::max(q[0], q[1]);
  return q.shape.sources.size() == 3 ? std::max(value, q[2]) : value;
}

/// The larger of sources 0 and 1, but at most source 2.
static Answer maxThenMin(Q q) {
  return std::min(std::max(q[0], q[1]), q[2]);
}

/// The smaller of sources 0 and 1, but at least source 2.
static Answer minThenMax(Q q) {
  return std::max(std::min(q[0], q[1]), q[2]);
}

/// {D1, D0} is the sum in 65 bits.
static Answer wideMultiplyAdd(Q q) {
  Exact sum = q[0] * q[1] + q[2];
  return {sum, (sum >> 64) % 2 != 0};
}

/// Source 1 by source 0, of which the low bits count.
static Answer shiftedLeft(Q q) {
  // Of 64 bits, the product would leave 128.
  unsigned width = widthOf(q.shape.dst);
  return Exact(static_cast<unsigned __int128>(q[1]) << (q.bits(0) % width));
}

/// Likewise; a signed source fills up with its sign.
static Answer shiftedRight(Q q) {
  return divideByPower(q[1], unsigned(q.bits(0) % widthOf(q.shape.dst)));
}

/// Columns: names with their generations, shape, meaning, parameter of the meaning.
static const Definition AddDefinitions[] = {
    {"v_add_u32@9-9|v_add_nc_u32@10|v_dual_add_nc_u32@11", "u32 = u32 u32 clamp",
     [](Q q) -> Answer { return q[0] + q[1]; }},
    {"v_sub_u32@9-9|v_sub_nc_u32@10", "u32 = u32 u32 clamp",
     [](Q q) -> Answer { return q[0] - q[1]; }},
    {"v_subrev_u32@9-9|v_subrev_nc_u32@10", "u32 = u32 u32 clamp",
     [](Q q) -> Answer { return q[1] - q[0]; }},
    {"v_add_i32@9-9|v_add_nc_i32@10", "i32 = i32 i32 clamp",
     [](Q q) -> Answer { return q[0] + q[1]; }},
    {"v_sub_i32@9-9|v_sub_nc_i32@10", "i32 = i32 i32 clamp",
     [](Q q) -> Answer { return q[0] - q[1]; }},
    {"v_add_co_u32", "u32 carry = u32 u32 clamp", [](Q q) { return carrying(q[0] + q[1]); }},
    {"v_sub_co_u32", "u32 carry = u32 u32 clamp", [](Q q) { return carrying(q[0] - q[1]); }},
    {"v_subrev_co_u32", "u32 carry = u32 u32 clamp", [](Q q) { return carrying(q[1] - q[0]); }},
    {"v_addc_co_u32@9-9|v_add_co_ci_u32@10", "u32 carry = u32 u32 carry clamp",
     [](Q q) { return carrying(q[0] + q[1] + q.carry()); }},
    {"v_subb_co_u32@9-9|v_sub_co_ci_u32@10", "u32 carry = u32 u32 carry clamp",
     [](Q q) { return carrying(q[0] - q[1] - q.carry()); }},
    {"v_subbrev_co_u32@9-9|v_subrev_co_ci_u32@10", "u32 carry = u32 u32 carry clamp",
     [](Q q) { return carrying(q[1] - q[0] - q.carry()); }},
    {"v_add3_u32", "u32 = u32 u32 u32", [](Q q) -> Answer { return q[0] + q[1] + q[2]; }},
    {"v_lshl_add_u32", "u32 = u32 u32 u32",
     [](Q q) -> Answer { return q[0] * power(amount(q, 1)) + q[2]; }},
    {"v_add_lshl_u32", "u32 = u32 u32 u32",
     [](Q q) -> Answer { return (q[0] + q[1]) * power(amount(q, 2)); }},
    {"v_xad_u32", "u32 = u32 u32 u32",
     [](Q q) -> Answer { return Exact(q.bits(0) ^ q.bits(1)) + q[2]; }},
};

/// The last number is 1 where 24-bit sources are signed.
static const Definition MultiplyDefinitions[] = {
    {"v_mul_lo_u32|v_mul_lo_i32@10-10", "u32 = u32 u32", [](Q q) -> Answer { return q[0] * q[1]; }},
    {"v_mul_hi_u32", "u32 = u32 u32", [](Q q) -> Answer { return divideByPower(q[0] * q[1], 32); }},
    {"v_mul_hi_i32", "i32 = i32 i32", [](Q q) -> Answer { return divideByPower(q[0] * q[1], 32); }},
    {"v_mul_u32_u24", "u32 = u32 u32", [](Q q) -> Answer { return low24(q, 0) * low24(q, 1); }},
    {"v_mul_i32_i24", "i32 = i32 i32", [](Q q) -> Answer { return low24(q, 0) * low24(q, 1); }, 1},
    {"v_mul_hi_u32_u24", "u32 = u32 u32",
     [](Q q) -> Answer { return divideByPower(low24(q, 0) * low24(q, 1), 32); }},
    {"v_mul_hi_i32_i24", "i32 = i32 i32",
     [](Q q) -> Answer { return divideByPower(low24(q, 0) * low24(q, 1), 32); }, 1},
    {"v_mad_u32_u24", "u32 = u32 u32 u32 clamp",
     [](Q q) -> Answer { return low24(q, 0) * low24(q, 1) + q[2]; }},
    {"v_mad_i32_i24", "i32 = i32 i32 i32 clamp",
     [](Q q) -> Answer { return low24(q, 0) * low24(q, 1) + q[2]; }, 1},
    {"v_mad_u64_u32@9-11|v_mad_co_u64_u32@12", "u64 carry = u32 u32 u64", wideMultiplyAdd},
    {"v_mad_i64_i32@9-11|v_mad_co_i64_i32@12", "i64 carry = i32 i32 i64", wideMultiplyAdd},
    {"v_mad_u32_u16", "u32 = u16 u16 u32 clamp", [](Q q) -> Answer { return q[0] * q[1] + q[2]; }},
    {"v_mad_i32_i16", "i32 = i16 i16 i32 clamp", [](Q q) -> Answer { return q[0] * q[1] + q[2]; }},
};

/// The last number of logic is its truth table, with the first source as the highest bit of the
/// index.
static const Definition BitDefinitions[] = {
    {"v_mov_b32|v_dual_mov_b32@11", "u32 = u32", [](Q q) -> Answer { return q[0]; }},
    {"v_cndmask_b32|v_dual_cndmask_b32@11", "f32 = f32 f32 carry",
     [](Q q) -> Answer { return q[q.carry() ? 1 : 0]; }},
    {"v_and_b32|v_dual_and_b32@11", "u32 = u32 u32", logic, 0b1000},
    {"v_or_b32", "u32 = u32 u32", logic, 0b1110},
    {"v_xor_b32", "u32 = u32 u32", logic, 0b0110},
    {"v_xnor_b32", "u32 = u32 u32", logic, 0b1001},
    {"v_not_b32", "u32 = u32", logic, 0b01},
    {"v_and_or_b32", "u32 = u32 u32 u32", logic, 0b11101010},
    {"v_or3_b32", "u32 = u32 u32 u32", logic, 0b11111110},
    {"v_xor3_b32@10", "u32 = u32 u32 u32", logic, 0b10010110},
    {"v_bfi_b32", "u32 = u32 u32 u32", logic, 0b11001010},
    {"v_lshl_or_b32", "u32 = u32 u32 u32",
     [](Q q) -> Answer { return Exact(lowBits(q[0] * power(amount(q, 1)), 32) | q.bits(2)); }},
    {"v_lshlrev_b32|v_dual_lshlrev_b32@11", "u32 = u32 u32", shiftedLeft},
    {"v_lshrrev_b32", "u32 = u32 u32", shiftedRight},
    {"v_ashrrev_i32", "i32 = u32 i32", shiftedRight},
    {"v_lshlrev_b64", "u64 = u32 u64", shiftedLeft},
    {"v_lshrrev_b64", "u64 = u32 u64", shiftedRight},
    {"v_ashrrev_i64", "i64 = u32 i64", shiftedRight},
    {"v_bfe_u32", "u32 = u32 u32 u32", field},
    {"v_bfe_i32", "i32 = i32 u32 u32", field},
    {"v_bfm_b32", "u32 = u32 u32",
     [](Q q) -> Answer { return (power(amount(q, 0)) - 1) * power(amount(q, 1)); }},
    {"v_bfrev_b32", "u32 = u32", reversed},
    {"v_bcnt_u32_b32", "u32 = u32 u32", ones},
    {"v_mbcnt_lo_u32_b32", "u32 = u32 u32", onesBelow, 0},
    {"v_mbcnt_hi_u32_b32", "u32 = u32 u32", onesBelow, 32},
    {"v_ffbh_u32@9-10|v_clz_i32_u32@11", "i32 = u32", zerosFromAbove},
    {"v_ffbh_i32@9-10|v_cls_i32@11", "i32 = i32", signsFromAbove},
    {"v_ffbl_b32@9-10|v_ctz_i32_b32@11", "i32 = u32", zerosFromBelow},
    {"v_alignbit_b32", "u32 = u32 u32 u16", aligned, 1},
    {"v_alignbyte_b32", "u32 = u32 u32 u16", aligned, 8},
    {"v_perm_b32", "u32 = u32 u32 u32", permuted},
};

static const Definition OrderDefinitions[] = {
    {"v_min_i32", "i32 = i32 i32", smallest},
    {"v_max_i32", "i32 = i32 i32", largest},
    {"v_min_u32", "u32 = u32 u32", smallest},
    {"v_max_u32", "u32 = u32 u32", largest},
    {"v_min3_i32", "i32 = i32 i32 i32", smallest},
    {"v_max3_i32", "i32 = i32 i32 i32", largest},
    {"v_min3_u32", "u32 = u32 u32 u32", smallest},
    {"v_max3_u32", "u32 = u32 u32 u32", largest},
    {"v_med3_i32", "i32 = i32 i32 i32", median},
    {"v_med3_u32", "u32 = u32 u32 u32", median},
    {"v_maxmin_i32@11", "i32 = i32 i32 i32", maxThenMin},
    {"v_maxmin_u32@11", "u32 = u32 u32 u32", maxThenMin},
    {"v_minmax_i32@11", "i32 = i32 i32 i32", minThenMax},
    {"v_minmax_u32@11", "u32 = u32 u32 u32", minThenMax},
};

void definitions::defineVectorIntegers(DefinitionSink sink) {
  defineAll(sink, AddDefinitions);
  defineAll(sink, MultiplyDefinitions);
  defineAll(sink, BitDefinitions);
  defineAll(sink, OrderDefinitions);
}
