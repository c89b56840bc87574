// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/lower/BufferRoots.h"

#include "compiler/dialect/Lgc.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace assay;

/// Compares indices as values: two computations of one index count as different.
bool ir3::isSameBuffer(const LoadBufferDescOp &left, const LoadBufferDescOp &right) {
  return left.getSet() == right.getSet() && left.getBinding() == right.getBinding() &&
         left.getArrayIndex() == right.getArrayIndex();
}

/// Walks back through addresses, phis, selects and freezes. Each value is visited once, so that
/// loops of phis end.
std::optional<ir3::BufferRoots> ir3::findBufferRoots(const Value *pointer) {
  BufferRoots roots;
  SmallVector<const Value *, 8> work = {pointer};
  SmallPtrSet<const Value *, 8> seen;
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (!seen.insert(value).second || isa<Constant>(value))
      continue;
    if (const auto *address = dyn_cast<GetElementPtrInst>(value)) {
      work.push_back(address->getPointerOperand());
    } else if (const auto *phi = dyn_cast<PHINode>(value)) {
      append_range(work, phi->incoming_values());
    } else if (const auto *choice = dyn_cast<SelectInst>(value)) {
      work.append({choice->getTrueValue(), choice->getFalseValue()});
    } else if (const auto *freeze = dyn_cast<FreezeInst>(value)) {
      work.push_back(freeze->getOperand(0));
    } else if (const auto *op = dyn_cast<LoadBufferDescOp>(value)) {
      if (none_of(roots, [&](const auto *root) { return isSameBuffer(*root, *op); }))
        roots.push_back(op);
    } else {
      return std::nullopt;
    }
  }
  return roots;
}
