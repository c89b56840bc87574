// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of passes, and nothing else.
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// The middle-end without optimisation: what must run, and no more.
llvm::ModulePassManager makeUnoptimizedPipeline();

/// The middle-end at level 2.
llvm::ModulePassManager makeOptimizedPipeline();

} // namespace assay
