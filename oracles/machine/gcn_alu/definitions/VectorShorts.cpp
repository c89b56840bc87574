// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector operations on single 16-bit integers, and conversions between integers. Source: AMD's ISA
// manuals; that some keep the register's other half on GFX9 is from LLVM
// (GCNSubtarget::zeroesHigh16BitsOfDest) and the Vega manual.
#include "oracles/machine/gcn_alu/definitions/Definition.h"
#include <algorithm>

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

static Answer sum(Q q) {
  return q[0] + q[1];
}

static Answer difference(Q q) {
  return q[0] - q[1];
}

static Answer product(Q q) {
  return q[0] * q[1];
}

static Answer multiplyAdd(Q q) {
  return q[0] * q[1] + q[2];
}

static Answer unchanged(Q q) {
  return q[0];
}

/// q.parameter is the truth table: bit 2 * a + b is the result of bits a and b.
static Answer logic(Q q) {
  Exact value = 0;
  for (unsigned position = 0; position < 16; ++position) {
    unsigned a = (q.bits(0) >> position) & 1, b = (q.bits(1) >> position) & 1;
    value += Exact((q.parameter >> (2 * a + b)) & 1) << position;
  }
  return value;
}

/// Source 1 by the low four bits of source 0.
static Answer shiftedLeft(Q q) {
  return q[1] * (Exact(1) << (q.bits(0) % 16));
}

/// Source 1 by the low four bits of source 0; rounds towards minus infinity.
static Answer shiftedRight(Q q) {
  Exact divisor = Exact(1) << (q.bits(0) % 16);
  Exact value = q[1] + (Exact(1) << 16) * divisor; // not negative
  return value / divisor;
}

/// The q.parameter-th of three sorted values.
static Answer ranked(Q q) {
  Exact values[] = {q[0], q[1], q[2]};
  std::sort(std::begin(values), std::end(values));
  return values[q.parameter];
}

/// Both sources saturated to 16 bits of the sources' signedness, side by side.
static Answer pairOfShorts(Q q) {
  bool sign = isSigned(q.shape.sources[0]);
  uint64_t low = lowBits(saturated(q[0], 16, sign), 16);
  uint64_t high = lowBits(saturated(q[1], 16, sign), 16);
  return Exact(high << 16 | low);
}

/// Two 16-bit numbers saturated to bytes.
static Answer pairOfBytes(Q q) {
  Exact low = saturated(numberOf(q.bits(0), 16, true), 8, false);
  Exact high = saturated(numberOf(q.bits(0) >> 16, 16, true), 8, false);
  return low + high * 256;
}

/// Operations are exact; "clamp" in a shape makes the driver saturate them.
static const Definition ArithmeticDefinitions[] = {
    {"v_add_u16@9-9|v_add_nc_u16@10", "u16 = u16 u16 clamp", sum},
    {"v_sub_u16@9-9|v_sub_nc_u16@10", "u16 = u16 u16 clamp", difference},
    {"v_subrev_u16@9-9", "u16 = u16 u16 clamp", [](Q q) -> Answer { return q[1] - q[0]; }},
    {"v_add_i16@9-9", "i16 = i16 i16 clamp preserves", sum},
    {"v_add_nc_i16@10", "i16 = i16 i16 clamp", sum},
    {"v_sub_i16@9-9", "i16 = i16 i16 clamp preserves", difference},
    {"v_sub_nc_i16@10", "i16 = i16 i16 clamp", difference},
    {"v_mul_lo_u16", "u16 = u16 u16", product},
    {"v_mad_u16", "u16 = u16 u16 u16 clamp preserves", multiplyAdd},
    {"v_mad_i16", "i16 = i16 i16 i16 clamp preserves", multiplyAdd},
    {"v_mad_legacy_u16@9-9", "u16 = u16 u16 u16 clamp", multiplyAdd},
    {"v_mad_legacy_i16@9-9", "i16 = i16 i16 i16 clamp", multiplyAdd},
};

static const Definition BitDefinitions[] = {
    {"v_mov_b16@11", "u16 = u16", unchanged},
    {"v_and_b16@11", "u16 = u16 u16", logic, 0b1000},
    {"v_or_b16@11", "u16 = u16 u16", logic, 0b1110},
    {"v_xor_b16@11", "u16 = u16 u16", logic, 0b0110},
    {"v_not_b16@11", "u16 = u16", [](Q q) -> Answer { return 65535 - q[0]; }},
    {"v_cndmask_b16@11", "f16 = f16 f16 carry", [](Q q) -> Answer { return q[q.carry() ? 1 : 0]; }},
    {"v_lshlrev_b16", "u16 = u16 u16", shiftedLeft},
    {"v_lshrrev_b16", "u16 = u16 u16", shiftedRight},
    {"v_ashrrev_i16", "i16 = u16 i16", shiftedRight},
    {"v_cvt_u32_u16@11", "u32 = u16", unchanged},
    {"v_cvt_i32_i16@11", "i32 = i16", unchanged},
    {"v_cvt_pk_i16_i32", "u32 = i32 i32", pairOfShorts},
    {"v_cvt_pk_u16_u32", "u32 = u32 u32", pairOfShorts},
    {"v_sat_pk_u8_i16", "u16 = u32", pairOfBytes},
};

/// The last number of ranked is the rank, from 0 for the smallest source.
static const Definition OrderDefinitions[] = {
    {"v_min_i16", "i16 = i16 i16", [](Q q) -> Answer { return q[0] < q[1] ? q[0] : q[1]; }},
    {"v_max_i16", "i16 = i16 i16", [](Q q) -> Answer { return q[0] > q[1] ? q[0] : q[1]; }},
    {"v_min_u16", "u16 = u16 u16", [](Q q) -> Answer { return q[0] < q[1] ? q[0] : q[1]; }},
    {"v_max_u16", "u16 = u16 u16", [](Q q) -> Answer { return q[0] > q[1] ? q[0] : q[1]; }},
    {"v_min3_i16", "i16 = i16 i16 i16 preserves", ranked, 0},
    {"v_max3_i16", "i16 = i16 i16 i16 preserves", ranked, 2},
    {"v_min3_u16", "u16 = u16 u16 u16 preserves", ranked, 0},
    {"v_max3_u16", "u16 = u16 u16 u16 preserves", ranked, 2},
    {"v_med3_i16", "i16 = i16 i16 i16 preserves", ranked, 1},
    {"v_med3_u16", "u16 = u16 u16 u16 preserves", ranked, 1},
};

void definitions::defineVectorShorts(DefinitionSink sink) {
  defineAll(sink, ArithmeticDefinitions);
  defineAll(sink, BitDefinitions);
  defineAll(sink, OrderDefinitions);
}
