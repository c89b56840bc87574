// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/waits/WaitTruth.h"
#include "harness/waits/MemoryOrder.h"
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
  // What the last iteration of the loop has asked for is waited for at the head of the next one.
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

TEST(WaitTruth, MessagesCompleteInOrder) {
  const std::string two = "s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)\n"
                          "s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)\n";
  for (unsigned major : {11u, 12u}) {
    const char *target = major == 11 ? "gfx1100" : "gfx1201";
    std::string wait = major == 11 ? "s_waitcnt_lgkmcnt null, " : "s_wait_kmcnt ";
    Code first(target, major, two + wait + "0x1\ns_mov_b32 s8, s4\ns_endpgm\n");
    EXPECT_EQ(first.exposed(0), (Uncovered{{3, 0}})) << target << ": 1 dropped";
    EXPECT_EQ(first.exposed(1), (Uncovered{{3, 0}})) << target << ": 1 to 2";
    Code second(target, major, two + wait + "0x0\ns_mov_b32 s8, s6\ns_endpgm\n");
    EXPECT_EQ(second.exposed(1), (Uncovered{{3, 1}})) << target << ": 0 to 1";
    Code same(target, major, two + wait + "0x0\ns_sendmsg_rtn_b32 s6, 0x80\ns_endpgm\n");
    EXPECT_EQ(same.exposed(0), (Uncovered{{3, 1}})) << target << ": overwritten by a message";
    Code mixed(target, major,
               two + "s_load_b32 s9, s[0:1], 0x0\n" + wait + "0x0\ns_mov_b32 s8, s6\ns_endpgm\n");
    EXPECT_EQ(mixed.exposed(1), (Uncovered{{4, 1}})) << target << ": a load may be first";
  }
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
  // Only in the second iteration of the loop does the load of the first one matter.
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
      << "vmcnt(1) is enough after the second load";
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

/// On GFX11 interpolation has a wait of its own, before it reads the parameter.
TEST(WaitTruth, InterpolationWaitsForItsParameter) {
  Code code("gfx1100", 11,
            "lds_param_load v2, attr0.x\nlds_param_load v3, attr0.y\n"
            "v_interp_p10_f32 v4, v2, v0, v2 wait_exp:1\n"
            "v_interp_p10_f32 v5, v3, v0, v3 wait_exp:0\ns_endpgm\n");
  ASSERT_EQ(listMutations(code.insts, 11).size(), 4u);
  EXPECT_EQ(code.exposed(0), (Uncovered{{2, 0}})) << "wait_exp:1 dropped";
  EXPECT_EQ(code.exposed(1), (Uncovered{{2, 0}})) << "wait_exp:1 to wait_exp:2";
  EXPECT_EQ(code.exposed(2), (Uncovered{{3, 1}})) << "wait_exp:0 dropped";
  Mutation weakened = listMutations(code.insts, 11)[3];
  EXPECT_EQ(code.truth->findPath(3, 1, &weakened), (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_TRUE(code.truth->findPath(3, 1, nullptr).empty());
}

TEST(WaitTruth, ExportsReadTheirRegistersLater) {
  Code code("gfx1030", 10,
            "exp param0 v0, v1, v2, v3\ns_waitcnt expcnt(0)\nv_mov_b32 v2, 0\n"
            "v_mov_b32 v4, v1\ns_endpgm\n");
  EXPECT_EQ(code.exposed(0), (Uncovered{{2, 0}})) << "v1 is only read";
}

/// The attribute ring may be read as soon as the last position was exported.
TEST(WaitTruth, LastPositionOrdersStores) {
  const char *text = "buffer_load_b32 v5, v4, s[4:7], 0 offen\n"
                     "buffer_store_b128 v[0:3], v4, s[4:7], 0 offen\n"
                     "s_waitcnt_vscnt null, 0x0\nexp pos0 v0, v1, v2, v3 done\ns_endpgm\n";
  Code code("gfx1100", 11, text);
  EXPECT_TRUE(code.truth->onAllPaths(nullptr).memory.empty()) << "loads may be in flight";
  Mutation dropped = listMutations(code.insts, 11)[0];
  EXPECT_EQ(code.truth->onAllPaths(&dropped).memory, (Uncovered{{3, 1}}));
}

namespace {
/// Two waves that execute all of \p code, one instruction after the other, in turn.
class TwoWaves {
public:
  explicit TwoWaves(const Code &code) : m_code(code), m_paths(1000, 64, 32) {}

  /// \p uses: of an instruction, what the trace says of memory, by wave.
  MemoryOrder run(const std::map<uint32_t, std::array<const char *, 2>> &uses) {
    for (auto [index, inst] : llvm::enumerate(m_code.insts))
      for (unsigned wave : {0u, 1u}) {
        m_paths << "group 0,0,0 wave " << wave << " pc 0x";
        m_paths.write_hex(inst.pc) << ": " << inst.text << "\n";
        if (auto found = uses.find(uint32_t(index)); found != uses.end())
          m_paths << "    " << found->second[wave] << "\n";
      }
    return MemoryOrder(*m_code.truth, m_code.insts, m_code.major, m_paths,
                       [&](uint64_t pc) -> std::optional<uint32_t> {
                         for (auto [index, inst] : llvm::enumerate(m_code.insts))
                           if (inst.pc == pc)
                             return uint32_t(index);
                         return std::nullopt;
                       });
  }
  const ObservedPaths &paths() const { return m_paths; }

private:
  const Code &m_code;
  ObservedPaths m_paths;
};
} // namespace

TEST(MemoryOrder, BarriersOrderWhatWasWaitedFor) {
  const char *const exchanges[] = {
      "ds_store_b32 v2, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_load_b32 v4, v3\ns_endpgm\n",
      "ds_store_b32 v2, v0\ns_wait_dscnt 0x0\ns_barrier_signal -1\ns_barrier_wait -1\n"
      "ds_load_b32 v4, v3\ns_endpgm\n"};
  for (unsigned major : {11u, 12u}) {
    Code code(major == 11 ? "gfx1100" : "gfx1201", major, exchanges[major - 11]);
    uint32_t load = major - 8;
    TwoWaves waves(code);
    MemoryOrder order = waves.run(
        {{0,
          {"writes lds 0x0 step 0x4, 4 bytes, lanes 0-31: 0x0 -> 0x1",
           "writes lds 0x80 step 0x8, 4 bytes, lanes 0-30 step 2: 0x0 -> 0x1"}},
         {load, {"reads lds 0x88, 4 bytes, lane 3, 2 times", "reads lds 0x100, 4 bytes, lane 0"}}});
    EXPECT_TRUE(order.unordered(nullptr).empty());
    Mutation dropped = listMutations(code.insts, major)[0];
    EXPECT_EQ(order.unordered(&dropped), (Uncovered{{load, 0}}));
  }
}

TEST(MemoryOrder, AtomicsOrderWhatWasWaitedFor) {
  // Data, then a flag; the other wave sees the flag, then the data.
  Code code("gfx1100", 11,
            "global_store_b32 v2, v0, s[0:1]\ns_waitcnt_vscnt null, 0x0\n"
            "global_atomic_add_u32 v4, v3, v1, s[2:3] glc\ns_waitcnt vmcnt(0)\n"
            "global_load_b32 v5, v2, s[0:1]\ns_endpgm\n");
  TwoWaves waves(code);
  MemoryOrder order = waves.run(
      {{0,
        {"writes global 0x1000, 4 bytes, lane 0: 0x0 -> 0x1",
         "writes global 0x2000, 4 bytes, lane 0: 0x0 -> 0x1"}},
       {2,
        {"atomic global 0x3000, 4 bytes, lane 0: 0x0 -> 0x1",
         "atomic global 0x3000, 4 bytes, lane 0: 0x1 -> 0x2"}},
       {4, {"reads global 0x4000, 4 bytes, lane 0", "reads global 0x1000, 4 bytes, lane 0"}}});
  EXPECT_TRUE(order.unordered(nullptr).empty());
  std::vector<Mutation> mutations = listMutations(code.insts, 11);
  EXPECT_EQ(order.unordered(&mutations[0]), (Uncovered{{4, 0}})) << "the store's wait";
  auto acquire = llvm::find_if(mutations, [](const Mutation &each) { return each.inst == 3; });
  ASSERT_NE(acquire, mutations.end());
  EXPECT_EQ(order.unordered(&*acquire), (Uncovered{{4, 0}})) << "the atomic's wait";
}

TEST(ObservedPaths, ReadsWhatIsUsed) {
  ObservedPaths paths(100, 64, 32);
  paths << "group 0,0,0 wave 0 pc 0x10: ds_store_b32 v2, v0\n"
           "    writes lds 0x40 step 0x8, 4 bytes, lanes 0-4 step 2: 0x0 -> 0x1\n"
           "    reads global 0x100 step 0x4, 4 bytes, lanes 0-31\n"
           "    writes scratch 0x0, 4 bytes, lane 0\n";
  ASSERT_EQ(paths.events().size(), 1u);
  const std::vector<ObservedAccess> &accesses = paths.events()[0].accesses;
  ASSERT_EQ(accesses.size(), 4u);
  EXPECT_EQ(accesses[2].address, 0x50u);
  EXPECT_TRUE(accesses[2].isLds);
  EXPECT_EQ(accesses[3].bytes, 128u) << "one after the other";
  EXPECT_EQ(paths.unread(), "");
}

TEST(ObservedPaths, KeepsTheWavesOfOneStage) {
  ObservedPaths paths(100, 64, 64, "fragment");
  paths << "group 0,0,0 wave 0 (vertex) starts with exec 0x7\n"
           "group 0,0,0 wave 0 (vertex) pc 0x10: v_mov_b32_e32 v1, v0\n"
           "    v1[0-2]: unwritten -> 0x0\n"
           "    exec_lo: 0x7 -> 0x1\n"
           "group 0,0,0 wave 0 (fragment) starts with exec 0xff\n"
           "group 0,0,0 wave 0 (fragment) pc 0x20: s_mov_b64 exec, 1\n"
           "    exec_lo: 0xff -> 0x1\n"
           "group 0,0,0 wave 0 (fragment) pc 0x24: s_endpgm\n";
  EXPECT_EQ(paths.unread(), "");
  EXPECT_EQ(paths.finish(), (std::set<ObservedPaths::Path>{{{0x20, 0xff}, {0x24, 0x1}}}));
}

TEST(ObservedPaths, TellsWhatItDoesNotUnderstand) {
  for (const char *line :
       {"    exec_lo: 0xff -> all", "    v3[0-7] is 0x1", "    reads global 0x100, 4 bytes",
        "    writes somewhere 0x100, 4 bytes, lane 0", "group 0,0,0 wave 0 begins"}) {
    ObservedPaths paths(100, 64, 32);
    paths << "group 0,0,0 wave 0 pc 0x10: ds_store_b32 v2, v0\n"
          << "    v3[0-7]: 0x0 -> 0x1\n"
          << line << "\n    something else\n";
    EXPECT_EQ(paths.unread(), line);
  }
}
