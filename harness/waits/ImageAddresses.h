// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers image instructions of GFX9 read. Their encoding names the first one; how many
// follow, the dimension in the descriptor says, which here is known from the shader's image types.
#pragma once

#include "compiler/spirv/Module.h"
#include "oracles/machine/gcn_isa/Inst.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay::waits {

/// Gives the address operands of the image instructions in \p insts, code of GFX9 that was made of
/// \p module, their whole length. \p hasFlatLines: lines lie as images of two dimensions, as RADV
/// has them. False: the module has images of several dimensions, and of some instruction nobody
/// can tell which it is about.
bool completeAddresses(llvm::MutableArrayRef<gcn::Inst> insts, const spirv::Module &module,
                       bool hasFlatLines);

} // namespace assay::waits
