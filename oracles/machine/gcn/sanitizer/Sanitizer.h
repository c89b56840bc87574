// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sanitizers of machine code that watch one wave: definedness, operands in flight, hazards.
// (Waits for results are checked in Step.cpp; ranges, by the handlers.)
#pragma once

#include "oracles/machine/gcn/Wave.h"
#include "oracles/machine/gcn/sanitizer/Definedness.h"
#include "oracles/machine/gcn/sanitizer/ExportRules.h"
#include "oracles/machine/gcn/sanitizer/Hazards.h"
#include "oracles/machine/gcn/sanitizer/InFlight.h"
#include "oracles/machine/gcn/sanitizer/SanitizerRules.h"

namespace assay::gcn {

/// All in one observer: a virtual call for each would cost more than they do. Where it is the only
/// one, Step.cpp calls it directly.
class Sanitizer final : public WaveObserver {
public:
  /// \p lds outlives this. \p wave has the registers of its launch.
  Sanitizer(Wave &wave, simt::ShadowBytes &lds);

  void before(Wave &wave, const MicroOp &op) override { before(wave, op, factsOf(op)); }
  /// The fast path, which is most instructions: no counter is raised and nothing undefined is near.
  [[gnu::always_inline]] void before(Wave &wave, const MicroOp &op, const OpFacts &facts) {
    if (facts.isQuiet && wave.scoreboard.empty() && !m_hazards.hasPending() &&
        m_definedness.isDefined(wave, facts))
      m_hazards.passQuiet();
    else
      check(wave, op, facts);
  }
  void access(Wave &wave, const MicroOp &op, const MemoryEvent &event) override;
  void after(Wave &wave, const MicroOp &op) override { after(wave, op, factsOf(op)); }
  void after(Wave &wave, const MicroOp &op, const OpFacts &facts) {
    m_definedness.after(wave, op, facts);
    if (m_exports)
      m_exports->after(wave, op);
  }

private:
  /// Runs all checks in front of an instruction.
  void check(Wave &wave, const MicroOp &op, const OpFacts &facts);
  const OpFacts &factsOf(const MicroOp &op) const { return m_facts[&op - m_first]; }

  const MicroOp *m_first; ///< First instruction of the program.
  const OpFacts *m_facts; ///< Of each instruction, in its order.
  OperandsInFlight m_inFlight;
  Definedness m_definedness;
  Hazards m_hazards;
  std::optional<ExportRules> m_exports; ///< Of graphics.
};

/// Adds the sanitizers to \p wave, which is as it was launched; its workgroup has its LDS.
void addSanitizers(Wave &wave);

} // namespace assay::gcn
