// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a run ends early.
#pragma once

#include "oracles/api/Outcome.h"

namespace assay::simt {

/// Why a run ended before its last instruction.
struct Failure {
  OutcomeKind kind = OutcomeKind::Completed; ///< Completed: it did not end early.
  std::string reason;
  std::vector<Finding> findings; ///< The findings that ended it.
};

} // namespace assay::simt
