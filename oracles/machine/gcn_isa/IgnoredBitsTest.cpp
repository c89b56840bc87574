// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/IgnoredBits.h"

#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "llvm/Support/Endian.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
struct Row {
  const char *what;
  Chip chip;
  uint32_t words[2];
  const char *name;
  const char *ignored; ///< An empty string for clean twins.
};
} // namespace

static constexpr Row Encodings[] = {
    {"ACO writes 0x4000 as the swapped halves of 2.0",
     Chip::Gfx1100,
     {0xcc164800, 0x320200f4},
     "v_dot4_i32_iu8",
     "op_sel"},
    {"neg says which operands of iu8 are signed",
     Chip::Gfx1100,
     {0xcc164000, 0x3a0200f4},
     "v_dot4_i32_iu8",
     ""},
    {"neg of a third operand that is an integer",
     Chip::Gfx1100,
     {0xcc164000, 0x9c0e0501},
     "v_dot4_i32_iu8",
     "neg"},
    {"neg_hi of bytes", Chip::Gfx1201, {0xcc164100, 0x1c0e0501}, "v_dot4_i32_iu8", "neg_hi"},
    {"neg of unsigned bytes", Chip::Gfx1030, {0xcc174000, 0x3c0e0501}, "v_dot4_u32_u8", "neg"},
    {"neg_hi of unsigned nibbles",
     Chip::Gfx1201,
     {0xcc194100, 0x1c0e0501},
     "v_dot8_u32_u4",
     "neg_hi"},
    {"neg of signed bytes", Chip::Gfx1030, {0xcc164000, 0x3c0e0501}, "v_dot4_i32_i8", "neg"},
    {"GlobalISel writes the negation of halves into a product of integers",
     Chip::Gfx1030,
     {0xcc144100, 0x3c0e0501},
     "v_dot2_i32_i16",
     "neg, neg_hi"},
    {"GlobalISel, of a packed addition of integers",
     Chip::Gfx1030,
     {0xcc0a4100, 0x3a020501},
     "v_pk_add_u16",
     "neg, neg_hi"},
    {"SelectionDAG writes both for the negation of an addend of 32 bits",
     Chip::Gfx1100,
     {0xcc134400, 0x9c0e0501},
     "v_dot2_f32_f16",
     "neg, neg_hi"},
    {"signs of halves in a dot product",
     Chip::Gfx1100,
     {0xcc134300, 0x7c0e0501},
     "v_dot2_f32_f16",
     ""},
    {"the sign of an addend", Chip::Gfx1201, {0xcc244400, 0x9c0e0501}, "v_dot4_f32_fp8_bf8", ""},
    {"signs of a packed addition of floats",
     Chip::Gfx1030,
     {0xcc0f4300, 0x7a020501},
     "v_pk_add_f16",
     ""},
    {"op_sel of a dot product of halves",
     Chip::Gfx1100,
     {0xcc134800, 0x1a0200f4},
     "v_dot2_f32_f16",
     ""},
    {"op_sel of a packed addition", Chip::Gfx1100, {0xcc0f4800, 0x1a0200f4}, "v_pk_add_f16", ""},
    {"no modifiers", Chip::Gfx1100, {0xd7600000, 0x00000300}, "v_readlane_b32", ""},
    {"abs of an integer", Chip::Gfx1100, {0xd5250100, 0x00020300}, "v_add_nc_u32", "abs"},
    {"omod of an integer", Chip::Gfx1100, {0xd5250000, 0x08020300}, "v_add_nc_u32", "omod"},
};

TEST(IgnoredBits, NamesModifiersThatDoNotApply) {
  for (const Row &row : Encodings) {
    uint8_t bytes[8];
    support::endian::write32le(bytes, row.words[0]);
    support::endian::write32le(bytes + 4, row.words[1]);
    Inst inst = TableDecoder(row.chip, 32).decode(bytes, 0);
    ASSERT_TRUE(inst.valid) << row.what;
    EXPECT_EQ(inst.mnemonic, row.name) << row.what;
    Words bits = findIgnoredBits(inst, row.chip, 32);
    EXPECT_EQ(describeIgnoredModifiers(inst, bits), row.ignored) << row.what << ": " << inst.text;
  }
}
