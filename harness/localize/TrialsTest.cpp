// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Trials.h"

#include <gtest/gtest.h>

using namespace assay;

TEST(IrJobs, CountInstructionsOfLanes) {
  Job job;
  job.machine = "gcn";
  job.limits.maxInstructions = 1000;
  Job ir = makeIrJob(job);
  EXPECT_EQ(ir.machine, "ir");
  EXPECT_EQ(ir.limits.maxInstructions, 64'000u) << "a wave has up to 64";
  EXPECT_EQ(makeIrJob(ir).limits.maxInstructions, 64'000u) << "once";
}
