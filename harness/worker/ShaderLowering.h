// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fat-pointer oracle on a shader that is being compiled.
#pragma once

#include "oracles/fat_pointer/FatPointerOracle.h"
#include "llvm/IR/Module.h"
#include <vector>

namespace assay {

/// Few and short: a diff compiles many shaders.
MeaningOptions shaderMeaningOptions();

/// Makes parameters of what the entry points of \p module load from tables: what a lowering gets
/// is not changed by it, as a lowering neither adds such loads nor changes their order.
void exposeTables(llvm::Module &module);

/// The second check alone; see checkShaderLowering.
std::vector<FunctionMeaning> compareShaderMeaning(llvm::Module &before, const llvm::Module &after);

/// What the oracle reports in the lowering of an entry point from \p before, which is changed, to
/// \p after. Descriptors that the shader loads become parameters, the same ones in both, and what
/// comes in registers is small: nothing else of a launch is there. What can't be run without it, or
/// has no meaning, is not reported.
std::vector<Finding> checkShaderLowering(llvm::Module &before, const llvm::Module &after);

} // namespace assay
