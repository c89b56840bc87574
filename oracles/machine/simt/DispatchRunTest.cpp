// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules, threads, logs and races on a machine that is not a GPU.
#include "oracles/machine/simt/Schedules.h"
#include "oracles/machine/simt/ScriptMachineTesting.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::simt;

static constexpr unsigned Groups = 40;
static constexpr unsigned Waves = 2;
static constexpr uint64_t Words = Groups * Waves + 1;

/// Runs \p steps on Groups workgroups of Waves waves, with one buffer of zeros. Word 0 is for all,
/// each wave has another one.
static Outcome runSteps(ArrayRef<Step> steps, const RunOptions &options) {
  Case input;
  input.buffers.emplace_back();
  input.buffers.back().name = "words";
  input.buffers.back().bytes.assign(4 * Words, 0);
  Expected<Outcome> outcome = runCase(input, {}, options, [&](RunContext &context) {
    std::vector<BufferState> buffers = {{input.buffers[0].bytes, {}, {}}};
    ScriptDispatch model(steps, buffers, Waves);
    Outcome result;
    const uint32_t groups[3] = {Groups, 1, 1};
    addResult(runDispatch(model, groups, context), result);
    result.checkpoints.push_back(buffers);
    return Expected<Outcome>(std::move(result));
  });
  EXPECT_TRUE(bool(outcome));
  return outcome ? *outcome : Outcome();
}

static std::vector<uint32_t> wordsOf(const Outcome &outcome) {
  std::vector<uint32_t> words(Words);
  std::memcpy(words.data(), outcome.checkpoints[0][0].bytes.data(), 4 * Words);
  return words;
}

/// Each wave takes a number and stores it in its own word: the order of the waves.
static constexpr Step Tickets[] = {{StepKind::Add, 0}, {StepKind::Store, 1, true}};

static RunOptions seeded(uint64_t seed) {
  RunOptions options;
  options.scheduleSeed = seed;
  return options;
}

TEST(DispatchRun, SeedZeroIsTheOrderOfTheNumbers) {
  std::vector<uint32_t> words = wordsOf(runSteps(Tickets, seeded(0)));
  for (uint32_t wave = 0; wave < Groups * Waves; ++wave)
    EXPECT_EQ(words[1 + wave], wave);
}

TEST(DispatchRun, SeedsChooseOtherOrders) {
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<uint32_t> words = wordsOf(runSteps(Tickets, seeded(seed)));
    orders.insert(words);
    std::set<uint32_t> tickets(words.begin() + 1, words.end());
    EXPECT_EQ(tickets.size(), Groups * Waves) << "every wave has run";
  }
  EXPECT_GT(orders.size(), 5u);
}

TEST(DispatchRun, ThreadsChangeNothing) {
  static constexpr Step Independent[] = {{StepKind::Load, 1, true}, {StepKind::Store, 1, true}};
  for (ArrayRef<Step> steps : {ArrayRef<Step>(Tickets), ArrayRef<Step>(Independent)})
    for (uint64_t seed : {0, 1, 7}) {
      std::string logs[2];
      std::vector<uint32_t> words[2];
      uint64_t instructions[2];
      for (unsigned i = 0; i < 2; ++i) {
        raw_string_ostream log(logs[i]);
        RunOptions options = seeded(seed);
        options.threads = 1 + 2 * i;
        options.log = &log;
        Outcome outcome = runSteps(steps, options);
        words[i] = wordsOf(outcome);
        instructions[i] = outcome.instructions;
      }
      EXPECT_EQ(words[0], words[1]) << "seed " << seed;
      EXPECT_EQ(logs[0], logs[1]) << "seed " << seed;
      EXPECT_EQ(instructions[0], instructions[1]) << "seed " << seed;
    }
}

TEST(DispatchRun, LogReplaysTheRun) {
  std::string log;
  raw_string_ostream os(log);
  RunOptions options = seeded(5);
  options.log = &os;
  std::vector<uint32_t> words = wordsOf(runSteps(Tickets, options));
  options.log = nullptr;
  options.replay = &log;
  EXPECT_EQ(wordsOf(runSteps(Tickets, options)), words);
  static constexpr Step Other[] = {{StepKind::Add, 0}, {StepKind::Add, 0}, {StepKind::Add, 0}};
  EXPECT_EQ(runSteps(Other, options).kind, OutcomeKind::Invalid);
}

TEST(DispatchRun, EveryWorkgroupHasFreshPrivateMemory) {
  static constexpr Step Steps[] = {{StepKind::Count}, {StepKind::Store, 1, true}};
  for (uint64_t seed : {0, 3}) {
    std::vector<uint32_t> words = wordsOf(runSteps(Steps, seeded(seed)));
    std::multiset<uint32_t> counts(words.begin() + 1, words.end());
    EXPECT_EQ(counts.count(1), Groups) << "one wave of each workgroup is the first";
    EXPECT_EQ(counts.count(2), Groups);
  }
}

TEST(DispatchRun, FindsRacesUnderEverySchedule) {
  static constexpr Step Racy[] = {{StepKind::Store, 0}};
  for (uint64_t seed = 0; seed < 4; ++seed)
    for (unsigned threads : {1, 2}) {
      RunOptions options = seeded(seed);
      options.threads = threads;
      Outcome outcome = runSteps(Racy, options);
      ASSERT_EQ(outcome.findings.size(), 1u) << "seed " << seed;
      EXPECT_EQ(outcome.findings[0].rule, "RACE-GLOBAL");
      EXPECT_EQ(outcome.kind, OutcomeKind::Hazard);
      EXPECT_TRUE(runSteps(Tickets, options).findings.empty()) << "atomics do not race";
    }
}

TEST(DispatchRun, BarrierHoldsWavesUntilAllHaveArrived) {
  static constexpr Step Steps[] = {{StepKind::Barrier}, {StepKind::Add, 0}, {StepKind::Barrier}};
  static constexpr Step Alone[] = {{StepKind::BarrierOfFirst}};
  for (uint64_t seed : {0, 1, 2}) {
    Outcome outcome = runSteps(Steps, seeded(seed));
    EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
    EXPECT_EQ(wordsOf(outcome)[0], Groups * Waves);
    outcome = runSteps(Alone, seeded(seed));
    EXPECT_EQ(outcome.kind, OutcomeKind::Trap);
    EXPECT_EQ(outcome.reason, "stuck");
  }
}

TEST(DispatchRun, BudgetEndsTheSameWayOnThreads) {
  for (uint64_t budget : {1, 30, 100}) {
    RunOptions options = seeded(0);
    options.maxInstructions = budget;
    Outcome one = runSteps(Tickets, options);
    options.threads = 2;
    Outcome two = runSteps(Tickets, options);
    EXPECT_EQ(one.kind, OutcomeKind::Timeout);
    EXPECT_EQ(two.kind, OutcomeKind::Timeout);
    EXPECT_EQ(one.instructions, two.instructions);
    EXPECT_EQ(wordsOf(one), wordsOf(two));
  }
}

TEST(DispatchRun, FaultNamesTheBuffer) {
  static constexpr Step Steps[] = {{StepKind::Load, Words}};
  Outcome outcome = runSteps(Steps, {});
  EXPECT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_EQ(outcome.reason, "0 bytes beyond the end of 'buffer 0'");
}

TEST(Schedules, ReportTheInstructionWhereTwoDiffer) {
  RunOptions options = seeded(0);
  options.schedules = 4;
  Outcome outcome = runSteps(Tickets, options);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].rule, "SCHEDULE-DIFF");
  EXPECT_NE(outcome.findings[0].message.find("the first instruction that differs is at pc 0x0"),
            std::string::npos)
      << outcome.findings[0].message;
  static constexpr Step Sound[] = {{StepKind::Add, 0}};
  EXPECT_TRUE(runSteps(Sound, options).findings.empty());
  // What the reference leaves open may differ.
  Outcome reference;
  reference.checkpoints = {{{std::vector<uint8_t>(4 * Words), {}, {{4, 4 * (Words - 1)}}}}};
  options.reference = &reference;
  EXPECT_TRUE(runSteps(Tickets, options).findings.empty());
}
