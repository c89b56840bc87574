// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::ir3 {

/// An instruction names the buffer that it accesses. Where a pointer may lead into one of several,
/// or is stored in memory, it becomes two integers: the number of the buffer and a byte offset; an
/// access through it becomes a branch to an access for each buffer. Afterwards the buffer of each
/// access is known. Reports Unsupported for pointers in aggregates and for buffers that an index
/// chooses.
class SplitPointers : public llvm::PassInfoMixin<SplitPointers> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::ir3
