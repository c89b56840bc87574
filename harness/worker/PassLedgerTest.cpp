// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What JobPasses does to a compilation, and what the compilation tells.
#include "harness/worker/PassLedger.h"

#include "compiler/driver/Compiler.h"
#include "harness/run/WorkFolder.h"
#include "harness/worker/Steps.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

class PassLedgers : public testing::Test {
protected:
  void SetUp() override {
    auto folder = WorkFolder::create("");
    ASSERT_TRUE(bool(folder)) << takeError(folder.takeError()).message;
    m_folder = std::move(*folder);
    m_job.casePath = ASSAY_SOURCE_DIR "/corpora/compute/saxpy.amber";
    m_job.caseId = "saxpy.amber";
    m_job.compiler = "assay";
    m_job.machine = "gcn";
    m_job.target = "gfx1100";
    m_job.optLevel = 2;
    ASSERT_FALSE(readInput(m_job, m_input));
  }

  /// What the compiler makes of the case's only pipeline.
  std::string compile(StringRef machine, const JobPasses &passes) {
    Job job = m_job;
    job.machine = machine.str();
    job.passes = passes;
    job.folder = m_folder->jobFolder("job", m_jobs++);
    if (std::error_code code = sys::fs::create_directories(job.folder))
      ADD_FAILURE() << code.message();
    std::vector<Artifact> artifacts;
    std::optional<Stop> stop = compilePipelines(job, m_input, m_compiler, artifacts);
    EXPECT_FALSE(stop) << stop->reason;
    if (stop)
      return "";
    if (passes.lists) {
      Expected<std::string> text = readFileText(job.passesFile());
      EXPECT_TRUE(bool(text));
      m_events = cantFail(parsePassEvents(cantFail(std::move(text))));
    }
    return artifacts.front().text().str();
  }

  size_t count(PassEvent::Kind kind, StringRef pass = "") const {
    return static_cast<size_t>(count_if(m_events, [&](const PassEvent &event) {
      return event.kind == kind && (pass.empty() || event.pass == pass);
    }));
  }

  std::string emit(EmitPhase phase) {
    CompileOptions options;
    options.target = cantFail(findTarget(m_job.target));
    CompileResult result =
        cantFail(m_compiler.compile(m_input.pipelines[0].description, options, phase));
    return {result.output.begin(), result.output.end()};
  }

  std::unique_ptr<WorkFolder> m_folder;
  Job m_job;
  Case m_input;
  Compiler m_compiler;
  std::vector<PassEvent> m_events;
  size_t m_jobs = 0;
};

JobPasses listed(std::optional<uint64_t> limit) {
  JobPasses passes;
  passes.limit = limit;
  passes.lists = true;
  return passes;
}

JobPasses snapshotAt(uint64_t number) {
  JobPasses passes;
  passes.snapshot = number;
  return passes;
}

} // namespace

TEST_F(PassLedgers, TellTheSameStoryEachTime) {
  std::string elf = compile("gcn", listed(std::nullopt));
  std::vector<PassEvent> first = m_events;
  EXPECT_EQ(compile("gcn", listed(std::nullopt)), elf);
  EXPECT_EQ(m_events, first);
  EXPECT_EQ(compile("gcn", {}), elf);
  EXPECT_EQ(emit(EmitPhase::Elf), elf);
  // It tells what changed the module: the last pass that did left what the back-end gets.
  auto changed = [](const PassEvent &event) { return event.unit == changedWord; };
  EXPECT_TRUE(any_of(m_events, changed));
  EXPECT_FALSE(all_of(m_events, [&](const PassEvent &event) {
    return event.kind != PassEvent::Kind::End || changed(event);
  }));
  // In the middle-end, and in the code generator.
  EXPECT_GT(count(PassEvent::Kind::Optional, "instcombine"), 0u);
  EXPECT_GT(count(PassEvent::Kind::Optional, "machine-cse"), 0u);
}

TEST_F(PassLedgers, LeaveOptionalPassesOutAndNoOthers) {
  std::string elf = compile("gcn", listed(std::nullopt));
  size_t optional = count(PassEvent::Kind::Optional);
  EXPECT_EQ(compile("gcn", listed(optional)), elf);
  EXPECT_NE(compile("gcn", listed(0)), elf);
  EXPECT_EQ(count(PassEvent::Kind::Begin, "instcombine"), 0u);
  for (const char *pass : {"builder-replayer", "lower-desc", "mutate-entry-point",
                           "lower-buffer-fat-pointers", "code-generation"})
    EXPECT_EQ(count(PassEvent::Kind::Begin, pass), 1u) << pass;
  // The first one that runs is the first that was asked about.
  compile("gcn", listed(1));
  auto first = find_if(
      m_events, [](const PassEvent &event) { return event.kind == PassEvent::Kind::Optional; });
  ASSERT_NE(first, m_events.end());
  EXPECT_EQ(count(PassEvent::Kind::Begin, first->pass), 1u);
}

TEST_F(PassLedgers, TakeSnapshotsBetweenFrontEndAndCodeGeneration) {
  JobPasses passes = snapshotAt(0);
  passes.lists = true;
  EXPECT_EQ(compile("ir", passes), emit(EmitPhase::Lgc));
  compile("gcn", listed(std::nullopt));
  size_t ended = count(PassEvent::Kind::End) - 1; // Without the front-end.
  std::string last = emit(EmitPhase::Llvm);
  EXPECT_EQ(compile("ir", snapshotAt(ended)), last);
  EXPECT_EQ(compile("ir", snapshotAt(ended + 100)), last);
  EXPECT_EQ(compile("ir", {}), last);
  std::string middle = compile("ir", snapshotAt(ended / 2));
  EXPECT_NE(middle, last);
  EXPECT_NE(middle, emit(EmitPhase::Lgc));
}
