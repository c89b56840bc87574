// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler's public door: a pipeline and options in, an ELF or any phase's text out.
#pragma once

#include "compiler/api/DebugModes.h"
#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"
#include "compiler/driver/GraphicsChoices.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>

namespace llvm {
class Module;
} // namespace llvm

namespace assay {

class Cache;
class PassWatcher;

/// Is shown a copy of the module from before the pass lower-buffer-fat-pointers, and what the pass
/// made of it; the latter must stay as it is.
using LoweringObserver = std::function<void(llvm::Module &before, llvm::Module &after)>;

/// A graphics stage as it is after in/out mapping. Within one build of the program, stages with
/// equal hashes are compiled to the same code.
struct StageHash {
  ShaderStage stage = ShaderStage::Vertex;
  /// Of the last step of the stage's chain, of the layout, of robustness, of the choice of the
  /// lowering of fat pointers, and of the facts of the pipeline that the stage may read.
  Hash128 hash;
};

/// Is called once for each graphics pipeline, after in/out mapping. Returns the stages that must be
/// compiled further: without those that it has found in a cache.
using CheckShaderCache = std::function<StageMask(llvm::ArrayRef<StageHash>)>;

/// A stage at the end of the neutral middle-end.
struct CompiledStage {
  StageHash hash;
  HashChain chain;
  bool isCompiled = false; ///< False where CheckShaderCache said so; \p ir is empty then.
  std::string ir;          ///< LLVM IR with the lgc ops that architectures lower, as text.
};

/// A stage of a graphics pipeline as an ELF of its own (compiler/pal/CombineParts.h).
struct CompiledPart {
  StageHash hash; ///< With the build id, the key by which a cache has the part.
  CompileResult result;
};

/// Compiles pipelines, one after the other, keeping one back-end a target warm. Not for use by
/// several threads at once. Same input and options, same bytes, warm or cold.
class Compiler {
public:
  Compiler();
  ~Compiler();
  Compiler(const Compiler &) = delete;
  Compiler &operator=(const Compiler &) = delete;

  /// From now on; empty for none. Changes no result.
  void setLoweringObserver(LoweringObserver observer);
  /// From now on; null for none. Must outlive its use. What it leaves out changes results.
  void setPassWatcher(PassWatcher *watcher);

  /// From now on, of graphics pipelines of AMD's GPUs. Unsupported: NGG before GFX10.
  void setGraphicsChoices(const GraphicsChoices &choices);

  /// From now on. Other code of the same results; the cache is not used.
  void setDebugModes(const DebugModes &modes);

  /// From now on; null for none. Must outlive its use. Is used for ELFs while there is no watcher.
  /// Changes no output. A result from the cache has no hash chains, and no observer sees its
  /// lowering. The stages of a graphics pipeline have entries of their own; no pass that follows
  /// linking runs on one that is found.
  void setCache(Cache *cache);

  /// InvalidInput: the options ask for what the target lacks; the SPIR-V is malformed or fails
  /// spirv-val; Unsupported: with its reason. LLVM's own fatal errors are not Errors: the process
  /// dies by the handlers of who runs it. A pipeline of a fragment shader alone gives its part
  /// alone (compiler/pal/CombineParts.h).
  llvm::Expected<CompileResult> compile(const PipelineDescription &pipeline,
                                        const CompileOptions &options, EmitPhase phase);

  /// The same from IR on: \p ir is what phase Lgc of compile gives, as text or bitcode, with the
  /// state of a pipeline for the target and wave size of \p options. InvalidInput for the phases
  /// before it, and where it can't be read or does not fit.
  llvm::Expected<CompileResult> compileIr(llvm::StringRef ir, const CompileOptions &options,
                                          EmitPhase phase);

  /// The stages of a pipeline of Vertex and Fragment shaders, in their order, up to the end of the
  /// neutral middle-end: each is translated by itself, then they are linked (compiler/lgc/link),
  /// then those that \p check returns are optimized; all where it is empty. Errors as for compile;
  /// Unsupported for other stages.
  llvm::Expected<std::vector<CompiledStage>> compileStages(const PipelineDescription &pipeline,
                                                           const CompileOptions &options,
                                                           const CheckShaderCache &check = {});

  /// The parts of a graphics pipeline that compile() joins, one a stage, in their order. A vertex
  /// shader alone has a fragment part that does nothing. Parts of PAL metadata 2.6 keep the fields
  /// of 3.0 (compiler/pal/CombineParts.h). Errors as for compile.
  llvm::Expected<std::vector<CompiledPart>> compileParts(const PipelineDescription &pipeline,
                                                         const CompileOptions &options);

private:
  class Compilation;
  struct LinkedStages;
  /// The stages of a graphics pipeline, translated and linked.
  llvm::Expected<LinkedStages> linkPipeline(const PipelineDescription &pipeline,
                                            const CompileOptions &options);
  llvm::Expected<CompileResult> compileGraphics(const PipelineDescription &pipeline,
                                                const CompileOptions &options, EmitPhase phase);
  /// The stages of compile(): with a fragment stage where there is a vertex stage alone.
  llvm::Expected<LinkedStages> linkWithFragment(const PipelineDescription &pipeline,
                                                const CompileOptions &options);
  llvm::Error addNullFragment(LinkedStages &linked, const PipelineDescription &pipeline,
                              const CompileOptions &options);
  /// All stages in one module.
  llvm::Expected<CompileResult> compileWhole(const PipelineDescription &pipeline,
                                             LinkedStages &linked, const CompileOptions &options,
                                             EmitPhase phase);
  /// An ELF for each stage, from the cache or compiled.
  llvm::Expected<std::vector<CompiledPart>> compileEachPart(const PipelineDescription &pipeline,
                                                            LinkedStages &linked,
                                                            const CompileOptions &options);
  /// One ELF of \p parts, which are of \p linked.
  llvm::Expected<CompileResult> joinParts(const PipelineDescription &pipeline,
                                          const LinkedStages &linked,
                                          std::vector<CompiledPart> parts,
                                          const CompileOptions &options);
  llvm::Expected<CompileResult> compilePart(Compilation &stage, const CompileOptions &options,
                                            const StageHash &hash);
  llvm::Expected<std::vector<uint8_t>> compileGlue(const PipelineDescription &pipeline,
                                                   const CompileOptions &options,
                                                   llvm::ArrayRef<uint8_t> part);
  /// Like emitStage for an ELF, with metadata that other parts can be joined to.
  llvm::Error emitPart(Compilation &stage, const CompileOptions &options,
                       std::vector<uint8_t> &output);
  llvm::Error emitStage(Compilation &stage, const CompileOptions &options, EmitPhase phase,
                        std::vector<uint8_t> &output);
  /// Phases SpirvText and Lgc of a graphics pipeline: the text of its stages, one after the other.
  llvm::Expected<CompileResult> printStages(const PipelineDescription &pipeline,
                                            const CompileOptions &options, EmitPhase phase);
  struct State;
  /// Without the cache.
  llvm::Expected<CompileResult> compileFresh(const PipelineDescription &pipeline,
                                             const ShaderDescription &shader,
                                             const CompileOptions &options, EmitPhase phase);
  /// With it.
  llvm::Expected<CompileResult> compileCached(const PipelineDescription &pipeline,
                                              const ShaderDescription &shader,
                                              const CompileOptions &options);
  /// All that follows the front-end.
  llvm::Expected<CompileResult> finish(Compilation &compilation, const CompileOptions &options,
                                       EmitPhase phase);
  std::unique_ptr<State> m_state;
};

} // namespace assay
