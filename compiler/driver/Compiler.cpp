// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Compiler.h"

#include "compiler/cache/BuildId.h"
#include "compiler/dialect/Lgc.h"
#include "compiler/driver/Backends.h"
#include "compiler/driver/CompileCache.h"
#include "compiler/driver/PassWatcher.h"
#include "compiler/driver/PipelineHash.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/HashChain.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "compiler/lgc/link/LinkStages.h"
#include "compiler/pal/CombineParts.h"
#include "compiler/pal/ElfHashes.h"
#include "compiler/pal/Nodes.h"
#include "compiler/spirv/CanonicalHash.h"
#include "compiler/spirv/Module.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <csignal>
#include <map>
#include <tuple>
#include <unistd.h>

using namespace llvm;
using namespace assay;

struct Compiler::State {
  /// Target, level, wave size, version of metadata.
  using Key = std::tuple<StringRef, unsigned, unsigned, PalVersion>;
  std::map<Key, std::unique_ptr<Backend>> backends;
  LoweringObserver loweringObserver;
  PassWatcher *passWatcher = nullptr;
  Cache *cache = nullptr;

  static Key makeKey(const CompileOptions &options) {
    return {options.target->name, options.optLevel, options.getWaveSize(), options.palVersion};
  }
  Expected<Backend *> getBackend(const CompileOptions &options);
};

Compiler::Compiler() : m_state(std::make_unique<State>()) {}
Compiler::~Compiler() = default;

void Compiler::setLoweringObserver(LoweringObserver observer) {
  m_state->loweringObserver = std::move(observer);
}

void Compiler::setCache(Cache *cache) {
  m_state->cache = cache;
}

void Compiler::setPassWatcher(PassWatcher *watcher) {
  m_state->passWatcher = watcher;
}

Expected<Backend *> Compiler::State::getBackend(const CompileOptions &options) {
  std::unique_ptr<Backend> &slot = backends[makeKey(options)];
  if (!slot) {
    Expected<std::unique_ptr<Backend>> backend = createBackend(options);
    if (!backend)
      return backend.takeError();
    slot = std::move(*backend);
  }
  return slot.get();
}

/// One compilation: a context of its own, so that nothing of it is left behind.
class Compiler::Compilation {
public:
  Compilation(const CompileOptions &options, PassWatcher *watcher)
      : m_options(options), m_watcher(watcher) {
    m_diagnostics.attach(m_context);
  }

  /// \p shader is the only one of \p pipeline.
  Error runFrontend(const PipelineDescription &pipeline, const ShaderDescription &shader);
  Error readIr(StringRef text);
  Error runMiddleEnd(Backend &backend, const LoweringObserver &observer);
  Error runBackend(Backend &backend, EmitPhase phase, std::vector<uint8_t> &output);
  /// Runs \p passes, which need no architecture.
  Error runNeutral(ModulePassManager passes);
  /// In place of the front-end: a fragment shader that does nothing.
  void makeNullFragment(const PipelineDescription &pipeline);
  /// Adds the code of \p part, which has its PAL metadata, and combines the metadata.
  Error addPart(const Compilation &part, const Hash128 &pipeline);
  Module &getModule() { return *m_module; }
  std::vector<uint8_t> printModule() const;
  std::vector<Diagnostic> takeWarnings() { return m_diagnostics.takeWarnings(); }
  std::vector<FunctionChain> readHashChains() const;

private:
  void writeState(const PipelineDescription &pipeline, const ShaderDescription &shader);
  Expected<std::vector<HashStep>> makeFirstSteps(const ShaderDescription &shader) const;
  /// \p input, and the options.
  std::vector<HashStep> makeOptionSteps(CanonicalBytes input) const;

  const CompileOptions &m_options;
  PassWatcher *const m_watcher;
  DiagnosticCollector m_diagnostics;
  LLVMContext m_context;
  std::unique_ptr<Module> m_module;
};

static std::vector<uint8_t> toBytes(StringRef text) {
  return {text.begin(), text.end()};
}

/// A broken module is our own bug, and must not go on as if it were the input's.
static void checkModule(const Module &module, const char *maker) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    report_fatal_error(Twine(maker) + " made a broken module: " + problem);
  if (Error error = verifyDialect(module, "lgc.", getLgcOps()))
    report_fatal_error(Twine(maker) + " made a broken op: " + takeError(std::move(error)).message);
}

/// What faults add to a hash, which nothing should.
static uint64_t plantedHash(const TargetInfo &target) {
  uint64_t sum = 0;
  if (faultPlanted(Fault::HashOfRun)) {
    static auto run = static_cast<uint64_t>(getpid());
    sum += ++run;
  }
  if (faultPlanted(Fault::CountInCode)) {
    static uint64_t run;
    sum += ++run;
  }
  if (faultPlanted(Fault::FirstTargetInCode)) {
    static const TargetInfo *first = &target;
    sum += static_cast<uint64_t>(first - getTargets().begin());
  }
  if (faultPlanted(Fault::EnvironmentInCode))
    for (char **variable = environ; *variable; ++variable)
      sum += strlen(*variable);
  if (faultPlanted(Fault::MemoryInCode)) {
    // Too large to be memory that this process has had before.
    constexpr size_t size = size_t(64) << 20;
    auto *block = static_cast<volatile char *>(std::malloc(size));
    sum += block ? uint64_t(block[size / 2]) : 0;
    std::free(const_cast<char *>(block));
  }
  return sum;
}

void Compiler::Compilation::writeState(const PipelineDescription &pipeline,
                                       const ShaderDescription &shader) {
  PipelineState state;
  state.target = m_options.target;
  state.waveSize = m_options.getWaveSize();
  state.layout = pipeline.layout;
  state.robustness = pipeline.robustness;
  if (pipeline.isGraphics())
    state.graphics = makeGraphicsFacts(pipeline.graphics);
  state.pipelineHash = hashPipeline(pipeline, m_options);
  state.pipelineHash.low += plantedHash(*m_options.target);
  state.shaderHash = hashShader(shader);
  state.write(*m_module);
}

/// A step of the driver itself.
static HashStep makeStep(StringRef datum, CanonicalBytes bytes) {
  return {"driver", datum.str(), bytes.take()};
}

/// What influences every shader: the shader itself, the compiler, and those options that no pass
/// reads from the state.
Expected<std::vector<HashStep>>
Compiler::Compilation::makeFirstSteps(const ShaderDescription &shader) const {
  Expected<Hash128> hash =
      faultPlanted(Fault::HashOfNames) ? hashShader(shader) : spirv::hashMeaning(shader);
  if (!hash)
    return hash.takeError();
  CanonicalBytes input;
  input.add(*hash);
  if (faultPlanted(Fault::ChainOfRun)) {
    static uint64_t run;
    input.add(++run);
  }
  return makeOptionSteps(std::move(input));
}

std::vector<HashStep> Compiler::Compilation::makeOptionSteps(CanonicalBytes input) const {
  std::vector<HashStep> steps = {
      makeStep("input", std::move(input)),
      makeStep("target", CanonicalBytes().add(m_options.target->name)),
      makeStep("level",
               CanonicalBytes().add(faultPlanted(Fault::HashSkipsLevel) ? 0 : m_options.optLevel)),
      makeStep("wave-size", CanonicalBytes().add(faultPlanted(Fault::HashSkipsWaveSize)
                                                     ? 0
                                                     : m_options.getWaveSize())),
      makeStep("metadata-version", CanonicalBytes().add(uint64_t(m_options.palVersion))),
      makeStep("llvm-lowering",
               CanonicalBytes().add(uint64_t(m_options.useLlvmLowering &&
                                             !faultPlanted(Fault::HashSkipsLowering))))};
  if (faultPlanted(Fault::HashUnordered)) {
    static bool isSwapped = false;
    isSwapped = !isSwapped;
    std::swap(steps[1], steps[isSwapped ? 2 : 1]);
  }
  return steps;
}

std::vector<FunctionChain> Compiler::Compilation::readHashChains() const {
  std::vector<FunctionChain> chains;
  for (const Function &function : *m_module)
    if (!function.isDeclaration()) {
      FunctionChain &result = chains.emplace_back(function.getName().str());
      if (Expected<HashChain> chain = readHashChain(function))
        result.chain = std::move(*chain);
      else
        consumeError(chain.takeError()); // IR from outside may have none.
    }
  return chains;
}

Error Compiler::Compilation::runFrontend(const PipelineDescription &pipeline,
                                         const ShaderDescription &shader) {
  if (m_watcher)
    m_watcher->willRun(frontEndPhase);
  if (m_options.validate)
    if (Error error = spirv::validate(shader.spirv))
      return error;
  Expected<spirv::Module> source = spirv::decode(shader.spirv);
  if (!source)
    return source.takeError();
  std::unique_ptr<Builder> builder =
      m_options.recordBuilder ? createBuilderRecorder(m_context) : createBuilderImpl(m_context);
  FrontendState state(pipeline.robustness, m_options.target->architecture);
  Expected<std::unique_ptr<Module>> module =
      translateShader(shader, *source, m_context, *builder, state);
  if (!module)
    return module.takeError();
  m_module = std::move(*module);
  checkModule(*m_module, "the front-end");
  writeState(pipeline, shader);
  Expected<std::vector<HashStep>> steps = makeFirstSteps(shader);
  if (!steps)
    return steps.takeError();
  startHashChains(*m_module, *steps);
  if (state.hasReadRobustness())
    cantFail(TrackedState::open(*m_module, frontEndPhase)).hasRobustAccess2();
  if (m_watcher)
    m_watcher->didRun(frontEndPhase, *m_module);
  return Error::success();
}

Error Compiler::Compilation::readIr(StringRef text) {
  DialectRegistration dialect(m_context, getLgcDialect());
  if (Error error = parseModule(text, m_context).moveInto(m_module))
    return error;
  std::string broken;
  raw_string_ostream os(broken);
  if (verifyModule(*m_module, &os))
    return invalidInput("the IR is broken: " + broken);
  if (Error error = verifyDialect(*m_module, "lgc.", getLgcOps()))
    return error;
  Expected<PipelineState> state = PipelineState::read(*m_module, {});
  if (!state)
    return state.takeError();
  if (state->target != m_options.target)
    return invalidInput("the IR is for " + state->target->name + ", not " + m_options.target->name);
  if (state->waveSize != m_options.getWaveSize())
    return invalidInput("the IR is for waves of " + Twine(state->waveSize) + ", not " +
                        Twine(m_options.getWaveSize()));
  return Error::success();
}

/// Keeps a copy of the module where the pass begins, and shows both where it ends.
static void observeLowering(PassInstrumentationCallbacks &callbacks,
                            const LoweringObserver &observer) {
  if (!observer)
    return;
  auto before = std::make_shared<std::unique_ptr<Module>>();
  auto isLowering = [](StringRef pass) { return pass.ends_with("LowerBufferFatPointers"); };
  callbacks.registerBeforeNonSkippedPassCallback([=](StringRef pass, Any ir) {
    const auto *module = any_cast<const Module *>(&ir);
    if (module && isLowering(pass))
      *before = CloneModule(**module);
  });
  callbacks.registerAfterPassCallback([=](StringRef pass, Any ir, const PreservedAnalyses &) {
    const auto *module = any_cast<const Module *>(&ir);
    // Passes hand themselves on as const what they may change.
    if (module && *before && isLowering(pass))
      observer(*std::exchange(*before, nullptr), const_cast<Module &>(**module));
  });
}

Error Compiler::Compilation::runMiddleEnd(Backend &backend, const LoweringObserver &observer) {
  PassInstrumentationCallbacks callbacks;
  observeLowering(callbacks, observer);
  if (m_watcher)
    watchPasses(callbacks, *m_watcher, *m_module);
#ifndef NDEBUG
  StandardInstrumentations verifier(m_context, /*DebugLogging=*/false, /*VerifyEach=*/true);
#endif
  PassBuilder builder(backend.getTargetMachine(), PipelineTuningOptions(), std::nullopt,
                      &callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
#ifndef NDEBUG
  verifier.registerCallbacks(callbacks, &modules);
#endif

  Expected<TrackedState> state = TrackedState::open(*m_module, "driver");
  if (!state)
    return state.takeError();
  PipelineChoices choices;
  choices.useLlvmLowering = m_options.useLlvmLowering;
  // The hardware checks the bounds of a vector as a whole: one may leave a buffer that its parts
  // did not all leave.
  choices.mergeAccesses = m_options.optLevel != 0 && !state->hasRobustAccess2();
  choices.optimize = m_options.optLevel != 0;
  Expected<ModulePassManager> passes = makePipeline(backend, builder, choices);
  if (!passes)
    return passes.takeError();
  passes->run(*m_module, modules);
  if (Error error = m_diagnostics.takeFirstError())
    return error;
  checkModule(*m_module, "the middle-end");
  return Error::success();
}

Error Compiler::Compilation::runNeutral(ModulePassManager passes) {
  PassInstrumentationCallbacks callbacks;
  if (m_watcher)
    watchPasses(callbacks, *m_watcher, *m_module);
  PassBuilder builder(nullptr, PipelineTuningOptions(), std::nullopt, &callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  passes.run(*m_module, modules);
  if (Error error = m_diagnostics.takeFirstError())
    return error;
  checkModule(*m_module, "the middle-end");
  return Error::success();
}

Error Compiler::Compilation::runBackend(Backend &backend, EmitPhase phase,
                                        std::vector<uint8_t> &output) {
  CodeGenerationGate gate(m_watcher, *m_module);
  return backend.emit(*m_module, phase, m_diagnostics).moveInto(output);
}

std::vector<uint8_t> Compiler::Compilation::printModule() const {
  std::string text;
  raw_string_ostream os(text);
  m_module->print(os, nullptr);
  return toBytes(text);
}

void Compiler::Compilation::makeNullFragment(const PipelineDescription &pipeline) {
  m_module = std::make_unique<Module>("null-fragment", m_context);
  initializeModule(*m_module, m_options.target->architecture);
  auto *type = FunctionType::get(Type::getVoidTy(m_context), false);
  Function *entry = Function::Create(type, Function::ExternalLinkage, "main", *m_module);
  ReturnInst::Create(m_context, BasicBlock::Create(m_context, "", entry));
  setStageEntryPoint(*entry, {.stage = ShaderStage::Fragment});
  ShaderDescription shader;
  shader.stage = ShaderStage::Fragment;
  writeState(pipeline, shader);
  startHashChains(*m_module, makeOptionSteps(CanonicalBytes().add("null fragment shader")));
}

Error Compiler::Compilation::addPart(const Compilation &part, const Hash128 &pipeline) {
  std::optional<StringRef> own = pal::getModuleBlob(*m_module);
  std::optional<StringRef> other = pal::getModuleBlob(*part.m_module);
  if (!own || !other)
    return invalidInput("a stage has no PAL metadata");
  Expected<std::string> combined = pal::combineMetadata(*own, *other, pipeline);
  if (!combined)
    return combined.takeError();
  // Each part has a context of its own.
  SmallVector<char, 0> bitcode;
  raw_svector_ostream os(bitcode);
  WriteBitcodeToFile(*part.m_module, os);
  Expected<std::unique_ptr<Module>> copy = parseBitcodeFile(
      MemoryBufferRef(StringRef(bitcode.data(), bitcode.size()), "part"), m_context);
  if (!copy)
    return copy.takeError();
  if (Linker::linkModules(*m_module, std::move(*copy)))
    return invalidInput("the stages can't be linked");
  pal::setModuleBlob(*m_module, *combined);
  return Error::success();
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

[[gnu::noinline]] static void hang() {
  volatile bool always = true;
  while (always)
    ;
}

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

/// The wave size is what \p shader requires, if it does.
static Expected<CompileOptions> effectiveOptions(const ShaderDescription &shader,
                                                 const CompileOptions &asked) {
  if (Error error = verifyCompileOptions(asked))
    return std::move(error);
  CompileOptions options = asked;
  unsigned required = shader.requiredSubgroupSize;
  if (!required)
    return options;
  if (required != 64 && !(required == 32 && options.target->supportsWave32))
    return unsupported("subgroups of " + Twine(required) + " on " + options.target->name);
  options.waveSize = required;
  return options;
}

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
  bool isCached = m_state->cache && phase == EmitPhase::Elf && !m_state->passWatcher;
  return isCached ? compileCached(pipeline, **shader, options)
                  : compileFresh(pipeline, **shader, options, phase);
}

Expected<CompileResult> Compiler::compileFresh(const PipelineDescription &pipeline,
                                               const ShaderDescription &shader,
                                               const CompileOptions &options, EmitPhase phase) {
  Compilation compilation(options, m_state->passWatcher);
  if (Error error = compilation.runFrontend(pipeline, shader))
    return std::move(error);
  if (phase == EmitPhase::Lgc) {
    CompileResult result;
    result.output = compilation.printModule();
    return result;
  }
  return finish(compilation, options, phase);
}

/// The entry may be of another pipeline of the same meaning, whose hashes it has.
Expected<CompileResult> Compiler::compileCached(const PipelineDescription &pipeline,
                                                const ShaderDescription &shader,
                                                const CompileOptions &options) {
  Expected<Hash128> key = makeCacheKey(pipeline, shader, options, getBuildId());
  if (!key)
    return key.takeError();
  if (std::optional<std::vector<uint8_t>> bytes = m_state->cache->find(*key)) {
    std::optional<CompileResult> found = parseCached(*bytes);
    if (found &&
        pal::setElfHashes(found->output, hashPipeline(pipeline, options), hashShader(shader))) {
      found->isFromCache = true;
      return std::move(*found);
    }
  }
  Expected<CompileResult> result = compileFresh(pipeline, shader, options, EmitPhase::Elf);
  if (result)
    m_state->cache->store(*key, printCached(*result));
  return result;
}

Expected<CompileResult> Compiler::compileIr(StringRef ir, const CompileOptions &options,
                                            EmitPhase phase) {
  actOnPlantedFaults();
  if (phase == EmitPhase::SpirvText || phase == EmitPhase::Lgc)
    return invalidInput("IR is behind the phase that is asked for");
  if (Error error = verifyCompileOptions(options))
    return std::move(error);
  Compilation compilation(options, m_state->passWatcher);
  if (Error error = compilation.readIr(ir))
    return std::move(error);
  return finish(compilation, options, phase);
}

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

/// The stages of a graphics pipeline after in/out mapping, in their order.
struct Compiler::LinkedStages {
  std::vector<std::unique_ptr<CompileOptions>> options; ///< Each may require its subgroup size.
  std::vector<std::unique_ptr<Compilation>> stages;
  std::vector<StageHash> hashes;
  std::vector<HashChain> chains;
};

/// What passes may still read of \p pipeline after in/out mapping.
static Hash128 hashStage(ShaderStage stage, const HashChain &chain,
                         const PipelineDescription &pipeline) {
  CanonicalBytes bytes;
  bytes.add(chain.hash);
  addLayout(bytes, pipeline.layout);
  bytes.add(uint64_t(pipeline.robustness == Robustness::Access2));
  addGraphicsFacts(bytes, makeGraphicsFacts(pipeline.graphics), stage);
  return bytes.hash();
}

/// linkStages(), watched. \p modules belong to \p stages.
static Error linkWatched(ArrayRef<ShaderDescription> stages, ArrayRef<Module *> modules,
                         PassWatcher *watcher) {
  return linkStages(modules, [&](StringRef step, Module &module) {
    if (!watcher)
      return;
    watcher->enterStage(stages[size_t(find(modules, &module) - modules.begin())].stage);
    watcher->didRun(step, module);
  });
}

Expected<Compiler::LinkedStages> Compiler::linkPipeline(const PipelineDescription &pipeline,
                                                        const CompileOptions &asked) {
  LinkedStages linked;
  std::vector<Module *> modules;
  PassWatcher *watcher = m_state->passWatcher;
  for (const ShaderDescription &shader : pipeline.stages) {
    Expected<CompileOptions> effective = effectiveOptions(shader, asked);
    if (!effective)
      return effective.takeError();
    const CompileOptions &options =
        *linked.options.emplace_back(std::make_unique<CompileOptions>(*effective));
    Compilation &stage =
        *linked.stages.emplace_back(std::make_unique<Compilation>(options, watcher));
    if (watcher)
      watcher->enterStage(shader.stage);
    Error error = stage.runFrontend(pipeline, shader);
    if (!error)
      error = stage.runNeutral(makeStagePreparation());
    if (error)
      return addContext(std::move(error), getStageName(shader.stage) + " shader");
    modules.push_back(&stage.getModule());
  }
  if (Error error = linkWatched(pipeline.stages, modules, watcher))
    return std::move(error);
  for (const auto &[shader, module] : zip_equal(pipeline.stages, modules)) {
    HashChain &chain = linked.chains.emplace_back();
    if (Error error = readHashChain(*findEntryPoint(*module)).moveInto(chain))
      return std::move(error);
    linked.hashes.push_back({shader.stage, hashStage(shader.stage, chain, pipeline)});
  }
  return linked;
}

Expected<std::vector<CompiledStage>> Compiler::compileStages(const PipelineDescription &pipeline,
                                                             const CompileOptions &asked,
                                                             const CheckShaderCache &check) {
  Expected<LinkedStages> linked = linkPipeline(pipeline, asked);
  if (!linked)
    return linked.takeError();
  StageMask wanted = 0;
  for (const StageHash &hash : linked->hashes)
    wanted |= stageBit(hash.stage);
  if (check)
    wanted &= check(linked->hashes);
  std::vector<CompiledStage> results;
  for (auto [stage, options, hash, chain] :
       zip_equal(linked->stages, linked->options, linked->hashes, linked->chains)) {
    CompiledStage &result = results.emplace_back();
    result.hash = hash;
    result.chain = std::move(chain);
    result.isCompiled = (wanted & stageBit(hash.stage)) != 0;
    if (!result.isCompiled)
      continue;
    if (m_state->passWatcher)
      m_state->passWatcher->enterStage(hash.stage);
    if (options->optLevel != 0)
      if (Error error = stage->runNeutral(makeStageOptimization()))
        return std::move(error);
    std::vector<uint8_t> text = stage->printModule();
    result.ir.assign(text.begin(), text.end());
  }
  return results;
}

Error Compiler::addNullFragment(LinkedStages &linked, const PipelineDescription &pipeline,
                                const CompileOptions &options) {
  linked.options.push_back(std::make_unique<CompileOptions>(options));
  Compilation &stage =
      *linked.stages.emplace_back(std::make_unique<Compilation>(*linked.options.back(), nullptr));
  stage.makeNullFragment(pipeline);
  HashChain &chain = linked.chains.emplace_back();
  if (Error error = readHashChain(*findEntryPoint(stage.getModule())).moveInto(chain))
    return error;
  linked.hashes.push_back(
      {ShaderStage::Fragment, hashStage(ShaderStage::Fragment, chain, pipeline)});
  return Error::success();
}

Expected<CompileResult> Compiler::compileGraphics(const PipelineDescription &pipeline,
                                                  const CompileOptions &asked, EmitPhase phase) {
  if (asked.target->architecture != Architecture::AmdGpu)
    return unsupported("vertex shaders on " + asked.target->name);
  Expected<LinkedStages> linked = linkPipeline(pipeline, asked);
  if (!linked)
    return linked.takeError();
  bool isVertexAlone = pipeline.find(ShaderStage::Vertex) && !pipeline.find(ShaderStage::Fragment);
  if (isVertexAlone) // PAL wants a fragment stage.
    if (Error error = addNullFragment(*linked, pipeline, asked))
      return std::move(error);
  bool isOfParts = phase == EmitPhase::Elf && asked.palVersion == PalVersion::V3_0;
  return isOfParts ? compileParts(pipeline, *linked, asked)
                   : compileWhole(pipeline, *linked, asked, phase);
}

/// The parts have the metadata of their stages alone until they are joined, therefore this is the
/// way for all phases but ELFs with metadata 3.0.
Expected<CompileResult> Compiler::compileWhole(const PipelineDescription &pipeline,
                                               LinkedStages &linked, const CompileOptions &asked,
                                               EmitPhase phase) {
  CompileResult result;
  for (auto [options, stage] : zip_equal(linked.options, linked.stages)) {
    Expected<Backend *> backend = m_state->getBackend(*options);
    if (!backend)
      return backend.takeError();
    if (Error error = stage->runMiddleEnd(**backend, {}))
      return std::move(error);
  }
  Compilation &whole = *linked.stages.front();
  for (const auto &part : drop_begin(linked.stages))
    if (Error error = whole.addPart(*part, hashPipeline(pipeline, asked)))
      return std::move(error);
  if (phase == EmitPhase::Llvm)
    result.output = whole.printModule();
  else if (Error error = emitStage(whole, *linked.options.front(), phase, result.output))
    return std::move(error);
  for (const auto &stage : linked.stages)
    append_range(result.diagnostics, stage->takeWarnings());
  result.hashChains = whole.readHashChains();
  return result;
}

Error Compiler::emitStage(Compilation &stage, const CompileOptions &options, EmitPhase phase,
                          std::vector<uint8_t> &output) {
  Expected<Backend *> backend = m_state->getBackend(options);
  if (!backend)
    return backend.takeError();
  Error error = stage.runBackend(**backend, phase, output);
  if (error)
    m_state->backends.erase(State::makeKey(options));
  return error;
}

/// The part of \p stage, which is compiled if the cache does not have it.
Expected<CompileResult> Compiler::compilePart(Compilation &stage, const CompileOptions &options,
                                              const StageHash &hash) {
  Hash128 key = CanonicalBytes().add("part").add(getBuildId()).add(hash.hash).hash();
  if (m_state->cache)
    if (std::optional<std::vector<uint8_t>> bytes = m_state->cache->find(key))
      if (std::optional<CompileResult> found = parseCached(*bytes)) {
        found->isFromCache = true;
        return std::move(*found);
      }
  Expected<Backend *> backend = m_state->getBackend(options);
  if (!backend)
    return backend.takeError();
  if (Error error = stage.runMiddleEnd(**backend, {}))
    return std::move(error);
  CompileResult result;
  if (Error error = emitStage(stage, options, EmitPhase::Elf, result.output))
    return std::move(error);
  result.diagnostics = stage.takeWarnings();
  result.hashChains = stage.readHashChains();
  if (m_state->cache)
    m_state->cache->store(key, printCached(result));
  return result;
}

/// A part from the cache may be of another pipeline whose stage has the same hash: hashes of
/// pipeline and shader are written anew.
Expected<CompileResult> Compiler::compileParts(const PipelineDescription &pipeline,
                                               LinkedStages &linked, const CompileOptions &asked) {
  Hash128 whole = hashPipeline(pipeline, asked);
  CompileResult result;
  result.isFromCache = true;
  std::vector<std::vector<uint8_t>> parts;
  for (auto [stage, options, hash] : zip_equal(linked.stages, linked.options, linked.hashes)) {
    Expected<CompileResult> part = compilePart(*stage, *options, hash);
    if (!part)
      return part.takeError();
    const ShaderDescription *shader = pipeline.find(hash.stage);
    if (part->isFromCache && shader && !pal::setElfHashes(part->output, whole, hashShader(*shader)))
      return invalidInput("a part of a pipeline from the cache has no hashes");
    result.isFromCache &= part->isFromCache;
    append_range(result.diagnostics, part->diagnostics);
    append_range(result.hashChains, part->hashChains);
    parts.push_back(std::move(part->output));
  }
  if (parts.size() == 1) { // A fragment shader alone.
    result.output = std::move(parts[0]);
    return result;
  }
  Expected<std::vector<uint8_t>> elf = pal::combineParts(parts[0], parts[1], whole);
  if (!elf)
    return elf.takeError();
  result.output = std::move(*elf);
  return result;
}

Expected<CompileResult> Compiler::printStages(const PipelineDescription &pipeline,
                                              const CompileOptions &asked, EmitPhase phase) {
  std::string text;
  for (const ShaderDescription &shader : pipeline.stages) {
    text += ("; stage " + getStageName(shader.stage) + "\n").str();
    if (phase == EmitPhase::SpirvText) {
      Expected<std::string> words = spirv::disassemble(shader.spirv);
      if (!words)
        return words.takeError();
      text += *words;
      continue;
    }
    Expected<CompileOptions> options = effectiveOptions(shader, asked);
    if (!options)
      return options.takeError();
    Compilation stage(*options, nullptr);
    if (Error error = stage.runFrontend(pipeline, shader))
      return addContext(std::move(error), getStageName(shader.stage) + " shader");
    std::vector<uint8_t> module = stage.printModule();
    text.append(module.begin(), module.end());
  }
  CompileResult result;
  result.output = toBytes(text);
  return result;
}
