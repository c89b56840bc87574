// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule "late": what an instruction that raises a counter brings becomes visible at the last
// legal moment - when the counter has been waited for, or is full. Until then its registers keep
// their old values, and other waves do not see what it stored. Code that waits for what it uses
// cannot tell the difference.
#pragma once

#include "oracles/machine/gcn/Choices.h"
#include "oracles/machine/gcn/LateStores.h"
#include "oracles/machine/gcn/Wave.h"

namespace assay::gcn {

class LateResults final : public WaveObserver {
public:
  /// \p choices, where they are free, let some events complete early, each as its order permits.
  explicit LateResults(Choices &choices) : m_choices(choices) {}

  void before(Wave &wave, const MicroOp &op) override;
  void access(Wave &wave, const MicroOp &op, const MemoryEvent &event) override;
  void abandoned(Wave &wave, const MicroOp &op) override;
  void after(Wave &wave, const MicroOp &op) override;
  void completed(Wave &wave, const WaitScoreboard::Entry &entry) override;

private:
  /// A result that is on its way.
  struct Held {
    uint32_t sequence = 0;
    WaitEvent event;
    PendingRegisters registers; ///< count 0: it has none.
    uint64_t lanes = 0;         ///< That it writes, of vector registers.
    uint32_t bits = ~0u;        ///< That it writes, of each register.
    std::vector<LaneArray> vectors;
    llvm::SmallVector<uint32_t, 16> scalars;
  };

  void hideStores(Wave &wave);
  void exchange(Wave &wave, Held &held);
  void commit(Wave &wave, size_t index);
  void completeSome(Wave &wave);

  Choices &m_choices;
  LateStores m_stores;
  std::vector<Held> m_held; ///< In the order of issue.
  Held m_current;           ///< Of the instruction that executes.
  bool m_isShown = false;
  uint64_t m_untilEarly = 0; ///< Memory instructions; 0: not yet chosen.
};

} // namespace assay::gcn
