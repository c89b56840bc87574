// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is better about buffer accesses once it is known what is the same in all lanes: the last
// step of lower-buffer-fat-pointers.
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Makes scalar loads and shared waterfall loops in all functions of \p module (ScalarLoads.h,
/// Waterfall.h). Needs a target that tells what diverges: without one it changes nothing. Analyses
/// of changed functions are invalidated.
void optimizeBufferAccesses(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

} // namespace assay::amdgpu
