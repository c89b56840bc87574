// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code of good cases accesses what the IR does that it was made of.
#include "oracles/divergence/CompareAccesses.h"

#include "compiler/driver/Compiler.h"
#include "harness/run/WorkFolder.h"
#include "harness/worker/Worker.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static std::string trace(StringRef name, StringRef machine, StringRef target, int level,
                         Compiler &compiler, const WorkFolder &folder) {
  Job job;
  job.casePath = (ASSAY_SOURCE_DIR "/corpora/compute/" + name + ".amber").str();
  job.caseId = name.str();
  job.compiler = "assay";
  job.machine = machine.str();
  job.target = target.str();
  job.optLevel = level;
  job.schedule.traces = true;
  job.folder = folder.jobFolder((name + "-" + machine + "-" + target).str(), level);
  if (std::error_code code = sys::fs::create_directories(job.folder))
    ADD_FAILURE() << code.message();
  Verdict verdict = executeJob(job, compiler);
  EXPECT_EQ(verdict.state, State::Pass) << name.str() << ": " << verdict.reason;
  return cantFail(readFileText(job.traceFile()));
}

TEST(CompareAccesses, IsSilentOnGoodCode) {
  std::unique_ptr<WorkFolder> folder = cantFail(WorkFolder::create(""));
  Compiler compiler;
  for (const char *name : {"saxpy", "atomic-int64", "image-jump-flood", "transpose-shared",
                           "histogram", "control-switch", "memory-copies", "image-life-torus",
                           "subgroup-scan", "pointers-equal", "matrix-vector", "integer-8-bit"})
    for (const char *target : {"gfx900", "gfx1100"})
      for (int level : {0, 2}) {
        std::string ir = trace(name, "ir", target, level, compiler, *folder);
        std::string code = trace(name, "gcn", target, level, compiler, *folder);
        EXPECT_NE(ir.find("writes"), std::string::npos) << name;
        std::optional<AccessMismatch> mismatch = compareAccesses(ir, code);
        EXPECT_FALSE(mismatch) << name << " " << target << " -O" << level << ": " << mismatch->wrong
                               << " " << mismatch->instruction << " " << mismatch->place;
      }
}
