// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of fewer than 32 bits as values of 32 bits. The upper bits of an integer are anything; a
// half is the f32 of the same value.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace assay::ir3 {

/// The type that replaces \p type: integers below 32 bits except for i1 become i32, those below 64
/// i64, half becomes float; vectors, arrays and structures by their elements.
llvm::Type *promotedType(llvm::Type *type);
inline bool isNarrow(llvm::Type *type) {
  return promotedType(type) != type;
}

/// \p constant as promotedType() of its type; null for constants of other kinds.
llvm::Constant *promoteConstant(llvm::Constant *constant);

/// \p value, whose low \p bits count, with zeros or copies of the sign above.
llvm::Value *zeroExtended(llvm::IRBuilderBase &builder, llvm::Value *value, unsigned bits);
llvm::Value *signExtended(llvm::IRBuilderBase &builder, llvm::Value *value, unsigned bits);

// The only instructions with narrow types that selection takes are those of the next three.

/// The f32 \p value or a vector, rounded to the nearest half.
llvm::Value *roundToHalf(llvm::IRBuilderBase &builder, llvm::Value *value);
/// The bits of a half, as i32 with zeros above.
llvm::Value *halfToBits(llvm::IRBuilderBase &builder, llvm::Value *value);
/// The half in the low bits of an i32.
llvm::Value *bitsToHalf(llvm::IRBuilderBase &builder, llvm::Value *bits);

/// The integer, of at least 32 bits, that \p value (promoted) of the scalar \p type is in memory:
/// upper bits are anything. Null for pointers and f64.
llvm::Value *toBits(llvm::IRBuilderBase &builder, llvm::Value *value, llvm::Type *type);
/// The reverse.
llvm::Value *fromBits(llvm::IRBuilderBase &builder, llvm::Value *bits, llvm::Type *type);

} // namespace assay::ir3
