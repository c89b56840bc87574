// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Compilation.h"

#include "compiler/amdgpu/passes/Glue.h"
#include "compiler/dialect/Lgc.h"
#include "compiler/driver/PassWatcher.h"
#include "compiler/driver/PipelineHash.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/lgc/BufferUse.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/TrackedState.h"
#include "compiler/pal/CombineParts.h"
#include "compiler/pal/Nodes.h"
#include "compiler/spirv/CanonicalHash.h"
#include "compiler/spirv/Module.h"
#include "compiler/spirv/UnreadOutputs.h"
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
#include <unistd.h>

using namespace llvm;
using namespace assay;

/// Returns the characters of \p text, without a final zero.
std::vector<uint8_t> assay::toBytes(StringRef text) {
  return {text.begin(), text.end()};
}

/// Verifies \p module and its ops. A broken module is our bug, so the process ends with a fatal
/// error that names \p maker, rather than with an error of the input.
static void checkModule(const Module &module, const char *maker) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    report_fatal_error(Twine(maker) + " made a broken module: " + problem);
  if (Error error = verifyDialect(module, "lgc.", getLgcOps()))
    report_fatal_error(Twine(maker) + " made a broken op: " + takeError(std::move(error)).message);
}

/// Returns what planted faults add to a hash: a number that differs between runs, chips or
/// environments. Returns 0 without such a fault.
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

/// Writes the state of \p pipeline into the module, for the stage of \p shader. Graphics facts are
/// those of the whole pipeline.
void Compiler::Compilation::writeState(const PipelineDescription &pipeline,
                                       const ShaderDescription &shader) {
  PipelineState state;
  state.target = m_options.target;
  state.waveSize = m_options.getWaveSize();
  state.layout = pipeline.layout;
  state.robustness = pipeline.robustness;
  if (pipeline.isGraphics())
    state.graphics = getGraphicsFacts(pipeline, *m_options.target, m_choices);
  state.pipelineHash = hashPipeline(pipeline, m_options, m_choices);
  state.pipelineHash.low += plantedHash(*m_options.target);
  state.shaderHash = hashShader(shader);
  state.write(*m_module);
}

/// Returns a step of a hash chain that the driver itself takes, with \p bytes as its value.
static HashStep makeStep(StringRef datum, CanonicalBytes bytes) {
  return {"driver", datum.str(), bytes.take()};
}

/// What influences every shader: the shader itself, the compiler, and those options that no pass
/// reads from the state. \p hash is the hash of the shader's meaning.
std::vector<HashStep> Compiler::Compilation::makeFirstSteps(const Hash128 &hash) const {
  CanonicalBytes input;
  input.add(hash);
  if (faultPlanted(Fault::ChainOfRun)) {
    static uint64_t run;
    input.add(++run);
  }
  return makeOptionSteps(std::move(input));
}

/// Returns the first steps of a chain, in this order: input, target, level, wave size, version of
/// metadata.
std::vector<HashStep> Compiler::Compilation::makeOptionSteps(CanonicalBytes input) const {
  std::vector<HashStep> steps = {
      makeStep("input", std::move(input)),
      makeStep("target", CanonicalBytes().add(m_options.target->name)),
      makeStep("level",
               CanonicalBytes().add(faultPlanted(Fault::HashSkipsLevel) ? 0 : m_options.optLevel)),
      makeStep("wave-size", CanonicalBytes().add(faultPlanted(Fault::HashSkipsWaveSize)
                                                     ? 0
                                                     : m_options.getWaveSize())),
      makeStep("metadata-version", CanonicalBytes().add(uint64_t(m_options.palVersion)))};
  if (faultPlanted(Fault::HashUnordered)) {
    static bool isSwapped = false;
    isSwapped = !isSwapped;
    std::swap(steps[1], steps[isSwapped ? 2 : 1]);
  }
  return steps;
}

/// Returns the chain of each function with a body, in the order of the module. A function without a
/// chain has an empty one.
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

/// Returns a copy of \p shader. A vertex shader loses the outputs that the fragment shader of \p
/// pipeline does not read. The stages of the pipeline must be linked.
static ShaderDescription takeNeeded(const PipelineDescription &pipeline,
                                    const ShaderDescription &shader) {
  ShaderDescription needed = shader;
  const ShaderDescription *fragment = pipeline.find(ShaderStage::Fragment);
  if (fragment && shader.stage == ShaderStage::Vertex)
    spirv::dropUnreadOutputs(needed, *fragment);
  return needed;
}

/// Validates if the options say so, decodes, translates, and starts the hash chains with the
/// shader's meaning. Errors of the hash count only if the front-end has none. Sets the module and
/// writes its state.
Error Compiler::Compilation::runFrontend(const PipelineDescription &pipeline,
                                         const ShaderDescription &shader) {
  if (m_watcher)
    m_watcher->willRun(frontEndPhase);
  if (m_options.validate)
    if (Error error = spirv::validate(shader.spirv))
      return error;
  bool isLinked = m_choices.linkMode != LinkMode::Unlinked;
  ShaderDescription needed = isLinked ? takeNeeded(pipeline, shader) : shader;
  Expected<spirv::Module> source = spirv::decode(needed.spirv);
  if (!source)
    return source.takeError();
  spirv::ShaderMeaning meaning;
  Error unread = spirv::readMeaning(needed, isLinked).moveInto(meaning);
  source->orderVariables(meaning.variables);
  std::unique_ptr<Builder> builder =
      m_options.recordBuilder ? createBuilderRecorder(m_context) : createBuilderImpl(m_context);
  FrontendState state(pipeline.robustness, m_options.target->architecture);
  Expected<std::unique_ptr<Module>> module =
      translateShader(needed, *source, m_context, *builder, state);
  if (!module) { // It says more of what is wrong.
    consumeError(std::move(unread));
    return module.takeError();
  }
  if (unread)
    return unread;
  m_module = std::move(*module);
  checkModule(*m_module, "the front-end");
  writeState(pipeline, shader);
  startHashChains(*m_module, makeFirstSteps(faultPlanted(Fault::HashOfNames) ? hashShader(shader)
                                                                             : meaning.hash));
  if (state.hasReadRobustness())
    cantFail(TrackedState::open(*m_module, frontEndPhase)).hasRobustAccess2();
  if (m_watcher)
    m_watcher->didRun(frontEndPhase, *m_module);
  return Error::success();
}

/// InvalidInput where the text can't be parsed or verified, or is for another target or wave size
/// than the options. Sets the module to what \p text says, also where an error is returned after
/// parsing.
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

/// Registers callbacks that pass the module before and after the lowering of fat pointers to \p
/// observer. They keep a copy of the module from the start of the pass. Registers nothing for an
/// empty observer.
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

namespace {
/// The analyses that passes of \p builder may ask for.
struct Analyses {
  explicit Analyses(PassBuilder &builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
};
} // namespace

/// Runs the whole middle-end for \p backend. Accesses are not merged where robustBufferAccess2
/// requires each to be checked. The module is verified afterwards. Returns the first error that a
/// pass has reported. The choice of the lowering becomes a step of the hash chains where there is
/// something to lower.
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
  Analyses analyses(builder);
#ifndef NDEBUG
  verifier.registerCallbacks(callbacks, &analyses.modules);
#endif

  Expected<TrackedState> state = TrackedState::open(*m_module, "driver");
  if (!state)
    return state.takeError();
  PipelineChoices choices;
  choices.useLlvmLowering = m_options.useLlvmLowering;
  choices.useLowering = [this](Module &module) {
    CanonicalBytes choice;
    choice.add(uint64_t(m_options.useLlvmLowering && !faultPlanted(Fault::HashSkipsLowering)));
    extendHashChains(module, makeStep("llvm-lowering", std::move(choice)));
  };
  // The hardware checks the bounds of a vector as a whole: one may leave a buffer that its parts
  // did not all leave.
  choices.mergeAccesses = m_options.optLevel != 0 &&
                          (none_of(*m_module, usesFatPointers) || !state->hasRobustAccess2());
  choices.optimize = m_options.optLevel != 0;
  Expected<ModulePassManager> passes = makePipeline(backend, builder, choices);
  if (!passes)
    return passes.takeError();
  passes->run(*m_module, analyses.modules);
  if (Error error = m_diagnostics.takeFirstError())
    return error;
  checkModule(*m_module, "the middle-end");
  return Error::success();
}

/// Runs \p passes on the module and verifies it. The pass builder has no target machine, so passes
/// that query target information get LLVM's defaults. Returns the first error that a pass has
/// reported.
Error Compiler::Compilation::runNeutral(ModulePassManager passes) {
  PassInstrumentationCallbacks callbacks;
  if (m_watcher)
    watchPasses(callbacks, *m_watcher, *m_module);
  PassBuilder builder(nullptr, PipelineTuningOptions(), std::nullopt, &callbacks);
  Analyses analyses(builder);
  passes.run(*m_module, analyses.modules);
  if (Error error = m_diagnostics.takeFirstError())
    return error;
  checkModule(*m_module, "the middle-end");
  return Error::success();
}

/// The watcher, if there is one, decides on optional passes of the code generator. The back-end may
/// change the module.
Error Compiler::Compilation::runBackend(Backend &backend, EmitPhase phase,
                                        std::vector<uint8_t> &output) {
  CodeGenerationGate gate(m_watcher, *m_module);
  return backend.emit(*m_module, phase, m_diagnostics).moveInto(output);
}

/// Returns the module as LLVM IR text, without names for fields of metadata.
std::vector<uint8_t> Compiler::Compilation::printModule() const {
  std::string text;
  raw_string_ostream os(text);
  m_module->print(os, nullptr);
  return toBytes(text);
}

/// Sets the module to a fragment shader that does nothing, with state and hash chain. Its chain
/// depends on the options alone, not on any shader.
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

/// Sets the module to the glue that \p needs describe, with the state of \p pipeline. Its hash
/// chain depends on the options alone.
void Compiler::Compilation::makeGlue(const PipelineDescription &pipeline,
                                     const pal::GlueNeeds &needs) {
  m_module = std::make_unique<Module>("glue", m_context);
  initializeModule(*m_module, m_options.target->architecture);
  amdgpu::makeGlue(*m_module, needs, m_options.getWaveSize());
  bool isFragment = needs.stage == pal::HardwareStage::Ps;
  ShaderDescription shader;
  shader.stage = isFragment ? ShaderStage::Fragment : ShaderStage::Vertex;
  writeState(pipeline, shader);
  startHashChains(*m_module, makeOptionSteps(CanonicalBytes().add("glue")));
}

/// Moves the module of \p part into this context by its bitcode, and links both. InvalidInput where
/// one of them has no PAL metadata, or where the metadata or the modules contradict each other.
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
