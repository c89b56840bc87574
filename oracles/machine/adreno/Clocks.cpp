// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Clocks.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay::adreno;

/// The latest of their times; lanes that are elsewhere keep their clocks.
void Clocks::meet(LaneMask lanes, function_ref<void(LaneMask, uint64_t)> shift) {
  uint64_t latest = FirstTime;
  for (const Clock &clock : m_clocks)
    if (clock.lanes & lanes)
      latest = std::max(latest, clock.now);
  for (Clock &clock : m_clocks) {
    if (clock.lanes & lanes && clock.now != latest)
      shift(clock.lanes & lanes, latest - clock.now);
    clock.lanes &= ~lanes;
  }
  erase_if(m_clocks, [](const Clock &clock) { return !clock.lanes; });
  m_clocks.insert(m_clocks.begin(), {lanes, latest});
}
