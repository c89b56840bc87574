// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the reference machine assumes of an implementation's floats where specifications leave room.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace assay {

/// Each includes the assumptions of those above it. docs/draws.md, "Assumptions about precision",
/// has them all with their sources.
enum class Precision : uint8_t {
  Vulkan,    ///< Nothing but what Vulkan's tables promise.
  Practical, ///< Bounds also where Vulkan gives none, as drivers in use keep them.
  Ieee,      ///< Arithmetic of IEEE 754 that is never fused: what drivers for a CPU compute.
};

/// The name of the reference machine that assumes \p precision: "spirv", "spirv-practical",
/// "spirv-ieee".
llvm::StringRef getReferenceName(Precision precision);

} // namespace assay
