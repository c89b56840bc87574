// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule "late": the result of an instruction that raises a counter becomes visible at the
// last legal moment: when the counter has been waited for, or is full. Until then its registers
// keep their old values, and other waves do not see what it stored. Code that waits for what it
// uses cannot tell the difference.
#pragma once

#include "oracles/machine/gcn/Wave.h"
#include "oracles/machine/simt/HeldResults.h"
#include "oracles/machine/simt/LateStores.h"

namespace assay::gcn {

class LateResults final : public WaveObserver {
public:
  /// \p choices, where they are free, let some events complete early, each as its order permits.
  explicit LateResults(simt::Choices &choices) : m_results(choices) {}

  void before(Wave &wave, const MicroOp &op) override;
  void access(Wave &wave, const MicroOp &op, const MemoryEvent &event) override;
  void abandoned(Wave &wave, const MicroOp &op) override;
  void after(Wave &wave, const MicroOp &op) override;
  void completed(Wave &wave, const WaitScoreboard::Entry &entry) override;

private:
  /// Records the old values of the destination, to put them back after the instruction. Registers
  /// out of range are left to the handler.
  void beginResult(Wave &wave, const MicroOp &op);
  /// Puts the old contents of memory back where this wave's stores are not visible yet.
  void hideStores(Wave &wave);

  simt::LateStores m_stores;
  simt::HeldResults m_results;
  uint32_t m_sequence = 0; ///< Of the instruction that executes.
  bool m_isShown = false;  ///< The wave's late stores are in memory.
};

} // namespace assay::gcn
