// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/fat_pointer/FatTypes.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

bool FatTypes::contains(Type *type) {
  if (auto *pointer = dyn_cast<PointerType>(type))
    return isFatSpace(pointer->getAddressSpace());
  if (type->isSingleValueType() && !type->isVectorTy() && !isa<TargetExtType>(type))
    return false;
  auto [known, isNew] = m_known.try_emplace(type, false);
  if (!isNew)
    return known->second;
  // Subtypes are all there is: the parameters of target types are among them, and no type holds
  // itself, for pointers are opaque.
  bool holds = any_of(type->subtypes(), [&](Type *element) { return contains(element); });
  m_known[type] = holds;
  return holds;
}
