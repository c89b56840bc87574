// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules: what may become visible late, what a seed may choose, what a log plays again, and that
// the number of threads changes nothing.
#include "oracles/machine/gcn/KernelTesting.h"
#include "oracles/machine/gcn/memory/LaneWalk.h"
#include "support/Random.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static RunOptions late(uint64_t seed = 0) {
  RunOptions run;
  run.schedule = ScheduleKind::Late;
  run.seed = 1;
  run.scheduleSeed = seed;
  return run;
}

static AsmText barrierOf(StringRef target) {
  return target == "gfx1201" ? "s_barrier_signal -1\ns_barrier_wait 0xffff\n" : "s_barrier\n";
}

static AsmText waitStores(StringRef target) {
  return target == "gfx1201"  ? "s_wait_storecnt 0x0\n"
         : target == "gfx900" ? "s_waitcnt vmcnt(0)\n"
                              : "s_waitcnt_vscnt null, 0x0\n";
}

static KernelOptions optionsFor(const TestChip &chip) {
  KernelOptions options;
  options.target = chip.target;
  options.waveSize = chip.waveSize;
  return options;
}

/// Each lane stores its word of buffer 0; after a barrier it loads what lane i ^ 32 has stored,
/// which with waves of 32 is another wave's.
static AsmText exchangeThroughMemory(StringRef target, bool waits) {
  AsmText none = offset(target);
  return prologue(target) + "v_xor_b32 v5, 0x80, v1\n" + storeWord(target) + " v0, v1, s[4:7], " +
         none + " offen\n" + (waits ? waitStores(target) : "") + barrierOf(target) +
         loadWord(target) + " v2, v5, s[4:7], " + none + " offen\n" + waitLoads(target) +
         storeWord(target) + " v2, v1, s[8:11], " + none + " offen\ns_endpgm\n";
}

TEST(LateResults, SoundCodeCannotTell) {
  for (const TestChip &chip : TestChips) {
    Case input = makeCase({makeBuffer(iota(64, 100)), makeBuffer(iota(64, 0))}, 1);
    Outcome eager = runOrFail(optionsFor(chip), saxpy(chip.target), input);
    Case exchange = makeCase({makeBuffer(iota(64, 100)), makeBuffer(iota(64, 0))}, 1);
    for (uint64_t seed : {0, 1, 2, 3}) {
      Outcome outcome = runOrFail(optionsFor(chip), saxpy(chip.target), input, late(seed));
      EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
      EXPECT_EQ(words(outcome, 1), words(eager, 1)) << chip.target << " seed " << seed;
      Outcome second = runOrFail(optionsFor(chip), exchangeThroughMemory(chip.target, true),
                                 exchange, late(seed));
      EXPECT_EQ(second.kind, OutcomeKind::Completed) << second.reason;
      std::vector<uint32_t> result = words(second, 1);
      for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(result[i], i ^ 32) << chip.target << " seed " << seed;
    }
  }
}

TEST(LateResults, LoadThatNobodyWaitsForKeepsTheOldValue) {
  for (const TestChip &chip : TestChips) {
    RunOptions eager;
    eager.sanitize = false;
    RunOptions unchecked = late();
    unchecked.sanitize = false;
    Case input = makeCase({makeBuffer(iota(64, 100)), makeBuffer(iota(64, 0))}, 1);
    AsmText body = saxpy(chip.target, /*wait=*/false);
    std::vector<uint32_t> sound =
        words(runOrFail(optionsFor(chip), saxpy(chip.target), input, eager), 1);
    EXPECT_EQ(words(runOrFail(optionsFor(chip), body, input, eager), 1), sound) << chip.target;
    EXPECT_NE(words(runOrFail(optionsFor(chip), body, input, unchecked), 1), sound) << chip.target;
    Outcome checked = runOrFail(optionsFor(chip), body, input, late());
    EXPECT_EQ(checked.kind, OutcomeKind::Hazard) << chip.target;
  }
}

TEST(LateResults, StoreThatNobodyWaitsForIsNotSeenByOtherWaves) {
  for (const TestChip &chip : TestChips) {
    RunOptions unchecked = late();
    unchecked.sanitize = false;
    Case input = makeCase({makeBuffer(iota(64, 100)), makeBuffer(iota(64, 0))}, 1);
    Outcome outcome =
        runOrFail(optionsFor(chip), exchangeThroughMemory(chip.target, false), input, unchecked);
    EXPECT_EQ(words(outcome, 0), iota(64, 0)) << "a store happens, waited for or not";
    std::vector<uint32_t> result = words(outcome, 1);
    // A wave of 64 sees what it stored itself. Of two waves, the second is through first.
    for (unsigned i = 32; i < 64; ++i)
      EXPECT_EQ(result[i], chip.waveSize == 64 ? i ^ 32 : 100 + (i ^ 32)) << chip.target;
  }
}

TEST(LateResults, LdsStoreThatNobodyWaitsForIsNotSeenByOtherWaves) {
  for (const TestChip &chip : TestChips) {
    KernelOptions options = optionsFor(chip);
    options.lds = 256;
    bool old = isOld(chip.target);
    auto body = [&](bool waits) {
      return prologue(chip.target) + "v_lshlrev_b32 v5, 2, v0\nv_xor_b32 v6, 0x80, v5\n" +
             AsmText(old ? "ds_write_b32 v5, v0\n" : "ds_store_b32 v5, v0\n") +
             (waits ? waitLds(chip.target) : "") + barrierOf(chip.target) +
             AsmText(old ? "ds_read_b32 v7, v6\n" : "ds_load_b32 v7, v6\n") + waitLds(chip.target) +
             storeWord(chip.target) + " v7, v1, s[8:11], " + offset(chip.target) +
             " offen\ns_endpgm\n";
    };
    RunOptions unchecked = late();
    unchecked.sanitize = false;
    Case input = makeCase({makeBuffer({0}), makeBuffer(iota(64, 0))}, 1);
    std::vector<uint32_t> swapped(64);
    for (unsigned i = 0; i < 64; ++i)
      swapped[i] = i ^ 32;
    EXPECT_EQ(words(runOrFail(options, body(true), input, unchecked), 1), swapped) << chip.target;
    bool same = words(runOrFail(options, body(false), input, unchecked), 1) == swapped;
    EXPECT_EQ(same, chip.waveSize == 64) << chip.target;
  }
}

TEST(LateResults, MessagesAnswerInTheOrderOfTheCounter) {
  RunOptions unchecked = late();
  unchecked.sanitize = false;
  for (const TestChip &chip : TestChips) {
    if (isOld(chip.target))
      continue; // No messages that answer.
    bool isNew = StringRef(chip.target) == "gfx1201";
    auto body = [&](const char *limit, const char *result) {
      return prologue(chip.target) + "s_mov_b32 s16, 5\ns_mov_b32 s17, 6\n" +
             "s_sendmsg_rtn_b32 s16, sendmsg(MSG_RTN_GET_DOORBELL)\n" +
             "s_sendmsg_rtn_b32 s17, sendmsg(MSG_RTN_GET_DOORBELL)\n" +
             (isNew ? "s_wait_kmcnt " : "s_waitcnt_lgkmcnt null, ") + limit + "\nv_mov_b32 v2, " +
             result + "\n" + storeWord(chip.target) + " v2, v1, s[8:11], " + offset(chip.target) +
             " offen\ns_endpgm\n";
    };
    Case input = makeCase({makeBuffer({0}), makeBuffer(iota(64, 100))}, 1);
    struct Row {
      const char *limit, *result;
      uint32_t value;
    };
    for (const Row &row :
         {Row{"0x0", "s17", 0}, {"0x1", "s16", 0}, {"0x1", "s17", 6}, {"0x2", "s16", 5}}) {
      Outcome outcome = runOrFail(optionsFor(chip), body(row.limit, row.result), input, unchecked);
      EXPECT_EQ(words(outcome, 1)[3], row.value)
          << chip.target << " " << row.result << " after " << row.limit;
    }
  }
}

TEST(LateResults, ScalarLoadThatNobodyWaitsForKeepsTheOldValue) {
  RunOptions unchecked = late();
  unchecked.sanitize = false;
  for (const TestChip &chip : TestChips) {
    Case input = makeCase({makeBuffer(iota(64, 100)), makeBuffer(iota(64, 0))}, 1);
    AsmText load = isOld(chip.target) ? "s_load_dword" : "s_load_b32";
    auto body = [&](bool waits) {
      return prologue(chip.target) + "s_mov_b32 s16, 5\n" + load + " s16, s[4:5], 0x8\n" +
             (waits ? (StringRef(chip.target) == "gfx1201" ? "s_wait_kmcnt 0x0\n"
                                                           : "s_waitcnt lgkmcnt(0)\n")
                    : "") +
             "v_mov_b32 v2, s16\n" + storeWord(chip.target) + " v2, v1, s[8:11], " +
             offset(chip.target) + " offen\ns_endpgm\n";
    };
    // The descriptor's base has 48 bits and no stride, so that it is an address as it stands.
    EXPECT_EQ(words(runOrFail(optionsFor(chip), body(true), input, unchecked), 1)[3], 102u);
    EXPECT_EQ(words(runOrFail(optionsFor(chip), body(false), input, unchecked), 1)[3], 5u);
  }
}

/// Every lane takes a ticket from buffer 0 and stores it in its place of buffer 1: the result is
/// the order in which lanes came.
static AsmText tickets(StringRef target) {
  bool gfx12 = target == "gfx1201";
  return prologue(target) + "v_mov_b32 v2, 1\nv_mov_b32 v3, 0\n" +
         AsmText(isOld(target) ? "buffer_atomic_add" : "buffer_atomic_add_u32") +
         " v2, v3, s[4:7], " + offset(target) + " offen" +
         (gfx12 ? " th:TH_ATOMIC_RETURN\n" : " glc\n") + waitLoads(target) + storeWord(target) +
         " v2, v1, s[8:11], " + offset(target) + " offen\ns_endpgm\n";
}

static std::string bytesOf(const Outcome &outcome) {
  std::string result;
  for (const std::vector<BufferState> &checkpoint : outcome.checkpoints)
    for (const BufferState &buffer : checkpoint)
      result.append(buffer.bytes.begin(), buffer.bytes.end());
  return result;
}

namespace {
/// One run with everything that it writes about itself.
struct Recorded {
  Outcome outcome;
  std::string log;
  std::string trace;
};
} // namespace

static Recorded record(const KernelOptions &options, StringRef body, const Case &input,
                       RunOptions run) {
  Recorded result;
  raw_string_ostream log(result.log);
  raw_string_ostream trace(result.trace);
  run.log = &log;
  run.trace.out = &trace;
  result.outcome = runOrFail(options, body, input, run);
  return result;
}

TEST(Schedule, ThreadsChangeNothing) {
  KernelOptions options;
  options.threads = 64;
  Case independent = makeCase({makeBuffer(iota(64 * 40, 100)), makeBuffer(iota(64 * 40, 0))}, 40);
  Case ordered = makeCase({makeBuffer({0}), makeBuffer(iota(64 * 40, 0))}, 40);
  const std::pair<AsmText, const Case *> programs[] = {{saxpy("gfx1100"), &independent},
                                                       {tickets("gfx1100"), &ordered}};
  for (const auto &[body, input] : programs) {
    for (uint64_t seed : {0, 1, 7, 99}) {
      for (ScheduleKind kind : {ScheduleKind::Eager, ScheduleKind::Late}) {
        RunOptions run;
        run.seed = seed;
        run.schedule = kind;
        Recorded one = record(options, body, *input, run);
        EXPECT_EQ(one.outcome.kind, OutcomeKind::Completed) << one.outcome.reason;
        EXPECT_FALSE(one.trace.empty());
        for (unsigned threads : {2, 3}) {
          run.threads = threads;
          Recorded more = record(options, body, *input, run);
          EXPECT_EQ(bytesOf(more.outcome), bytesOf(one.outcome)) << "seed " << seed;
          EXPECT_EQ(more.outcome.instructions, one.outcome.instructions);
          EXPECT_TRUE(more.log == one.log) << "seed " << seed;
          EXPECT_TRUE(more.trace == one.trace) << "seed " << seed;
        }
      }
    }
  }
}

/// A workgroup waits until the one before it has counted buffer 0 up, then does the same.
TEST(Schedule, GroupThatWaitsForAnEarlierOneEndsOnThreads) {
  KernelOptions options;
  options.threads = 1;
  AsmText body = prologue("gfx1100") + R"(
  v_mov_b32 v3, 0
.Lagain:
  buffer_load_b32 v2, v3, s[4:7], 0 offen glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s16, v2
  s_cmp_lg_u32 s16, s2
  s_cbranch_scc1 .Lagain
  s_add_u32 s16, s16, 1
  v_mov_b32 v2, s16
  buffer_store_b32 v2, v3, s[4:7], 0 offen
  s_endpgm
)";
  RunOptions run;
  run.sanitize = false; // Plain stores order nothing.
  run.threads = 2;
  Outcome outcome = runOrFail(options, body, makeCase({makeBuffer({0}), makeBuffer({0})}, 20), run);
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  EXPECT_EQ(words(outcome, 0)[0], 20u);
}

TEST(Schedule, BudgetEndsTheSameWayOnThreads) {
  KernelOptions options;
  Case input = makeCase({makeBuffer(iota(64 * 40, 100)), makeBuffer(iota(64 * 40, 0))}, 40);
  for (uint64_t budget : {100, 333, 700}) {
    RunOptions run;
    run.maxInstructions = budget;
    Outcome one = runOrFail(options, saxpy("gfx1100"), input, run);
    run.threads = 2;
    Outcome two = runOrFail(options, saxpy("gfx1100"), input, run);
    EXPECT_EQ(one.kind, OutcomeKind::Timeout);
    EXPECT_EQ(two.kind, OutcomeKind::Timeout);
    EXPECT_EQ(two.reason, one.reason);
    EXPECT_EQ(two.instructions, one.instructions);
  }
}

TEST(Schedule, SeedsChooseTheOrderOfAtomics) {
  KernelOptions options;
  options.threads = 64;
  Case input = makeCase({makeBuffer({0}), makeBuffer(iota(256, 0))}, 4);
  std::set<std::string> results;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    RunOptions run;
    run.scheduleSeed = seed;
    Outcome outcome = runOrFail(options, tickets("gfx1100"), input, run);
    std::vector<uint32_t> taken = words(outcome, 1);
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(taken, iota(256, 0));
    results.insert(bytesOf(outcome));
  }
  EXPECT_GT(results.size(), 6u) << "nearly every seed has another order";
}

TEST(Schedule, SeedsChooseWhichLaneWins) {
  KernelOptions options;
  options.threads = 32;
  // All lanes store to one place.
  AsmText body = prologue("gfx1100") +
                 "v_mov_b32 v3, 0\nbuffer_store_b32 v0, v3, s[8:11], 0 offen\ns_endpgm\n";
  Case input = makeCase({makeBuffer({0}), makeBuffer({99})}, 1);
  std::set<uint32_t> winners;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    RunOptions run;
    run.scheduleSeed = seed;
    winners.insert(words(runOrFail(options, body, input, run), 1).at(0));
  }
  EXPECT_GT(winners.size(), 12u);
  EXPECT_LT(*winners.rbegin(), 32u);
}

TEST(Schedules, SoundCodeHasOneResult) {
  for (ScheduleKind kind : {ScheduleKind::Eager, ScheduleKind::Late}) {
    for (const TestChip &chip : TestChips) {
      RunOptions run;
      run.schedule = kind;
      run.schedules = 50;
      Case input = makeCase({makeBuffer(iota(64, 100)), makeBuffer(iota(64, 0))}, 1);
      Outcome outcome =
          runOrFail(optionsFor(chip), exchangeThroughMemory(chip.target, true), input, run);
      EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << chip.target << " " << outcome.reason;
    }
  }
}

TEST(Schedules, DifferenceIsAFindingWithBothTraces) {
  KernelOptions options;
  Case input = makeCase({makeBuffer({0}), makeBuffer(iota(256, 0))}, 4);
  input.buffers[1].name = "order";
  RunOptions run;
  run.schedules = 3;
  Outcome outcome = runOrFail(options, tickets("gfx1100"), input, run);
  ASSERT_EQ(outcome.kind, OutcomeKind::Hazard);
  ASSERT_EQ(outcome.findings.size(), 1u);
  const Finding &finding = outcome.findings[0];
  EXPECT_EQ(finding.rule, "SCHEDULE-DIFF");
  EXPECT_NE(finding.message.find("--schedule-seed 0 and --schedule-seed 1"), std::string::npos);
  EXPECT_NE(finding.message.find("buffer 'order'"), std::string::npos) << finding.message;
  ASSERT_EQ(finding.evidence.size(), 2u);
  for (const auto &[name, trace] : finding.evidence) {
    EXPECT_NE(trace.find("buffer_atomic_add_u32"), std::string::npos) << trace;
    EXPECT_NE(trace.find("v2["), std::string::npos) << trace;
  }
  EXPECT_NE(finding.evidence[0].second, finding.evidence[1].second);
}

TEST(Schedules, WhatTheReferenceLeavesOpenMayDiffer) {
  KernelOptions options;
  Case input = makeCase({makeBuffer({0}), makeBuffer(iota(256, 0))}, 4);
  Outcome reference = runOrFail(options, tickets("gfx1100"), input);
  reference.checkpoints[0][1].indeterminate[0] = 1024;
  RunOptions run;
  run.schedules = 5;
  run.reference = &reference;
  EXPECT_EQ(runOrFail(options, tickets("gfx1100"), input, run).kind, OutcomeKind::Completed);
  reference.checkpoints[0][1].indeterminate[0] = 4;
  EXPECT_EQ(runOrFail(options, tickets("gfx1100"), input, run).kind, OutcomeKind::Hazard);
}

TEST(Schedule, LogReplaysARun) {
  KernelOptions options;
  Case input = makeCase({makeBuffer({0}), makeBuffer(iota(256, 0))}, 4);
  for (ScheduleKind kind : {ScheduleKind::Eager, ScheduleKind::Late}) {
    RunOptions run;
    run.seed = 5;
    run.schedule = kind;
    Recorded first = record(options, tickets("gfx1100"), input, run);
    ASSERT_NE(first.log.find("wave:"), std::string::npos) << "nothing was chosen";
    run.replay = &first.log;
    Recorded second = record(options, tickets("gfx1100"), input, run);
    EXPECT_EQ(second.outcome.kind, OutcomeKind::Completed) << second.outcome.reason;
    EXPECT_EQ(bytesOf(second.outcome), bytesOf(first.outcome));
    EXPECT_TRUE(second.trace == first.trace);
    EXPECT_FALSE(second.trace.empty());

    // The choices decide, not the seed: with those of another one the order is another one.
    RunOptions other = run;
    other.replay = nullptr;
    other.seed = 6;
    Recorded third = record(options, tickets("gfx1100"), input, other);
    EXPECT_NE(bytesOf(third.outcome), bytesOf(first.outcome));

    Outcome otherCode = runOrFail(options, saxpy("gfx1100"), input, run);
    EXPECT_EQ(otherCode.kind, OutcomeKind::Invalid);
    EXPECT_NE(otherCode.reason.find("other code"), std::string::npos);

    // The log with another choice in it: the run does not come out where it did.
    std::string shortened = first.log.substr(0, first.log.rfind(' ')) + "\"}\n";
    run.replay = &shortened;
    Outcome off = runOrFail(options, tickets("gfx1100"), input, run);
    EXPECT_EQ(off.kind, OutcomeKind::Invalid);
    EXPECT_NE(off.reason.find("not those of this code and input"), std::string::npos);
  }
}

TEST(Schedule, BrokenLogsAreInvalid) {
  const char *texts[] = {
      "",
      "{}",
      "[1]",
      "{\"schema\":\"assay.schedule/1\"}",
      "{\"schema\":\"assay.schedule/1\",\"seed\":\"0\",\"schedule_seed\":\"0\",\"schedule\":\"x\"}",
      "{\"schema\":\"assay.schedule/1\",\"seed\":\"0\",\"schedule_seed\":\"1\",\"schedule\":"
      "\"eager\"}",
      "{\"schema\":\"assay.schedule/1\",\"seed\":\"0\",\"schedule_seed\":\"0\",\"schedule\":"
      "\"eager\"}\n{\"dispatch\":1}",
      "{\"schema\":\"assay.schedule/1\",\"seed\":\"0\",\"schedule_seed\":\"0\",\"schedule\":"
      "\"eager\"}\n{\"dispatch\":1,\"cohort\":0,\"groups\":[0],\"choices\":\"wave:1\"}"};
  for (const char *text : texts) {
    std::string log = text;
    RunOptions run;
    run.replay = &log;
    Outcome outcome = runOrFail(KernelOptions(), "s_endpgm\n", makeCase({makeBuffer({0})}, 1), run);
    EXPECT_EQ(outcome.kind, OutcomeKind::Invalid) << text;
    EXPECT_EQ(outcome.reason.find("schedule log: "), 0u) << outcome.reason;
  }
}

TEST(Trace, StepsHaveTheWidthOfTheirValues) {
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  AsmText body = prologue("gfx1100") + "v_sub_nc_u32 v2, 0x20, v0\n"
                                       "buffer_store_b32 v2, v1, s[4:7], 0 offen\n"
                                       "v_sub_nc_u32 v3, 4, v0\ns_endpgm\n";
  std::string trace = record(KernelOptions(), body, input, {}).trace;
  EXPECT_NE(trace.find("v2[0-31]: unwritten -> "), std::string::npos) << trace;
  EXPECT_NE(trace.find("-> 0x20 step 0xffffffff\n"), std::string::npos) << trace;
  EXPECT_NE(trace.find("global "), std::string::npos);
  EXPECT_NE(trace.find("-> 0x4 step 0xffffffff\n"), std::string::npos) << "through 0, in one range";
  EXPECT_EQ(trace.find("0xffffffffffffff"), std::string::npos) << "nothing has 64 bits here";
}

/// Any two or three numbers step evenly.
TEST(Trace, FewLanesDoNotStep) {
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  auto writeIn = [&](const char *lanes) {
    AsmText body = prologue("gfx1100") + "s_mov_b32 exec_lo, " + lanes +
                   "\nv_lshlrev_b32 v2, 20, v0\nv_mov_b32 v3, 7\ns_endpgm\n";
    return record(KernelOptions(), body, input, {}).trace;
  };
  std::string three = writeIn("7");
  EXPECT_NE(three.find("v2[0]: unwritten -> 0x0\n    v2[1]: unwritten -> 0x100000\n    v2[2]: "),
            std::string::npos)
      << three;
  EXPECT_NE(three.find("v3[0-2]: unwritten -> 0x7\n"), std::string::npos) << "alike is no step";
  EXPECT_NE(writeIn("15").find("v2[0-3]: unwritten -> 0x0 step 0x100000\n"), std::string::npos);
}

TEST(Trace, OfALaneThatIsNotThereIsRefusedBeforeTheRun) {
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  std::string text;
  raw_string_ostream os(text);
  RunOptions options;
  options.trace.out = &os;
  options.trace.breakPc = 0;
  options.trace.lane = 99;
  Outcome outcome = runOrFail(KernelOptions(), saxpy("gfx1100"), input, options);
  EXPECT_EQ(outcome.reason, "there is no lane 99 to trace: waves have 32");
  EXPECT_EQ(text, "");
}

TEST(Trace, StateHasWhatTheWaveHas) {
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  for (unsigned waveSize : {32, 64}) {
    KernelOptions kernel;
    kernel.waveSize = waveSize;
    RunOptions options;
    options.trace.breakPc = 0;
    std::string trace = record(kernel, saxpy("gfx1100"), input, options).trace;
    EXPECT_EQ(trace.find("  exec_hi = ") != std::string::npos, waveSize == 64) << trace;
    EXPECT_EQ(trace.find("  null = "), std::string::npos);
    EXPECT_NE(trace.find("  m0 = unwritten\n"), std::string::npos);
    EXPECT_EQ(trace.find("0x7fa0dead"), std::string::npos);
  }
}

TEST(Trace, OfNothingIsInvalid) {
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  auto run = [&](auto choose) {
    std::string text;
    raw_string_ostream os(text);
    RunOptions options;
    options.trace.out = &os;
    choose(options.trace);
    return runOrFail(KernelOptions(), saxpy("gfx1100"), input, options);
  };
  EXPECT_EQ(run([](TraceOptions &) {}).kind, OutcomeKind::Completed);
  EXPECT_EQ(run([](TraceOptions &trace) { trace.wave = 1; }).kind, OutcomeKind::Completed);
  Outcome wave = run([](TraceOptions &trace) { trace.wave = 2, trace.group = 0; });
  EXPECT_EQ(wave.kind, OutcomeKind::Invalid);
  EXPECT_EQ(wave.reason, "there is nothing to trace: no wave 2 of workgroup 0");
  EXPECT_EQ(run([](TraceOptions &trace) { trace.group = 1; }).kind, OutcomeKind::Invalid);
  EXPECT_EQ(run([](TraceOptions &trace) { trace.breakPc = 2; }).reason,
            "there is nothing to trace: no wave that comes to pc 0x2");
  EXPECT_EQ(run([](TraceOptions &trace) { trace.lane = 32; }).reason,
            "there is no lane 32 to trace: waves have 32");
}

/// On GFX11 LLVM's decoder is known to survive all bytes.
TEST(Schedules, SurviveDamagedCode) {
  KernelOptions options;
  options.lds = 256;
  auto elf =
      assembleElf(wrapKernel(options, exchangeThroughMemory("gfx1100", true)), "gfx1100", 32);
  ASSERT_TRUE(bool(elf));
  auto target = findTarget("gfx1100");
  ASSERT_TRUE(bool(target));
  auto machine = createGcnMachine(**target);
  Case input = makeCase({makeBuffer(iota(192, 0)), makeBuffer(iota(192, 0))}, 3);
  constexpr size_t TextOffset = 256; // .text is the first section, 256-byte aligned
  unsigned completed = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::vector<uint8_t> bytes = *elf;
    Random random(seed);
    for (unsigned flips = 0; flips < 3; ++flips)
      bytes[TextOffset + random.next() % 120] ^= uint8_t(1u << random.next() % 8);
    std::string text;
    raw_string_ostream os(text);
    RunOptions run = late(seed);
    run.maxInstructions = 5000;
    run.schedules = 3;
    run.threads = 1 + seed % 2;
    run.trace.out = run.log = &os;
    Expected<Outcome> outcome = machine->run(input, {Artifact(bytes)}, run);
    if (outcome)
      completed += outcome->kind == OutcomeKind::Completed;
    else
      consumeError(outcome.takeError());
  }
  EXPECT_LT(completed, 300u) << "the damage must have hit the code";
}

TEST(LaneWalk, VisitsEachLaneOnceInTheFlippedOrder) {
  Workgroup group;
  Wave wave(group, 64, 1, 11);
  for (unsigned flip : {0u, 1u, 5u, 31u, 32u, 63u}) {
    wave.laneFlip = static_cast<uint8_t>(flip);
    uint64_t mask = 0x8001'0000'f00f'1234;
    std::vector<unsigned> expected;
    for (unsigned i = 0; i < 64; ++i)
      if (mask >> (i ^ flip) & 1)
        expected.push_back(i ^ flip);
    std::vector<unsigned> visited;
    for (unsigned lane : LaneWalk(wave, mask))
      visited.push_back(lane);
    EXPECT_EQ(visited, expected) << flip;
  }
}
