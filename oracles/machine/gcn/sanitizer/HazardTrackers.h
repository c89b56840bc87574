// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hazards with a history that no row of HazardTable.cpp can say: counted in VALU instructions,
// made of three steps, or of one forbidden form.
#pragma once

#include "oracles/machine/gcn/OpFacts.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace assay::gcn {

class Program;

/// One family of hazards of one wave. Which there are for a chip, and which instructions they want
/// to see, is in HazardTrackers.cpp.
class HazardTracker {
public:
  explicit HazardTracker(uint32_t bit) : m_bit(bit) {}
  virtual ~HazardTracker();
  /// \p op is about to execute: objects, and takes note of it.
  virtual void step(Wave &wave, const MicroOp &op, const OpFacts &facts) = 0;
  /// In OpFacts::watchers.
  uint32_t bit() const { return m_bit; }

private:
  uint32_t m_bit;
};

/// Fills OpFacts::watchers for \p chip (ChipNumber).
void markTrackers(llvm::MutableArrayRef<OpFacts> facts, llvm::ArrayRef<MicroOp> ops,
                  const ProgramOptions &options, unsigned chip);

/// Fresh trackers for a wave of \p program: those that some instruction is watched by.
std::vector<std::unique_ptr<HazardTracker>> makeTrackers(const Program &program);

/// The makers after makeTrackers(), by the file that has them.
std::unique_ptr<HazardTracker> makeValuHistory(uint32_t bit, const Program &program);
std::unique_ptr<HazardTracker> makeMaskWrites(uint32_t bit, const Program &program);
std::unique_ptr<HazardTracker> makeReadSgprs(uint32_t bit, const Program &program);

} // namespace assay::gcn
