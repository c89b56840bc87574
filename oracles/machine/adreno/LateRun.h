// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes the instructions of one wave as late as the code permits: categories 4 to 6 read their
// sources and reach memory at the (ss) or (sy) that waits for it, their results are there at the
// (ss) or (sy) that waits for those, and results of the ALU once their slots have passed. Until
// then registers keep their old values. Code that waits for what it uses computes the same.
//
// Instructions of a wave reach memory in their order. Where a schedule chooses, some complete
// earlier.
#pragma once

#include "oracles/machine/adreno/Footprint.h"
#include "oracles/machine/adreno/Timing.h"
#include "oracles/machine/simt/Choices.h"

namespace assay::adreno {

/// The late results of one wave.
class LateRun {
public:
  /// \p choices outlives this.
  LateRun(const Program &program, simt::Choices &choices)
      : m_facts(factsOf(program.chip())), m_choices(choices) {}
  /// Puts into the registers what is there for \p op, which \p wave has fetched. A checker that
  /// looks at registers, a0.x for one, comes between this and execute().
  void prepare(Wave &wave, const Op &op);
  /// Executes \p op, which \p wave has fetched, or defers it.
  void execute(Wave &wave, const Op &op);

private:
  /// An instruction that has not read its sources yet.
  struct Deferred {
    const Op *op = nullptr;
    uint32_t pc = 0;
    LaneMask lanes = 0;
    uint16_t address1 = 0;
    std::vector<Wave::Alias> aliases;
  };
  /// What ends the wait for a result: its slots, (ss), or (sy).
  enum class WaitKind : uint8_t { Slots, Ss, Sy };
  /// Results that registers do not hold yet.
  struct Held {
    WaitKind kind = WaitKind::Slots;
    bool isScalar = false;
    bool endsBySs = false;
    uint64_t time = 0;
    llvm::SmallVector<Touch, 4> writes;
    std::vector<uint32_t> values; ///< Of each write, for each of its lanes.
  };

  /// Runs and completes what the flags of \p inst wait for.
  void wait(Wave &wave, const Inst &inst);
  /// Completes results of the ALU that are there for \p op.
  void settle(Wave &wave, const Op &op, llvm::ArrayRef<Touch> touches);
  /// Whether \p held is there for \p op.
  bool isDue(const Held &held, const Op &op, llvm::ArrayRef<Touch> touches) const;
  /// Whether a source is a result of the ALU that is not there.
  bool waitsForSlots(const Op &op, llvm::ArrayRef<Touch> touches) const;
  /// Executes an instruction and holds its results back.
  void run(Wave &wave, const Op &op, llvm::ArrayRef<Touch> touches);
  /// Executes the first \p count of those that have not read their sources.
  void runDeferred(Wave &wave, size_t count);
  /// Where the schedule chooses.
  void completeEarly(Wave &wave);
  /// Writes the held results that \p isChosen says.
  template <typename Chosen> void completeIf(Wave &wave, Chosen isChosen);

  const ChipFacts &m_facts;
  simt::Choices &m_choices;
  bool m_isPrepared = false;
  uint64_t m_now = 0;
  uint64_t m_untilEarly = 0;
  std::vector<Deferred> m_deferred; ///< In the order of the program,
  std::vector<Held> m_held;         ///< and these, too.
};

} // namespace assay::adreno
