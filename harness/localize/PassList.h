// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker told of its passes, as one needs it for a search.
#pragma once

#include "harness/run/JobPasses.h"

namespace assay {

/// One run of a pass on one module or unit.
struct NamedPass {
  std::string phase; ///< "front-end", "middle-end", "code-generation".
  std::string pass;
  std::string unit;       ///< Of optional ones.
  bool changes = true;    ///< Of those of the middle-end: whether it did.
  unsigned pipeline = 0;  ///< Of those: that of the module.
  std::string stage = ""; ///< "vertex", "fragment"; empty of compute pipelines.
};

/// The passes of a compilation, in the order in which they ran.
struct PassList {
  std::vector<NamedPass> optional; ///< Number JobPasses::limit - 1 is the last that runs.
  /// Number JobPasses::snapshot - 1 is the last that runs.
  std::vector<NamedPass> middleEnd;
  /// What began and did not end: where a worker died. Empty: nothing.
  NamedPass open;
};

/// \p events are those of one worker, possibly cut short by its death.
PassList makePassList(llvm::ArrayRef<PassEvent> events);

} // namespace assay
