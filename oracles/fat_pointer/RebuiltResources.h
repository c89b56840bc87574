// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds resources that are put together from the bits of a resource.
#pragma once

#include "llvm/IR/Function.h"
#include <vector>

namespace assay {

/// Each inttoptr of \p function to address space 7, 8 or 9 (or a vector of such) whose resource
/// is, bit by bit and in order, one that a ptrtoint of the function took apart: through shifts by
/// constants, masks, concatenations, casts, vectors, aggregates, phis and selects. For phis and
/// selects "one" means: on each way some resource.
std::vector<const llvm::Instruction *> findRebuiltResources(const llvm::Function &function);

} // namespace assay
