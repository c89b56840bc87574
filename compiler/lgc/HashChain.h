// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// !llpc.hash: the hash of everything that has influenced the code of a function so far, together
// with the list of those data. Passes extend it through TrackedState; docs/hash-chains.md has the
// design.
#pragma once

#include "compiler/api/HashChain.h"
#include "compiler/dialect/Lgc.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace assay {

/// h' = H(h | datum | bytes), where h is \p previous; all zeros before the first step.
Hash128 extendHash(const Hash128 &previous, llvm::StringRef datum, llvm::StringRef bytes);

/// A step in the IR: !lgc.hash. A function's !llpc.hash is its last step; the first has no previous
/// one.
class HashNode : public HashStepNode {
public:
  static HashNode *get(llvm::LLVMContext &context, HashNode *previous, const HashStep &step);
  /// The last step of \p function; null when it has none. \p function must have no node of another
  /// form: see readHashChain.
  static HashNode *find(const llvm::Function &function);

  Hash128 getHash() const { return {getLow(), getHigh()}; }
  /// Null for the first step, and where the preceding node is no step.
  HashNode *getPreviousStep() const;
};

/// Gives every function with a body in \p module a chain of \p steps, in place of what it has.
void startHashChains(llvm::Module &module, llvm::ArrayRef<HashStep> steps);

/// Adds \p step to the chain of every function in \p module that has one, unless the chain has a
/// step for the same datum already.
void extendHashChains(llvm::Module &module, const HashStep &step);

/// Moves the chain of \p from to \p to, which replaces it.
void moveHashChain(llvm::Function &from, llvm::Function &to);

/// The chain of \p function. InvalidInput when it has none, or one that can't be read.
llvm::Expected<HashChain> readHashChain(const llvm::Function &function);

} // namespace assay
