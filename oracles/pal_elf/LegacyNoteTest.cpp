// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The legacy metadata note, as LLVM's assembler and compiler still write it: rules look at what it
// says as at any other metadata.
#include "oracles/pal_elf/LegacyNote.h"

#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/mutants/MutationTesting.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

static constexpr StringRef legacyText = R"(
	.text
	.globl _amdgpu_cs_main
	.p2align 8
	.type _amdgpu_cs_main,@function
_amdgpu_cs_main:
	v_mov_b32 v7, 0
	scratch_store_dword off, v7, s0
	s_endpgm
.Lend:
	.size _amdgpu_cs_main, .Lend-_amdgpu_cs_main
	.fill 64, 4, 0xbf9f0000
	.amd_amdgpu_pal_metadata 0x2e12, 0xc0001, 0x2e13, 9, 0x10000027, 8, 0x1000002e, 8, 0x1000004a, 64
)";

static std::set<std::string> rulesOf(const Base &base, ArrayRef<Replacement> edits) {
  std::set<std::string> rules;
  for (const Finding &finding : cantFail(validateElf(assemble(base, edits), {})))
    if (finding.severity != Severity::Note)
      rules.insert(finding.rule);
  return rules;
}

TEST(LegacyNote, BecomesMetadata) {
  Base base = {legacyText, "gfx1030"};
  Bytes bytes = assemble(base);
  std::optional<MsgValue> root = readLegacyNote(cantFail(ElfView::read(bytes)));
  ASSERT_TRUE(root);
  const MsgValue &pipeline = root->find("amdpal.pipelines")->items[0];
  const MsgValue *stage = pipeline.find(".hardware_stages")->find(".cs");
  ASSERT_NE(stage, nullptr);
  EXPECT_EQ(stage->find(".vgpr_count")->asUint(), 8u);
  EXPECT_EQ(stage->find(".sgpr_count")->asUint(), 8u);
  EXPECT_EQ(stage->find(".scratch_memory_size")->asUint(), 64u);
  EXPECT_EQ(pipeline.find(".registers")->mapSize(), 2u);
  EXPECT_FALSE(readLegacyNote(cantFail(ElfView::read(assemble(computeBase)))));
}

TEST(LegacyNote, IsJudgedAsOtherMetadata) {
  Base base = {legacyText, "gfx1030"};
  // PAL loads no such ELF; the rest is in order.
  std::set<std::string> refused = {"ELF-09", "ELF-10"};
  EXPECT_EQ(rulesOf(base, {}), refused);
  auto with = [&](std::set<std::string> rules) {
    rules.insert(refused.begin(), refused.end());
    return rules;
  };
  EXPECT_EQ(rulesOf(base, Replacement{"v_mov_b32 v7", "v_mov_b32 v8"}), with({"MC-06"}));
  EXPECT_EQ(rulesOf(base, Replacement{"0x1000004a, 64", "0x1000004a, 0"}),
            with({"MC-08", "RES-12"}));
  EXPECT_EQ(rulesOf(base, Replacement{"0x10000027, 8", "0x10000027, 257"}), with({"RES-02"}));
}

TEST(LegacyNote, IsReadFromWhatLlvmCompiles) {
  Bytes bytes =
      runTool("llc-22", {"-mtriple=amdgcn-amd-amdpal", "-mcpu=gfx1030"},
              "define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(1) inreg %p, i32 %a) {\n"
              "  store i32 %a, ptr addrspace(1) %p\n  ret void\n}\n"
              "!amdgpu.pal.metadata = !{!0}\n!0 = !{i32 11840, i32 0}\n");
  ElfView elf = cantFail(ElfView::read(bytes));
  ASSERT_TRUE(readLegacyNote(elf));
  std::vector<Finding> findings = cantFail(validateElf(bytes, {}));
  for (const Finding &finding : findings)
    EXPECT_TRUE(finding.severity == Severity::Note || finding.rule == "ELF-09" ||
                finding.rule == "ELF-10")
        << show(findings);
}
