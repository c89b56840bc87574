// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a state of a verdict means for reports, minimize and retries (States.def).
#pragma once

#include "oracles/api/Verdict.h"

namespace assay {

/// Somebody has to look at it: not pass, unsupported or flaky.
bool isBad(State state);

/// A compiler or a machine did something wrong, and a smaller case may show it, too.
bool isReducible(State state);

/// The process that judged did not come to its end: crash, timeout or out of memory.
bool isDeath(State state);

} // namespace assay
