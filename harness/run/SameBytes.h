// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was made twice must be the same: the finding where it is not.
#pragma once

#include "oracles/api/Verdict.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

namespace assay {

/// What verdicts on code that was compiled again have for their machine (Determinism.h).
inline constexpr llvm::StringLiteral compileAgainMachine = "compile-again";
inline constexpr llvm::StringLiteral determinismRule = "DETERMINISM";

/// Makes \p verdict a fail, with rule determinismRule, where what was compiled (\p one) differs
/// from what the same became \p again ("in another process").
void requireSameBytes(llvm::ArrayRef<uint8_t> one, llvm::ArrayRef<uint8_t> other,
                      llvm::StringRef again, Verdict &verdict);

/// The same finding to anything else that became of it \p again: \p what, "it ends as crash".
void objectToAgain(llvm::StringRef again, const llvm::Twine &what, Verdict &verdict);

} // namespace assay
