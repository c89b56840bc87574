// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/Decoder.h"
#include "oracles/machine/gcn_isa/AsmText.h"
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

TEST(AsmText, ReadsSourceModifiers) {
  Inst inst;
  parseAsmText("v_fma_f32 v0, -v1, |v2|, -|v3| clamp mul:2", inst);
  ASSERT_TRUE(inst.valid);
  ASSERT_EQ(inst.operands.size(), 4u);
  EXPECT_TRUE(inst.operands[1].neg && !inst.operands[1].abs);
  EXPECT_TRUE(inst.operands[2].abs && !inst.operands[2].neg);
  EXPECT_TRUE(inst.operands[3].abs && inst.operands[3].neg);
  EXPECT_TRUE(inst.mods.clamp);
  EXPECT_EQ(inst.mods.omod, 1);
}

TEST(AsmText, ReadsConstants) {
  Inst inst;
  parseAsmText("v_fma_f32 v0, -4, 0.15915494, 0xff00", inst);
  EXPECT_EQ(inst.operands[1].type, OperandType::Integer);
  EXPECT_EQ(inst.operands[1].value, -4);
  EXPECT_FALSE(inst.operands[1].neg);
  EXPECT_EQ(inst.operands[2].type, OperandType::Float);
  EXPECT_EQ(inst.operands[3].type, OperandType::Literal);
  Inst marked;
  parseAsmText("s_add_u32 s20, s20, lit(0x14)", marked);
  EXPECT_EQ(marked.operands[2].type, OperandType::Literal);
  EXPECT_EQ(marked.operands[2].value, 0x14);
}

TEST(AsmText, ReadsDppAndSdwa) {
  Inst inst;
  parseAsmText("v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xa bank_mask:0xf bound_ctrl:1",
               inst);
  EXPECT_EQ(inst.mnemonic, "v_mov_b32");
  EXPECT_EQ(inst.mods.dpp, DppControl::QuadPerm);
  EXPECT_EQ(inst.mods.dppValue, 0xb1);
  EXPECT_EQ(inst.mods.rowMask, 0xa);
  EXPECT_TRUE(inst.mods.boundCtrl);
  Inst sdwa;
  parseAsmText("v_add_u32_sdwa v0, sext(v1), v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
               "src0_sel:BYTE_0 src1_sel:WORD_1",
               sdwa);
  EXPECT_TRUE(sdwa.mods.sdwa);
  EXPECT_TRUE(sdwa.operands[1].sext);
  EXPECT_EQ(sdwa.mods.dstSel, Sdwa::Word1);
  EXPECT_EQ(sdwa.mods.srcSel[1], Sdwa::Word1);
  EXPECT_EQ(sdwa.mods.dstUnused, SdwaUnused::Preserve);
}

TEST(AsmText, SplitsDualInstructions) {
  Inst inst;
  parseAsmText("v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v3, v4, v5", inst);
  ASSERT_TRUE(inst.valid);
  EXPECT_EQ(inst.mnemonic, "v_dual_mov_b32");
  ASSERT_EQ(inst.dual.size(), 1u);
  EXPECT_EQ(inst.dual[0].mnemonic, "v_dual_add_f32");
  EXPECT_EQ(inst.dual[0].operands.size(), 3u);
}

TEST(AsmText, ReadsRegisterHalves) {
  Inst inst;
  parseAsmText("v_add_f16_e32 v0.l, v1.h, v2.l", inst);
  ASSERT_EQ(inst.operands.size(), 3u);
  EXPECT_EQ(inst.operands[0].half, RegisterHalf::Low);
  EXPECT_EQ(inst.operands[1].half, RegisterHalf::High);
  EXPECT_EQ(inst.operands[1].index, 1);
}

TEST(AsmText, ModifierWithoutOperandIsNoOperand) {
  Inst inst;
  parseAsmText("global_inv scope:SCOPE_SE", inst);
  EXPECT_TRUE(inst.valid);
  EXPECT_TRUE(inst.operands.empty());
}
