// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir/LastInstruction.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;

/// Further back, most of its stores depend on most of a shader.
static constexpr size_t mostSources = 24;

/// Instructions in the order in which they were found, the nearest first.
using Chain = SetVector<const Instruction *>;

/// The alloca that \p pointer is an address in; null for other memory.
static const AllocaInst *findAlloca(const Value *pointer) {
  while (const auto *address = dyn_cast<GetElementPtrInst>(pointer))
    pointer = address->getPointerOperand();
  return dyn_cast<AllocaInst>(pointer);
}

/// Whatever is stored in \p variable, at any address that is made of it.
static void addStores(const Value &variable, Chain &chain) {
  for (const User *user : variable.users()) {
    if (const auto *store = dyn_cast<StoreInst>(user);
        store && store->getPointerOperand() == &variable)
      chain.insert(store);
    else if (const auto *address = dyn_cast<GetElementPtrInst>(user))
      addStores(*address, chain);
  }
}

/// The instructions that the operands of \p last depend on, breadth first, up to about mostSources
/// of them. Loads from scratch lead to all stores to the variable.
static Chain collectSources(const Instruction &last) {
  Chain chain;
  auto addOperands = [&](const Instruction &user) {
    for (const Value *operand : user.operands())
      if (const auto *source = dyn_cast<Instruction>(operand))
        chain.insert(source);
    if (const auto *load = dyn_cast<LoadInst>(&user))
      if (const AllocaInst *variable = findAlloca(load->getPointerOperand()))
        addStores(*variable, chain);
  };
  addOperands(last);
  for (size_t i = 0; i < chain.size() && chain.size() < mostSources; ++i)
    addOperands(*chain[i]);
  return chain;
}

/// LLVM's text of one instruction, without white space around it.
static std::string printInstruction(const Instruction &instruction) {
  std::string text;
  raw_string_ostream(text) << instruction;
  return StringRef(text).trim().str();
}

/// Returns a note with the instruction, where it ran, and the instructions that its operands depend
/// on, in the order of the function.
Finding irm::describeInstruction(StringRef rule, const LastInstruction &last) {
  Finding finding;
  finding.rule = finding.signature = rule.str();
  finding.severity = Severity::Note;
  finding.message = printInstruction(*last.instruction);
  const auto &group = last.group;
  finding.location = ("group " + Twine(group[0]) + "," + Twine(group[1]) + "," + Twine(group[2]) +
                      " wave " + Twine(last.wave) + " lane " + Twine(last.lane))
                         .str();
  Chain chain = collectSources(*last.instruction);
  for (const Instruction &instruction : instructions(*last.instruction->getFunction()))
    if (chain.contains(&instruction) && !isa<AllocaInst>(instruction))
      finding.evidence.emplace_back("depends on", printInstruction(instruction));
  return finding;
}
