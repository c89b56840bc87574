// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/FreezeLoadedIndices.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Pass.h"
#include "llvm/Support/AMDGPUAddrSpace.h"

using namespace llvm;
using namespace assay;

namespace {
/// A pass of LLVM IR in the code generator.
class FreezeLoadedIndices : public FunctionPass {
public:
  FreezeLoadedIndices() : FunctionPass(ID) {}

  bool runOnFunction(Function &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override { usage.setPreservesCFG(); }
  StringRef getPassName() const override { return "Freeze loaded indices"; }

private:
  static char ID;
};
} // namespace

char FreezeLoadedIndices::ID = 0;

/// Returns whether \p use is the index of an address of private memory, and a load of such memory.
static bool isLoadedIndex(const Use &use) {
  const auto *load = dyn_cast<LoadInst>(use.get());
  return load && use.getOperandNo() != GetElementPtrInst::getPointerOperandIndex() &&
         load->getPointerAddressSpace() == AMDGPUAS::PRIVATE_ADDRESS;
}

bool FreezeLoadedIndices::runOnFunction(Function &function) {
  SmallVector<Use *, 4> indices;
  for (Instruction &instruction : instructions(function))
    if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
      if (address->getPointerAddressSpace() == AMDGPUAS::PRIVATE_ADDRESS)
        for (Use &use : address->operands())
          if (isLoadedIndex(use))
            indices.push_back(&use);
  for (Use *index : indices) {
    IRBuilder<> builder(cast<Instruction>(index->getUser()));
    index->set(builder.CreateFreeze(index->get()));
  }
  return !indices.empty();
}

void amdgpu::freezeLoadedIndices() {
  // The last pass of LLVM's before AMDGPUPromoteAlloca.
  insertPassAfter("atomic-expand", []() -> FunctionPass * { return new FreezeLoadedIndices(); });
}
