// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the workgroups of one dispatch, cohort after cohort; or several cohorts at the same time,
// with the results that they have one after the other.
#pragma once

#include "oracles/machine/gcn/Cohort.h"
#include "oracles/machine/gcn/Step.h"

namespace assay::gcn {

/// What came of a dispatch. kind is Completed when all waves ended as they should.
struct DispatchResult {
  Failure failure;
  std::vector<Finding> reports; ///< Of sanitizers; the run went on.
  uint64_t instructions = 0;    ///< Wave instructions executed.
};

/// Schedule seed 0 runs workgroups one after the other and waves in rounds, all in ascending order;
/// other seeds choose. The log hears of the choices, or makes them.
DispatchResult runDispatch(Launch &launch, const uint32_t groups[3], RunContext &context);

} // namespace assay::gcn
