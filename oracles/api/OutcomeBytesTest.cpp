// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/OutcomeBytes.h"

#include <gtest/gtest.h>

using namespace assay;

TEST(OutcomeBytes, DifferInAByteABufferOrACheckpoint) {
  Outcome one;
  one.checkpoints = {{BufferState{{1, 2}}, BufferState{{3}}}, {BufferState{{4}}, BufferState{}}};
  Outcome same = one;
  same.kind = OutcomeKind::Timeout;
  same.checkpoints[0][0].indeterminate[0] = 1;
  EXPECT_TRUE(haveSameBytes(one, same));
  Outcome byte = one, buffer = one, checkpoint = one;
  byte.checkpoints[1][0].bytes[0] = 5;
  buffer.checkpoints[0].pop_back();
  checkpoint.checkpoints.pop_back();
  for (const Outcome *other : {&byte, &buffer, &checkpoint}) {
    EXPECT_FALSE(haveSameBytes(one, *other));
    EXPECT_FALSE(haveSameBytes(*other, one));
  }
}
