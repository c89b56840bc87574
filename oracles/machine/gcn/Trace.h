// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each instruction changes, as text: registers with their old and new values, lanes with equal
// values, and four or more with evenly stepping ones, as one range, and the memory it reads and
// writes.
#pragma once

#include "oracles/api/Machine.h"
#include "oracles/machine/gcn/Wave.h"

namespace assay::gcn {

/// Prints one wave. Compares registers with their last printed values, so it needs no list of
/// destinations.
class Trace final : public WaveObserver {
public:
  /// Writes to \p out. Registers must have been set up.
  Trace(const TraceOptions &options, const Wave &wave, llvm::raw_ostream &out);

  /// Starts to print when the wave reaches the break point.
  void before(Wave &wave, const MicroOp &op) override;
  /// Remembers an access for after(), and for a write the value that memory has until then.
  void access(Wave &wave, const MicroOp &op, const MemoryEvent &event) override;
  /// Prints what the instruction changed, read and wrote.
  void after(Wave &wave, const MicroOp &op) override;
  void completed(Wave &wave, const WaitScoreboard::Entry &entry) override;

private:
  /// One value that one lane changed, in memory at \p place.
  struct Change {
    unsigned lane = 0;
    uint64_t place = 0;
    uint64_t before = 0;
    uint64_t after = 0;
  };
  /// An access of a lane, and the value that memory had.
  struct Access {
    MemoryEvent event;
    uint64_t before = 0;
  };

  /// At least 1; \p changes is not empty.
  static size_t countTogether(llvm::ArrayRef<Change> changes, unsigned bits);
  void startAt(const Wave &wave, const MicroOp &op);
  void printState(const Wave &wave);
  void printHead(const Wave &wave, llvm::StringRef what);
  void printScalars(const Wave &wave);
  void printVectors(const Wave &wave);
  void printAccesses(const Wave &wave);
  /// Whether the instruction that \p wave executes, or has just executed, is to be printed.
  bool isInside(uint64_t instruction) const {
    return m_isActive && instruction >= m_options.first &&
           instruction - m_options.first < m_options.count;
  }
  /// All lanes unless the options name one.
  bool wantsLane(unsigned lane) const { return !m_options.lane || *m_options.lane == lane; }

  void flush();

  const TraceOptions &m_options; ///< Outlives the trace.
  llvm::raw_ostream &m_out;
  std::string m_text; ///< Of one instruction.
  bool m_isActive;    ///< The break point was reached.
  // The registers as they were printed last.
  std::array<uint32_t, sreg::Count + 2> m_scalars{};
  std::vector<LaneArray> m_vectors;
  bool m_scc = false;
  uint32_t m_mode = 0;
  std::vector<Access> m_accesses; ///< Of one instruction.
};

/// "s5", "vcc_lo", "exec_hi", "ttmp9", "m0".
std::string scalarName(unsigned index);

} // namespace assay::gcn
