// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PassWatcher.h"

#include "compiler/driver/Passes.h"
#include "llvm/ADT/Any.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassInstrumentation.h"

using namespace llvm;
using namespace assay;

/// Returns true for managers and adaptors, which only run other passes, and for passes that only
/// look.
static bool isWrapper(StringRef passClass) {
  static constexpr StringLiteral Parts[] = {"PassManager", "PassAdaptor", "OptSharedAtomics",
                                            "VerifierPass", "UseLowering"};
  return any_of(Parts, [&](StringRef part) { return passClass.contains(part); });
}

/// Returns "function f", "loop l of f" or "module". \p ir is what the pass manager passes to its
/// callbacks.
static std::string describeUnit(const Any &ir) {
  if (const auto *function = any_cast<const Function *>(&ir))
    return "function " + (*function)->getName().str();
  if (const auto *loop = any_cast<const Loop *>(&ir))
    return "loop " + (*loop)->getName().str() + " of " +
           (*loop)->getHeader()->getParent()->getName().str();
  return "module";
}

/// Passes without a name of their own are reported by their class. \p watcher and \p module must
/// outlive the callbacks.
void assay::watchPasses(PassInstrumentationCallbacks &callbacks, PassWatcher &watcher,
                        const Module &module) {
  namePasses(callbacks);
  auto nameOf = [&callbacks](StringRef passClass) {
    StringRef name = callbacks.getPassNameForClassName(passClass);
    return name.empty() ? passClass : name;
  };
  callbacks.registerShouldRunOptionalPassCallback([nameOf, &watcher](StringRef pass, Any ir) {
    return isWrapper(pass) || watcher.mayRun(nameOf(pass), describeUnit(ir));
  });
  callbacks.registerBeforeNonSkippedPassCallback([nameOf, &watcher](StringRef pass, Any) {
    if (!isWrapper(pass))
      watcher.willRun(nameOf(pass));
  });
  auto didRun = [nameOf, &watcher, &module](StringRef pass, const PreservedAnalyses &) {
    if (!isWrapper(pass))
      watcher.didRun(nameOf(pass), module);
  };
  callbacks.registerAfterPassCallback(
      [didRun](StringRef pass, Any, const PreservedAnalyses &preserved) {
        didRun(pass, preserved);
      });
  // A loop that its pass has deleted.
  callbacks.registerAfterPassInvalidatedCallback(didRun);
}

namespace {
/// Lets the watcher decide on each optional pass of the code generator.
class Gate final : public OptPassGate {
public:
  explicit Gate(PassWatcher &watcher) : m_watcher(watcher) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef unit) const override {
    return m_watcher.mayRun(pass, unit);
  }

private:
  PassWatcher &m_watcher;
};
} // namespace

/// Sets the gate of the module's context. Does nothing without a watcher.
CodeGenerationGate::CodeGenerationGate(PassWatcher *watcher, Module &module) : m_module(module) {
  if (!watcher)
    return;
  watcher->willRun(codeGenerationPhase);
  m_gate = std::make_unique<Gate>(*watcher);
  module.getContext().setOptPassGate(*m_gate);
}

/// Gives the context LLVM's global gate again.
CodeGenerationGate::~CodeGenerationGate() {
  if (m_gate)
    m_module.getContext().setOptPassGate(getGlobalPassGate());
}
