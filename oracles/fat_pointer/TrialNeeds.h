// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function demands of its inputs, read off its code: so that most trials are defined.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/Support/Alignment.h"
#include <string>

namespace assay {

/// What the inputs of one function must have. All members are unions over the function and its
/// possible callees.
struct TrialNeeds {
  llvm::Align align = llvm::Align(1); ///< The strictest of all accesses.
  bool usesFat = false;               ///< Address space 7 occurs.
  bool usesStrided = false;           ///< Address space 9 occurs.
  /// Pointers of these spaces are read from memory, or made of numbers that may come from there.
  bool readsFat = false, readsStrided = false, readsResource = false, readsGlobal = false;
  llvm::Type *atomicFloat = nullptr; ///< A scalar type on which an atomic operation computes.
  bool looksAcrossLanes = false;     ///< Lanes alone do not do what they do together.
  std::string impossible;            ///< Why no trial can be made; empty when one can.
};

/// Of \p function and all that it may call.
TrialNeeds findTrialNeeds(const llvm::Function &function);

} // namespace assay
