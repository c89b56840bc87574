// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembler text to a PAL ELF, by LLVM.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace assay::gcn {

/// Assembles \p text for LLVM's chip \p cpu. InvalidInput with LLVM's messages when it is refused.
llvm::Expected<std::vector<uint8_t>> assembleElf(llvm::StringRef text, llvm::StringRef cpu,
                                                 unsigned waveSize);

} // namespace assay::gcn
