// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a finished module asks of SPIR-V and of the device, by its capabilities and modes.
#pragma once

#include "fuzz/generate/Generator.h"
#include "fuzz/program/Pool.h"

namespace assay::fuzz {

/// Adds to the module of \p pool, which is \p generated's, the SPIR-V extensions of its
/// capabilities, and to the case the device features of its capabilities and execution modes: the
/// rows of compiler/spirv/Capabilities.def. Constructs require capabilities and nothing else.
void completeRequirements(GeneratedCase &generated, Pool &pool);

} // namespace assay::fuzz
