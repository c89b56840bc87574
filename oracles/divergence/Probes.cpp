// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/divergence/Probes.h"

#include "oracles/fat_pointer/FatTypes.h"
#include "oracles/ir/ExecutionLog.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/Support/ModRef.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace assay;

/// Whether a value of \p type can be an argument, and is more than where a variable or a table
/// happens to lie.
static bool canBeProbed(Type *type) {
  if (auto *pointer = dyn_cast<PointerType>(type->getScalarType()))
    return pointer->getAddressSpace() != scratchSpace &&
           pointer->getAddressSpace() != constantSpace;
  if (auto *structure = dyn_cast<StructType>(type))
    return all_of(structure->elements(), canBeProbed);
  if (auto *array = dyn_cast<ArrayType>(type))
    return canBeProbed(array->getElementType());
  return type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy();
}

/// Returns true for instructions that may get a probe. Allocas, plain branches, must-tail calls,
/// lifetime markers and inline assembly get none. Debug intrinsics get none either.
static bool isCounted(const Instruction &instruction) {
  if (isa<AllocaInst>(instruction) ||
      (instruction.isTerminator() && instruction.getNumSuccessors() < 2))
    return false;
  const auto *call = dyn_cast<CallBase>(&instruction);
  return !call || !(call->isMustTailCall() || call->isLifetimeStartOrEnd() ||
                    isa<DbgInfoIntrinsic>(call) || call->isInlineAsm());
}

/// What only means something with all lanes of the wave at work: what leads to strict.wwm, up to
/// set.inactive.
/// Values of these are not probed.
static DenseSet<const Instruction *> collectWholeWave(Module &module) {
  SmallVector<const Instruction *> open;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (const auto *call = dyn_cast<IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == Intrinsic::amdgcn_strict_wwm)
        open.push_back(call);
  DenseSet<const Instruction *> found;
  while (!open.empty()) {
    const Instruction *user = open.pop_back_val();
    for (const Value *operand : user->operands()) {
      const auto *source = dyn_cast<Instruction>(operand);
      if (!source || !found.insert(source).second)
        continue;
      const auto *call = dyn_cast<IntrinsicInst>(source);
      if (!call || call->getIntrinsicID() != Intrinsic::amdgcn_set_inactive)
        open.push_back(source);
    }
  }
  return found;
}

namespace {
/// Adds all probes of one module. Numbers are indices into the list that run() returns.
class Prober {
public:
  Prober(Module &module, ProbeKind kind)
      : m_module(module), m_kind(kind), m_wholeWave(collectWholeWave(module)) {}
  /// Returns the probed instructions in the order of their numbers. Call it once.
  std::vector<ProbedInstruction> run();

private:
  void probeArguments(Function &function);
  /// Adds the mark and the value of one instruction. \p afterPhis is the first instruction of its
  /// block that is no phi.
  void probe(Instruction &instruction, std::string text, Instruction *afterPhis);
  void addCall(Instruction &place, Value *value);
  /// Returns the declaration of the probe for values of \p type, void for marks; made when it is
  /// missing.
  Function *probeOf(Type *type);

  Module &m_module;
  const ProbeKind m_kind;
  DenseMap<Type *, Function *> m_probes; ///< Of a mark: by void.
  std::vector<ProbedInstruction> m_probed;
  const DenseSet<const Instruction *> m_wholeWave;
};
} // namespace

Function *Prober::probeOf(Type *type) {
  Function *&probe = m_probes[type];
  if (probe)
    return probe;
  LLVMContext &context = m_module.getContext();
  SmallVector<Type *, 2> parameters = {Type::getInt32Ty(context)};
  if (!type->isVoidTy())
    parameters.push_back(type);
  probe = Function::Create(FunctionType::get(Type::getVoidTy(context), parameters, false),
                           GlobalValue::ExternalLinkage,
                           ir::probeName + "." + Twine(m_probes.size()), m_module);
  probe->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  for (Attribute::AttrKind kind : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoMerge})
    probe->addFnAttr(kind);
  return probe;
}

/// A probe of the instruction that was added last to m_probed; null: a mark.
void Prober::addCall(Instruction &place, Value *value) {
  Type *type = value ? value->getType() : Type::getVoidTy(m_module.getContext());
  SmallVector<Value *, 2> operands = {ConstantInt::get(Type::getInt32Ty(m_module.getContext()),
                                                       static_cast<uint32_t>(m_probed.size() - 1))};
  if (value)
    operands.push_back(value);
  IRBuilder<>(&place).CreateCall(probeOf(type), operands);
}

void Prober::probe(Instruction &instruction, std::string text, Instruction *afterPhis) {
  bool hasValue = m_kind == ProbeKind::Values && !instruction.getType()->isVoidTy() &&
                  canBeProbed(instruction.getType()) && !m_wholeWave.contains(&instruction);
  bool isMarked = instruction.mayReadOrWriteMemory() || instruction.isTerminator();
  if (!hasValue && !isMarked)
    return;
  m_probed.push_back({instruction.getFunction()->getName().str(), std::move(text),
                      hasValue ? instruction.getType() : nullptr});
  if (isMarked)
    addCall(instruction, nullptr);
  if (hasValue)
    addCall(isa<PHINode>(instruction) ? *afterPhis : *instruction.getNextNode(), &instruction);
}

/// What comes in as it is: where a probe of that is wrong, what is handed to calls is.
void Prober::probeArguments(Function &function) {
  for (Argument &argument : function.args()) {
    if (!FatTypes().contains(argument.getType()))
      continue;
    m_probed.push_back({function.getName().str(), "call with a parameter", argument.getType()});
    addCall(*function.getEntryBlock().getFirstInsertionPt(), &argument);
  }
}

std::vector<ProbedInstruction> Prober::run() {
  ModuleSlotTracker tracker(&m_module);
  // Texts first: probes change the numbers of what has no name.
  std::vector<std::pair<Instruction *, std::string>> all;
  for (Function &function : m_module)
    for (Instruction &instruction : instructions(function)) {
      if (!isCounted(instruction))
        continue;
      std::string text;
      raw_string_ostream os(text);
      instruction.print(os, tracker);
      all.emplace_back(&instruction, StringRef(text).trim().str());
    }
  DenseMap<BasicBlock *, Instruction *> afterPhis;
  for (const auto &[instruction, text] : all)
    afterPhis.try_emplace(instruction->getParent(), &*instruction->getParent()->getFirstNonPHIIt());
  if (m_kind == ProbeKind::Values)
    for (Function &function : m_module)
      if (!function.isDeclaration())
        probeArguments(function);
  for (auto &[instruction, text] : all)
    probe(*instruction, std::move(text), afterPhis[instruction->getParent()]);
  return std::move(m_probed);
}

std::vector<ProbedInstruction> assay::addProbes(Module &module, ProbeKind kind) {
  return Prober(module, kind).run();
}

/// The number that \p user, a probe, tells; nothing for what is none.
static std::optional<uint64_t> probeNumber(const User *user) {
  const auto *call = dyn_cast<CallInst>(user);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->getName().starts_with(ir::probeName))
    return std::nullopt;
  const auto *number = dyn_cast<ConstantInt>(call->getArgOperand(0));
  return number ? std::optional(number->getZExtValue()) : std::nullopt;
}

/// Erases what has no use, and the probes that \p isUnused says of with what they tell of.
static void sweep(Module &module, function_ref<bool(const Instruction &)> isUnused) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (BasicBlock *block : post_order(&function))
      for (Instruction &instruction : make_early_inc_range(reverse(*block))) {
        if (!wouldInstructionBeTriviallyDead(&instruction) || !isUnused(instruction))
          continue;
        for (User *probe : make_early_inc_range(instruction.users()))
          cast<Instruction>(probe)->eraseFromParent();
        instruction.eraseFromParent();
      }
  }
}

void assay::removeUnusedProbes(Module &before, Module &after) {
  DenseSet<uint64_t> removed;
  sweep(before, [&](const Instruction &instruction) {
    if (!all_of(instruction.users(), probeNumber))
      return false;
    for (const User *probe : instruction.users())
      removed.insert(*probeNumber(probe));
    return true;
  });
  sweep(after, [&](const Instruction &instruction) {
    return all_of(instruction.users(), [&](const User *user) {
      std::optional<uint64_t> number = probeNumber(user);
      return number && removed.contains(*number);
    });
  });
}
