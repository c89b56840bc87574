// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/waits/WaitTruth.h"
#include "oracles/machine/gcn_isa/Assembler.h"
#include "oracles/machine/gcn_isa/Decoder.h"
#include "oracles/pal_elf/ElfView.h"
#include "support/Error.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::waits;

namespace {
/// Assembled code with its truth.
struct Code {
  Code(const char *target, unsigned major, const std::string &text) : major(major) {
    build(target, text);
  }

  void build(const char *target, const std::string &text) {
    unsigned waveSize = major == 9 ? 64 : 32;
    auto elf = gcn::assembleElf(text, target, waveSize);
    ASSERT_TRUE(bool(elf)) << takeError(elf.takeError()).message;
    auto view = ElfView::read(*elf);
    ASSERT_TRUE(bool(view)) << takeError(view.takeError()).message;
    const ElfSection *section = view->findSection(".text");
    ASSERT_NE(section, nullptr);
    auto decoder = gcn::Decoder::create(target, waveSize);
    ASSERT_TRUE(bool(decoder)) << takeError(decoder.takeError()).message;
    insts = (*decoder)->decodeRange(section->bytes, 0, section->bytes.size());
    graph.emplace(insts, 0);
    truth.emplace(*graph, major);
  }

  /// What mutation \p number of listMutations() exposes that was not exposed before.
  Uncovered exposed(size_t number) const {
    Exposure before = truth->onAllPaths(nullptr);
    EXPECT_TRUE(before.registers.empty());
    std::vector<Mutation> mutations = listMutations(insts, major);
    EXPECT_LT(number, mutations.size());
    return number < mutations.size() ? truth->onAllPaths(&mutations[number]).registers
                                     : Uncovered();
  }

  unsigned major;
  std::vector<gcn::Inst> insts;
  std::optional<gcn::ControlFlowGraph> graph;
  std::optional<WaitTruth> truth;
};
} // namespace

TEST(WaitTruth, LoadsCompleteInOrder) {
  Code code("gfx1030", 10,
            "global_load_dword v2, v0, s[0:1]\nglobal_load_dword v3, v1, s[0:1]\n"
            "s_waitcnt vmcnt(1)\nv_mov_b32 v4, v2\ns_waitcnt vmcnt(0)\nv_mov_b32 v5, v3\n"
            "s_endpgm\n");
  ASSERT_EQ(listMutations(code.insts, 10).size(), 4u);
  EXPECT_EQ(code.exposed(0), (Uncovered{{3, 0}})) << "vmcnt(1) dropped";
  EXPECT_EQ(code.exposed(1), (Uncovered{{3, 0}})) << "vmcnt(1) to vmcnt(2)";
  EXPECT_EQ(code.exposed(2), (Uncovered{{5, 1}})) << "vmcnt(0) dropped";
  EXPECT_EQ(code.exposed(3), (Uncovered{{5, 1}})) << "vmcnt(0) to vmcnt(1)";
}

TEST(WaitTruth, KnowsRedundantWaits) {
  Code code("gfx1030", 10,
            "global_load_dword v2, v0, s[0:1]\ns_waitcnt vmcnt(0)\ns_waitcnt vmcnt(0)\n"
            "v_mov_b32 v4, v2\ns_endpgm\n");
  EXPECT_TRUE(code.exposed(0).empty());
  EXPECT_TRUE(code.exposed(2).empty());
}

TEST(WaitTruth, FollowsAllPaths) {
  Code code("gfx900", 9,
            "s_load_dword s4, s[0:1], 0x0\ns_cbranch_scc1 skip\ns_waitcnt lgkmcnt(0)\n"
            "s_branch use\nskip:\ns_waitcnt lgkmcnt(0)\nuse:\ns_mov_b32 s5, s4\ns_endpgm\n");
  EXPECT_EQ(code.exposed(0), (Uncovered{{5, 0}}));
  EXPECT_EQ(code.exposed(2), (Uncovered{{5, 0}}));
}

TEST(WaitTruth, FollowsLoops) {
  // What the last turn of the loop has asked for is waited for at the head of the next one.
  Code code("gfx1100", 11,
            "loop:\ns_waitcnt vmcnt(0)\nv_add_f32 v4, v4, v2\nglobal_load_b32 v2, v0, s[0:1]\n"
            "s_cbranch_scc1 loop\ns_endpgm\n");
  EXPECT_EQ(code.exposed(0), (Uncovered{{1, 2}}));
}

TEST(WaitTruth, ScalarLoadsCompleteInAnyOrder) {
  Code code("gfx1201", 12,
            "s_load_b32 s4, s[0:1], 0x0\ns_load_b32 s5, s[0:1], 0x4\ns_wait_kmcnt 0x0\n"
            "s_mov_b32 s6, s4\ns_endpgm\n");
  EXPECT_EQ(code.exposed(1), (Uncovered{{3, 0}})) << "kmcnt 1 says nothing of either";
}

TEST(WaitTruth, OverwritingInOrderNeedsNoWait) {
  Code code("gfx1030", 10,
            "global_load_dword v2, v0, s[0:1]\ns_waitcnt vmcnt(0)\n"
            "global_load_dword v2, v1, s[0:1]\ns_endpgm\n");
  EXPECT_TRUE(code.exposed(0).empty()) << "loads of one stream write in order";
  Code alu("gfx1030", 10,
           "global_load_dword v2, v0, s[0:1]\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, 0\ns_endpgm\n");
  EXPECT_EQ(alu.exposed(0), (Uncovered{{2, 0}}));
}

TEST(WaitTruth, FindsPathsToWhatIsExposed) {
  // Only in the second turn of the loop does the load of the first one matter.
  Code code("gfx1100", 11,
            "loop:\ns_waitcnt vmcnt(0)\ns_cbranch_scc0 next\nv_add_f32 v4, v4, v2\nnext:\n"
            "global_load_b32 v2, v0, s[0:1]\ns_cbranch_scc1 loop\ns_endpgm\n");
  Mutation dropped = listMutations(code.insts, 11)[0];
  EXPECT_EQ(code.truth->findPath(2, 3, &dropped), (std::vector<uint32_t>{0, 1, 3, 4, 0, 1, 2}));
  EXPECT_TRUE(code.truth->findPath(2, 3, nullptr).empty()) << "it is waited for";
  EXPECT_TRUE(code.truth->findPath(3, 5, &dropped).empty()) << "no producer";
}

TEST(WaitTruth, FindsPathsByAge) {
  Code code("gfx1030", 10,
            "global_load_dword v2, v0, s[0:1]\ns_cbranch_scc0 use\n"
            "global_load_dword v3, v0, s[0:1]\nuse:\ns_waitcnt vmcnt(0)\nv_mov_b32 v4, v2\n"
            "s_endpgm\n");
  std::vector<Mutation> mutations = listMutations(code.insts, 10);
  ASSERT_EQ(mutations.size(), 2u);
  EXPECT_EQ(code.truth->findPath(4, 0, &mutations[1]), (std::vector<uint32_t>{0, 1, 3, 4}))
      << "vmcnt(1) is enough behind the second load";
}

TEST(WaitTruth, SamplesAndLoadsDoNotWriteInOrder) {
  const char *sample = "image_sample v2, v[3:4], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D\n";
  const char *load = "image_load v2, v[3:4], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D\n";
  auto exposed = [](std::string first, std::string second) {
    Code code("gfx1100", 11, first + "s_waitcnt vmcnt(0)\n" + second + "s_endpgm\n");
    return code.exposed(0);
  };
  Uncovered both = {{2, 0}};
  EXPECT_EQ(exposed(load, sample), both);
  EXPECT_EQ(exposed(sample, load), both);
  EXPECT_EQ(exposed("buffer_load_b32 v2, v1, s[4:7], 0 offen\n", sample), both);
  EXPECT_TRUE(exposed(sample, sample).empty());
  EXPECT_TRUE(exposed("buffer_load_b32 v2, v1, s[4:7], 0 offen\n", load).empty());
}

TEST(WaitTruth, MutatedWordsSayWhatTheMutationSays) {
  for (auto [target, major, text] :
       {std::tuple("gfx900", 9u, "s_waitcnt vmcnt(31) expcnt(2) lgkmcnt(3)\n"),
        std::tuple("gfx1030", 10u, "s_waitcnt vmcnt(31) expcnt(2) lgkmcnt(17)\n"),
        std::tuple("gfx1100", 11u, "s_waitcnt vmcnt(31) expcnt(2) lgkmcnt(17)\n"),
        std::tuple("gfx1100", 11u, "s_waitcnt_vscnt null, 0x3\n"),
        std::tuple("gfx1201", 12u, "s_wait_loadcnt_dscnt 0x1f03\n")}) {
    Code code(target, major, text);
    std::vector<Mutation> mutations = listMutations(code.insts, major);
    EXPECT_FALSE(mutations.empty());
    for (const Mutation &mutation : mutations) {
      gcn::Inst inst = code.insts[0];
      inst.words[0] = mutatedWord(inst, mutation, major);
      auto limits = readFacts(inst, major)[0].limits;
      auto before = code.truth->facts()[0].limits;
      EXPECT_EQ(limits[unsigned(mutation.counter)], mutation.newLimit) << text;
      before[unsigned(mutation.counter)] = mutation.newLimit;
      EXPECT_EQ(limits, before) << text << ": other counters stay";
    }
  }
}
