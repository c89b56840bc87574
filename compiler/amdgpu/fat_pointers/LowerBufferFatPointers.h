// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass lower-buffer-fat-pointers: splits ptr addrspace(7) and (9) into resources and offsets
// (compiler/lgc/fat_pointers) and makes buffer instructions of their accesses.
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Reports an error on the context, and leaves the module as it was, where a fat pointer has no
/// meaning without its type (an inline assembler's operand, say).
class LowerBufferFatPointers : public llvm::PassInfoMixin<LowerBufferFatPointers> {
public:
  struct Options {
    /// Scalar loads, and waterfall loops that accesses share: needs the target's divergence.
    bool optimize = true;
  };

  LowerBufferFatPointers() = default;
  explicit LowerBufferFatPointers(const Options &options) : m_options(options) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  Options m_options;
};

} // namespace assay::amdgpu
