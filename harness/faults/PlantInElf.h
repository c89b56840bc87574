// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted faults (support/Fault.h) that no line of the compiler could hold: what is wrong in the
// finished ELF alone - metadata that LLVM wrote, container, single instructions, waits.
#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace assay {

/// Changes \p elf, a compute pipeline from the project's compiler, by those of these faults that
/// were planted in this process and find a place in it. Nothing in a build without faults, and for
/// graphics pipelines: none has a place in them.
/// InvalidInput for what is no such ELF.
llvm::Error plantInElf(std::vector<uint8_t> &elf);

} // namespace assay
