// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells the race detector of a wave's accesses, barriers and cache invalidations.
#pragma once

#include "oracles/machine/gcn/Observer.h"
#include "oracles/machine/simt/RaceEvents.h"

namespace assay::gcn {

/// What a race observer has to know of its wave.
struct RaceObserverOptions {
  uint64_t wave = 0;        ///< Its number in the dispatch.
  bool sharesLds = true;    ///< Its workgroup has other waves.
  bool atomicMoves = false; ///< The shader has atomic loads or stores, which look like plain ones:
                            ///< those of one or two whole dwords are taken for atomic.
};

/// Tells \p sink of one wave.
std::unique_ptr<WaveObserver> createRaceObserver(simt::RaceSink &sink,
                                                 const RaceObserverOptions &options);

} // namespace assay::gcn
