// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who executes a subgroup operation together. Invocations of a subgroup are in one tangle where
// they get to the same instruction through the same calls in the same iterations of all loops
// around it: a subgroup that parted comes together again at the end of the construct in which it
// did.
#pragma once

#include "oracles/machine/spirv/Execution.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace assay::reference {

constexpr uint32_t MaxSubgroupSize = 128;

/// Invocations that execute one instruction together.
struct Tangle {
  Execution &execution;
  uint32_t size = 0; ///< Of the subgroup, absent invocations included.
  /// Nobody of the subgroup is elsewhere, or has ended.
  bool isWhole = false;
  llvm::SmallVector<Invocation *, 64> members; ///< Ascending.
  /// By SubgroupLocalInvocationId; null where no member is.
  std::array<Invocation *, MaxSubgroupSize> lanes = {};

  Invocation *find(uint64_t lane) const { return lane < size ? lanes[lane] : nullptr; }
  const TangleSite &site(const Inst &inst) const {
    return execution.program().tangleSites[inst.extra];
  }
};

/// Compares where two waiting invocations are: negative when \p a may still get to where \p b is,
/// but not the other way round; 0 at the same dynamic instance.
int comparePlaces(const Invocation &a, const Invocation &b);

} // namespace assay::reference
