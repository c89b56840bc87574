// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the waves of one dispatch: workgroup after workgroup, the waves of one in turns.
#pragma once

#include "oracles/api/Machine.h"
#include "oracles/machine/gcn/Launch.h"

namespace assay::gcn {

/// What came of a dispatch. kind is Completed when all waves ended as they should.
struct DispatchResult {
  Failure failure;
  std::vector<Finding> reports; ///< Of sanitizers; the run went on.
  uint64_t instructions = 0;    ///< Wave instructions executed.
};

/// \p options.seed 0 runs workgroups and waves in ascending order, other seeds in permuted ones.
DispatchResult runDispatch(Launch &launch, const uint32_t groups[3], const RunOptions &options);

/// Reports when \p op reads \p registers before they are there. For handlers that know only at run
/// time what they read.
void checkRead(Wave &wave, const MicroOp &op, const PendingRegisters &registers);

} // namespace assay::gcn
