// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector operations on one 16-bit integer. Which half of a register is meant (op_sel, .l/.h) is the
// wave machine's business; so is the other half of the destination, by zeroesHighHalf.
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Short.h"
#include "oracles/machine/gcn_alu/Tables.h"

using namespace assay::gcn;

using U16 = uint16_t;
using I16 = int16_t;

/// PreservesHigh marks rows that keep the other half of the register where others clear it
/// (zeroesHighHalf).
static constexpr AluOp arithmeticRows[] = {
    valu<[](U16 a, U16 b, Clamp c) { return fit16<U16>(a + b, c.value); }>("v_add_u16", 9, 9),
    valu<[](U16 a, U16 b, Clamp c) { return fit16<U16>(a + b, c.value); }>("v_add_nc_u16", 10),
    valu<[](U16 a, U16 b, Clamp c) { return fit16<U16>(a - b, c.value); }>("v_sub_u16", 9, 9),
    valu<[](U16 a, U16 b, Clamp c) { return fit16<U16>(a - b, c.value); }>("v_sub_nc_u16", 10),
    valu<[](U16 a, U16 b, Clamp c) { return fit16<U16>(b - a, c.value); }>("v_subrev_u16", 9, 9),
    valu<[](I16 a, I16 b, Clamp c) { return fit16<I16>(a + b, c.value); }>("v_add_i16", 9, 9,
                                                                           PreservesHigh),
    valu<[](I16 a, I16 b, Clamp c) { return fit16<I16>(a + b, c.value); }>("v_add_nc_i16", 10),
    valu<[](I16 a, I16 b, Clamp c) { return fit16<I16>(a - b, c.value); }>("v_sub_i16", 9, 9,
                                                                           PreservesHigh),
    valu<[](I16 a, I16 b, Clamp c) { return fit16<I16>(a - b, c.value); }>("v_sub_nc_i16", 10),
    valu<[](U16 a, U16 b) { return U16(unsigned(a) * b); }>("v_mul_lo_u16"),
    valu<madU16>("v_mad_u16", 9, 12, PreservesHigh),
    valu<madI16>("v_mad_i16", 9, 12, PreservesHigh),
    valu<madU16>("v_mad_legacy_u16", 9, 9),
    valu<madI16>("v_mad_legacy_i16", 9, 9),
};

/// Most start with GFX11, the first generation with registers for halves.
static constexpr AluOp bitRows[] = {
    valu<[](U16 a) { return a; }>("v_mov_b16", 11),
    valu<[](U16 a, U16 b) { return U16(a & b); }>("v_and_b16", 11),
    valu<[](U16 a, U16 b) { return U16(a | b); }>("v_or_b16", 11),
    valu<[](U16 a, U16 b) { return U16(a ^ b); }>("v_xor_b16", 11),
    valu<[](U16 a) { return U16(~a); }>("v_not_b16", 11),
    {"v_cndmask_b16",
     [](const AluInput &input, const AluMode &) {
       return AluOutput{input.src[input.carry ? 1 : 0], false};
     },
     OperandKind::F16,
     {OperandKind::F16, OperandKind::F16, OperandKind::None},
     CarryIn,
     11},
    valu<[](U16 a, U16 b) { return U16(b << (a & 15)); }>("v_lshlrev_b16"),
    valu<[](U16 a, U16 b) { return U16(b >> (a & 15)); }>("v_lshrrev_b16"),
    valu<[](U16 a, I16 b) { return I16(b >> (a & 15)); }>("v_ashrrev_i16"),
    valu<[](U16 a) { return uint32_t(a); }>("v_cvt_u32_u16", 11),
    valu<[](I16 a) { return int32_t(a); }>("v_cvt_i32_i16", 11),
};

/// Forms with three sources keep the other half of the register on all generations.
static constexpr AluOp minMaxRows[] = {
    valu<[](I16 a, I16 b) { return std::min(a, b); }>("v_min_i16"),
    valu<[](I16 a, I16 b) { return std::max(a, b); }>("v_max_i16"),
    valu<[](U16 a, U16 b) { return std::min(a, b); }>("v_min_u16"),
    valu<[](U16 a, U16 b) { return std::max(a, b); }>("v_max_u16"),
    valu<[](I16 a, I16 b, I16 c) { return std::min({a, b, c}); }>("v_min3_i16", 9, 12,
                                                                  PreservesHigh),
    valu<[](I16 a, I16 b, I16 c) { return std::max({a, b, c}); }>("v_max3_i16", 9, 12,
                                                                  PreservesHigh),
    valu<[](U16 a, U16 b, U16 c) { return std::min({a, b, c}); }>("v_min3_u16", 9, 12,
                                                                  PreservesHigh),
    valu<[](U16 a, U16 b, U16 c) { return std::max({a, b, c}); }>("v_max3_u16", 9, 12,
                                                                  PreservesHigh),
    valu<[](I16 a, I16 b, I16 c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }>(
        "v_med3_i16", 9, 12, PreservesHigh),
    valu<[](U16 a, U16 b, U16 c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }>(
        "v_med3_u16", 9, 12, PreservesHigh),
};

void assay::gcn::addValuShortRows(RowSink sink) {
  sink(arithmeticRows);
  sink(bitRows);
  sink(minMaxRows);
}
