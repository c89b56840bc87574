// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hazards of straight code that is watched but not executed: forms that no kernel of
// PlantedFaultsTest.cpp can have, and how far each rule of the table reaches.
#include "oracles/machine/gcn/WaveTesting.h"
#include "oracles/machine/gcn/sanitizer/Hazards.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// The rules that report \p text, in the order of the code.
static std::vector<std::string> watch(StringRef target, StringRef text, unsigned waveSize = 32) {
  WaveBench bench(target, waveSize, text);
  std::vector<std::string> rules;
  if (!bench.wave)
    return rules;
  const Program &program = *bench.group().program;
  Hazards hazards(program);
  for (auto [op, facts] : zip(program.ops().drop_back(), program.facts()))
    hazards.before(*bench.wave, op, facts);
  for (const Finding &finding : bench.group().reports)
    rules.push_back(finding.rule);
  return rules;
}

/// The instructions that are blamed, by the number of their line in \p text.
static std::vector<unsigned> blame(StringRef target, StringRef text, unsigned waveSize = 32) {
  WaveBench bench(target, waveSize, text);
  std::vector<unsigned> lines;
  if (!bench.wave)
    return lines;
  const Program &program = *bench.group().program;
  Hazards hazards(program);
  for (auto [op, facts] : zip(program.ops().drop_back(), program.facts()))
    hazards.before(*bench.wave, op, facts);
  for (const Finding &finding : bench.group().reports)
    for (const auto &[name, value] : finding.evidence)
      for (auto [line, op] : enumerate(program.ops()))
        if (name == "producer pc" && value == "0x" + utohexstr(op.inst->pc, /*LowerCase=*/true))
          lines.push_back(unsigned(line));
  return lines;
}

using Rules = std::vector<std::string>;
using Lines = std::vector<unsigned>;
static const Rules None;

/// image_sample_d v[4:7], [v1,v3,v5,v7,v9,v11], s[8:15], s[16:19] dmask:0xf dim:SQ_RSRC_IMG_2D:
/// more addresses than the assembler takes for gfx1010.
static constexpr StringLiteral WideNsa =
    ".long 0xf0880f0c\n.long 0x00820401\n.long 0x09070503\n.long 0x0000000b\n";

TEST(Hazards, ScatteredAddressesBeforeAnOddBufferOffset) {
  std::string odd = "buffer_load_dword v12, v1, s[4:7], 0 offen offset:2\n";
  EXPECT_EQ(watch("gfx1010", (WideNsa + odd).str()), Rules{"HAZ-NSA-VMEM"});
  EXPECT_EQ(watch("gfx1010", (WideNsa + "s_nop 0\n" + odd).str()), None);
  EXPECT_EQ(
      watch("gfx1010", (WideNsa + "buffer_load_dword v12, v1, s[4:7], 0 offen offset:8\n").str()),
      None);
  EXPECT_EQ(watch("gfx1030", (WideNsa + odd).str()), None) << "only the first GFX10 is so";
}

TEST(Hazards, ScatteredAddressesBehindWritelane) {
  std::string lane = "v_writelane_b32 v20, s0, 0\n";
  EXPECT_EQ(watch("gfx1010", (lane + WideNsa).str()), Rules{"HAZ-WRITELANE-NSA"});
  EXPECT_EQ(watch("gfx1010", (lane + "s_nop 0\n" + WideNsa).str()), None);
}

TEST(Hazards, ScatteredAddressesInAClause) {
  std::string load = "buffer_load_dword v12, v1, s[4:7], 0 offen\n";
  EXPECT_EQ(watch("gfx1010", ("s_clause 0x1\n" + load + WideNsa).str()), Rules{"HAZ-NSA-CLAUSE"});
  EXPECT_EQ(watch("gfx1010", ("s_clause 0x1\n" + load + load + WideNsa).str()), None);
}

TEST(Hazards, FlatOffsetsOfTheFirstGfx10) {
  // flat_load_dword v2, v[4:5] offset:4, which the assembler refuses for this chip.
  EXPECT_EQ(watch("gfx1010", ".long 0xdc300004\n.long 0x027d0004\n"), Rules{"HAZ-FLAT-OFFSET"});
  EXPECT_EQ(watch("gfx1010", ".long 0xdc300000\n.long 0x027d0004\n"), None);
  EXPECT_EQ(watch("gfx1030", ".long 0xdc300004\n.long 0x027d0004\n"), None);
}

TEST(Hazards, OtherChipsInterlock) {
  const char *text = "v_readfirstlane_b32 s12, v0\nv_readlane_b32 s13, v1, s12\n";
  EXPECT_EQ(watch("gfx900", text, 64), Rules{"HAZ-VALU-SGPR-LANE"});
  for (const char *target : {"gfx1010", "gfx1030", "gfx1100", "gfx1150"})
    EXPECT_EQ(watch(target, text), None) << target;
}

TEST(Hazards, WaitStatesCountInstructions) {
  const char *write = "v_readfirstlane_b32 s12, v0\n";
  const char *read = "v_readlane_b32 s13, v1, s12\n";
  std::string four = "s_mov_b32 s0, 0\ns_mov_b32 s1, 0\ns_nop 1\n";
  EXPECT_EQ(watch("gfx900", write + four + read, 64), None);
  EXPECT_EQ(watch("gfx900", write + four.substr(16) + read, 64), Rules{"HAZ-VALU-SGPR-LANE"});
}

/// What another instruction has written since is not what VALU wrote.
TEST(Hazards, AnotherWriteEndsWhatIsAboutAValue) {
  const char *write = "v_readfirstlane_b32 s12, v0\n";
  const char *load = "buffer_load_dword v1, off, s[4:7], s12\n";
  EXPECT_EQ(watch("gfx900", std::string(write) + "s_mov_b32 s13, 0\n" + load, 64),
            Rules{"HAZ-VALU-SGPR-VMEM"});
  EXPECT_EQ(watch("gfx900", std::string(write) + "s_mov_b32 s12, 0\n" + load, 64), None);
  EXPECT_EQ(watch("gfx900", std::string("s_mov_b32 s12, 0\n") + write + load, 64),
            Rules{"HAZ-VALU-SGPR-VMEM"});
  EXPECT_EQ(watch("gfx900",
                  "v_cmp_eq_u32 s[12:13], v0, v1\ns_mov_b32 s12, 0\n"
                  "buffer_load_dword v1, off, s[4:7], s13\n",
                  64),
            Rules{"HAZ-VALU-SGPR-VMEM"});
  // Compilers go on counting for VCC.
  EXPECT_EQ(watch("gfx900",
                  "v_cmp_eq_u32 vcc, v0, v1\ns_mov_b64 vcc, 0\nv_div_fmas_f32 v0, v1, v2, v3\n",
                  64),
            Rules{"HAZ-VALU-VCC-DIVFMAS"});
  // A register that a store has yet to fetch is not about its value.
  EXPECT_EQ(watch("gfx900", "global_store_dwordx4 v[0:1], v[2:5], off\nv_mov_b32 v2, 0\n", 64),
            Rules{"HAZ-STORE-DATA"});
}

TEST(Hazards, TransIsOverAfterTwo) {
  const char *use = "v_add_f32 v3, v2, v2\n";
  EXPECT_EQ(watch("gfx1100", std::string("v_rcp_f32 v2, v1\nv_rcp_f32 v4, v1\n") + use),
            Rules{"HAZ-TRANS-USE"});
  EXPECT_EQ(
      watch("gfx1100", std::string("v_rcp_f32 v2, v1\nv_rcp_f32 v4, v1\nv_rcp_f32 v5, v1\n") + use),
      None);
  EXPECT_EQ(watch("gfx1150", std::string("v_rcp_f32 v2, v1\n") + use), None);
}

TEST(Hazards, CacheControlsWaitForTheValu) {
  std::string rcp = "v_rcp_f32 v2, v1\n", use = "v_add_f32 v3, v2, v2\n";
  EXPECT_EQ(watch("gfx1100", rcp + "s_nop 0\n" + use), Rules{"HAZ-TRANS-USE"});
  EXPECT_EQ(watch("gfx1100", rcp + "buffer_gl0_inv\n" + use), None);
}

/// LLVM takes cache controls for VMEM, too: GCNHazardRecognizer, fixLdsBranchVmemWARHazard.
TEST(Hazards, CacheControlsAreVmemBetweenLdsAndABranch) {
  std::string ds = "ds_read_b32 v3, v2\n", branch = "s_cbranch_execz .Lnext\n.Lnext:\n",
              vmem = "buffer_load_dword v4, v1, s[4:7], 0 offen\n";
  EXPECT_EQ(watch("gfx1010", ds + branch + vmem), Rules{"HAZ-LDS-BRANCH-VMEM"});
  EXPECT_EQ(watch("gfx1010", ds + "buffer_gl0_inv\n" + branch + vmem), None);
  EXPECT_EQ(watch("gfx1010", ds + branch + "buffer_gl0_inv\n" + vmem),
            Rules{"HAZ-LDS-BRANCH-VMEM"});
}

TEST(Hazards, PartialForwardingNeedsNearWrites) {
  auto text = [](unsigned before, unsigned after, unsigned use) {
    std::string code = "v_mov_b32 v2, v1\n";
    auto fill = [&](unsigned count) {
      for (unsigned i = 0; i < count; ++i)
        code += "v_mov_b32 v9, v1\n";
    };
    fill(before);
    code += "s_mov_b64 exec, -1\n";
    fill(after);
    code += "v_mov_b32 v3, v1\n";
    fill(use);
    return code + "v_add_f32 v4, v2, v3\n";
  };
  Rules found = {"HAZ-PARTIAL-FORWARD"};
  EXPECT_EQ(watch("gfx1100", text(0, 0, 0), 64), found);
  EXPECT_EQ(watch("gfx1100", text(1, 1, 4), 64), found);
  EXPECT_EQ(watch("gfx1100", text(2, 1, 0), 64), None);
  EXPECT_EQ(watch("gfx1100", text(0, 0, 5), 64), None);
  EXPECT_EQ(watch("gfx1150", text(0, 0, 0), 64), found);
  EXPECT_EQ(watch("gfx1201", text(0, 0, 0), 64), None);
  EXPECT_EQ(watch("gfx1100", "v_mov_b32 v2, v1\ns_mov_b32 exec_lo, -1\nv_mov_b32 v3, v1\n"
                             "v_add_f32 v4, v2, v3\n"),
            None)
      << "wave32";
}

TEST(Hazards, CarriesDoNotHarmThemselves) {
  std::string carry = "v_add_co_ci_u32 v2, vcc, v3, v4, vcc\n";
  EXPECT_EQ(watch("gfx1100", carry + carry + carry, 64), None);
  EXPECT_EQ(watch("gfx1100", carry + "v_cmp_eq_u32 vcc, v0, v1\n" + carry, 64),
            Rules{"HAZ-MASK-WRITE"});
}

TEST(Hazards, MasksAreForgottenWhereSmemLoads) {
  std::string mask = "s_mov_b64 s[12:13], 0\nv_cndmask_b32 v2, v0, v1, s[12:13]\n";
  std::string load = "s_load_b32 s12, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n";
  auto write = [](StringRef name) {
    return ("s_mov_b32 " + name + ", 4\ns_add_i32 s16, " + name + ", -1\n").str();
  };
  EXPECT_EQ(watch("gfx1100", mask + write("s12"), 64), Rules{"HAZ-MASK-WRITE"});
  EXPECT_EQ(watch("gfx1100", mask + load + write("s12"), 64), None);
  EXPECT_EQ(watch("gfx1100", mask + load + write("s13"), 64), Rules{"HAZ-MASK-WRITE"});
}

TEST(Hazards, ScalarsOfGfx12ExpireOrAreWaitedFor) {
  std::string begin = "v_mov_b32 v2, s12\ns_mov_b32 s12, 1\n";
  std::string read = "v_mov_b32 v3, s12\n";
  auto fill = [](unsigned count) {
    std::string code;
    for (unsigned i = 0; i < count; ++i)
      code += "s_mov_b32 s20, 0\n";
    return code;
  };
  EXPECT_EQ(watch("gfx1201", begin + fill(10) + read), Rules{"HAZ-READ-SGPR"});
  EXPECT_EQ(watch("gfx1201", begin + fill(11) + read), None);
  EXPECT_EQ(watch("gfx1201", begin + "s_load_b32 s20, s[0:1], 0x0\n" + read), None);
  EXPECT_EQ(watch("gfx1201", "v_mov_b32 v2, s14\ns_mov_b32 s12, 1\n" + read), None)
      << "VALU never read that pair";
  EXPECT_EQ(watch("gfx1201", "v_mov_b32 v2, s12\nv_readfirstlane_b32 s12, v1\n"
                             "s_mov_b32 s20, s13\n" +
                                 read),
            None)
      << "SALU has waited for VALU";
}

TEST(Hazards, NopsOfLdsEndWhatVectorsHaveRead) {
  auto code = [](unsigned nops, StringRef between) {
    std::string text = "v_mov_b32 v2, s12\n";
    for (unsigned i = 0; i < nops; ++i)
      text += (i == 2 ? between.str() : "") + "ds_nop\n";
    return text + "s_mov_b32 s12, 1\nv_mov_b32 v3, s12\n";
  };
  EXPECT_EQ(watch("gfx1201", code(3, "")), Rules{"HAZ-READ-SGPR"});
  EXPECT_EQ(watch("gfx1201", code(4, "")), None);
  EXPECT_EQ(watch("gfx1201", code(4, "v_nop\n")), Rules{"HAZ-READ-SGPR"});
  EXPECT_EQ(watch("gfx1201", code(7, ""), 64), Rules{"HAZ-READ-SGPR"});
  EXPECT_EQ(watch("gfx1201", code(8, ""), 64), None);
}

/// Not whoever wrote some register last, but who wrote the one that is read.
TEST(Hazards, BlameTheLastWriterOfTheRegister) {
  EXPECT_EQ(blame("gfx1201", "v_mov_b32 v2, s12\nv_mov_b32 v2, s14\ns_mov_b32 s12, 1\n"
                             "s_mov_b32 s14, 1\nv_mov_b32 v3, s12\n"),
            Lines{2});
  EXPECT_EQ(blame("gfx1201", "v_mov_b32 v2, s12\nv_mov_b32 v2, s14\nv_readfirstlane_b32 s12, v1\n"
                             "v_readfirstlane_b32 s14, v1\nv_mov_b32 v3, s12\n"),
            Lines{2});
  EXPECT_EQ(blame("gfx1100",
                  "v_cndmask_b32 v2, v3, v4, s[12:13]\ns_mov_b32 s12, 1\ns_mov_b32 s13, 1\n"
                  "s_mov_b32 s14, s12\n",
                  64),
            Lines{1});
  EXPECT_EQ(blame("gfx1010", "buffer_load_dword v2, v1, s[4:7], 0 offen\n"
                             "buffer_load_dword v3, v1, s[8:11], 0 offen\ns_mov_b32 s4, 0\n"),
            Lines{0});
}

/// Every row can be completed on the chips that it names, and says where it is from.
TEST(HazardTable, RowsAreWhole) {
  for (const HazardRow &row : hazardRows()) {
    const HazardFact &fact = row.fact();
    EXPECT_LE(fact.firstChip, fact.lastChip);
    EXPECT_TRUE(fact.distance || row.resolvers) << sanitizerRuleId(row.rule);
    EXPECT_FALSE(fact.source.empty());
    EXPECT_TRUE(StringRef(sanitizerRuleId(row.rule)).equals_insensitive("HAZ-" + fact.name.str()));
  }
  EXPECT_EQ(chipNumber("gfx900"), 90);
  EXPECT_EQ(chipNumber("gfx1030"), 103);
  EXPECT_EQ(chipNumber("gfx1150"), 115);
  EXPECT_EQ(chipNumber("navi"), 0);
}
