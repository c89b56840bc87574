// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/KeepSmallLoadsInPlace.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Pass.h"

using namespace llvm;
using namespace assay;

namespace {
/// A pass of LLVM IR in the code generator.
class KeepSmallLoadsInPlace : public FunctionPass {
public:
  KeepSmallLoadsInPlace() : FunctionPass(ID) {}

  bool runOnFunction(Function &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override { usage.setPreservesAll(); }
  StringRef getPassName() const override { return "Keep small loads in place"; }

private:
  static char ID;
};
} // namespace

char KeepSmallLoadsInPlace::ID = 0;

/// Returns whether \p instruction is a load intrinsic of a buffer that returns a scalar of 8 or 16
/// bits.
static bool isSmallBufferLoad(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || call->getType()->isVectorTy())
    return false;
  unsigned bits = call->getType()->getPrimitiveSizeInBits(); // 0 of what is neither number.
  if (bits == 0 || bits > 16)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::amdgcn_raw_atomic_buffer_load:
  case Intrinsic::amdgcn_raw_buffer_load:
  case Intrinsic::amdgcn_raw_ptr_atomic_buffer_load:
  case Intrinsic::amdgcn_raw_ptr_buffer_load:
  case Intrinsic::amdgcn_struct_atomic_buffer_load:
  case Intrinsic::amdgcn_struct_buffer_load:
  case Intrinsic::amdgcn_struct_ptr_atomic_buffer_load:
  case Intrinsic::amdgcn_struct_ptr_buffer_load:
    return true;
  default:
    return false;
  }
}

/// True where the bits above those of the value do not matter, or are zero.
static bool ignoresSign(const User *user) {
  if (const auto *compare = dyn_cast<ICmpInst>(user))
    return !compare->isSigned();
  return isa<ZExtInst, TruncInst, UIToFPInst, PHINode>(user) ||
         (isa<BinaryOperator>(user) && cast<BinaryOperator>(user)->isBitwiseLogicOp());
}

/// Returns whether an instruction after \p load in its block may write memory.
static bool isWriteAfter(const Instruction &load) {
  return any_of(make_range(std::next(load.getIterator()), load.getParent()->end()),
                [](const Instruction &later) { return later.mayWriteToMemory(); });
}

/// Loads whose users all ignore the sign are left alone: no extension can be merged into them.
bool KeepSmallLoadsInPlace::runOnFunction(Function &function) {
  SmallVector<Instruction *, 4> loads;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (isSmallBufferLoad(instruction) && !all_of(instruction.users(), ignoresSign) &&
          isWriteAfter(instruction))
        loads.push_back(&instruction);
  for (Instruction *load : loads) {
    IRBuilder<> builder(load->getNextNode());
    auto *frozen = cast<Instruction>(builder.CreateFreeze(load));
    load->replaceUsesWithIf(frozen, [&](const Use &use) { return use.getUser() != frozen; });
  }
  return !loads.empty();
}

void amdgpu::keepSmallLoadsInPlace() {
  // The last of LLVM's passes of IR that runs at every level.
  insertPassAfter("si-annotate-control-flow",
                  []() -> FunctionPass * { return new KeepSmallLoadsInPlace(); });
}
