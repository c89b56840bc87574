// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Places.h"

#include "oracles/execution/Scalar.h"
#include "support/Error.h"
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
