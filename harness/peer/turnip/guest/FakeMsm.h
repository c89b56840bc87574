// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An Adreno GPU that does not exist: those of libdrm's functions that turnip calls, for one
// device whose memory is an anonymous file. What is submitted is noted and never executed.
#pragma once

#include "harness/peer/turnip/Protocol.h"

namespace assay::turnip {

/// To be called before the driver looks for devices. \p chip: as MSM_PARAM_CHIP_ID has it.
void createFakeDevice(uint64_t chip);

/// The streams submitted since the last call.
std::vector<CommandStream> takeSubmission();
/// All pages of the device's memory that are not 0.
std::vector<MemoryRange> readDeviceMemory();

} // namespace assay::turnip
