// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ExpandDivision.h"

#include "compiler/dialect/Lgc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"

using namespace llvm;
using namespace assay;

/// Calls \p make with each component of \p x and \p y; their results are the components of the
/// result.
static Value *byComponents(IRBuilder<> &builder, Value *x, Value *y,
                           function_ref<Value *(Value *, Value *)> make) {
  auto *vector = dyn_cast<FixedVectorType>(x->getType());
  if (!vector)
    return make(x, y);
  Value *result = PoisonValue::get(vector);
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    Value *component = make(builder.CreateExtractElement(x, i), builder.CreateExtractElement(y, i));
    result = builder.CreateInsertElement(result, component, i);
  }
  return result;
}

/// The remainder has the sign of the dividend; that of smod has the divisor's.
static Value *makeSmod(IRBuilder<> &builder, Value *x, Value *y) {
  Value *remainder = builder.CreateSRem(x, y);
  Value *isZero = builder.CreateICmpEQ(remainder, ConstantInt::get(x->getType(), 0));
  Value *differs =
      builder.CreateICmpSLT(builder.CreateXor(remainder, y), ConstantInt::get(x->getType(), 0));
  Value *moved = builder.CreateAdd(remainder, y);
  return builder.CreateSelect(builder.CreateAnd(differs, builder.CreateNot(isZero)), moved,
                              remainder);
}

static bool isDivision(const BinaryOperator &inst) {
  return inst.getOpcode() == Instruction::UDiv || inst.getOpcode() == Instruction::SDiv;
}
static bool isRemainder(const BinaryOperator &inst) {
  return inst.getOpcode() == Instruction::URem || inst.getOpcode() == Instruction::SRem;
}

/// Divisions of \p function, each of a scalar from now on.
static SmallVector<BinaryOperator *, 8> collectDivisions(Function &function) {
  SmallVector<Instruction *, 8> work;
  for (Instruction &inst : instructions(function)) {
    auto *binary = dyn_cast<BinaryOperator>(&inst);
    if (isa<SModOp>(inst) || (binary && (isDivision(*binary) || isRemainder(*binary))))
      work.push_back(&inst);
  }
  SmallVector<BinaryOperator *, 8> divisions;
  for (Instruction *inst : work) {
    IRBuilder<> builder(inst);
    if (auto *modulo = dyn_cast<SModOp>(inst)) {
      Value *result =
          byComponents(builder, modulo->getX(), modulo->getY(), [&](Value *x, Value *y) {
            Value *made = makeSmod(builder, x, y);
            return made;
          });
      inst->replaceAllUsesWith(result);
      inst->eraseFromParent();
      continue;
    }
    if (!inst->getType()->isVectorTy())
      continue;
    auto opcode = static_cast<Instruction::BinaryOps>(inst->getOpcode());
    inst->replaceAllUsesWith(
        byComponents(builder, inst->getOperand(0), inst->getOperand(1),
                     [&](Value *x, Value *y) { return builder.CreateBinOp(opcode, x, y); }));
    inst->eraseFromParent();
  }
  for (Instruction &inst : instructions(function))
    if (auto *binary = dyn_cast<BinaryOperator>(&inst);
        binary && (isDivision(*binary) || isRemainder(*binary)))
      divisions.push_back(binary);
  return divisions;
}

PreservedAnalyses ir3::ExpandDivision::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<BinaryOperator *, 8> divisions = collectDivisions(function);
  for (BinaryOperator *inst : divisions) {
    bool isWide = inst->getType()->isIntegerTy(64);
    if (isDivision(*inst))
      isWide ? expandDivisionUpTo64Bits(inst) : expandDivisionUpTo32Bits(inst);
    else
      isWide ? expandRemainderUpTo64Bits(inst) : expandRemainderUpTo32Bits(inst);
  }
  return divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
