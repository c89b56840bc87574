// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module that also stores the value of one of its instructions: what it computes on the way can
// be looked at.
#pragma once

#include "fuzz/program/Program.h"
#include <optional>

namespace assay::fuzz {

/// Where a module can be looked at: the value that \p id is, or whether the block \p id runs - for
/// each invocation, or whether any runs it, which needs no built-in.
struct ProbePoint {
  Id id = 0;
  bool isBlock = false;
  bool isOfAny = false; ///< Blocks.
};

/// In the order of the module: specialised constants; then each block, and the values that its
/// instructions make. Not all values have a type that addProbe() takes.
std::vector<ProbePoint> listProbePoints(const Program &program);

/// A probed module. The buffer at its descriptor is an array of numbers: `perInvocation` for each
/// invocation of a workgroup, by LocalInvocationIndex. Numbers of less than 32 bits are widened,
/// booleans are 0 and 1.
struct Probe {
  Program program;
  bool isFloat = false;
  unsigned width = 32;        ///< Of a number: 32 or 64.
  unsigned perInvocation = 1; ///< Of a point isOfAny: there is one number for all.
};

/// \p program with a store of what is at \p point, right behind its definition, into a buffer at \p
/// set and
/// \p binding; of a block, of 1 at its beginning. Nothing for what is no number, boolean, or small
/// composite of them; of a composite the parts that have the first one's type are stored. The
/// result is valid where \p program is, and the descriptor is free; it is for one workgroup.
std::optional<Probe> addProbe(const Program &program, ProbePoint point, uint32_t set,
                              uint32_t binding);

} // namespace assay::fuzz
