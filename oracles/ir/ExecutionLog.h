// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run did, step by step: what its probes saw, what it wrote, and what others could see of
// it. So that two runs of one shader can be compared where they part.
#pragma once

#include "oracles/ir/Interpreter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <variant>

namespace assay::ir {

/// A call of a function of such a name is a probe, in every run: its first operand is the
/// number of an instruction. One with more operands tells what values they have; one without
/// marks that the instruction comes next.
constexpr llvm::StringLiteral probeName = "assay.probe";

/// Threads of one wave have numbers in a row, the first a multiple of it.
constexpr unsigned lanesOfWave = 64;

/// LogStep::thread of a launch. The coordinates of \p group count modulo 65536.
uint64_t threadOf(const std::array<uint32_t, 3> &group, unsigned wave, unsigned lane);
/// Of such a number: the wave's in its workgroup, and what is the same of all threads of that.
unsigned waveNumberOf(uint64_t thread);
uint64_t groupOf(uint64_t thread);

/// LogStep::number before the first mark.
constexpr uint32_t noNumber = ~uint32_t(0);

struct Mark {};
/// Bytes written in memory that is not one lane's own.
struct Write {
  uint64_t address = 0;
  llvm::SmallVector<int16_t, 16> bytes; ///< -1: poison.
};

/// Bytes read there.
struct Read {
  uint64_t address = 0;
  uint64_t bytes = 0;
};
/// The thread goes no further, and has not returned.
struct End {};
/// The wave of the thread comes to a barrier; of noThread: all that follows is of another dispatch.
struct Barrier {};

struct LogStep {
  uint64_t thread = 0; ///< One invocation: its lane, and Environment::firstThread().
  uint32_t number = 0; ///< Of the probe; else of the thread's last mark.
  std::variant<Mark, Value, Read, Write, Event, End, Barrier> what;
};

/// LogStep::thread of what is no thread's; none that a DenseMap has for its own.
constexpr uint64_t noThread = uint64_t(1) << 63;

class ExecutionLog {
public:
  /// Keeps what \p memory holds before all runs: only the first call counts.
  void begin(const Memory &memory);
  /// Address and size of all memory that was there.
  std::vector<std::pair<uint64_t, uint64_t>> ranges() const;
  /// Nothing where nobody has said.
  std::optional<uint8_t> initialByte(uint64_t address) const;

  void addMark(uint64_t thread, uint32_t number);
  void addValue(uint64_t thread, uint32_t number, Value value);
  void addRead(uint64_t thread, uint64_t address, uint64_t bytes);
  void addWrite(uint64_t thread, uint64_t address, llvm::ArrayRef<uint8_t> bytes,
                llvm::ArrayRef<uint8_t> poison);
  void addEvent(uint64_t thread, const Event &event);

  void addBarrier(uint64_t thread) { add({thread, noNumber, Barrier()}); }
  void addEnd(uint64_t thread, RunState state);
  /// How the run ended, or the first of several that did not return.
  RunState end() const { return m_end; }

  llvm::ArrayRef<LogStep> steps() const { return m_steps; }
  /// Steps were left out, the last ones: there are too many.
  bool isCut() const { return m_isCut; }

private:
  void add(LogStep step);
  uint32_t lastMark(uint64_t thread) const;

  std::vector<std::pair<uint64_t, std::vector<uint8_t>>> m_initial; ///< Address and bytes.
  std::vector<LogStep> m_steps;
  llvm::DenseMap<uint64_t, uint32_t> m_marks; ///< The last, by thread.
  RunState m_end = RunState::Returned;
  bool m_isCut = false;
};

} // namespace assay::ir
