// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a Case to what the guest program is asked.
#pragma once

#include "harness/peer/turnip/Protocol.h"
#include "oracles/api/Case.h"
#include "llvm/Support/Error.h"

namespace assay::turnip {

/// A request for every pipeline of \p input with its resources; the chip and the environment are
/// the caller's. \p subgroupSize: of shaders that require none themselves; 0: the driver's choice.
/// Unsupported for multisample images, whose texels are not where a linear image has them.
llvm::Expected<Request> describeCase(const Case &input, uint32_t subgroupSize);

/// The queries that vulkan::readFeatures() needs the answers to.
void addQueries(Request &request);

/// Bytes that the descriptors of each set of \p pipeline take at most.
std::vector<uint64_t> descriptorRoom(const PipelineRequest &pipeline);

} // namespace assay::turnip
