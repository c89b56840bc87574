// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of values that collects need in consecutive registers, as the ir3 notes make them: each
// value has at most one neighbour to the left and one to the right.
#pragma once

#include "compiler/ir3/ir/Program.h"

namespace assay::ir3 {

/// How the sources of collects get consecutive registers.
enum class Grouping : uint8_t {
  /// Each source is a copy; allocation merges copies with what they copy where nothing interferes.
  MergeSets,
  /// Before scheduling, sources become neighbours of one another; one that cannot be is moved.
  Neighbors,
};

/// Inserts moves in front of collects so that no value needs two neighbours on one side; returns
/// how many. Afterwards no source of a collect is a constant. Values of one chain of neighbours
/// can be at their distances in registers together with all collects that read them.
unsigned groupNeighbors(Program &program);

} // namespace assay::ir3
