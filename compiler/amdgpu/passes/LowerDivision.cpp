// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/LowerDivision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// Whether the low 32 bits of \p value, or of an element, may begin with so many ones that
/// AMDGPUTargetLowering::LowerDIVREM24 would be content with 24 bits: nine.
static bool mayLookSmall(const Value *value, const DataLayout &layout) {
  constexpr unsigned wordBits = 32, signBits = 9;
  Type *type = value->getType();
  if (!type->isIntOrIntVectorTy() || type->getScalarSizeInBits() < wordBits)
    return false; // Narrower ones are extended by zeros.
  KnownBits known = computeKnownBits(value, layout).trunc(wordBits);
  if (known.isNonNegative())
    return false;
  if (type->isVectorTy()) // Element by element more may be known than of all.
    return true;
  return known.countMinLeadingOnes() >= signBits ||
         ComputeNumSignBits(value, layout) >= signBits + type->getScalarSizeInBits() - wordBits;
}

/// n / d = 2 * (n / 2 / d), or one more, where d fits into what remains once again.
static Value *divideByHalves(BinaryOperator &division) {
  IRBuilder<> builder(&division);
  Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  Value *half = builder.CreateUDiv(builder.CreateLShr(dividend, 1), divisor);
  Value *quotient = builder.CreateShl(half, 1);
  Value *rest = builder.CreateSub(dividend, builder.CreateMul(quotient, divisor));
  Value *isMore = builder.CreateICmpUGE(rest, divisor);
  if (division.getOpcode() == Instruction::UDiv)
    return builder.CreateAdd(quotient, builder.CreateZExt(isMore, division.getType()));
  return builder.CreateSelect(isMore, builder.CreateSub(rest, divisor), rest);
}

/// Only unsigned divisions and remainders are concerned.
PreservedAnalyses amdgpu::LowerDivision::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<BinaryOperator *, 8> divisions;
  for (Instruction &instruction : instructions(function))
    if (instruction.getOpcode() == Instruction::UDiv ||
        instruction.getOpcode() == Instruction::URem)
      if (mayLookSmall(instruction.getOperand(0), function.getDataLayout()))
        divisions.push_back(cast<BinaryOperator>(&instruction));
  for (BinaryOperator *division : divisions) {
    division->replaceAllUsesWith(divideByHalves(*division));
    division->eraseFromParent();
  }
  if (divisions.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
