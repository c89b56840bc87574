// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that no assembler writes: the decoder answers, and stays inside what it was given.
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "gtest/gtest.h"
#include <random>

using namespace assay;
using namespace assay::gcn;

static std::vector<uint8_t> bytesOf(const Words &words, unsigned count) {
  std::vector<uint8_t> bytes;
  for (unsigned i = 0; i < count * 4; ++i)
    bytes.push_back(uint8_t(words.dwords[i / 4] >> (8 * (i % 4))));
  return bytes;
}

TEST(TableDecoder, EveryFormCutOffIsInvalid) {
  std::mt19937_64 random(3);
  unsigned cut = 0;
  for (unsigned chip = 0; chip < ChipCount; ++chip) {
    TableDecoder decoder(Chip(chip), chip ? 32 : 64);
    for (const InstForm *form : IsaTable::get(Chip(chip)).forms()) {
      const FormatLayout &layout = *form->layout;
      Words words;
      for (uint32_t &dword : words.dwords)
        dword = static_cast<uint32_t>(random());
      words.dwords[0] = (words.dwords[0] & ~layout.mask) | layout.value;
      words.dwords[1] = (words.dwords[1] & ~layout.mask1) | layout.value1;
      if (const FieldPlace *place = layout.find(Field::Op))
        words.set(place->lsb, place->width, form->opcode);
      Inst whole = decoder.decode(bytesOf(words, MaxWords), 0);
      ASSERT_LE(whole.size, MaxWords * 4);
      for (unsigned count = 1; count * 4 < whole.size; ++count) {
        Inst part = decoder.decode(bytesOf(words, count), 0);
        ASSERT_TRUE(!part.valid || part.size <= count * 4) << whole.text;
        ++cut;
      }
    }
  }
  EXPECT_GT(cut, 5000u);
}

TEST(TableDecoder, FormsHaveUniqueOpcodes) {
  for (unsigned chip = 0; chip < ChipCount; ++chip) {
    const IsaTable &table = IsaTable::get(Chip(chip));
    EXPECT_GT(table.forms().size(), 1500u);
    for (const InstForm *form : table.forms())
      EXPECT_EQ(table.find(form->layout->format, form->opcode), form) << form->name.str();
  }
}

TEST(TableDecoder, KeepsWholeLiteralsOfShortOperands) {
  // v_add_f16 v6.l, 0x12345678, v8.l: the text shows the half that the operation sees.
  TableDecoder decoder(Chip::Gfx1100, 32);
  Words words{{0x640c10ff, 0x12345678}};
  Inst inst = decoder.decode(bytesOf(words, 2), 0);
  ASSERT_TRUE(inst.valid);
  EXPECT_EQ(inst.text, "v_add_f16_e32 v6.l, 0x5678, v8.l");
  EXPECT_EQ(inst.operands[1].value, 0x12345678);
}

TEST(TableDecoder, NamesHalvesOnGfx12) {
  TableDecoder decoder(Chip::Gfx1201, 32);
  // v_add_f16 with bit 7 of its second source.
  Words words{{0x640d1104}};
  Inst inst = decoder.decode(bytesOf(words, 1), 0);
  ASSERT_TRUE(inst.valid);
  EXPECT_EQ(inst.operands[2].half, RegisterHalf::High);
  EXPECT_EQ(inst.operands[2].index, 8);
  EXPECT_EQ(inst.operands[0].half, RegisterHalf::Whole);
}
