// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lane masks as the front-end sees them.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace assay {

/// A lane mask (i32 or i64, by wave size) as <4 x i32>, bit 0 of element 0 for lane 0.
llvm::Value *makeMaskWords(llvm::IRBuilderBase &builder, llvm::Value *mask);

} // namespace assay
