// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/OptBufferAlignment.h"

#include "compiler/lgc/Builder.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace assay;

static constexpr unsigned resourceSpace = 8;
static constexpr unsigned baseTrailingZeros = 2; ///< A buffer begins at a dword.

/// How many low bits of what \p step adds to its base are zero.
static unsigned countStepZeros(const GEPOperator &step, const DataLayout &layout) {
  unsigned bits = layout.getIndexTypeSizeInBits(step.getType());
  SmallMapVector<Value *, APInt, 4> scales;
  APInt constant(bits, 0);
  if (!step.collectOffset(layout, bits, scales, constant))
    return 0;
  unsigned zeros = constant.countr_zero();
  for (const auto &[index, scale] : scales)
    zeros = std::min(zeros,
                     computeKnownBits(index, layout).countMinTrailingZeros() + scale.countr_zero());
  return zeros;
}

/// The alignment of \p pointer that follows from its steps from the start of a buffer.
static Align findAlignment(const Value *pointer, const DataLayout &layout) {
  unsigned zeros = baseTrailingZeros;
  while (auto *step = dyn_cast<GEPOperator>(pointer)) {
    if (!step->getType()->isPointerTy())
      return Align(1);
    zeros = std::min(zeros, countStepZeros(*step, layout));
    pointer = step->getPointerOperand();
  }
  auto *cast = dyn_cast<AddrSpaceCastOperator>(pointer);
  bool isStart = cast && cast->getSrcAddressSpace() == resourceSpace;
  return isStart ? Align(uint64_t(1) << zeros) : Align(1);
}

/// Raises alignments only; atomics are left alone, since they must have theirs anyway.
PreservedAnalyses OptBufferAlignment::run(Function &function, FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (Instruction &instruction : instructions(function)) {
    Value *pointer = getLoadStorePointerOperand(&instruction);
    if (!pointer || pointer->getType()->getPointerAddressSpace() != BufferFatPointerSpace)
      continue;
    Align known = findAlignment(pointer, function.getDataLayout());
    if (known <= getLoadStoreAlignment(&instruction))
      continue;
    setLoadStoreAlignment(&instruction, known);
    hasChanged = true;
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
