// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Somebody who looks on while the compiler runs its passes, and may leave optional ones out: how a
// wrong result is traced to a pass.
#pragma once

#include "compiler/api/ShaderStage.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace llvm {
class Module;
class OptPassGate;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace assay {

/// What a watcher hears of the parts that are no passes.
constexpr llvm::StringLiteral frontEndPhase = "front-end";
constexpr llvm::StringLiteral codeGenerationPhase = "code-generation";

/// Names of passes are those of Passes.def and of LLVM's registries ("instcombine", "machine-cse").
/// Every compilation tells the same story when it gets the same answers.
class PassWatcher {
public:
  virtual ~PassWatcher() = default;

  /// Of graphics pipelines: what follows is done to \p stage, until the next call.
  virtual void enterStage(ShaderStage /*stage*/) {}
  /// Of graphics pipelines: all stages are linked, and each is compiled by itself from now on.
  virtual void didLink() {}
  /// Whether an optional pass shall run on \p unit (a function, loop or module, as LLVM describes
  /// it). Passes that must run are not asked about.
  virtual bool mayRun(llvm::StringRef pass, llvm::StringRef unit) = 0;
  /// A pass, or a phase, begins.
  virtual void willRun(llvm::StringRef pass) = 0;
  /// The front-end, or a pass of the middle-end, has made \p module what it is.
  virtual void didRun(llvm::StringRef pass, const llvm::Module &module) = 0;
};

/// Makes \p watcher hear of the passes that run on \p module under \p callbacks. All three must
/// outlive the run.
void watchPasses(llvm::PassInstrumentationCallbacks &callbacks, PassWatcher &watcher,
                 const llvm::Module &module);

/// While this lives, \p watcher is asked about the optional passes of the code generator (those
/// that LLVM's own bisection could leave out) on modules of \p module's context.
class CodeGenerationGate {
public:
  /// \p watcher may be null: nobody is asked.
  CodeGenerationGate(PassWatcher *watcher, llvm::Module &module);
  ~CodeGenerationGate();
  CodeGenerationGate(const CodeGenerationGate &) = delete;
  CodeGenerationGate &operator=(const CodeGenerationGate &) = delete;

private:
  std::unique_ptr<llvm::OptPassGate> m_gate;
  llvm::Module &m_module;
};

} // namespace assay
