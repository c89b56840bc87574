// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Job.h"

#include "harness/run/OutcomeFile.h"
#include "support/Error.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

TEST(Job, ReadsBackAsWritten) {
  Job job;
  job.kind = JobKind::Compile;
  job.casePath = "a b/c.amber";
  job.command = {"cc", "{in}"};
  job.target = "gfx900";
  job.spirvEnv = "spv1.4";
  job.optLevel = 2;
  job.seed = ~0ull;
  job.plants = {"compile-crash", "wrong-subtract"};
  job.compare = true;
  job.score = true;
  job.checksLowering = false;
  job.judgedBuffer = "a buffer";
  job.twice = true;
  job.detour = true;
  job.elfFile = "changed.elf";
  job.schedule = {false,      true, 7,    1000, 2, true, true,
                  "log file", true, 0x1c, 3,    1, 31,   {"HAZ-DEALLOC", "MC-04"}};
  job.limits.timeoutMs = 5;
  job.rerun = "x";
  job.files = {"a.elf", "b c.a"};
  job.ruleOptions = {"only=MD-"};
  Expected<Job> back = parseJob(printJob(job), "folder");
  ASSERT_TRUE(static_cast<bool>(back)) << toString(back.takeError());
  EXPECT_EQ(printJob(*back), printJob(job));
  EXPECT_EQ(back->seed, ~0ull);
  EXPECT_EQ(back->spirvEnv, job.spirvEnv);
  EXPECT_EQ(back->judgedBuffer, job.judgedBuffer);
  EXPECT_EQ(back->elfFile, job.elfFile);
  EXPECT_EQ(back->schedule, job.schedule);
  EXPECT_EQ(back->resultFile(), "folder/result.json");
}

TEST(Job, OfAnOlderBundleHasItsLoweringChecked) {
  Job job;
  job.checksLowering = false;
  std::string text = printJob(job);
  size_t begin = text.find("\"checks_lowering\"");
  ASSERT_NE(begin, std::string::npos);
  text.erase(begin, text.find('\n', begin) + 1 - begin);
  Expected<Job> back = parseJob(text, "folder");
  ASSERT_TRUE(static_cast<bool>(back)) << toString(back.takeError());
  EXPECT_TRUE(back->checksLowering);
}

TEST(JobSchedule, ReadsBackAsWrittenAndRefusesTheRest) {
  JobSchedule schedule;
  EXPECT_TRUE(printSchedule(schedule, true).empty());
  schedule.late = true;
  schedule.count = 12;
  schedule.traces = true;
  schedule.breakPc = 0x40;
  schedule.skippedRules = {"HAZ-DEALLOC", "MC-04"};
  std::vector<std::string> rerun = {"--schedule", "late",        "--schedules",
                                    "12",         "--skip-rule", "HAZ-DEALLOC,MC-04"};
  EXPECT_EQ(printSchedule(schedule, false), rerun);
  std::vector<std::string> trace = {"--trace", "--break", "0x40"};
  EXPECT_EQ(printTraceOptions(schedule), trace);
  Expected<JobSchedule> back = parseSchedule(printSchedule(schedule, true));
  ASSERT_TRUE(static_cast<bool>(back));
  EXPECT_EQ(*back, schedule);
  for (std::vector<std::string> words : {std::vector<std::string>{"--schedule"},
                                         {"--schedule", "soon"},
                                         {"--schedule", "yes"},
                                         {"log", "late"},
                                         {"--trace", "late"},
                                         {"--threads", "x"},
                                         {"--skip-rule", "HAZ-DEALLOC,"},
                                         {"break", "12"},
                                         {"lane", "-1"},
                                         {"--other", "1"}}) {
    Expected<JobSchedule> refused = parseSchedule(words);
    ASSERT_FALSE(static_cast<bool>(refused)) << words[0];
    EXPECT_EQ(takeError(refused.takeError()).kind, ErrorKind::InvalidInput);
  }
}

TEST(JobPasses, ReadBackAsWrittenAndRefuseTheRest) {
  EXPECT_TRUE(printPasses({}).empty());
  JobPasses passes;
  passes.limit = 0;
  passes.snapshot = 12;
  passes.pipeline = 1;
  passes.explains = passes.findsRaces = true;
  passes.repeats = "instcombine";
  passes.watch = uint64_t(1) << 45;
  passes.lists = true;
  Expected<JobPasses> back = parsePasses(printPasses(passes));
  ASSERT_TRUE(static_cast<bool>(back));
  EXPECT_EQ(*back, passes);
  Job job;
  job.passes = passes;
  Expected<Job> read = parseJob(printJob(job), "");
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(read->passes, passes);
  for (std::vector<std::string> words :
       {std::vector<std::string>{"limit"}, {"snapshot", "x"}, {"repeat"}, {"other"}}) {
    Expected<JobPasses> refused = parsePasses(words);
    ASSERT_FALSE(static_cast<bool>(refused)) << words[0];
    EXPECT_EQ(takeError(refused.takeError()).kind, ErrorKind::InvalidInput);
  }
}

TEST(JobPasses, EventsReadBackUpToALineThatIsCutShort) {
  std::vector<PassEvent> events = {{PassEvent::Kind::Optional, "sroa", "function main"},
                                   {PassEvent::Kind::Begin, "sroa", ""},
                                   {PassEvent::Kind::End, "sroa", ""}};
  std::string text;
  for (const PassEvent &event : events)
    text += printPassEvent(event);
  Expected<std::vector<PassEvent>> back = parsePassEvents(text + "begin\tgv");
  ASSERT_TRUE(static_cast<bool>(back));
  EXPECT_EQ(*back, events);
  Expected<std::vector<PassEvent>> refused = parsePassEvents("start\tgvn\t\n");
  ASSERT_FALSE(static_cast<bool>(refused));
  EXPECT_EQ(takeError(refused.takeError()).kind, ErrorKind::InvalidInput);
}

TEST(Job, RefusesOtherFiles) {
  std::string newer = printJob({});
  newer.replace(newer.find("job/1"), 5, "job/2");
  for (StringRef text : {"", "{}", "[1]", newer.c_str()}) {
    Expected<Job> job = parseJob(text, "");
    ASSERT_FALSE(static_cast<bool>(job)) << text.str();
    EXPECT_EQ(takeError(job.takeError()).kind, ErrorKind::InvalidInput);
  }
}

static Outcome makeOutcome() {
  Outcome outcome;
  outcome.kind = OutcomeKind::Timeout;
  outcome.reason = "because";
  outcome.instructions = 12;
  BufferState state;
  state.bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  state.intervals[0] = {-0.0, INFINITY, 4, true};
  state.indeterminate[4] = 3;
  state.fields[59] = {-3, 2, 5, true};
  BufferState texel{{4, 5}};
  texel.fields[3] = {1, 2, 4, false};
  state.alternatives[2] = {texel, BufferState{{7, 8}}};
  outcome.checkpoints = {{state, {}}, {state, state}};
  return outcome;
}

TEST(OutcomeFile, ReadsBackAsWritten) {
  std::vector<uint8_t> bytes = writeOutcome(makeOutcome());
  Expected<Outcome> back = readOutcome(bytes);
  ASSERT_TRUE(static_cast<bool>(back)) << toString(back.takeError());
  EXPECT_EQ(writeOutcome(*back), bytes);
  EXPECT_TRUE(std::signbit(back->checkpoints[1][1].intervals[0].lo));
  EXPECT_TRUE(back->checkpoints[1][1].intervals[0].mayBeNan);
  const FieldInterval &field = back->checkpoints[1][1].fields[59];
  EXPECT_EQ(field.lo, -3);
  EXPECT_EQ(field.hi, 2);
  EXPECT_EQ(field.bits, 5);
  EXPECT_TRUE(field.isSigned);
  const std::vector<BufferState> &texel = back->checkpoints[1][1].alternatives[2];
  ASSERT_EQ(texel.size(), 2u);
  EXPECT_EQ(texel[0].fields.at(3).hi, 2);
  EXPECT_EQ(texel[1].bytes, (std::vector<uint8_t>{7, 8}));
}

TEST(OutcomeFile, RefusesEveryTruncationAndSurvivesEveryByte) {
  std::vector<uint8_t> bytes = writeOutcome(makeOutcome());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Expected<Outcome> cut = readOutcome(ArrayRef(bytes).take_front(size));
    EXPECT_FALSE(static_cast<bool>(cut)) << size;
    consumeError(cut.takeError());
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<uint8_t> broken = bytes;
    broken[i] ^= 0xff;
    consumeError(readOutcome(broken).takeError());
  }
}
