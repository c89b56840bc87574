// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop that is next to all absolute figures: what the machine's speed was during the run.
#pragma once

#include <benchmark/benchmark.h>
#include <cstdint>

namespace assay {

/// Runs a million dependent multiply-adds of integers in each iteration. Register it as
/// "calibration": ci/bench reports absolute figures next to its time.
inline void calibrate(benchmark::State &state) {
  for (auto _ : state) {
    uint64_t value = 1;
    for (int i = 0; i < 1000000; ++i)
      value = value * 6364136223846793005u + 1442695040888963407u;
    benchmark::DoNotOptimize(value);
  }
}

} // namespace assay
