// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that arrive late: the registers that an instruction with a long latency writes keep their
// old values until the code has waited for it, or until a choice completes it early. Code that
// waits for what it uses cannot tell the difference.
//
// Around each such instruction: begin() before it executes, hold() after it. complete() when the
// code has waited for it, completeEarly() now and then.
#pragma once

#include "oracles/machine/simt/Choices.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <vector>

namespace assay::simt {

/// A row of registers: a word of 32 bits for each lane, one after the other. A register of more
/// than 64 lanes is several rows; a scalar register is a row of one lane.
struct RegisterRow {
  uint32_t *words = nullptr; ///< Of lane 0. The storage must not move while the result is held.
  uint64_t lanes = 1;        ///< A bit for each lane that the instruction writes.
  uint32_t bits = ~0u;       ///< The bits of each word that it writes.
};

/// Which results complete in which order: those of one ordered stream in the order of issue.
struct ResultStream {
  uint32_t id = 0;
  bool isOrdered = false;
};

/// The late results of one wave.
class HeldResults {
public:
  /// \p choices outlives this.
  explicit HeldResults(Choices &choices) : m_choices(choices) {}

  /// The instruction numbered \p sequence is about to execute. It has no rows where its result is
  /// not in registers: a store.
  void begin(uint32_t sequence, ResultStream stream);
  void addRow(const RegisterRow &row);
  /// It has executed: takes its new values out of the registers. Without hold() there is no result.
  void hold();
  /// Puts the values of instruction \p sequence into the registers. False: it is not held.
  bool complete(uint32_t sequence);
  /// Where there is a choice, hardware may be faster than the code requires: after some
  /// instructions, completes one held result that may be the next. Returns its number.
  std::optional<uint32_t> completeEarly();
  /// Drops all results: the wave has ended.
  void clear() { m_held.clear(); }
  bool empty() const { return m_held.empty(); }

private:
  struct Held {
    uint32_t sequence = 0;
    ResultStream stream;
    llvm::SmallVector<RegisterRow, 4> rows;
    /// Of all rows, a word for each lane up to the last one written: the values that the registers
    /// do not hold now.
    std::vector<uint32_t> values;
  };

  static void exchange(Held &held);
  bool mayBeNext(size_t index) const;
  void completeAt(size_t index);

  Choices &m_choices;
  std::vector<Held> m_held;  ///< In the order of issue.
  Held m_current;            ///< Of the instruction that executes.
  uint64_t m_untilEarly = 0; ///< Held results; 0: not yet chosen.
};

} // namespace assay::simt
