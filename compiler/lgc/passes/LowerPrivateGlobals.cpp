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

/// Replaces \p global by an alloca of the same alignment; an initialiser is stored right after it.
static void lowerGlobal(GlobalVariable &global, Function &entry) {
  IRBuilder<> builder(&entry.getEntryBlock(), entry.getEntryBlock().getFirstInsertionPt());
  AllocaInst *variable =
      builder.CreateAlloca(global.getValueType(), PrivateAddressSpace, nullptr, global.getName());
  if (MaybeAlign align = global.getAlign())
    variable->setAlignment(*align);
  if (global.hasInitializer() && !isa<UndefValue>(global.getInitializer()) &&
      !faultPlanted(Fault::PrivateInitializer))
    builder.CreateAlignedStore(global.getInitializer(), variable, variable->getAlign());
  global.replaceAllUsesWith(variable);
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
