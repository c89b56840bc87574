// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/RelaxMinMax.h"

#include "compiler/amdgpu/InsertPass.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Pass.h"

using namespace llvm;
using namespace assay;

namespace {
class RelaxMinMax : public FunctionPass {
public:
  RelaxMinMax() : FunctionPass(ID) {}

  bool runOnFunction(Function &function) override;
  void getAnalysisUsage(AnalysisUsage &usage) const override { usage.setPreservesCFG(); }
  StringRef getPassName() const override { return "Relax minima and maxima"; }

private:
  static char ID;
};
} // namespace

char RelaxMinMax::ID = 0;

/// The plain form of \p constrained where that is a minimum or maximum.
static Intrinsic::ID findPlain(Intrinsic::ID constrained) {
  switch (constrained) {
  case Intrinsic::experimental_constrained_maxnum:
    return Intrinsic::maxnum;
  case Intrinsic::experimental_constrained_minnum:
    return Intrinsic::minnum;
  case Intrinsic::experimental_constrained_maximum:
    return Intrinsic::maximum;
  case Intrinsic::experimental_constrained_minimum:
    return Intrinsic::minimum;
  default:
    return Intrinsic::not_intrinsic;
  }
}

/// Functions that are not strictfp have no constrained intrinsics and are skipped.
bool RelaxMinMax::runOnFunction(Function &function) {
  if (!function.hasFnAttribute(Attribute::StrictFP))
    return false;
  bool hasChanged = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<ConstrainedFPIntrinsic>(&instruction);
    Intrinsic::ID plain = call ? findPlain(call->getIntrinsicID()) : Intrinsic::not_intrinsic;
    if (plain == Intrinsic::not_intrinsic)
      continue;
    IRBuilder<> builder(call);
    Value *value = builder.CreateIntrinsic(plain, {call->getType()},
                                           {call->getArgOperand(0), call->getArgOperand(1)}, call);
    value->takeName(call);
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
    hasChanged = true;
  }
  return hasChanged;
}

void amdgpu::relaxMinMax() {
  // The last of LLVM's passes of IR that runs at every level.
  insertPassAfter("si-annotate-control-flow", []() -> FunctionPass * { return new RelaxMinMax(); });
}
