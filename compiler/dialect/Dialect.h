// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generated facades of all dialects stand on: ops are calls to functions with reserved
// names, so that every stock LLVM tool reads, writes and links them.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Error.h"
#include <string>

namespace assay {

/// One op as its .td describes it; a row of a generated table.
struct OpDescription {
  llvm::StringLiteral name;   ///< "lgc.fdiv".
  bool overloaded;            ///< The result's type is appended to the name.
  llvm::StringLiteral traits; ///< Trait attributes, comma separated.
  /// InvalidInput when the operands or the result of \p call are not what the .td says.
  llvm::Error (*verify)(const llvm::CallInst &call);
};

/// "f32", "v3i32": the suffix that names \p type, an integer, float or a vector of one.
std::string mangleType(llvm::Type *type);

/// True when \p type is a pointer in \p addressSpace.
bool isPointerTo(const llvm::Type *type, unsigned addressSpace);

/// True when \p type is i32, i64, f32 or a vector of four of one of them.
bool isTexel(const llvm::Type *type);
/// {texel, i32}: a texel and its residency.
bool isSparseTexel(const llvm::Type *type);

/// True when \p functionName is the name of a declaration of \p op.
bool isOpName(llvm::StringRef functionName, const OpDescription &op);

/// The declaration of \p op with \p type in \p module, made if need be.
llvm::Function *declareOp(llvm::Module &module, const OpDescription &op, llvm::FunctionType *type);

/// Of the operand number \p index of \p call, for the generated verifiers.
llvm::Error verifyOperand(const llvm::CallInst &call, unsigned index, bool isRight,
                          llvm::StringRef expected);
/// As verifyOperand, for the result.
llvm::Error verifyResult(const llvm::CallInst &call, bool isRight, llvm::StringRef expected);
/// As verifyOperand, for the number of operands.
llvm::Error verifyOperandCount(const llvm::CallInst &call, unsigned expected);

/// Checks everything in \p module that bears a name beginning with \p prefix ("lgc."): the op must
/// be one of \p ops, be declared with its attributes, and only be called, rightly. InvalidInput.
llvm::Error verifyDialect(const llvm::Module &module, llvm::StringRef prefix,
                          llvm::ArrayRef<OpDescription> ops);

} // namespace assay
