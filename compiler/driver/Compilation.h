// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of class Compiler share; no other file includes it.
#pragma once

#include "compiler/api/Backend.h"
#include "compiler/driver/Compiler.h"
#include "compiler/lgc/HashChain.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/pal/Glue.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include <map>
#include <tuple>

namespace assay {

/// What outlives a compilation: settings, warm back-ends, compiled glue.
struct Compiler::State {
  /// Target, level, wave size, version of metadata.
  using Key = std::tuple<llvm::StringRef, unsigned, unsigned, PalVersion>;
  std::map<Key, std::unique_ptr<Backend>> backends;
  LoweringObserver loweringObserver;
  PassWatcher *passWatcher = nullptr;
  Cache *cache = nullptr;
  GraphicsChoices graphicsChoices;
  DebugModes debugModes;
  std::map<Hash128, std::vector<uint8_t>> glue; ///< ELFs by all that they depend on.

  static Key makeKey(const CompileOptions &options) {
    return {options.target->name, options.optLevel, options.getWaveSize(), options.palVersion};
  }
  /// The back-end for \p options, created at the first call and kept.
  llvm::Expected<Backend *> getBackend(const CompileOptions &options);
};

/// One compilation: a context of its own, so that nothing of it remains.
class Compiler::Compilation {
public:
  Compilation(const CompileOptions &options, const GraphicsChoices &choices, PassWatcher *watcher)
      : m_options(options), m_choices(choices), m_watcher(watcher) {
    m_diagnostics.attach(m_context);
  }

  /// \p shader is the only one of \p pipeline.
  llvm::Error runFrontend(const PipelineDescription &pipeline, const ShaderDescription &shader);
  llvm::Error readIr(llvm::StringRef text);
  llvm::Error runMiddleEnd(Backend &backend, const LoweringObserver &observer);
  /// Writes what \p phase gives for the lowered module to \p output.
  llvm::Error runBackend(Backend &backend, EmitPhase phase, std::vector<uint8_t> &output);
  /// Runs \p passes, which need no architecture.
  llvm::Error runNeutral(llvm::ModulePassManager passes);
  /// In place of the front-end: a fragment shader that does nothing.
  void makeNullFragment(const PipelineDescription &pipeline);
  /// In place of the front-end: the glue for \p needs with the formats of \p pipeline.
  void makeGlue(const PipelineDescription &pipeline, const pal::GlueNeeds &needs);
  /// Adds the code of \p part, which has its PAL metadata, and combines the metadata.
  llvm::Error addPart(const Compilation &part, const Hash128 &pipeline);
  llvm::Module &getModule() { return *m_module; }
  std::vector<uint8_t> printModule() const;
  std::vector<Diagnostic> takeWarnings() { return m_diagnostics.takeWarnings(); }
  std::vector<FunctionChain> readHashChains() const;

private:
  void writeState(const PipelineDescription &pipeline, const ShaderDescription &shader);
  /// \p input: the hash of the shader.
  std::vector<HashStep> makeFirstSteps(const Hash128 &input) const;
  /// \p input, and the options.
  std::vector<HashStep> makeOptionSteps(CanonicalBytes input) const;

  const CompileOptions &m_options;
  const GraphicsChoices m_choices;
  PassWatcher *const m_watcher;
  DiagnosticCollector m_diagnostics;
  llvm::LLVMContext m_context;
  std::unique_ptr<llvm::Module> m_module;
};

std::vector<uint8_t> toBytes(llvm::StringRef text);

/// The options for \p shader: the wave size is what it requires, if it does.
llvm::Expected<CompileOptions> effectiveOptions(const ShaderDescription &shader,
                                                const CompileOptions &asked);

} // namespace assay
