// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference machine: interprets the SPIR-V of a case. What it says is what the case means.
#pragma once

#include "oracles/api/Machine.h"
#include "oracles/api/Precision.h"
#include <memory>
#include <string>
#include <vector>

namespace assay {

/// One texel of an attachment, and what draws and clears did to it.
struct TexelInspection {
  unsigned buffer = 0; ///< Of the case.
  uint32_t x = 0, y = 0, layer = 0, level = 0, sample = 0;
  /// A line each, in order: "line 71: primitive 2 of instance 0, ...: (R 0) -> (R 1)".
  std::vector<std::string> history = {};
  /// The last primitive that changed the texel, or may have: "primitive 2 of instance 0 (line 71)";
  /// empty where none has.
  std::string primitive = {};
};

struct SpirvMachineOptions {
  /// Orders of execution tried where the result may depend on the order. Bytes that differ are
  /// indeterminate.
  unsigned schedules = 4;
  TexelInspection *inspection = nullptr;   ///< Gets its history. Null: no history is kept.
  Precision precision = Precision::Vulkan; ///< What it assumes of floats.
};

/// A machine called "spirv", or by its precision, that takes no artifacts. Its outcomes carry
/// intervals and indeterminate bytes, and UndefinedBehavior with a finding where the case has no
/// meaning.
std::unique_ptr<Machine> createSpirvMachine(const SpirvMachineOptions &options = {});

} // namespace assay
