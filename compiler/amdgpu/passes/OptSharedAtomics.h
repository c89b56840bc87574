// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's optimiser of atomics in the middle-end, instead of where its code generator runs it.
#pragma once

#include "llvm/IR/PassManager.h"
#include "llvm/Support/Error.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace assay::amdgpu {

/// Makes of an atomic operation at an address that is the same in all lanes one operation of one
/// lane: LLVM's amdgpu-atomic-optimizer, which sees atomics of LDS and of global memory. In LLVM's
/// code generator it comes before its lowering of fat pointers and therefore sees no atomic of a
/// buffer; after the project's lowering it would. So it runs before either lowering, and
/// Backend switches the one in the code generator off.
class OptSharedAtomics : public llvm::PassInfoMixin<OptSharedAtomics> {
public:
  /// \p builder must be one of an AMDGPU machine: Environment where it knows no such pass.
  static llvm::Expected<OptSharedAtomics> create(llvm::PassBuilder &builder);
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  llvm::FunctionPassManager m_optimizer;
};

} // namespace assay::amdgpu
