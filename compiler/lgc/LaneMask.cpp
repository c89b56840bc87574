// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/LaneMask.h"

using namespace llvm;
using namespace assay;

/// Returns four words, as SPIR-V's masks have: lane 0 is bit 0 of the first. Masks of 32 lanes have
/// zeros in the second.
Value *assay::makeMaskWords(IRBuilderBase &builder, Value *mask) {
  Type *i32 = builder.getInt32Ty();
  Value *words = Constant::getNullValue(FixedVectorType::get(i32, 4));
  words = builder.CreateInsertElement(words, builder.CreateTrunc(mask, i32), uint64_t(0));
  if (mask->getType()->isIntegerTy(32))
    return words;
  Value *high = builder.CreateTrunc(builder.CreateLShr(mask, 32), i32);
  return builder.CreateInsertElement(words, high, uint64_t(1));
}
