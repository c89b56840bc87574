// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference machine: interprets the SPIR-V of a case. What it says is what the case means.
#pragma once

#include "oracles/api/Machine.h"
#include <memory>

namespace assay {

struct SpirvMachineOptions {
  /// Orders of execution tried where the result may depend on the order. Bytes that differ are
  /// indeterminate.
  unsigned schedules = 4;
};

/// A machine called "spirv" that takes no artifacts. Its outcomes carry intervals and indeterminate
/// bytes, and UndefinedBehavior with a finding where the case has no meaning.
std::unique_ptr<Machine> createSpirvMachine(const SpirvMachineOptions &options = {});

} // namespace assay
