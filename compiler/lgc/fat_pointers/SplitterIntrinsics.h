// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to split an intrinsic, for the splitter's table and for those of architectures.
#pragma once

#include "compiler/lgc/fat_pointers/Splitter.h"

namespace assay {

/// The same intrinsic, with \p arguments and a result of \p type.
llvm::CallInst *callLike(Splitter &splitter, llvm::IntrinsicInst &old, llvm::Type *type,
                         llvm::ArrayRef<llvm::Value *> arguments);

/// Of an intrinsic that moves values between lanes or elements: each part goes the same way.
void splitByParts(Splitter &splitter, llvm::Instruction &instruction);

/// Aggregates and pointers go as a whole.
void splitAsWhole(Splitter &splitter, llvm::Instruction &instruction);

} // namespace assay
