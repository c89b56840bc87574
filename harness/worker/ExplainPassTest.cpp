// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes side by side with what stood before them: silent for each that is right, by name of the
// instruction where a fault is planted.
#include "harness/worker/ExplainPass.h"

#include "compiler/driver/Compiler.h"
#include "compiler/driver/PassWatcher.h"
#include "harness/run/WorkFolder.h"
#include "harness/worker/Worker.h"
#include "support/Fault.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;

namespace {

/// One case of corpora/compute, compiled again and again.
class Comparison {
public:
  explicit Comparison(StringRef name) : m_folder(cantFail(WorkFolder::create(""))) {
    m_job.casePath = (ASSAY_SOURCE_DIR "/corpora/compute/" + name + ".amber").str();
    m_job.caseId = name.str();
    m_job.compiler = "assay";
    m_job.machine = "ir";
    m_job.target = "gfx1100";
    m_job.optLevel = 2;
  }

  /// Passes of the middle-end in their order, and whether they change the module.
  std::vector<std::pair<std::string, bool>> listPasses() {
    JobPasses passes;
    passes.lists = true;
    Job job = m_job;
    Verdict verdict = run(job, passes);
    EXPECT_EQ(verdict.state, State::Pass) << verdict.reason;
    std::vector<std::pair<std::string, bool>> list;
    for (const PassEvent &event :
         cantFail(parsePassEvents(cantFail(readFileText(job.passesFile())))))
      if (event.kind == PassEvent::Kind::End && event.pass != frontEndPhase)
        list.emplace_back(event.pass, event.unit == changedWord);
    return list;
  }

  /// Of the pass \p name, with \p before passes in front of it.
  Verdict compare(uint64_t before, const std::string &name) {
    JobPasses passes;
    passes.snapshot = before;
    passes.repeats = name;
    Job job = m_job;
    return run(job, passes);
  }

private:
  Verdict run(Job &job, const JobPasses &passes) {
    job.passes = passes;
    job.folder = m_folder->jobFolder("job", m_jobs++);
    if (std::error_code code = sys::fs::create_directories(job.folder))
      ADD_FAILURE() << code.message();
    return executeJob(job, m_compiler);
  }

  std::unique_ptr<WorkFolder> m_folder;
  Job m_job;
  Compiler m_compiler;
  unsigned m_jobs = 0;
};

struct Row {
  const char *fault, *input, *pass, *instruction;
};

} // namespace

TEST(ExplainPass, IsSilentWhereAPassIsRight) {
  unsigned compared = 0;
  for (const char *name : {"saxpy", "control-switch", "subgroup-scan", "image-atomics",
                           "reduce-shared", "pointers-equal", "integer-division"}) {
    Comparison comparison(name);
    for (const auto &[number, pass] : enumerate(comparison.listPasses())) {
      if (!pass.second)
        continue;
      Verdict verdict = comparison.compare(number, pass.first);
      compared += verdict.state == State::Pass;
      for (const Finding &finding : verdict.findings)
        ADD_FAILURE() << name << ", " << pass.first << ": " << finding.message << ": "
                      << finding.evidence.front().second << ": " << finding.evidence.back().second;
      EXPECT_THAT(verdict.state, testing::AnyOf(State::Pass, State::Unsupported))
          << name << ", " << pass.first << ": " << verdict.reason;
    }
  }
  EXPECT_GT(compared, 60u);
}

/// Ends the process, which has the fault for ever; says "PASS: INSTRUCTION" of the first pass that
/// is named.
[[noreturn]] static void compareAndExit(const Row &row) {
  cantFail(plantFault(row.fault));
  Comparison comparison(row.input);
  for (const auto &[number, pass] : enumerate(comparison.listPasses()))
    if (pass.first == row.pass)
      for (const Finding &finding : comparison.compare(number, pass.first).findings)
        if (finding.rule == divergenceRule)
          errs() << finding.evidence.front().second << "\n";
  std::exit(0);
}

TEST(ExplainPass, NamesWhatAFaultGetsWrong) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "no faults in this build";
  const Row rows[] = {
      {"descriptor-offset", "vector-add", "lower-desc", "@lgc.load.buffer.desc"},
      {"global-id-swapped", "transpose-shared", "lower-built-ins", "@lgc.read.built.in.v3i32"},
      {"push-constant-offset", "resource-push-constants", "mutate-entry-point",
       "load <2 x float>, ptr addrspace(4)"},
      {"private-initializer", "control-switch-widths", "lower-private-globals", "= load "},
      {"cluster-ignored", "subgroup-clustered", "lower-subgroups", "@lgc.subgroup.reduce"},
      {"gather-component", "image-gather", "lower-image", "@lgc.image.gather"},
      {"fat-widened-store", "layout-scalar-small", "lower-buffer-fat-pointers", "store "}};
  for (const Row &row : rows)
    EXPECT_EXIT(compareAndExit(row), testing::ExitedWithCode(0),
                testing::HasSubstr(row.instruction))
        << row.fault;
}
