// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where values are live, as ranges of positions.
#pragma once

#include "compiler/ir3/ir/Program.h"
#include <vector>

namespace assay::ir3 {

/// Positions of an instruction with number n: 2n reads its sources, 2n + 1 writes its result.
struct LiveSegment {
  uint32_t begin, end; ///< end is the first position at which the value is dead.
};

/// Sorted, without overlaps.
class LiveRange {
public:
  llvm::ArrayRef<LiveSegment> segments() const { return m_segments; }
  bool isEmpty() const { return m_segments.empty(); }
  uint32_t begin() const { return m_segments.front().begin; }
  uint32_t end() const { return m_segments.back().end; }
  /// How many positions.
  uint32_t length() const;
  /// Whether both are live at some position.
  bool overlaps(const LiveRange &other) const;
  /// Whether the value is live at \p position.
  bool contains(uint32_t position) const;
  /// In any order; normalize() follows.
  void add(uint32_t begin, uint32_t end) { m_segments.push_back({begin, end}); }
  /// Appends the segments of \p other; normalize() follows.
  void add(const LiveRange &other);
  /// Makes the segments sorted and disjoint.
  void normalize();

private:
  std::vector<LiveSegment> m_segments;
};

/// The ranges of all SSA values, by the name of their instruction, then of arrays: array i is at
/// program.nextName() + i. Numbers the instructions and updates the predecessors of blocks. A phi's
/// result begins with its block, and its sources are live to the end of their predecessors. An
/// array is live where it has been accessed and will be.
std::vector<LiveRange> computeLiveRanges(Program &program);

} // namespace assay::ir3
