// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of integers, exact and saturated at the end. Source: AMD's ISA manuals (Vega 7 nm,
// RDNA 2, RDNA 3, CDNA), V_DOT2_I32_I16 and its kin.
#include "oracles/machine/gcn_alu/definitions/Definition.h"

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

/// Elements of \p width bits; which sources are signed is a bit each.
static Exact products(Q q, unsigned width, unsigned signedSources) {
  Exact sum = 0;
  for (unsigned shift = 0; shift < 32; shift += width) {
    Exact a = numberOf(q.bits(0) >> shift, width, signedSources & 1);
    Exact b = numberOf(q.bits(1) >> shift, width, signedSources & 2);
    sum += a * b;
  }
  return sum;
}

/// q.parameter is the elements' width.
static Answer unsignedDot(Q q) {
  return q[2] + products(q, unsigned(q.parameter), 0);
}

/// q.parameter is the elements' width, here and below.
static Answer signedDot(Q q) {
  return q[2] + products(q, unsigned(q.parameter), 3);
}

/// The NEG bits of the first two sources say whether they are signed.
static Answer eitherDot(Q q) {
  return q[2] + products(q, unsigned(q.parameter), q.input.signedSources);
}

/// The last number is the width of an element in bits.
static const Definition Definitions[] = {
    {"v_dot2_i32_i16@9-10", "i32 = pki16 pki16 i32 clamp", signedDot, 16},
    {"v_dot2_u32_u16@9-10", "u32 = pku16 pku16 u32 clamp", unsignedDot, 16},
    {"v_dot4_i32_i8@9-10", "i32 = pkb8 pkb8 i32 clamp", signedDot, 8},
    {"v_dot4_u32_u8", "u32 = pkb8 pkb8 u32 clamp", unsignedDot, 8},
    {"v_dot8_i32_i4@9-10", "i32 = pkb4 pkb4 i32 clamp", signedDot, 4},
    {"v_dot8_u32_u4", "u32 = pkb4 pkb4 u32 clamp", unsignedDot, 4},
    {"v_dot4_i32_iu8@11", "i32 = pkb8 pkb8 i32 clamp", eitherDot, 8},
    {"v_dot8_i32_iu4@11", "i32 = pkb4 pkb4 i32 clamp", eitherDot, 4},
    {"v_dot4c_i32_i8@9-10", "i32 = pkb8 pkb8 old:i32 clamp", signedDot, 8},
};

void definitions::defineIntegerDots(DefinitionSink sink) {
  defineAll(sink, Definitions);
}
