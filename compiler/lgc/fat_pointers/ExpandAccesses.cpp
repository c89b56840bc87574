// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/ExpandAccesses.h"

#include "compiler/lgc/fat_pointers/ExpandHandlers.h"
#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;

// --- Hints

/// Removes a hint that buffers have no instruction for.
static void expandToNothing(IntrinsicInst &, const AccessEmitter &) {}

/// Without what bundles say of fat pointers, of which no later pass could make anything.
static void expandAssume(IntrinsicInst &intrinsic, const AccessEmitter &) {
  SmallVector<OperandBundleDef, 2> kept;
  for (unsigned i = 0; i < intrinsic.getNumOperandBundles(); ++i) {
    OperandBundleUse bundle = intrinsic.getOperandBundleAt(i);
    if (none_of(bundle.Inputs, [](const Use &input) { return isFatPointer(input->getType()); }))
      kept.emplace_back(bundle);
  }
  if (kept.empty() && isa<ConstantInt>(intrinsic.getArgOperand(0)))
    return; // Of "true": it only carried its bundles.
  IRBuilder<>(&intrinsic).CreateAssumption(intrinsic.getArgOperand(0), kept);
}

/// Intrinsics that change no result.
static ArrayRef<ExpandRow> getHintRows() {
  static constexpr ExpandRow rows[] = {
      {Intrinsic::prefetch, expandToNothing},
      {Intrinsic::assume, expandAssume},
  };
  return rows;
}

// --- All of them

/// Returns the handler of \p id among all families, or null.
static ExpandHandler findHandler(Intrinsic::ID id) {
  for (ArrayRef<ExpandRow> rows : {getCopyRows(), getFillRows(), getMaskedRows(), getHintRows()})
    for (const ExpandRow &row : rows)
      if (row.id == id)
        return row.expand;
  return nullptr;
}

bool assay::isExpandable(Intrinsic::ID id) {
  return findHandler(id) != nullptr;
}

/// Returns whether a fat pointer is an operand, or in an operand bundle.
static bool hasFatPointer(const IntrinsicInst &intrinsic) {
  return any_of(intrinsic.data_ops(),
                [](const Use &operand) { return isFatPointer(operand->getType()); });
}

/// The vector, of fixed length, that a masked access moves, else null.
static FixedVectorType *getMaskedType(const IntrinsicInst &intrinsic) {
  if (none_of(getMaskedRows(),
              [&](const ExpandRow &row) { return row.id == intrinsic.getIntrinsicID(); }))
    return nullptr;
  return dyn_cast<FixedVectorType>(intrinsic.getType()->isVoidTy()
                                       ? intrinsic.getArgOperand(0)->getType()
                                       : intrinsic.getType());
}

Error assay::verifyExpandable(const IntrinsicInst &intrinsic) {
  if (!hasFatPointer(intrinsic))
    return Error::success();
  if (intrinsic.getType()->isScalableTy() ||
      any_of(intrinsic.args(), [](const Use &value) { return value->getType()->isScalableTy(); }))
    return unsupported("a scalable vector in memory of a buffer fat pointer: buffer "
                       "instructions have fixed sizes");
  auto *memory = dyn_cast<AnyMemIntrinsic>(&intrinsic);
  if (memory && memory->isAtomic() && memory->getElementSizeInBytes() > 8)
    return unsupported("atomic elements of " + Twine(memory->getElementSizeInBytes()) +
                       " bytes: buffers have atomics of up to 8");
  if (FixedVectorType *type = getMaskedType(intrinsic)) {
    uint64_t bits = intrinsic.getDataLayout().getTypeSizeInBits(type->getElementType());
    if (bits % 8)
      return unsupported("masked access to elements of " + Twine(bits) +
                         " bits: they are no whole bytes in memory");
  }
  return Error::success();
}

/// Returns the intrinsics of \p function to expand; handlers split blocks, so that they are
/// collected first.
static SmallVector<IntrinsicInst *, 8> collectExpandable(Function &function) {
  SmallVector<IntrinsicInst *, 8> found;
  for (Instruction &instruction : instructions(function))
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
        intrinsic && isExpandable(intrinsic->getIntrinsicID()) && hasFatPointer(*intrinsic))
      found.push_back(intrinsic);
  return found;
}

/// Returns whether \p function has changed.
static bool expandIn(Function &function, const AccessEmitter &emitter) {
  if (collectExpandable(function).empty())
    return false;
  // Values there may be computed from themselves: handlers look at what a pointer is made of.
  EliminateUnreachableBlocks(function);
  for (IntrinsicInst *intrinsic : collectExpandable(function)) {
    findHandler(intrinsic->getIntrinsicID())(*intrinsic, emitter);
    intrinsic->eraseFromParent();
  }
  return true;
}

bool assay::expandFatPointerAccesses(Module &module, const AccessEmitter &emitter) {
  bool changed = false;
  for (Function &function : module)
    changed |= expandIn(function, emitter);
  return changed;
}
