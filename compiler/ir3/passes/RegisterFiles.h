// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers are taken when, and where a merge set fits.
#pragma once

#include "compiler/ir3/passes/MergeSets.h"

namespace assay::ir3 {

/// The registers of one shader. Vector registers are counted in units: half registers where the
/// files are merged, else scalars of either file.
class RegisterFiles {
public:
  /// \p vectors vectors of full registers can be used.
  RegisterFiles(const Program &program, llvm::ArrayRef<LiveRange> ranges, unsigned vectors);

  /// A base at which \p set fits, which is taken then; nothing when there is none. Within the first
  /// eight vectors the search goes on after the set placed last, so that what follows need not wait
  /// for the registers of what has just been computed; else it is the first base.
  std::optional<unsigned> place(const MergeSet &set);
  /// Vectors of full registers, or of separate half registers, that were taken.
  unsigned fullVectors() const;
  unsigned halfVectors() const;

private:
  /// One file of registers, by units: when each one is taken.
  struct File {
    std::vector<std::vector<LiveSegment>> units; ///< Sorted, without overlaps.
    unsigned used = 0;                           ///< Units up to the last one taken.
  };
  /// How the registers of a class lie in a file.
  struct Shape {
    File *file;
    unsigned stride; ///< Units of one scalar.
    unsigned first;  ///< The register number of unit 0.
    unsigned count;  ///< Scalars.
  };
  Shape shapeOf(RegisterClass registerClass);
  std::vector<unsigned> basesFor(const MergeSet &set, const Shape &shape) const;
  /// For each scalar of the set when it is live.
  std::vector<LiveRange> slotsOf(const MergeSet &set) const;
  /// Whether nothing has \p unit while \p range is live.
  static bool isFree(const File &file, unsigned unit, const LiveRange &range);
  static void take(File &file, unsigned unit, const LiveRange &range);

  const Program &m_program;
  llvm::ArrayRef<LiveRange> m_ranges;
  unsigned m_vectors;
  unsigned m_next = 0; ///< In the full file: the scalar after the set placed last.
  File m_full, m_half, m_shared, m_predicate, m_address, m_address1;
};

/// Whether half registers are parts of full ones, and how many units a value takes.
unsigned unitsOf(const Program &program, RegisterClass registerClass);

} // namespace assay::ir3
