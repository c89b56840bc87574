// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of one printed AMDGPU instruction, taken apart.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "llvm/ADT/StringRef.h"

namespace assay::gcn {

/// Fills mnemonic, operands, modifiers, dual, text and valid of \p inst from \p text, which is what
/// LLVM's printer wrote. valid stays false when a part is not understood.
void parseAsmText(llvm::StringRef text, Inst &inst);

} // namespace assay::gcn
