// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are placed in registers together: each at a fixed distance from a common base.
//
// What must be together (phis and their sources, collects and theirs, tied operands) is, because
// prepareAllocation has made those sources copies of their own. What had better be (copies,
// components of vectors) is merged where no two values interfere: their ranges overlap and they are
// not copies of one another (Boissinot et al., "Revisiting out-of-SSA translation for correctness,
// code quality, and efficiency", CGO 2009).
#pragma once

#include "compiler/ir3/passes/LiveRanges.h"

namespace assay::ir3 {

/// Which registers a value can have.
enum class RegisterClass : uint8_t { Full, Half, Shared, Predicate, Address, Address1 };
RegisterClass classOf(const Register &dst);

/// Values at fixed distances from one base. Values of a set may share registers where they do not
/// interfere.
struct MergeSet {
  struct Member {
    uint32_t value;  ///< As computeLiveRanges numbers values.
    unsigned offset; ///< In scalars.
    unsigned size;   ///< In scalars.
  };
  std::vector<Member> members;
  unsigned size = 0; ///< Scalars.
  RegisterClass registerClass = RegisterClass::Full;
  std::optional<unsigned> fixedBase; ///< A register that the hardware chose.
};

/// The merge sets of one program, computed by the constructor. Values without a live range are in
/// none.
class MergeSets {
public:
  /// \p limit: sets are not merged beyond as many scalars, unless they must. \p onlyRequired:
  /// nothing is merged that need not be.
  MergeSets(Program &program, llvm::ArrayRef<LiveRange> ranges, unsigned limit,
            bool onlyRequired = false);
  /// Sets with members.
  llvm::ArrayRef<MergeSet> sets() const { return m_sets; }

private:
  /// Where a value is: the index of its set, and its first scalar in that.
  struct Place {
    unsigned set = 0, offset = 0;
  };
  /// Makes a set for each value and array with a live range.
  void addValues();
  /// Gives each component of each value a number that copies share. Phis have contents of their
  /// own.
  void numberContents();
  /// Merges what must be together.
  void mergeRequired();
  /// Merges copies and splits with what they copy, where nothing interferes.
  void mergeWanted();
  /// Puts value \p second \p distance scalars after value \p first.
  bool tryMerge(uint32_t first, uint32_t second, int distance, bool isRequired);
  bool interfere(const MergeSet &left, const MergeSet &right, int shift) const;
  bool membersInterfere(uint32_t left, int leftAt, uint32_t right, int rightAt) const;
  bool fixedCollides(const MergeSet &left, const MergeSet &right, int shift) const;
  static bool fixedFits(const MergeSet &left, const MergeSet &right, int shift);
  unsigned sizeOf(uint32_t value) const;

  Program &m_program;
  llvm::ArrayRef<LiveRange> m_ranges;
  unsigned m_limit;
  std::vector<Instruction *> m_defs;                      ///< By value; null for arrays.
  std::vector<Place> m_places;                            ///< By value.
  std::vector<llvm::SmallVector<uint32_t, 1>> m_contents; ///< By value: each component's content.
  std::vector<MergeSet> m_sets;
};

} // namespace assay::ir3
