// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/OptSharedAtomics.h"

#include "support/Error.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/AMDGPUAddrSpace.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// LLVM's pass is made from its textual name: its class is not public.
Expected<OptSharedAtomics> amdgpu::OptSharedAtomics::create(PassBuilder &builder) {
  OptSharedAtomics pass;
  // The strategy is the code generator's default.
  if (Error error = builder.parsePassPipeline(pass.m_optimizer,
                                              "amdgpu-atomic-optimizer<strategy=iterative>"))
    return environmentError("LLVM: " + toString(std::move(error)));
  return pass;
}

/// Whether the optimiser could take \p instruction up.
static bool isSharedAtomic(const Instruction &instruction) {
  auto *atomic = dyn_cast<AtomicRMWInst>(&instruction);
  return atomic && is_contained({AMDGPUAS::GLOBAL_ADDRESS, AMDGPUAS::LOCAL_ADDRESS},
                                atomic->getPointerAddressSpace());
}

/// Runs LLVM's pass on functions that have such an atomic.
PreservedAnalyses amdgpu::OptSharedAtomics::run(Function &function,
                                                FunctionAnalysisManager &analyses) {
  // It would ask what is uniform, which takes its time, before it looks for atomics.
  if (none_of(instructions(function), isSharedAtomic))
    return PreservedAnalyses::all();
  return m_optimizer.run(function, analyses);
}
