// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/Decoder.h"
#include "support/Error.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::gcn;

static std::vector<uint8_t> toBytes(std::initializer_list<uint32_t> words) {
  std::vector<uint8_t> bytes;
  for (uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i)
      bytes.push_back(uint8_t(word >> (8 * i)));
  return bytes;
}

static Inst decodeOne(llvm::StringRef cpu, unsigned waveSize,
                      std::initializer_list<uint32_t> words) {
  auto decoder = Decoder::create(cpu, waveSize);
  if (!decoder) {
    ADD_FAILURE() << takeError(decoder.takeError()).message;
    return {};
  }
  return (*decoder)->decode(toBytes(words), 0);
}

TEST(Decoder, ReadsScalarAndVectorOperands) {
  Inst inst = decodeOne("gfx900", 64, {0xd134'0003, 0x0002'0005});
  ASSERT_TRUE(inst.valid);
  EXPECT_EQ(inst.mnemonic, "v_add_u32");
  EXPECT_TRUE(inst.isVop3);
  EXPECT_EQ(inst.size, 8u);
  ASSERT_EQ(inst.operands.size(), 3u);
  EXPECT_EQ(inst.operands[0].type, OperandType::Vgpr);
  EXPECT_EQ(inst.operands[0].index, 3);
  EXPECT_EQ(inst.operands[1].type, OperandType::Sgpr);
  EXPECT_EQ(inst.operands[1].index, 5);
}

TEST(Decoder, ReadsBufferModifiers) {
  Inst inst = decodeOne("gfx1201", 32, {0xc405'007c, 0x4080'0000, 0x0000'0001});
  ASSERT_TRUE(inst.valid);
  EXPECT_EQ(inst.mnemonic, "buffer_load_b32");
  EXPECT_EQ(inst.size, 12u);
  EXPECT_TRUE(inst.mods.offen);
  ASSERT_EQ(inst.operands.size(), 4u);
  EXPECT_EQ(inst.operands[2].dwords, 4);
  EXPECT_EQ(inst.operands[3].index, sreg::Null);
}

TEST(Decoder, WritesMinusBeforeLit) {
  EXPECT_EQ(decodeOne("gfx1100", 32, {0xd613'0000, 0x240a'02ff, 0x1234'5678}).text,
            "v_fma_f32 v0, neg(0x12345678), v1, v2");
  EXPECT_EQ(decodeOne("gfx1100", 32, {0xd613'0000, 0x240a'02ff, 0x3f80'0000}).text,
            "v_fma_f32 v0, -lit(0x3f800000), v1, v2");
}

TEST(Decoder, RefusesGarbageInFourBytes) {
  Inst inst = decodeOne("gfx1100", 32, {0xffff'ffff, 0});
  EXPECT_FALSE(inst.valid);
  EXPECT_EQ(inst.size, 4u);
}

TEST(Decoder, RefusesLiteralCutOff) {
  EXPECT_FALSE(decodeOne("gfx1100", 32, {0x8980'ff00}).valid);
}

TEST(Decoder, UnknownChipIsUnsupported) {
  auto decoder = Decoder::create("gfx9999", 64);
  ASSERT_FALSE(bool(decoder));
  EXPECT_EQ(takeError(decoder.takeError()).kind, ErrorKind::Unsupported);
}
