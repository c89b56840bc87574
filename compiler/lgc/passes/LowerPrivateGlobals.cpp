// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/LowerPrivateGlobals.h"

#include "compiler/lgc/Builder.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "support/Fault.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace assay;

/// The first user of \p global outside \p entry, or null.
static const User *findForeignUser(const GlobalVariable &global, const Function &entry) {
  for (const User *user : global.users()) {
    const auto *instruction = dyn_cast<Instruction>(user);
    if (!instruction || instruction->getFunction() != &entry)
      return user;
  }
  return nullptr;
}

/// The largest variable of zeros that one store initializes: LLVM's passes make a store of each
/// element, which takes minutes for tens of thousands. Other values are one store always.
static constexpr uint64_t MaxStoredBytes = 4096;

/// Writes zeros to \p variable, of \p bytes, by a loop after all allocas of its block.
static void clearByLoop(AllocaInst &variable, uint64_t bytes) {
  BasicBlock *before = variable.getParent();
  Instruction *last = &variable;
  for (Instruction &instruction : *before)
    if (isa<AllocaInst>(instruction))
      last = &instruction;
  BasicBlock *after = before->splitBasicBlock(std::next(last->getIterator()));
  BasicBlock *loop = BasicBlock::Create(before->getContext(), "clear", before->getParent(), after);
  before->getTerminator()->setSuccessor(0, loop);
  bool isInDwords = bytes % 4 == 0 && variable.getAlign() >= Align(4);
  IRBuilder<> builder(loop);
  Type *unit = isInDwords ? builder.getInt32Ty() : builder.getInt8Ty();
  Value *count = builder.getInt32(uint32_t(isInDwords ? bytes / 4 : bytes));
  PHINode *index = builder.CreatePHI(builder.getInt32Ty(), 2);
  builder.CreateStore(Constant::getNullValue(unit), builder.CreateGEP(unit, &variable, index));
  Value *next = builder.CreateAdd(index, builder.getInt32(1));
  index->addIncoming(builder.getInt32(0), before);
  index->addIncoming(next, loop);
  builder.CreateCondBr(builder.CreateICmpULT(next, count), loop, after);
}

/// Stores \p value right after \p variable, or clears the variable where it is large and the value
/// is zero.
static void initialize(AllocaInst &variable, Constant *value) {
  uint64_t bytes = variable.getModule()->getDataLayout().getTypeAllocSize(value->getType());
  if (value->isNullValue() && bytes > MaxStoredBytes) {
    clearByLoop(variable, bytes);
    return;
  }
  IRBuilder<> builder(variable.getNextNode());
  builder.CreateAlignedStore(value, &variable, variable.getAlign());
}

/// Replaces \p global by an alloca of the same alignment with its initial value.
static void lowerGlobal(GlobalVariable &global, Function &entry) {
  IRBuilder<> builder(&entry.getEntryBlock(), entry.getEntryBlock().getFirstInsertionPt());
  AllocaInst *variable =
      builder.CreateAlloca(global.getValueType(), PrivateAddressSpace, nullptr, global.getName());
  if (MaybeAlign align = global.getAlign())
    variable->setAlignment(*align);
  global.replaceAllUsesWith(variable);
  if (global.hasInitializer() && !isa<UndefValue>(global.getInitializer()) &&
      !faultPlanted(Fault::PrivateInitializer))
    initialize(*variable, global.getInitializer());
  global.eraseFromParent();
}

/// A global that another function uses is reported, and stays; the others are lowered all the same.
PreservedAnalyses LowerPrivateGlobals::run(Module &module, ModuleAnalysisManager &) {
  SmallVector<GlobalVariable *, 8> globals;
  for (GlobalVariable &global : module.globals()) {
    if (global.getAddressSpace() == PrivateAddressSpace)
      globals.push_back(&global);
  }
  if (globals.empty())
    return PreservedAnalyses::all();
  Function *entry = findEntryPoint(module);
  if (!entry || entry->isDeclaration()) {
    reportError(module.getContext(), invalidInput("private variables need one entry point"));
    return PreservedAnalyses::all();
  }
  for (GlobalVariable *global : globals) {
    convertUsersOfConstantsToInstructions({global});
    if (findForeignUser(*global, *entry)) {
      reportError(module.getContext(), unsupported("private variable '" + global->getName() +
                                                   "' is used outside the entry point"));
      continue;
    }
    lowerGlobal(*global, *entry);
  }
  return PreservedAnalyses::none();
}
