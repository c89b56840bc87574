// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/OutcomeBytes.h"

#include <algorithm>

using namespace assay;

bool assay::haveSameBytes(const Outcome &one, const Outcome &other) {
  auto sameBuffer = [](const BufferState &a, const BufferState &b) { return a.bytes == b.bytes; };
  auto sameCheckpoint = [&](const std::vector<BufferState> &a, const std::vector<BufferState> &b) {
    return std::ranges::equal(a, b, sameBuffer);
  };
  return std::ranges::equal(one.checkpoints, other.checkpoints, sameCheckpoint);
}
