// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module that also stores the value of one of its instructions: what it computes on the way can
// be looked at.
#pragma once

#include "fuzz/program/Definitions.h"
#include "fuzz/program/Program.h"
#include <array>
#include <optional>

namespace assay::fuzz {

/// What a module can be looked at for.
enum class ProbeKind : uint8_t {
  Constant,    ///< What the specialised constant `id` is, wherever: needs no built-in.
  Value,       ///< What the instruction `id` gives, in each invocation.
  Copied,      ///< What the OpCopyMemory at `place` finds at its source, the pointer `id`.
  Block,       ///< Whether the block `id` runs, in each invocation.
  Edge,        ///< From which block control has come to the phi `id`, in each invocation.
  Invocations, ///< How many invocations run the entry point's first block: needs no built-in.
  BuiltIn      ///< Sums over all invocations of `builtIn` and of products; needs no other one, but
               ///< for LocalInvocationIndex, whose products are with LocalInvocationId.
};

struct ProbePoint {
  ProbeKind kind = ProbeKind::Value;
  Id id = 0;
  spv::BuiltIn builtIn = spv::BuiltIn::Max; ///< One of the invocation or of its workgroup.
  Place place = {};
  bool isTimed = false; ///< Of values and copies: what is found each time, not only the last one.
};

/// Specialised constants; then in the order of the module each block of the entry point, and the
/// values that its instructions make. Points of a function that is called at one place are before
/// the value of the call, those of others, which are of all of their calls, at the end. Not all
/// values have a type that addProbe() takes.
std::vector<ProbePoint> listProbePoints(const Program &program);

/// Where a probe stores, and what that depends on.
struct ProbeTarget {
  uint32_t set = 0, binding = 0;
  std::array<uint32_t, 3> groups = {1, 1, 1}; ///< Workgroups of each dispatch.
};

/// Of a timed point: the first times except for the last of them, and the last time.
constexpr unsigned probedTimes = 16;

/// A probed module. The buffer at its descriptor is an array of `numbers` numbers. Of values and
/// blocks there are `perInvocation` for each invocation; invocations are in the order of their
/// workgroups, each with room for the 1024 of the largest, and of LocalInvocationIndex. Integers
/// and constants are stored as words of 32 bits, lowest first, booleans as 0 and 1, halves as
/// floats. Of a timed point there is room for what is found the first probedTimes - 1 times, and
/// the last time. Sums and counts begin at what the buffer holds.
struct Probe {
  Program program;
  bool isFloat = false;
  unsigned width = 32; ///< Of a number: 32, or 64 of a double.
  unsigned perInvocation = 1;
  size_t numbers = 1;
};

/// \p program with a store of what is at \p point, right after its definition, into the buffer of
/// \p target; of a copy, in front of it; of a block, of 1 at its beginning; of an edge, of its
/// number among those of the phi. Nothing for what is not a number, boolean, or small composite of
/// them; of a composite the parts that are stored like the first one. The result is valid where
/// \p program is, the descriptor is free, and the target can have as many workgroups.
std::optional<Probe> addProbe(const Program &program, ProbePoint point, const ProbeTarget &target);

} // namespace assay::fuzz
