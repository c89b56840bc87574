// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the families of subgroup operations share. Inst::extra of one is its Program::tangleSites.
#pragma once

#include "oracles/machine/spirv/Tangle.h"
#include "oracles/machine/spirv/ops/Ops.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::reference {

/// Handler of every subgroup operation: the site's own runs when the tangle is complete.
Status waitForTangle(Invocation &invocation, const Inst &inst);

/// Makes \p inst, with \p values as its operands, the place of \p site. Inst::n and width are those
/// of the first value.
llvm::Error addTangleSite(Decoder &decoder, Operands values, Inst &inst, const TangleSite &site);

/// Makes \p inst, an OpControlBarrier of execution scope Subgroup, one that orders \p memories
/// (BarrierMemory).
llvm::Error addSubgroupBarrier(Decoder &decoder, Inst &inst, uint32_t memories);

/// Removes the execution scope from the front; Unsupported unless it is Subgroup.
llvm::Error takeSubgroupScope(Decoder &decoder, Operands &operands);

/// Sets the cluster size from a constant; InvalidInput unless it is a power of two.
llvm::Error takeClusterSize(Decoder &decoder, spirv::Id id, TangleSite &site);

/// Returns the invocation whose op[0] \p member reads. Null: it gets \p missing, which is undefined
/// unless the function sets it.
using GatherSource =
    llvm::function_ref<Invocation *(Invocation &member, uint32_t lane, Scalar &missing)>;
/// Moves values of op[0]: all are read before the first is written. A float of which several values
/// are possible gets one of them first, so that all see the same.
Status gather(Tangle &tangle, const Inst &inst, GatherSource source);

/// Undefined behaviour: clusters larger than the subgroup.
Status badCluster(Tangle &tangle, const Inst &inst);

} // namespace assay::reference
