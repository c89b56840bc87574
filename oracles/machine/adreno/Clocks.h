// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of each lane: how many slots its instructions took. Lanes on different paths have
// clocks of their own, because the order in which the hardware runs the paths is unknown. When they
// reconverge, all get the latest time.
#pragma once

#include "oracles/machine/adreno/Lanes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::adreno {

class Clocks {
public:
  /// That of all lanes at the start. What was there at time 0 is there for all.
  static constexpr uint64_t FirstTime = 32;

  /// The time of \p lanes, which execute an instruction together. \p shift is called for those of
  /// them whose clock goes forward for that, with the slots that it gains: what it has noted in its
  /// old time is to be as far in the past as before.
  uint64_t enter(LaneMask lanes, llvm::function_ref<void(LaneMask lanes, uint64_t slots)> shift) {
    if (m_clocks.size() != 1 || m_clocks.front().lanes != lanes)
      meet(lanes, shift);
    return m_clocks.front().now;
  }
  /// Time passes for the lanes of the last enter().
  void pass(unsigned slots) { m_clocks.front().now += slots; }

private:
  /// Lanes with one time.
  struct Clock {
    LaneMask lanes = 0;
    uint64_t now = 0;
  };

  /// enter() for lanes that have not the first clock to themselves.
  void meet(LaneMask lanes, llvm::function_ref<void(LaneMask lanes, uint64_t slots)> shift);

  llvm::SmallVector<Clock, 4> m_clocks; ///< The current one first; no lane is in two.
};

} // namespace assay::adreno
