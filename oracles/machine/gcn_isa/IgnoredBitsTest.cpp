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
