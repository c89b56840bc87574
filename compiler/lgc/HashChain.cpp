// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/HashChain.h"

#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include <algorithm>

using namespace llvm;
using namespace assay;

static constexpr StringLiteral hashName = "llpc.hash";

/// The length of each part is hashed, too, so that parts cannot be shifted into each other.
Hash128 assay::extendHash(const Hash128 &previous, StringRef datum, StringRef bytes) {
  CanonicalBytes builder;
  builder.add(previous.low);
  builder.add(previous.high);
  builder.add(datum);
  builder.add(bytes);
  return builder.hash();
}

/// Nodes are unique in a context: equal chains are one node.
HashNode *HashNode::get(LLVMContext &context, HashNode *previous, const HashStep &step) {
  StringRef bytes = step.bytes;
  if (faultPlanted(Fault::HashTruncated) && bytes.size() > 8)
    bytes = bytes.take_front(8);
  Hash128 hash = extendHash(previous ? previous->getHash() : Hash128{}, step.datum, bytes);
  if (faultPlanted(Fault::HashTwice))
    hash = extendHash(hash, step.datum, bytes);
  if (faultPlanted(Fault::HashOfPointer))
    hash.high ^= reinterpret_cast<uintptr_t>(&context);
  return cast<HashNode>(HashStepNode::get(context, hash.low, hash.high, previous, step.reader,
                                          step.datum, step.bytes));
}

/// Returns null for functions without a chain.
HashNode *HashNode::find(const Function &function) {
  return dyn_cast_or_null<HashNode>(function.getMetadata(hashName));
}

/// Returns null at the first step.
HashNode *HashNode::getPreviousStep() const {
  return dyn_cast_or_null<HashNode>(getPrevious());
}

/// Gives all functions with a body the chain of these steps.
void assay::startHashChains(Module &module, ArrayRef<HashStep> steps) {
  HashNode *node = nullptr;
  for (const HashStep &step : steps)
    node = HashNode::get(module.getContext(), node, step);
  for (Function &function : module)
    if (!function.isDeclaration())
      function.setMetadata(hashName, node);
}

/// The old function has no chain afterwards.
void assay::moveHashChain(Function &from, Function &to) {
  if (!faultPlanted(Fault::HashNodeLost))
    to.setMetadata(hashName, from.getMetadata(hashName));
  from.setMetadata(hashName, nullptr);
}

/// Returns whether the chain that ends at \p node has a step for \p datum.
static bool hasDatum(HashNode *node, StringRef datum) {
  for (; node; node = node->getPreviousStep())
    if (node->getDatum() == datum)
      return true;
  return false;
}

/// Functions without a chain, and those that have the datum already, stay as they are.
void assay::extendHashChains(Module &module, const HashStep &step) {
  for (Function &function : module) {
    HashNode *node = HashNode::find(function);
    if (node && !hasDatum(node, step.datum))
      function.setMetadata(hashName, HashNode::get(module.getContext(), node, step));
  }
}

/// Returns the steps in the order in which they were added. InvalidInput where the function has no
/// chain or one of its nodes is malformed.
Expected<HashChain> assay::readHashChain(const Function &function) {
  const MDNode *attached = function.getMetadata(hashName);
  if (!attached)
    return invalidInput("function '" + function.getName() + "' has no !" + hashName);
  HashChain chain;
  const auto *node = dyn_cast<HashNode>(attached);
  if (node)
    chain.hash = node->getHash();
  while (node) {
    chain.steps.push_back(
        {node->getReader().str(), node->getDatum().str(), node->getBytes().str()});
    attached = node->getPrevious();
    node = dyn_cast_or_null<HashNode>(attached);
  }
  if (attached)
    return invalidInput("a step of !" + hashName + " of function '" + function.getName() +
                        "' can't be read");
  std::reverse(chain.steps.begin(), chain.steps.end());
  return chain;
}
