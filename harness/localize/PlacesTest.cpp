// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Places.h"

#include "harness/run/OutcomeFile.h"
#include "oracles/execution/Scalar.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

/// The probe's buffer, and four words at set 1, binding 2.
static Subject makeSubject() {
  Subject subject;
  Buffer probe, data;
  probe.name = probeBuffer.str();
  probe.format = data.format = makeDataFormat(ScalarKind::Uint32, 1, 1, BlockLayout::Std430);
  probe.bytes.assign(4, unstoredByte);
  data.name = "data";
  data.bytes.assign(16, 0);
  subject.input.buffers = {probe, data};
  BufferBinding binding;
  binding.buffer = 1;
  binding.set = 1;
  binding.binding = 2;
  subject.input.pipelines.emplace_back().bindings = {binding};
  return subject;
}

/// A load that should find word \p right of the data and finds what \p actual makes of them.
static bool isElsewhere(size_t right, function_ref<uint32_t(ArrayRef<uint32_t>)> actual) {
  auto run = [&](const Subject &subject, StringRef buffer) -> Expected<std::optional<ProbeRun>> {
    EXPECT_EQ(buffer, probeBuffer);
    const std::vector<uint8_t> &bytes = subject.input.buffers[1].bytes;
    std::vector<uint32_t> words;
    for (size_t at = 0; at < bytes.size(); at += 4)
      words.push_back(static_cast<uint32_t>(loadScalarBits(&bytes[at], 4)));
    ProbeRun done;
    done.verdict.state = State::Fail;
    Difference &difference = done.verdict.firstDifference.emplace();
    difference.expected = std::to_string(words[right]);
    difference.actual = std::to_string(actual(words));
    return std::move(done);
  };
  return cantFail(isLoadedElsewhere(makeSubject(), {1, 2, "array"}, run));
}

TEST(Places, OfALoadAreToldByWhatItFinds) {
  EXPECT_TRUE(isElsewhere(1, [](ArrayRef<uint32_t> words) { return words[2]; }));
  EXPECT_TRUE(isElsewhere(1, [](ArrayRef<uint32_t>) { return 0; })) << "outside of the buffer";
  EXPECT_FALSE(isElsewhere(1, [](ArrayRef<uint32_t> words) { return words[1] + 1; }));
  EXPECT_FALSE(isElsewhere(1, [](ArrayRef<uint32_t> words) { return ~words[2]; }));
}

TEST(Places, AreUnknownWhereNothingIsWrong) {
  auto passes = [](const Subject &, StringRef) -> Expected<std::optional<ProbeRun>> {
    ProbeRun run;
    run.verdict.state = State::Pass;
    return std::move(run);
  };
  auto nothing = [](const Subject &, StringRef) -> Expected<std::optional<ProbeRun>> {
    return std::nullopt;
  };
  EXPECT_FALSE(cantFail(isLoadedElsewhere(makeSubject(), {1, 2, "array"}, passes)));
  EXPECT_FALSE(cantFail(isLoadedElsewhere(makeSubject(), {1, 2, "array"}, nothing)));
  EXPECT_FALSE(cantFail(isWrittenElsewhere(makeSubject(), 1, passes)));
  EXPECT_FALSE(cantFail(isWrittenElsewhere(makeSubject(), 1, nothing)));
}

TEST(Places, OfAStoreNeedTheOutcomes) {
  auto fails = [](const Subject &subject, StringRef buffer) -> Expected<std::optional<ProbeRun>> {
    EXPECT_EQ(buffer, "data");
    EXPECT_EQ(subject.input.buffers[1].bytes, std::vector<uint8_t>(16, unstoredByte));
    ProbeRun run;
    run.verdict.state = State::Fail;
    run.job.folder = "/no-such-folder";
    return std::move(run);
  };
  Expected<bool> result = isWrittenElsewhere(makeSubject(), 1, fails);
  ASSERT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(takeError(result.takeError()).kind, ErrorKind::Environment);
}

using Bytes = std::vector<uint8_t>;

static Error writeOutcomeFile(const std::string &path, const Bytes &bytes) {
  Outcome outcome;
  if (!bytes.empty())
    outcome.checkpoints = {{BufferState(), BufferState{bytes}}};
  return writeFile(path, writeOutcome(outcome));
}

/// Whether a store went elsewhere that leaves \p actual of the data; \p right is the reference's.
/// Empty: the run did not come to a checkpoint.
static bool isStoredElsewhere(const Bytes &actual, const Bytes &right) {
  SmallString<128> folder;
  EXPECT_FALSE(sys::fs::createUniqueDirectory("assay-places", folder));
  auto fails = [&](const Subject &, StringRef) -> Expected<std::optional<ProbeRun>> {
    ProbeRun run;
    run.verdict.state = State::Fail;
    run.job.folder = folder.str().str();
    cantFail(writeOutcomeFile(run.job.outcomeFile(), actual));
    cantFail(writeOutcomeFile(run.job.ownReferenceFile(), right));
    return std::move(run);
  };
  bool isElsewhere = cantFail(isWrittenElsewhere(makeSubject(), 1, fails));
  (void)sys::fs::remove_directories(folder);
  return isElsewhere;
}

TEST(Places, OfAStoreAreThoseThatAreNotAsTheyWere) {
  constexpr uint8_t Kept = unstoredByte;
  const Bytes right = {Kept, 7, 7, Kept};
  EXPECT_FALSE(isStoredElsewhere({Kept, 8, 9, Kept}, right)) << "another value";
  EXPECT_TRUE(isStoredElsewhere({Kept, Kept, 7, 7}, right));
  EXPECT_TRUE(isStoredElsewhere({7, 7, 7, Kept}, right)) << "more";
  EXPECT_TRUE(isStoredElsewhere({Kept, 7, Kept, Kept}, right)) << "less";
  EXPECT_TRUE(isStoredElsewhere({1, 2, 3, 4}, {3, 4, 1, 2})) << "exchanged";
  EXPECT_FALSE(isStoredElsewhere({1, 2, 3, 5}, {3, 4, 1, 2}));
  EXPECT_FALSE(isStoredElsewhere({}, right)) << "nobody knows";
  EXPECT_FALSE(isStoredElsewhere({}, {}));
}
