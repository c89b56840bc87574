// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps values in private memory, or computes them again at their uses.
#pragma once

#include "compiler/ir3/passes/AllocateRegisters.h"
#include "compiler/ir3/passes/MergeSets.h"
#include "llvm/ADT/DenseSet.h"

namespace assay::ir3 {

/// Changes one program to lower its register pressure. Live ranges and merge sets are out of date
/// after each request that changes something.
class Spiller {
public:
  explicit Spiller(Program &program) : m_program(program) {}

  /// Spills values until nowhere more than \p units units are live, if possible.
  /// Returns how many values. \p ranges and \p sets are those of the program as it is.
  unsigned reduce(llvm::ArrayRef<LiveRange> ranges, llvm::ArrayRef<MergeSet> sets, unsigned units);
  /// Spills all that can be.
  void spillAll(llvm::ArrayRef<LiveRange> ranges);
  /// Copies the instruction that writes \p value (of p0 or a0.x) in front of each use. False when
  /// that has been done before.
  bool rematerialize(Instruction &value);
  /// Null, or why the last request failed.
  const std::string &failure() const { return m_failure; }

  unsigned spills = 0, reloads = 0, rematerialized = 0;

private:
  struct Use {
    Instruction *user;
    unsigned index; ///< Into registers.
  };
  void collectUses();
  /// Whether \p value can be spilled: it is in vector registers, no input and no temporary, and has
  /// at most four components. A value other than a phi must also be live for long enough, and no
  /// collect, phi or tied operand may use it.
  bool canSpill(const Instruction &value, const LiveRange &range) const;
  double costOf(const Instruction &value, const LiveRange &range) const;
  void spill(Instruction &value);
  /// Replaces a phi by a slot, which its predecessors write.
  void spillPhi(Instruction &phi);
  void repeatMove(Instruction &value);
  Instruction *baseOf(uint32_t offset);
  Instruction *createLoad(uint32_t slot, const Register &like, unsigned size);
  void storeAfter(Instruction &value, uint32_t slot);
  uint32_t createSlot(unsigned size);

  Program &m_program;
  std::vector<llvm::SmallVector<Use, 2>> m_uses; ///< By name.
  std::vector<Instruction *> m_defs;             ///< By name.
  llvm::DenseSet<uint32_t> m_temporaries;        ///< Names that stay in registers.
  std::vector<Instruction *> m_bases;            ///< By window.
  std::string m_failure;
};

} // namespace assay::ir3
