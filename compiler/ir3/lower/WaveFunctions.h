// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions without a body for what fibers of a wave exchange by instructions. Pass LowerSubgroups
// calls them, and selection knows them by their names. All values are i32.
//
//   ir3.ballot(i1) -> {i32, i32}             the active fibers in which it holds
//   ir3.read.first(value)                    the value of the first active fiber
//   ir3.read.where(i1, value)                that of the one fiber in which the condition holds
//   ir3.quad.horizontal, .vertical, .diagonal(value)   that of a neighbour in the quad
//   ir3.quad.broadcast(value, lane)          that of a lane of the quad
//   ir3.shuffle.xor(value, mask)             of the fiber whose number differs by the mask, which
//                                            all fibers have in common; chips with shfl
//   ir3.scan(value, neutral, reduction) -> {i32, i32, i32}
//                                            the active fibers below combined, these and this one,
//                                            all; reduction is the number of a Reduction
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace assay::ir3 {

/// Calls function \p name, which it declares.
llvm::CallInst *callWaveFunction(llvm::IRBuilderBase &builder, llvm::StringRef name,
                                 llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments);

/// Applies \p function, of i32, to the dwords of the scalar \p value of up to 64 bits.
llvm::Value *mapDwords(llvm::IRBuilderBase &builder, llvm::Value *value,
                       llvm::function_ref<llvm::Value *(llvm::Value *)> function);

} // namespace assay::ir3
