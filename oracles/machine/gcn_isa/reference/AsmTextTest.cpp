// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/reference/AsmText.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::gcn;

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
