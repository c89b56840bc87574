// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watches one wave for hazards that its chip does not interlock: HAZ-*.
#pragma once

#include "oracles/machine/gcn/sanitizer/HazardTable.h"
#include "oracles/machine/gcn/sanitizer/HazardTrackers.h"

namespace assay::gcn {

class Hazards {
public:
  explicit Hazards(const Program &program);

  /// As WaveObserver. Nearly nothing where no rule of the chip concerns \p op.
  void before(Wave &wave, const MicroOp &op, const OpFacts &facts) {
    if (m_pending.size() || facts.produces)
      step(wave, op, facts);
    m_states += statesOf(op, facts);
    if (facts.watchers)
      for (const std::unique_ptr<HazardTracker> &tracker : m_trackers)
        if (facts.watchers & tracker->bit())
          tracker->step(wave, op, facts);
  }

  bool hasPending() const { return !m_pending.empty(); }
  /// What before() does with a quiet instruction (OpFacts) while nothing is pending.
  void passQuiet() { ++m_states; }

private:
  /// An instruction that may prove to be the first of a hazard.
  struct Pending {
    uint8_t row;
    uint64_t end; ///< The number of wait states at which it is over; ~0: when it is resolved.
    const MicroOp *producer;
    RegisterSet registers;
  };

  static unsigned statesOf(const MicroOp &op, const OpFacts &facts) {
    return facts.is(ClassSnop) ? waitStates(*op.inst) : 1;
  }

  void step(Wave &wave, const MicroOp &op, const OpFacts &facts);
  void check(Wave &wave, const MicroOp &op, const OpFacts &facts, const Pending &pending);
  void endByWrites(const OpFacts &facts);
  void add(const Wave &wave, const MicroOp &op, const OpFacts &facts);

  uint64_t m_states = 0; ///< Wait states so far.
  llvm::SmallVector<Pending, 8> m_pending;
  std::vector<std::unique_ptr<HazardTracker>> m_trackers;
};

/// Reports \p rule at \p op, because of what \p producer did to \p slot (or, none: in general).
void reportHazard(Wave &wave, const MicroOp &op, SanitizerRule rule, const Inst *producer,
                  std::optional<unsigned> slot);

} // namespace assay::gcn
