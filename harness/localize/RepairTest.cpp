// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Repair.h"

#include "harness/localize/CodeChanges.h"
#include "oracles/machine/gcn_isa/Assembler.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "oracles/pal_elf/ElfView.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace assay;

/// The one instruction \p text, assembled by LLVM.
static gcn::Inst assemble(StringRef text, StringRef cpu, unsigned waveSize) {
  Expected<std::vector<uint8_t>> elf = gcn::assembleElf((text + "\n").str(), cpu, waveSize);
  if (!elf) {
    ADD_FAILURE() << text.str() << ": " << takeError(elf.takeError()).message;
    return {};
  }
  ElfView view = cantFail(ElfView::read(*elf));
  return gcn::TableDecoder(*gcn::findChip(cpu), waveSize)
      .decode(view.findSection(".text")->bytes, 0);
}

static std::vector<CodeChange> changesOf(StringRef text, StringRef cpu, unsigned waveSize) {
  return listChanges(assemble(text, cpu, waveSize), *gcn::findChip(cpu), waveSize);
}

namespace {
struct ChangeCase {
  StringLiteral cpu;
  unsigned waveSize;
  StringLiteral kind, text, changed;
};
} // namespace

static constexpr ChangeCase cases[] = {
    {"gfx900", 64, "comparison", "v_cmp_lt_u32_e32 vcc, v0, v1", "v_cmp_le_u32_e32 vcc, v0, v1"},
    {"gfx900", 64, "comparison", "v_cmp_lt_u32_e32 vcc, v0, v1", "v_cmp_lt_i32_e32 vcc, v0, v1"},
    {"gfx900", 64, "comparison", "s_cmp_ge_i32 s2, 9", "s_cmp_gt_i32 s2, 9"},
    {"gfx900", 64, "comparison", "s_cmp_lg_u32 s2, s3", "s_cmp_eq_u32 s2, s3"},
    {"gfx1100", 32, "comparison", "v_cmpx_eq_u32_e32 v0, v1", "v_cmpx_ne_u32_e32 v0, v1"},
    {"gfx1201", 32, "comparison", "v_cmp_nle_f32_e64 s4, |v0|, s5",
     "v_cmp_nlt_f32_e64 s4, |v0|, s5"},
    {"gfx900", 64, "branch", "s_cbranch_scc0 8", "s_cbranch_scc1 8"},
    {"gfx1100", 32, "branch", "s_cbranch_execnz 65522", "s_cbranch_execz 65522"},
    {"gfx1201", 32, "branch", "s_cbranch_vccz 1", "s_cbranch_vccnz 1"},
    {"gfx900", 64, "arithmetic", "v_sub_u32_e32 v1, 1, v0", "v_add_u32_e32 v1, 1, v0"},
    {"gfx900", 64, "arithmetic", "v_sub_u32_e32 v1, 1, v0", "v_subrev_u32_e32 v1, 1, v0"},
    {"gfx900", 64, "arithmetic", "v_lshrrev_b32_e32 v1, 1, v0", "v_ashrrev_i32_e32 v1, 1, v0"},
    {"gfx1100", 32, "arithmetic", "s_min_i32 s0, s1, s2", "s_max_i32 s0, s1, s2"},
    {"gfx1100", 32, "arithmetic", "v_dual_add_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4",
     "v_dual_sub_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4"},
    {"gfx1100", 32, "arithmetic", "v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v3, v4, v5",
     "v_dual_mov_b32 v0, v1 :: v_dual_sub_f32 v3, v4, v5"},
    {"gfx1201", 32, "arithmetic", "s_add_co_u32 s0, s1, s2", "s_sub_co_u32 s0, s1, s2"},
    {"gfx900", 64, "address", "buffer_load_dword v0, v1, s[4:7], 0 offen offset:4",
     "buffer_load_dword v0, v1, s[4:7], 0 offen"},
    {"gfx900", 64, "address", "s_load_dwordx4 s[4:7], s[0:1], 0x10",
     "s_load_dwordx4 s[4:7], s[0:1], 0x14"},
    {"gfx1100", 32, "address", "ds_load_2addr_b32 v[0:1], v2 offset0:1 offset1:2",
     "ds_load_2addr_b32 v[0:1], v2 offset0:1 offset1:3"},
    {"gfx1201", 32, "address", "buffer_store_b32 v0, off, s[4:7], null offset:8",
     "buffer_store_b32 v0, off, s[4:7], null offset:7"},
    {"gfx900", 64, "register", "v_mul_lo_u32 v0, v1, v2", "v_mul_lo_u32 v0, v1, v1"},
    {"gfx900", 64, "register", "v_mul_lo_u32 v0, v1, v2", "v_mul_lo_u32 v1, v1, v2"},
    {"gfx1100", 32, "register", "s_load_b64 s[4:5], s[0:1], null",
     "s_load_b64 s[4:5], s[2:3], null"},
    {"gfx1201", 32, "register", "s_mov_b32 s5, s105", "s_mov_b32 s5, s104"},
    {"gfx900", 64, "constant", "v_lshlrev_b32_e32 v0, 3, v0", "v_lshlrev_b32_e32 v0, 2, v0"},
    {"gfx1100", 32, "constant", "s_mov_b32 s0, 0x12345", "s_mov_b32 s0, 0x12346"},
    {"gfx1201", 32, "constant", "s_movk_i32 s0, 0x100", "s_movk_i32 s0, 0x101"},
    {"gfx900", 64, "modifier", "v_add_f32_e64 v0, v1, -v2", "v_add_f32_e64 v0, v1, v2"},
    {"gfx1201", 32, "modifier", "v_add_f32_e64 v0, v1, s2", "v_add_f32_e64 v0, |v1|, s2"},
};

/// LLVM's assembler says what the changed instruction is as words.
TEST(CodeChanges, AreWhatTheirKindSays) {
  for (const ChangeCase &each : cases) {
    SCOPED_TRACE(each.cpu.str() + " " + each.text.str());
    std::vector<CodeChange> changes = changesOf(each.text, each.cpu, each.waveSize);
    auto found =
        find_if(changes, [&](const CodeChange &own) { return own.inst.text == each.changed; });
    ASSERT_NE(found, changes.end());
    EXPECT_EQ(found->kind, each.kind);
    gcn::Inst wanted = assemble(each.changed, each.cpu, each.waveSize);
    ASSERT_EQ(found->inst.size, wanted.size);
    for (unsigned word = 0; word < wanted.size / sizeof(uint32_t); ++word)
      EXPECT_EQ(found->inst.words[word], wanted.words[word]);
  }
}

/// Each is another one, of the same size, and there once; rows are in their order.
TEST(CodeChanges, AreNeighbours) {
  for (const ChangeCase &each : cases) {
    SCOPED_TRACE(each.cpu.str() + " " + each.text.str());
    gcn::Inst inst = assemble(each.text, each.cpu, each.waveSize);
    std::set<std::string> texts = {inst.text};
    unsigned row = 0;
    for (const CodeChange &change : changesOf(each.text, each.cpu, each.waveSize)) {
      EXPECT_TRUE(change.inst.valid);
      EXPECT_EQ(change.inst.size, inst.size);
      EXPECT_TRUE(texts.insert(change.inst.text).second) << change.inst.text;
      EXPECT_GE(change.row, row);
      row = change.row;
    }
  }
}

/// Waits, targets and special registers have no neighbours.
TEST(CodeChanges, LeaveTheRestAlone) {
  for (StringRef text : {"s_waitcnt vmcnt(0)", "s_branch 4", "s_endpgm", "s_barrier"})
    EXPECT_TRUE(changesOf(text, "gfx900", 64).empty()) << text.str();
  EXPECT_TRUE(changesOf("s_waitcnt_vscnt null, 0x1", "gfx1030", 32).empty());
  for (const CodeChange &change : changesOf("s_mov_b64 exec, s[0:1]", "gfx900", 64))
    EXPECT_TRUE(StringRef(change.inst.text).starts_with("s_mov_b64 exec, ")) << change.inst.text;
  // Beyond the last inline constant a literal would be needed.
  for (const CodeChange &change : changesOf("v_add_u32_e32 v0, 64, v0", "gfx900", 64))
    EXPECT_NE(change.inst.text, "v_add_u32_e32 v0, 0x41, v0");
}

static CodeRepair repair(unsigned row, size_t order, StringRef kind) {
  return {row, order, kind.str(), "", ""};
}

TEST(Repair, ChoosesTheFirstRowThenWhatRunsFirst) {
  EXPECT_FALSE(chooseRepair({}));
  std::vector<CodeRepair> repairs = {repair(5, 1, "register"), repair(3, 9, "arithmetic"),
                                     repair(3, 4, "arithmetic"), repair(6, 0, "constant")};
  std::optional<CodeRepair> chosen = chooseRepair(repairs);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->row, 3u);
  EXPECT_EQ(chosen->order, 4u);
}

/// Two rows of one kind are one kind.
TEST(Repair, SaysNothingWhereTooManyKindsWouldDo) {
  std::vector<CodeRepair> repairs = {repair(0, 0, "comparison"), repair(1, 0, "branch"),
                                     repair(2, 0, "comparison"), repair(3, 0, "arithmetic"),
                                     repair(3, 1, "arithmetic"), repair(4, 0, "address")};
  EXPECT_TRUE(chooseRepair(repairs));
  repairs.push_back(repair(5, 0, "register"));
  EXPECT_FALSE(chooseRepair(repairs));
}

TEST(Repair, VariantsDifferInEachValue) {
  for (unsigned bytes : {1u, 2u, 4u, 8u}) {
    std::set<uint64_t> all;
    for (unsigned variant = 0; variant < variantCount; ++variant) {
      uint64_t value = varyValue(100, bytes, 3, variant);
      EXPECT_EQ(value & ~(~uint64_t(0) >> (64 - bytes * 8)), 0u);
      all.insert(value);
    }
    // Of a byte, bits come round again.
    EXPECT_GE(all.size(), bytes == 1 ? 12u : variantCount - 4);
  }
  EXPECT_EQ(varyValue(100, 4, 0, 0), 101u);
  EXPECT_EQ(varyValue(0, 4, 0, 1), 0xffff'ffffu);
  EXPECT_NE(varyValue(5, 4, 0, 3), varyValue(5, 4, 1, 3));
}
