// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphics pipelines: their stages are linked, compiled each by itself, and joined.
#include "compiler/driver/Compilation.h"

#include "compiler/cache/BuildId.h"
#include "compiler/driver/Backends.h"
#include "compiler/driver/CompileCache.h"
#include "compiler/driver/PassWatcher.h"
#include "compiler/driver/PipelineHash.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/link/LinkStages.h"
#include "compiler/pal/CombineParts.h"
#include "compiler/pal/ElfHashes.h"
#include "compiler/pal/ElfWriter.h"
#include "compiler/pal/Glue.h"
#include "compiler/pal/PixelMetadata.h"
#include "compiler/pal/RegisterMetadata.h"
#include "compiler/spirv/Module.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;

/// The stages of a graphics pipeline after in/out mapping, in their order. The vectors have the
/// same order and length.
struct Compiler::LinkedStages {
  std::vector<std::unique_ptr<CompileOptions>> options; ///< Each may require its subgroup size.
  std::vector<std::unique_ptr<Compilation>> stages;
  std::vector<StageHash> hashes;
  std::vector<HashChain> chains;
};

/// Returns a hash of all that decides the code of a stage after in/out mapping: \p chain, and what
/// passes may still read of \p pipeline, \p facts and \p options.
static StageHash hashStage(ShaderStage stage, const HashChain &chain,
                           const PipelineDescription &pipeline, const GraphicsFacts &facts,
                           const CompileOptions &options) {
  CanonicalBytes bytes;
  bytes.add(chain.hash);
  if (!faultPlanted(Fault::KeySkipsLayout))
    addLayout(bytes, pipeline.layout);
  bytes.add(uint64_t(pipeline.robustness == Robustness::Access2));
  bytes.add(uint64_t(options.useLlvmLowering));
  addGraphicsFacts(bytes, facts, stage);
  return {stage, bytes.hash()};
}

/// Calls linkStages() or, unless \p isLinked, isolateStage() for each module, and reports each step
/// to \p watcher, which may be null. \p modules are those of \p stages, in their order.
static Error linkWatched(ArrayRef<ShaderDescription> stages, ArrayRef<Module *> modules,
                         PassWatcher *watcher, bool isLinked) {
  auto observe = [&](StringRef step, Module &module) {
    if (!watcher)
      return;
    watcher->enterStage(stages[size_t(find(modules, &module) - modules.begin())].stage);
    watcher->didRun(step, module);
  };
  if (isLinked)
    return linkStages(modules, observe);
  for (Module *module : modules)
    if (Error error = isolateStage(*module, observe))
      return error;
  return Error::success();
}

/// Translates each stage in a context of its own, brings it to one function, then links or isolates
/// all. Errors of a stage name it. A stage's hash covers the graphics facts that its passes may
/// read.
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
    Compilation &stage = *linked.stages.emplace_back(
        std::make_unique<Compilation>(options, m_state->graphicsChoices, watcher));
    if (watcher)
      watcher->enterStage(shader.stage);
    Error error = stage.runFrontend(pipeline, shader);
    if (!error)
      error = stage.runNeutral(makeStagePreparation());
    if (error)
      return addContext(std::move(error), getStageName(shader.stage) + " shader");
    modules.push_back(&stage.getModule());
  }
  bool isLinked = m_state->graphicsChoices.linkMode != LinkMode::Unlinked;
  if (Error error = linkWatched(pipeline.stages, modules, watcher, isLinked))
    return std::move(error);
  if (watcher)
    watcher->didLink();
  GraphicsFacts facts = getGraphicsFacts(pipeline, *asked.target, m_state->graphicsChoices);
  for (const auto &[shader, module] : zip_equal(pipeline.stages, modules)) {
    HashChain &chain = linked.chains.emplace_back();
    if (Error error = readHashChain(*findEntryPoint(*module)).moveInto(chain))
      return std::move(error);
    linked.hashes.push_back(hashStage(shader.stage, chain, pipeline, facts, asked));
  }
  return linked;
}

/// Stages that \p check does not return are neither optimized nor printed. All others are returned
/// as IR text, optimized above level 0. An empty \p check wants all stages.
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

/// Adds a fragment stage that does nothing, with its own hash and chain. PAL expects a fragment
/// stage in every pipeline with a vertex stage. Passes on it are not watched.
Error Compiler::addNullFragment(LinkedStages &linked, const PipelineDescription &pipeline,
                                const CompileOptions &options) {
  linked.options.push_back(std::make_unique<CompileOptions>(options));
  Compilation &stage = *linked.stages.emplace_back(
      std::make_unique<Compilation>(*linked.options.back(), m_state->graphicsChoices, nullptr));
  stage.makeNullFragment(pipeline);
  GraphicsFacts facts = getGraphicsFacts(pipeline, *options.target, m_state->graphicsChoices);
  HashChain &chain = linked.chains.emplace_back();
  if (Error error = readHashChain(*findEntryPoint(stage.getModule())).moveInto(chain))
    return error;
  linked.hashes.push_back(hashStage(ShaderStage::Fragment, chain, pipeline, facts, options));
  return Error::success();
}

/// Unsupported for other architectures and for NGG before GFX10. A vertex shader alone gets a
/// fragment stage that does nothing.
Expected<Compiler::LinkedStages> Compiler::linkWithFragment(const PipelineDescription &pipeline,
                                                            const CompileOptions &asked) {
  if (asked.target->architecture != Architecture::AmdGpu)
    return unsupported("vertex and fragment shaders on " + asked.target->name);
  const GraphicsChoices &choices = m_state->graphicsChoices;
  if (choices.useNgg && asked.target->major < 10)
    return unsupported("NGG on " + asked.target->name);
  Expected<LinkedStages> linked = linkPipeline(pipeline, asked);
  if (!linked)
    return linked.takeError();
  bool isVertexAlone = pipeline.find(ShaderStage::Vertex) && !pipeline.find(ShaderStage::Fragment);
  if (isVertexAlone) // PAL wants a fragment stage.
    if (Error error = addNullFragment(*linked, pipeline, asked))
      return std::move(error);
  return linked;
}

/// Anything but an ELF is compiled as a whole, also in LinkMode::Parts.
Expected<CompileResult> Compiler::compileGraphics(const PipelineDescription &pipeline,
                                                  const CompileOptions &asked, EmitPhase phase) {
  LinkMode mode = m_state->graphicsChoices.linkMode;
  bool canBeParts = phase == EmitPhase::Elf;
  if (mode == LinkMode::Unlinked && !canBeParts)
    return unsupported("stages that are not linked in anything but ELFs");
  Expected<LinkedStages> linked = linkWithFragment(pipeline, asked);
  if (!linked)
    return linked.takeError();
  if (!canBeParts || mode == LinkMode::Whole)
    return compileWhole(pipeline, *linked, asked, phase);
  Expected<std::vector<CompiledPart>> parts = compileEachPart(pipeline, *linked, asked);
  if (!parts)
    return parts.takeError();
  return joinParts(pipeline, *linked, std::move(*parts), asked);
}

/// Parts from the cache have the hashes of this pipeline.
Expected<std::vector<CompiledPart>> Compiler::compileParts(const PipelineDescription &pipeline,
                                                           const CompileOptions &asked) {
  Expected<LinkedStages> linked = linkWithFragment(pipeline, asked);
  if (!linked)
    return linked.takeError();
  return compileEachPart(pipeline, *linked, asked);
}

/// The parts have the metadata of their stages alone until they are joined, therefore this is the
/// way for all phases but ELFs. The result has one module with both stages.
/// Warnings of all stages are kept in their order.
Expected<CompileResult> Compiler::compileWhole(const PipelineDescription &pipeline,
                                               LinkedStages &linked, const CompileOptions &asked,
                                               EmitPhase phase) {
  CompileResult result;
  for (auto [options, stage, hash] : zip_equal(linked.options, linked.stages, linked.hashes)) {
    if (m_state->passWatcher)
      m_state->passWatcher->enterStage(hash.stage);
    Expected<Backend *> backend = m_state->getBackend(*options);
    if (!backend)
      return backend.takeError();
    if (Error error = stage->runMiddleEnd(**backend, {}))
      return std::move(error);
  }
  Compilation &whole = *linked.stages.front();
  for (const auto &part : drop_begin(linked.stages))
    if (Error error = whole.addPart(*part, hashPipeline(pipeline, asked, m_state->graphicsChoices)))
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

/// Runs the back-end on \p stage. One that has failed is not used again. The back-end is dropped on
/// an error, because its state is unknown then.
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

/// Metadata 2.6 keep the fields of 3.0 in a part (compiler/pal/CombineParts.h).
Error Compiler::emitPart(Compilation &stage, const CompileOptions &options,
                         std::vector<uint8_t> &output) {
  if (options.palVersion == PalVersion::V2_6)
    if (Error error = pal::hideVersion(stage.getModule()))
      return error;
  return emitStage(stage, options, EmitPhase::Elf, output);
}

/// Returns the ELF of \p stage. It comes from the cache if there is an entry for \p hash and the
/// build; otherwise it is compiled and stored. A pass watcher switches the cache off.
Expected<CompileResult> Compiler::compilePart(Compilation &stage, const CompileOptions &options,
                                              const StageHash &hash) {
  Hash128 key = CanonicalBytes().add("part").add(getBuildId()).add(hash.hash).hash();
  Cache *cache = m_state->passWatcher ? nullptr : m_state->cache;
  if (cache)
    if (std::optional<std::vector<uint8_t>> bytes = cache->find(key))
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
  if (Error error = emitPart(stage, options, result.output))
    return std::move(error);
  result.diagnostics = stage.takeWarnings();
  result.hashChains = stage.readHashChains();
  if (cache)
    cache->store(key, printCached(result));
  return result;
}

/// The glue that \p part needs, as an ELF; empty where it needs none. Compiled at level 2 always:
/// it must not need scratch memory. The result is kept for later pipelines with equal needs.
Expected<std::vector<uint8_t>> Compiler::compileGlue(const PipelineDescription &pipeline,
                                                     const CompileOptions &asked,
                                                     ArrayRef<uint8_t> part) {
  Expected<std::optional<pal::GlueNeeds>> needs = pal::readGlueNeeds(part);
  if (!needs)
    return needs.takeError();
  bool isFragment = *needs && (*needs)->stage == pal::HardwareStage::Ps;
  if (!*needs ||
      faultPlanted(isFragment ? Fault::GlueOfFragmentMissing : Fault::GlueOfVertexMissing))
    return std::vector<uint8_t>();
  CompileOptions options = asked;
  options.optLevel = 2;
  GraphicsChoices choices = m_state->graphicsChoices;
  choices.linkMode = LinkMode::Parts;
  CanonicalBytes bytes;
  bytes.add("glue").add(getBuildId()).add(options.target->name).add(options.getWaveSize());
  bytes.add(uint64_t(options.palVersion)).add(uint64_t((*needs)->stage));
  for (const std::vector<uint32_t> *numbers : {&(*needs)->userData, &(*needs)->values}) {
    bytes.add(numbers->size());
    for (uint32_t number : *numbers)
      bytes.add(uint64_t(number));
  }
  addGraphicsFacts(bytes, getGraphicsFacts(pipeline, *options.target, choices),
                   isFragment ? ShaderStage::Fragment : ShaderStage::Vertex);
  Hash128 key = bytes.hash();
  if (auto known = m_state->glue.find(key); known != m_state->glue.end())
    return known->second;
  Compilation glue(options, choices, nullptr);
  glue.makeGlue(pipeline, **needs);
  Expected<Backend *> backend = m_state->getBackend(options);
  if (!backend)
    return backend.takeError();
  if (Error error = glue.runMiddleEnd(**backend, {}))
    return std::move(error);
  std::vector<uint8_t> elf;
  if (Error error = emitPart(glue, options, elf))
    return std::move(error);
  return m_state->glue[key] = std::move(elf);
}

/// Returns the code between glue and a part. LLVM ends the hazards of a function with the function,
/// as if nothing came after it: s_nop 7; from GFX11 on s_waitcnt_depctr 0 (s_wait_alu on GFX12),
/// too. On GFX11, an addition of a literal 0 ends what VALU has read of lane masks, which the other
/// side may write (ACO's README-ISA, "VALUMaskWriteHazard"). On GFX12, eight ds_nop end what VALU
/// has read of scalars, as LLVM has it where functions are called (AMDGPUWaitSGPRHazards.cpp).
/// Parts end with all memory waited for.
static std::string makeJunction(const TargetInfo &target) {
  constexpr uint32_t Nop = 0xbf800007, WaitForAll = 0xbf880000;
  constexpr uint32_t LdsNop = 0xd8500000, LdsNopOperands = 0;
  constexpr unsigned LdsNops = 8;
  constexpr uint32_t AddLiteral = 0x4a0000ff, Zero = 0; // v_add_nc_u32 v0, literal, v0
  std::string code = pal::bytesOf(Nop);
  if (target.major >= 11)
    code += pal::bytesOf(WaitForAll);
  if (target.major == 11 && !faultPlanted(Fault::GlueHazard))
    code += pal::bytesOf(AddLiteral) + pal::bytesOf(Zero);
  for (unsigned i = 0; target.major >= 12 && !faultPlanted(Fault::GlueHazard) && i < LdsNops; ++i)
    code += pal::bytesOf(LdsNop) + pal::bytesOf(LdsNopOperands);
  return code;
}

/// A part from the cache may be of another pipeline whose stage has the same hash: hashes of
/// pipeline and shader are written again. InvalidInput where such a part has no hashes.
Expected<std::vector<CompiledPart>> Compiler::compileEachPart(const PipelineDescription &pipeline,
                                                              LinkedStages &linked,
                                                              const CompileOptions &asked) {
  Hash128 whole = hashPipeline(pipeline, asked, m_state->graphicsChoices);
  std::vector<CompiledPart> parts;
  for (auto [stage, options, hash] : zip_equal(linked.stages, linked.options, linked.hashes)) {
    if (m_state->passWatcher)
      m_state->passWatcher->enterStage(hash.stage);
    Expected<CompileResult> part = compilePart(*stage, *options, hash);
    if (!part)
      return part.takeError();
    const ShaderDescription *shader = pipeline.find(hash.stage);
    if (part->isFromCache && shader && !pal::setElfHashes(part->output, whole, hashShader(*shader)))
      return invalidInput("a part of a pipeline from the cache has no hashes");
    parts.push_back({hash, std::move(*part)});
  }
  return parts;
}

/// The result counts as from the cache if all parts are. Warnings and chains of all parts are kept
/// in their order. A fragment shader alone is its part. Unlinked stages get their glue here, and
/// metadata become version 2.6.
Expected<CompileResult> Compiler::joinParts(const PipelineDescription &pipeline,
                                            const LinkedStages &linked,
                                            std::vector<CompiledPart> parts,
                                            const CompileOptions &asked) {
  CompileResult result;
  result.isFromCache = true;
  for (const CompiledPart &part : parts) {
    result.isFromCache &= part.result.isFromCache;
    append_range(result.diagnostics, part.result.diagnostics);
    append_range(result.hashChains, part.result.hashChains);
  }
  std::vector<std::vector<uint8_t>> glue(parts.size());
  if (m_state->graphicsChoices.linkMode == LinkMode::Unlinked)
    for (auto [part, options, code] : zip_equal(parts, linked.options, glue))
      if (Error error = compileGlue(pipeline, *options, part.result.output).moveInto(code))
        return addContext(std::move(error), "glue");
  pal::PartGlue all = {{}, glue.back(), makeJunction(*asked.target)};
  ArrayRef<uint8_t> vertex;
  if (parts.size() > 1) {
    vertex = parts.front().result.output;
    all.vertex = glue.front();
  }
  result.output = std::move(parts.back().result.output);
  Hash128 whole = hashPipeline(pipeline, asked, m_state->graphicsChoices);
  if (!vertex.empty() || !all.fragment.empty())
    if (Error error = pal::combineParts(vertex, result.output, whole, all).moveInto(result.output))
      return std::move(error);
  if (asked.palVersion == PalVersion::V2_6)
    if (Error error =
            pal::useRegisterMetadata(result.output, *asked.target).moveInto(result.output))
      return std::move(error);
  return result;
}

/// Prints SPIR-V assembly, or the IR after the front-end, of each stage after a comment with its
/// name. Stages are not linked here.
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
    Compilation stage(*options, m_state->graphicsChoices, nullptr);
    if (Error error = stage.runFrontend(pipeline, shader))
      return addContext(std::move(error), getStageName(shader.stage) + " shader");
    std::vector<uint8_t> module = stage.printModule();
    text.append(module.begin(), module.end());
  }
  CompileResult result;
  result.output = toBytes(text);
  return result;
}
