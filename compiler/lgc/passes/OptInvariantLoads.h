// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// Loads of buffers that the shader only reads become !invariant.load: they may move over stores to
/// other buffers and be one with others of the same address, and a uniform one may go through the
/// scalar cache, which stores of the same dispatch do not reach. All invocations run the one
/// function of the module, so nobody in the dispatch writes there, either, unless by an alias
/// (compiler/lgc/Aliasing.h); and what runs next to the dispatch could be seen only by volatile
/// accesses or after an acquire of device scope, which makes the pass change nothing. To run while
/// buffers, barriers and what else looks like an access are still ops, after inlining.
class OptInvariantLoads : public llvm::PassInfoMixin<OptInvariantLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace assay
