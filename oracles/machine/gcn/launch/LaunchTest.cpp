// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch state: what each kind of user data and each system register holds.
#include "oracles/machine/gcn/KernelTesting.h"
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Ends a kernel that has its result in s20: lane 0 of each group stores it to buffer 1 at the
/// workgroup's number. s[8:11] must hold the descriptor.
static AsmText storeScalar(StringRef target) {
  return "v_mov_b32 v4, s20\nv_mov_b32 v5, s3\n" + storeWord(target) + " v4, v5, s[8:11], " +
         offset(target) + " offen\ns_endpgm\n";
}

TEST(Launch, PushConstantsArriveInUserSgprs) {
  KernelOptions options;
  options.userData = "[ 0x10000000, 2, 1, 0 ]"; // set 0's table is entry 2, after two dwords
  options.userSgprs = 4;
  options.threads = 32; // One wave: several would race.
  Case input = makeCase({makeBuffer({11, 22}), makeBuffer({0})}, 1);
  CasePipeline &pipeline = input.pipelines[0];
  pipeline.bindings[0].kind = BindingKind::PushConstant;
  pipeline.description.layout = makeResourceLayout({{0, 1, 1}}, 8);
  AsmText body = R"(
  s_mov_b32 s16, s2
  s_mov_b32 s17, s3
  s_getpc_b64 s[14:15]
  s_mov_b32 s14, s1
  s_load_b128 s[8:11], s[14:15], 0x0
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s20, s16, 100
  s_add_i32 s20, s20, s17
  s_mov_b32 s3, 0
)" + storeScalar("gfx1100");
  Outcome outcome = runOrFail(options, body, input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  EXPECT_EQ(words(outcome, 1)[0], 2211u);
}

TEST(Launch, SpillTableHoldsAllUserData) {
  KernelOptions options;
  options.userData = "[ 0x10000000, 0x10000002 ]";
  options.threads = 32;
  Case input = makeCase({makeBuffer({11, 22}), makeBuffer({0})}, 1);
  CasePipeline &pipeline = input.pipelines[0];
  pipeline.bindings[0].kind = BindingKind::PushConstant;
  pipeline.description.layout = makeResourceLayout({{0, 1, 1}}, 8);
  AsmText body = R"(
  s_getpc_b64 s[14:15]
  s_mov_b32 s14, s1
  s_load_b32 s20, s[14:15], 0x4
  s_load_b32 s14, s[14:15], 0x8
  s_waitcnt lgkmcnt(0)
  s_load_b128 s[8:11], s[14:15], 0x0
  s_mov_b32 s3, 0
  s_waitcnt lgkmcnt(0)
)" + storeScalar("gfx1100");
  Outcome outcome = runOrFail(options, body, input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  EXPECT_EQ(words(outcome, 1)[0], 22u);
}

TEST(Launch, WorkgroupCountsAreBehindTheirPointer) {
  KernelOptions options;
  options.userData = "[ 0x10000000, 0, 0x10000006, 0xffffffff ]";
  options.userSgprs = 4;
  Case input = makeCase({makeBuffer({0}), makeBuffer({0, 0, 0})}, 3);
  std::get<Dispatch>(input.commands[0]).groups[1] = 5;
  AsmText body = R"(
  s_mov_b32 s18, s4
  s_load_b64 s[20:21], s[2:3], 0x0
  s_getpc_b64 s[14:15]
  s_mov_b32 s14, s1
  s_load_b128 s[8:11], s[14:15], 0x10
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s20, s20, s21
  s_lshl_b32 s3, s18, 2
)" + storeScalar("gfx1100");
  RunOptions run;
  run.sanitize = false; // Workgroups of one column store to one place.
  Outcome outcome = runOrFail(options, body, input, run);
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  EXPECT_EQ(words(outcome, 1), (std::vector<uint32_t>{15, 15, 15})) << "3 * 5 groups";
}

TEST(Launch, WorkgroupIdFollowsTheUserSgprs) {
  for (const TestChip &chip : TestChips) {
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    options.threads = 32;
    Case input = makeCase({makeBuffer({0}), makeBuffer({9, 9, 9})}, 3);
    AsmText body = prologue(chip.target) + "s_mov_b32 s20, s2\ns_lshl_b32 s3, s2, 2\n" +
                   (chip.target == StringRef("gfx1201") ? "s_wait_alu 0xfffe\n" : "") +
                   storeScalar(chip.target);
    Outcome outcome = runOrFail(options, body, input);
    ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
    EXPECT_EQ(words(outcome, 1), (std::vector<uint32_t>{0, 1, 2})) << chip.target;
  }
}

TEST(Launch, InactiveLanesOfThePartialWaveStayInactive) {
  for (const TestChip &chip : TestChips) {
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    options.threads = 40;
    AsmText body = prologue(chip.target) + "v_mov_b32 v4, 1\n" + storeWord(chip.target) +
                   " v4, v1, s[8:11], " + offset(chip.target) + " offen\ns_endpgm\n";
    Case input = makeCase({makeBuffer({0}), makeBuffer(iota(64, 100))}, 1);
    Outcome outcome = runOrFail(options, body, input);
    ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
    std::vector<uint32_t> result = words(outcome, 1);
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(result[i], i < 40 ? 1u : 100 + i) << chip.target << " " << i;
  }
}

TEST(Launch, UnwrittenDescriptorTraps) {
  KernelOptions options;
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  input.pipelines[0].bindings.erase(input.pipelines[0].bindings.begin()); // binding 0
  Outcome outcome = runOrFail(options, saxpy("gfx1100"), input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_EQ(outcome.findings.at(0).rule, "BAD-DESCRIPTOR");
}

TEST(Launch, SameSeedSameOutcome) {
  KernelOptions options;
  Case input = makeCase({makeBuffer({5}), makeBuffer(iota(64, 0))}, 1);
  AsmText body = prologue("gfx1100") + R"(
  v_mov_b32 v2, 1
  v_mov_b32 v3, 0
  buffer_atomic_add_u32 v2, v3, s[4:7], 0 offen glc
  s_waitcnt vmcnt(0)
  buffer_store_b32 v2, v1, s[8:11], 0 offen
  s_endpgm
)";
  std::set<std::vector<uint32_t>> seen;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    RunOptions run;
    run.seed = seed;
    std::vector<uint32_t> first = words(runOrFail(options, body, input, run), 1);
    EXPECT_EQ(first, words(runOrFail(options, body, input, run), 1));
    seen.insert(first);
  }
  EXPECT_GT(seen.size(), 2u) << "two waves, and the lanes of each, come in other orders";
}

TEST(Launch, UnwrittenStateDependsOnTheSeed) {
  KernelOptions options;
  options.lds = 256;
  Case input = makeCase({makeBuffer({5}), makeBuffer(iota(64, 0))}, 1);
  for (const char *reads : {"v_mov_b32 v4, v9\n", "v_mov_b32 v4, s30\n",
                            "ds_load_b32 v4, v0\ns_waitcnt lgkmcnt(0)\n"}) {
    AsmText body =
        prologue("gfx1100") + reads + "buffer_store_b32 v4, v1, s[8:11], 0 offen\ns_endpgm\n";
    std::set<uint32_t> seen;
    for (uint64_t seed : {0, 1, 2}) {
      RunOptions run;
      run.seed = seed;
      run.sanitize = false;
      Outcome outcome = runOrFail(options, body, input, run);
      ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
      seen.insert(words(outcome, 1)[0]);
    }
    EXPECT_EQ(seen.size(), 3u) << reads;
  }
}
