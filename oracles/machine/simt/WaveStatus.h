// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a wave can do now.
#pragma once

#include <cstdint>

namespace assay::simt {

enum class WaveStatus : uint8_t {
  Running,   ///< It can execute.
  AtBarrier, ///< It waits for other waves.
  Done,
  Failed, ///< It has ended the run.
};

} // namespace assay::simt
