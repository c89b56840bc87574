// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outcomes of one machine compared by the bytes of their buffers.
#pragma once

#include "oracles/api/Outcome.h"

namespace assay {

/// Whether the buffers of two runs of one case hold the same bytes at every checkpoint. How the
/// runs ended, and what a reference leaves open, does not count.
bool haveSameBytes(const Outcome &one, const Outcome &other);

} // namespace assay
