// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Compiler.h"

#include "compiler/cache/BuildId.h"
#include "compiler/driver/Backends.h"
#include "compiler/driver/Compilation.h"
#include "compiler/driver/CompileCache.h"
#include "compiler/driver/PassWatcher.h"
#include "compiler/driver/PipelineHash.h"
#include "compiler/pal/ElfHashes.h"
#include "compiler/spirv/Module.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <csignal>

using namespace llvm;
using namespace assay;

Compiler::Compiler() : m_state(std::make_unique<State>()) {}
Compiler::~Compiler() = default;

void Compiler::setLoweringObserver(LoweringObserver observer) {
  m_state->loweringObserver = std::move(observer);
}

void Compiler::setCache(Cache *cache) {
  m_state->cache = cache;
}

void Compiler::setGraphicsChoices(const GraphicsChoices &choices) {
  m_state->graphicsChoices = choices;
}

void Compiler::setDebugModes(const DebugModes &modes) {
  m_state->debugModes = modes;
}

void Compiler::setPassWatcher(PassWatcher *watcher) {
  m_state->passWatcher = watcher;
}

/// Debug modes are set at each call; they are no part of the key. The pointer is valid until the
/// entry is erased.
Expected<Backend *> Compiler::State::getBackend(const CompileOptions &options) {
  std::unique_ptr<Backend> &slot = backends[makeKey(options)];
  if (!slot) {
    Expected<std::unique_ptr<Backend>> backend = createBackend(options);
    if (!backend)
      return backend.takeError();
    slot = std::move(*backend);
  }
  if (Error error = slot->setDebugModes(debugModes))
    return std::move(error);
  return slot.get();
}

/// Never returns: every page is touched, so that the memory is really taken.
[[noreturn, gnu::noinline]] static void exhaustMemory() {
  constexpr size_t size = size_t(64) << 20;
  while (true) {
    auto *block = static_cast<volatile char *>(std::malloc(size));
    for (size_t i = 0; block && i < size; i += 4096)
      block[i] = 1;
    if (!block)
      report_bad_alloc_error("out of memory, as planted");
  }
}

/// Never returns. For the planted fault of this name.
[[gnu::noinline]] static void hang() {
  volatile bool always = true;
  while (always)
    ;
}

/// Crashes, hangs, exhausts memory or reports a fatal error where that is planted.
static void actOnPlantedFaults() {
  if (faultPlanted(Fault::CompileCrash))
    std::raise(SIGSEGV);
  if (faultPlanted(Fault::CompileHang))
    hang();
  if (faultPlanted(Fault::CompileOom))
    exhaustMemory();
  if (faultPlanted(Fault::CompileFatalError))
    report_fatal_error("as planted");
}

/// Unsupported where the target lacks the subgroup size that the shader requires. Returns \p asked
/// unchanged where the shader requires no subgroup size.
Expected<CompileOptions> assay::effectiveOptions(const ShaderDescription &shader,
                                                 const CompileOptions &asked) {
  if (Error error = verifyCompileOptions(asked))
    return std::move(error);
  CompileOptions options = asked;
  unsigned required = shader.requiredSubgroupSize;
  if (!required)
    return options;
  bool isSupported = required == options.target->defaultWaveSize ||
                     (options.target->supportsWave32 && (required == 32 || required == 64));
  if (!isSupported)
    return unsupported("subgroups of " + Twine(required) + " on " + options.target->name);
  options.waveSize = required;
  return options;
}

/// The cache serves ELFs of compute pipelines here; those of graphics pipelines are cached by part.
/// A pass watcher and debug modes switch the cache off. Unsupported where the target lacks the
/// required subgroup size.
Expected<CompileResult> Compiler::compile(const PipelineDescription &pipeline,
                                          const CompileOptions &asked, EmitPhase phase) {
  actOnPlantedFaults();
  if (pipeline.isGraphics()) {
    bool isFirst = phase == EmitPhase::SpirvText || phase == EmitPhase::Lgc;
    return isFirst ? printStages(pipeline, asked, phase) : compileGraphics(pipeline, asked, phase);
  }
  Expected<const ShaderDescription *> shader = requireCompute(pipeline);
  if (!shader)
    return shader.takeError();
  Expected<CompileOptions> effective = effectiveOptions(**shader, asked);
  if (!effective)
    return effective.takeError();
  const CompileOptions &options = *effective;
  CompileResult result;
  if (phase == EmitPhase::SpirvText) {
    Expected<std::string> text = spirv::disassemble((*shader)->spirv);
    if (!text)
      return text.takeError();
    result.output = toBytes(*text);
    return result;
  }
  bool isCached = m_state->cache && phase == EmitPhase::Elf && !m_state->passWatcher &&
                  !m_state->debugModes.any();
  return isCached ? compileCached(pipeline, **shader, options)
                  : compileFresh(pipeline, **shader, options, phase);
}

/// Graphics choices do not matter: the shader is one of a compute pipeline.
Expected<CompileResult> Compiler::compileFresh(const PipelineDescription &pipeline,
                                               const ShaderDescription &shader,
                                               const CompileOptions &options, EmitPhase phase) {
  Compilation compilation(options, {}, m_state->passWatcher);
  if (Error error = compilation.runFrontend(pipeline, shader))
    return std::move(error);
  if (phase == EmitPhase::Lgc) {
    CompileResult result;
    result.output = compilation.printModule();
    return result;
  }
  return finish(compilation, options, phase);
}

/// The entry may be of another pipeline of the same meaning, whose hashes it has. Its hashes are
/// written again. An entry that can't be read counts as missing. Errors are not cached.
Expected<CompileResult> Compiler::compileCached(const PipelineDescription &pipeline,
                                                const ShaderDescription &shader,
                                                const CompileOptions &options) {
  Expected<Hash128> key = makeCacheKey(pipeline, shader, options, getBuildId());
  if (!key)
    return key.takeError();
  if (std::optional<std::vector<uint8_t>> bytes = m_state->cache->find(*key)) {
    std::optional<CompileResult> found = parseCached(*bytes);
    // A variant for an Adreno GPU holds no hashes.
    bool holdsHashes = options.target->architecture == Architecture::AmdGpu;
    if (found && (!holdsHashes || pal::setElfHashes(found->output, hashPipeline(pipeline, options),
                                                    hashShader(shader)))) {
      found->isFromCache = true;
      return std::move(*found);
    }
  }
  Expected<CompileResult> result = compileFresh(pipeline, shader, options, EmitPhase::Elf);
  if (result)
    m_state->cache->store(*key, printCached(*result));
  return result;
}

/// Graphics choices do not matter: the state in the IR has them. InvalidInput for a phase that
/// precedes LLVM IR.
Expected<CompileResult> Compiler::compileIr(StringRef ir, const CompileOptions &options,
                                            EmitPhase phase) {
  actOnPlantedFaults();
  if (phase == EmitPhase::SpirvText || phase == EmitPhase::Lgc)
    return invalidInput("IR is past the phase that is asked for");
  if (Error error = verifyCompileOptions(options))
    return std::move(error);
  Compilation compilation(options, {}, m_state->passWatcher);
  if (Error error = compilation.readIr(ir))
    return std::move(error);
  return finish(compilation, options, phase);
}

/// A back-end that has failed is dropped, as its state is unknown.
Expected<CompileResult> Compiler::finish(Compilation &compilation, const CompileOptions &options,
                                         EmitPhase phase) {
  CompileResult result;
  Expected<Backend *> backend = m_state->getBackend(options);
  if (!backend)
    return backend.takeError();
  if (Error error = compilation.runMiddleEnd(**backend, m_state->loweringObserver))
    return std::move(error);
  if (phase == EmitPhase::Llvm) {
    result.output = compilation.printModule();
  } else if (Error error = compilation.runBackend(**backend, phase, result.output)) {
    m_state->backends.erase(State::makeKey(options));
    return std::move(error);
  }
  result.diagnostics = compilation.takeWarnings();
  result.hashChains = compilation.readHashChains();
  return result;
}
