// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pipeline: what the driver compiled, and what it submits to run it.
#pragma once

#include "harness/peer/turnip/guest/Resources.h"

namespace assay::turnip {

/// Compiles \p request and records and submits one dispatch of it, with the numbers of Protocol.h.
/// A failure is in the answer.
PipelineAnswer capturePipeline(Driver &driver, const PipelineRequest &request,
                               const GuestResources &resources);

} // namespace assay::turnip
