// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run did, step by step: what its probes saw, what it wrote, and what others could see of
// it. So that two runs of one shader can be compared where they part.
#pragma once

#include "oracles/ir/Interpreter.h"
#include "llvm/ADT/SmallVector.h"
#include <variant>

namespace assay::ir {

/// A call of a function of such a name is a probe, in every run: its first operand is the
/// number of an instruction. One with more operands tells what values they have; one without
/// marks that the instruction comes next.
constexpr llvm::StringLiteral probeName = "assay.probe";

/// LogStep::number before the first mark.
constexpr uint32_t noNumber = ~uint32_t(0);

struct Mark {};
/// Bytes written in memory that is not one lane's own.
struct Write {
  uint64_t address = 0;
  llvm::SmallVector<int16_t, 16> bytes; ///< -1: poison.
};

/// The thread goes no further, and has not returned.
struct End {};

struct LogStep {
  unsigned thread = 0; ///< One invocation: its lane, and Environment::firstThread().
  uint32_t number = 0; ///< Of the probe; else of the thread's last mark.
  std::variant<Mark, Value, Write, Event, End> what;
};

class ExecutionLog {
public:
  /// Keeps what \p memory holds before all runs: only the first call counts.
  void begin(const Memory &memory);
  /// Nothing where nobody has said.
  std::optional<uint8_t> initialByte(uint64_t address) const;

  void addMark(unsigned thread, uint32_t number);
  void addValue(unsigned thread, uint32_t number, Value value);
  void addWrite(unsigned thread, uint64_t address, llvm::ArrayRef<uint8_t> bytes,
                llvm::ArrayRef<uint8_t> poison);
  void addEvent(unsigned thread, const Event &event);

  void addEnd(unsigned thread, RunState state);
  /// How the run ended, or the first of several that did not return.
  RunState end() const { return m_end; }

  llvm::ArrayRef<LogStep> steps() const { return m_steps; }
  /// Steps were left out, the last ones: there are too many.
  bool isCut() const { return m_isCut; }

private:
  void add(LogStep step);
  uint32_t lastMark(unsigned thread) const;

  std::vector<std::pair<uint64_t, std::vector<uint8_t>>> m_initial; ///< Address and bytes.
  std::vector<LogStep> m_steps;
  std::vector<uint32_t> m_marks; ///< The last, by thread.
  RunState m_end = RunState::Returned;
  bool m_isCut = false;
};

} // namespace assay::ir
