// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From pipelines to artifacts, and what is wrong with an artifact before it runs.
#include "compiler/api/Architecture.h"
#include "compiler/cache/BuildId.h"
#include "compiler/cache/Cache.h"
#include "compiler/driver/CompileCache.h"
#include "compiler/driver/Compiler.h"
#include "harness/faults/PlantInElf.h"
#include "harness/run/SameBytes.h"
#include "harness/run/WorkerGuard.h"
#include "harness/worker/Compilers.h"
#include "harness/worker/ExplainLowering.h"
#include "harness/worker/PassLedger.h"
#include "harness/worker/ShaderLowering.h"
#include "harness/worker/Steps.h"
#include "oracles/pal_elf/ArtifactViews.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "oracles/radv/RadvGraphics.h"
#include "oracles/turnip/TurnipShader.h"
#include "support/CodeCounts.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;
using namespace assay;

namespace {
/// A compiler of the registry that differs from "assay" in how it compiles graphics pipelines.
struct GraphicsRow {
  StringLiteral compiler;
  GraphicsChoices choices;
};
} // namespace

/// Compilers without a row have the default choices.
static constexpr GraphicsRow graphicsRows[] = {
    {"assay-ngg", {.useNgg = true}},
    {"assay-whole", {.linkMode = LinkMode::Whole}},
    {"assay-unlinked", {.linkMode = LinkMode::Unlinked}},
};

/// Those of the compiler that \p job names.
static GraphicsChoices getGraphicsChoices(const Job &job) {
  for (const GraphicsRow &row : graphicsRows)
    if (row.compiler == job.compiler)
      return row.choices;
  return {};
}

/// Translates the compile options of \p job; a negative optimization level means 2. Unsupported for
/// a combination that the target does not have.
static Expected<CompileOptions> makeOptions(const Job &job) {
  Expected<const TargetInfo *> target = findTarget(job.target);
  if (!target)
    return target.takeError();
  CompileOptions options;
  options.target = *target;
  options.optLevel = job.optLevel < 0 ? 2 : static_cast<unsigned>(job.optLevel);
  options.waveSize = job.waveSize;
  options.useLlvmLowering = job.useLlvmLowering;
  options.palVersion = job.palVersion;
  options.validate = job.referenceFile.empty(); // Else the reference run has done that.
  // What a target does not have is no fault of the input.
  if (Error error = verifyCompileOptions(options))
    return unsupported(takeError(std::move(error)).message);
  return options;
}

/// The module as it is where JobPasses::snapshot says, or at the end of the middle-end.
static Expected<CompileResult> compileSnapshot(const PipelineDescription &pipeline,
                                               const CompileOptions &options, Compiler &compiler,
                                               PassLedger &ledger) {
  if (ledger.isPastSnapshot())
    return compiler.compile(pipeline, options, EmitPhase::Lgc);
  Expected<CompileResult> result = compiler.compile(pipeline, options, EmitPhase::Llvm);
  if (std::optional<std::string> text = ledger.takeSnapshot(); text && result)
    result->output.assign(text->begin(), text->end());
  return result;
}

/// What the entries of \p job belong to: planted faults make another build.
static Hash128 getBuildIdFor(const Job &job) {
  if (job.plants.empty())
    return getBuildId();
  CanonicalBytes bytes;
  bytes.add(getBuildId());
  for (const std::string &plant : job.plants)
    bytes.add(plant);
  return bytes.hash();
}

/// The cache that \p job names, or null. A second compilation must be one, and the score counts the
/// faults that a compilation reaches.
static Expected<std::unique_ptr<Cache>> openCache(const Job &job) {
  if (job.cacheFolder.empty() || job.score || job.twice)
    return nullptr;
  Expected<CachePruningPolicy> policy = parseCachePolicy(job.cachePolicy);
  if (!policy)
    return policy.takeError();
  CacheOptions options;
  options.folder = job.cacheFolder;
  options.policy = *policy;
  options.build = getBuildIdFor(job);
  return Cache::open(std::move(options));
}

/// What a hit of the cache is checked by (Job::checksCache).
static constexpr StringLiteral cacheRule = "CACHE-HIT";

/// The finding to \p cached, if a compilation of \p pipeline without the cache gives anything
/// else.
static std::optional<Finding> checkCached(const PipelineDescription &pipeline,
                                          const CompileOptions &options, Compiler &compiler,
                                          const CompileResult &cached) {
  Expected<CompileResult> fresh = compiler.compile(pipeline, options, EmitPhase::Elf);
  if (fresh && printCached(*fresh) == printCached(cached))
    return std::nullopt;
  Finding finding;
  finding.rule = finding.signature = cacheRule.str();
  finding.message = "the cache returned an ELF of " + std::to_string(cached.output.size()) +
                    " bytes; a compilation gives " +
                    (fresh ? "another of " + std::to_string(fresh->output.size()) + " bytes"
                           : "an error: " + takeError(fresh.takeError()).message);
  return finding;
}

/// The debug modes of Assay's compiler in the row that \p job names, "assay-spillall", and what its
/// phase asks to print.
static DebugModes findDebugModes(const Job &job) {
  DebugModes modes;
  StringRef name = job.compiler;
  bool isMode = name.consume_front(compilers().front().name) && name.consume_front("-") &&
                is_contained(debugModeNames(), name);
  if (isMode)
    modes = cantFail(parseDebugMode(name));
  modes.printsIr = job.phase == "ir3";
  modes.printsPasses = job.phase == "ir3-passes";
  return modes;
}

/// With the faults that are planted in what was compiled. Findings go to \p findings.
static Expected<CompileResult> compileOwn(const Job &job, const PipelineDescription &pipeline,
                                          const CompileOptions &options, EmitPhase phase,
                                          Compiler &compiler, std::vector<Finding> &findings) {
  Expected<std::unique_ptr<Cache>> cache = openCache(job);
  if (!cache)
    return cache.takeError();
  compiler.setDebugModes(findDebugModes(job));
  compiler.setCache(cache->get());
  scope_exit forget([&] {
    compiler.setCache(nullptr);
    compiler.setDebugModes({});
  });
  Expected<CompileResult> result = compiler.compile(pipeline, options, phase);
  // Of a graphics pipeline one part may be from the cache.
  bool mayBeCached = result && (result->isFromCache || (*cache && pipeline.isGraphics()));
  if (mayBeCached && job.checksCache) {
    compiler.setCache(nullptr);
    if (std::optional<Finding> finding = checkCached(pipeline, options, compiler, *result))
      findings.push_back(std::move(*finding));
  }
  bool isElf = phase == EmitPhase::Elf && options.target->architecture == Architecture::AmdGpu;
  if (result && isElf && (job.score || !job.plants.empty()))
    if (Error error = plantInElf(result->output))
      return addContext(std::move(error), "planting faults");
  return result;
}

/// Appends an artifact for each pipeline of \p input: an ELF, or the module at the snapshot for a
/// machine that runs IR. Errors name the SPIR-V version of the module. Writes the text of the
/// modules to the output file if the job lists passes on such a machine.
static Error compileAll(const Job &job, const Case &input, const CompileOptions &options,
                        Compiler &compiler, std::vector<Artifact> &artifacts,
                        std::vector<Finding> &findings) {
  Expected<std::unique_ptr<PassLedger>> ledger = PassLedger::create(job);
  if (!ledger)
    return ledger.takeError();
  bool wantsIr = takesIr(job.machine);
  compiler.setPassWatcher(wantsIr || job.passes != JobPasses() ? ledger->get() : nullptr);
  scope_exit forget([&] { compiler.setPassWatcher(nullptr); });
  for (const CasePipeline &pipeline : input.pipelines) {
    Expected<CompileResult> result =
        wantsIr
            ? compileSnapshot(pipeline.description, options, compiler, **ledger)
            : compileOwn(job, pipeline.description, options, EmitPhase::Elf, compiler, findings);
    if (!result)
      return addVersion(result.takeError(), pipeline);
    artifacts.push_back(wantsIr ? Artifact::makeIr(toStringRef(result->output))
                                : Artifact(std::move(result->output)));
  }
  if (!wantsIr || !job.passes.lists)
    return Error::success();
  std::string text;
  for (const Artifact &artifact : artifacts)
    text += artifact.text();
  return writeFile(job.outputFile(), StringRef(text));
}

/// Job::elfFile.
static Error readElf(const Job &job, const Case &input, std::vector<Artifact> &artifacts) {
  if (input.pipelines.size() != 1)
    return unsupported("an ELF is there for a case with one pipeline alone");
  Expected<std::string> bytes = readFileText(job.elfFile);
  if (!bytes)
    return bytes.takeError();
  artifacts.emplace_back(std::vector<uint8_t>(bytes->begin(), bytes->end()));
  return Error::success();
}

/// Appends an artifact for each pipeline. An ELF file of the job takes the place of the compiler.
std::optional<Stop> assay::compilePipelines(const Job &job, const Case &input, Compiler &compiler,
                                            std::vector<Artifact> &artifacts) {
  if (!job.elfFile.empty()) {
    if (Error error = readElf(job, input, artifacts))
      return stopFor(std::move(error), "compile");
    return std::nullopt;
  }
  const CompilerSteps *steps = findCompilerSteps(job.compiler);
  if (!steps)
    return Stop{State::Unsupported, "compiler '" + job.compiler + "' is not built in yet", {}};
  return steps->compile(job, input, compiler, artifacts);
}

/// Checks the lowering of fat pointers while it compiles, if the job asks for it and the machine
/// runs no IR. Findings of that check stop the job as Fail.
std::optional<Stop> assay::compileByOwn(const Job &job, const Case &input, Compiler &compiler,
                                        std::vector<Artifact> &artifacts) {
  compiler.setGraphicsChoices(getGraphicsChoices(job));
  Expected<CompileOptions> options = makeOptions(job);
  if (!options)
    return stopFor(options.takeError(), "compile");
  std::vector<Finding> findings;
  if (!takesIr(job.machine) && job.checksLowering)
    compiler.setLoweringObserver([&](Module &before, Module &after) {
      noteStage("fat-pointers");
      std::string source; // The check changes the module.
      if (job.passes.explains)
        raw_string_ostream(source) << before;
      std::vector<Finding> own = checkShaderLowering(before, after);
      if (job.passes.explains && !own.empty())
        explainLowering(job, job.useLlvmLowering ? FatLowering::Llvm : FatLowering::Own, source,
                        /*isShader=*/true, shaderMeaningOptions(), own);
      append_range(findings, std::move(own));
      noteStage("compile");
    });
  scope_exit forget([&] { compiler.setLoweringObserver(nullptr); });
  if (Error error = compileAll(job, input, *options, compiler, artifacts, findings))
    return stopFor(std::move(error), "compile");
  if (!findings.empty())
    return Stop{State::Fail, findings.front().rule + ": " + findings.front().message, findings};
  return std::nullopt;
}

/// Name and value.
using StatisticRow = std::pair<StringRef, uint64_t>;

/// Appends \p rows, with \p prefix before each name. The prefix is empty for an artifact that is
/// the only one, else the name of the pipeline and a space.
static void addStatistics(ArrayRef<StatisticRow> rows, StringRef prefix, Verdict &verdict) {
  for (const auto &[name, value] : rows)
    verdict.statistics.emplace_back((prefix + name).str(), value);
}

// What the code takes of the machine, for the report. An ELF without is validate-elf's business.
static Error addElfStatistics(const Artifact &artifact, StringRef prefix, Verdict &verdict) {
  Expected<const PalMetadata &> metadata = viewMetadata(artifact);
  if (!metadata) {
    consumeError(metadata.takeError());
    return Error::success();
  }
  for (const HardwareStageMetadata &stage : metadata->stages) {
    const StatisticRow rows[] = {{"vgprs", stage.vgprCount},
                                 {"sgprs", stage.sgprCount},
                                 {"lds-bytes", stage.ldsSize},
                                 {"scratch-bytes", stage.scratchMemorySize}};
    addStatistics(rows, prefix, verdict);
  }
  return Error::success();
}

/// Converts what RADV reports to the units of the ELF's rows. One LDS unit is 512 bytes; scratch is
/// per lane.
static void addShaderStatistics(const radv::RadvShader &shader, StringRef prefix,
                                Verdict &verdict) {
  const StatisticRow rows[] = {{"vgprs", shader.vgprs},
                               {"sgprs", shader.sgprs},
                               {"lds-bytes", uint64_t(shader.ldsUnits) * 512},
                               {"scratch-bytes", shader.scratchBytesPerWave / shader.waveSize},
                               {"code-bytes", shader.execBytes}};
  addStatistics(rows, prefix, verdict);
}

/// Adds the rows of the only shader of a compute pipeline.
static Error addRadvStatistics(const Artifact &artifact, StringRef prefix, Verdict &verdict) {
  Expected<const radv::RadvShader &> shader = artifact.view<radv::RadvShader>(radv::readRadvShader);
  if (!shader)
    return shader.takeError();
  addShaderStatistics(*shader, prefix, verdict);
  return Error::success();
}

/// Adds the rows of both stages, with the stage in each name. A pipeline need not have a fragment
/// shader.
static Error addRadvGraphicsStatistics(const Artifact &artifact, StringRef prefix,
                                       Verdict &verdict) {
  Expected<const radv::RadvGraphics &> pipeline =
      artifact.view<radv::RadvGraphics>(radv::readRadvGraphics);
  if (!pipeline)
    return pipeline.takeError();
  addShaderStatistics(pipeline->vertex, (prefix + "vertex ").str(), verdict);
  if (pipeline->pixel)
    addShaderStatistics(*pipeline->pixel, (prefix + "fragment ").str(), verdict);
  return Error::success();
}

/// The driver's own, by its names.
static Error addTurnipStatistics(const Artifact &artifact, StringRef prefix, Verdict &verdict) {
  Expected<const turnip::TurnipShader &> shader =
      artifact.view<turnip::TurnipShader>(turnip::readTurnipShader);
  if (!shader)
    return shader.takeError();
  for (const turnip::Statistic &statistic : shader->statistics)
    addStatistics({{statistic.name, statistic.value}}, prefix, verdict);
  return Error::success();
}

namespace {
/// What an artifact of each type says about its code. An Error: the artifact can't be read.
struct StatisticsOfType {
  ArtifactType type;
  Error (*add)(const Artifact &artifact, StringRef prefix, Verdict &verdict);
};
} // namespace

/// Types without a row have no statistics except their size.
static constexpr StatisticsOfType statisticsRows[] = {
    {ArtifactType::PalElf, addElfStatistics},
    {ArtifactType::RadvShader, addRadvStatistics},
    {ArtifactType::RadvGraphics, addRadvGraphicsStatistics},
    {ArtifactType::TurnipShader, addTurnipStatistics},
};

/// Adds to \p verdict what validate-elf finds in \p artifact; \p place is the beginning of each
/// location. True: an error is among it.
static Expected<bool> validateOne(const Job &job, const Artifact &artifact, const Twine &place,
                                  Verdict &verdict) {
  ValidateOptions options;
  options.gfxip = job.target;
  Expected<std::vector<Finding>> findings = validateElf(artifact, options);
  if (!findings)
    return findings.takeError();
  bool isWrong = false;
  for (Finding &finding : *findings) {
    if (finding.severity == Severity::Note || isSkipped(job, finding))
      continue;
    isWrong |= finding.severity == Severity::Error;
    finding.location = (place + finding.location).str();
    verdict.findings.push_back(std::move(finding));
  }
  return isWrong;
}

/// As stopFor(), but a broken file is a failure of the compiler that wrote it, not of the case.
static Stop stopForOutput(Error error, StringRef step) {
  Stop stop = stopFor(std::move(error), step);
  if (stop.state == State::Invalid)
    stop.state = State::Fail;
  return stop;
}

/// Adds statistics and findings to the verdict. Names of pipelines are added only where there are
/// several artifacts. Rules exist for PAL ELFs only, which are for AMD's GPUs.
std::optional<Stop> assay::validateArtifacts(const Job &job, const Case &input,
                                             ArrayRef<Artifact> artifacts, Verdict &verdict) {
  uint64_t bytes = 0;
  bool isAnyWrong = false;
  for (auto [artifact, pipeline] : zip(artifacts, input.pipelines)) {
    bool isAlone = artifacts.size() == 1;
    bytes += artifact.bytes().size();
    for (const StatisticsOfType &row : statisticsRows)
      if (row.type == artifact.type())
        if (Error error = row.add(artifact, isAlone ? "" : pipeline.name + " ", verdict))
          return stopForOutput(std::move(error), "validate");
    if (artifact.type() != ArtifactType::PalElf)
      continue; // The machine refuses what it can't launch.
    if (findArchitecture(job.target) != Architecture::AmdGpu)
      return Stop{State::Fail, "the compiler wrote no file of code for " + job.target, {}};
    Expected<bool> isWrong =
        validateOne(job, artifact, isAlone ? "" : "pipeline '" + pipeline.name + "' ", verdict);
    if (!isWrong)
      return stopFor(isWrong.takeError(), "validate-elf");
    isAnyWrong |= *isWrong;
  }
  verdict.statistics.emplace_back("elf-bytes", bytes);
  if (isAnyWrong)
    return Stop{State::Fail, "validate-elf finds errors in the ELF", {}};
  return std::nullopt;
}

/// Returns the phase that `--phase` calls \p name. The phases "ir3" and "ir3-passes" are assembly
/// with debug modes that findDebugModes() sets.
static std::optional<EmitPhase> parsePhase(StringRef name) {
  static constexpr std::pair<StringRef, EmitPhase> phases[] = {
      {"elf", EmitPhase::Elf},      {"spirv", EmitPhase::SpirvText},
      {"lgc", EmitPhase::Lgc},      {"llvm", EmitPhase::Llvm},
      {"asm", EmitPhase::Assembly}, {"metadata", EmitPhase::Metadata},
      {"ir3", EmitPhase::Assembly}, {"ir3-passes", EmitPhase::Assembly}};
  for (const auto &[known, phase] : phases)
    if (known == name)
      return phase;
  return std::nullopt;
}

/// Returns the pipeline named by the job's entry point, or having an entry point of that name. With
/// a single compute pipeline, any name is accepted as another entry point of its module. Without a
/// name, the input must have a single pipeline.
Expected<CasePipeline> assay::choosePipeline(const Job &job, const Case &input) {
  if (input.pipelines.empty())
    return unsupported("nothing to compile: the input has no pipeline");
  if (job.entryPoint.empty()) {
    if (input.pipelines.size() > 1)
      return unsupported("the input has " + Twine(input.pipelines.size()) +
                         " pipelines; choose one by --entry");
    return input.pipelines.front();
  }
  for (const CasePipeline &pipeline : input.pipelines)
    if (pipeline.name == job.entryPoint ||
        any_of(pipeline.description.stages, [&](const ShaderDescription &shader) {
          return shader.entryPoint == job.entryPoint;
        }))
      return pipeline;
  if (input.pipelines.size() > 1)
    return invalidInput("no pipeline or entry point is called '" + job.entryPoint + "'");
  CasePipeline pipeline = input.pipelines.front();
  ShaderDescription *shader = pipeline.description.find(ShaderStage::Compute);
  if (!shader)
    return invalidInput("no pipeline or entry point is called '" + job.entryPoint + "'");
  shader->entryPoint = job.entryPoint;
  return pipeline;
}

/// A line each, as Job::codeFile() has them.
static std::string printAddresses(ArrayRef<uint64_t> addresses) {
  std::string text;
  raw_string_ostream os(text);
  for (uint64_t address : addresses)
    os << format_hex(address, 0) << "\n";
  return text;
}

/// The one of choosePipeline(); where it is compiled again, and none is named, all.
static Expected<std::vector<CasePipeline>> choosePipelines(const Job &job, const Case &input) {
  if (job.machine == compileAgainMachine && job.entryPoint.empty() && !input.pipelines.empty())
    return input.pipelines;
  Expected<CasePipeline> pipeline = choosePipeline(job, input);
  if (!pipeline)
    return pipeline.takeError();
  return std::vector{std::move(*pipeline)};
}

/// What \p pipeline becomes.
static Expected<std::vector<uint8_t>> compilePipeline(const Job &job, const CasePipeline &pipeline,
                                                      const CompileOptions &options,
                                                      EmitPhase phase, Compiler &compiler,
                                                      Verdict &verdict) {
  size_t before = verdict.findings.size();
  Expected<CompileResult> result =
      compileOwn(job, pipeline.description, options, phase, compiler, verdict.findings);
  if (!result)
    return result.takeError();
  if (verdict.findings.size() > before) {
    verdict.state = State::Fail;
    verdict.reason = verdict.findings.back().rule + ": " + verdict.findings.back().message;
  }
  for (const Diagnostic &diagnostic : result->diagnostics) {
    Finding finding;
    finding.rule = diagnostic.id;
    finding.severity = diagnostic.severity;
    finding.message = formatDiagnostic(diagnostic);
    finding.signature = diagnostic.id;
    verdict.findings.push_back(std::move(finding));
  }
  if (job.twice) {
    Expected<CompileResult> second =
        compileOwn(job, pipeline.description, options, phase, compiler, verdict.findings);
    if (!second)
      return second.takeError();
    requireSameBytes(result->output, second->output, "by the same compiler", verdict);
  }
  return std::move(result->output);
}

/// Job::detour, from the end of the table of targets that is farther from the one of \p options on:
/// what a process keeps for good, it keeps of the first.
static void compileForOthers(const Job &job, ArrayRef<CasePipeline> pipelines,
                             CompileOptions options, Compiler &compiler) {
  static bool isDone = false;
  if (!job.detour || std::exchange(isDone, true))
    return;
  std::vector<const TargetInfo *> others;
  for (const TargetInfo &target : getTargets())
    others.push_back(&target);
  auto own = find(others, options.target);
  bool isNearBegin = own - others.begin() < others.end() - own;
  others.erase(own);
  if (isNearBegin)
    std::reverse(others.begin(), others.end());
  options.waveSize = 0;
  for (const TargetInfo *target : others) {
    options.target = target;
    for (const CasePipeline &pipeline : pipelines)
      if (auto result = compiler.compile(pipeline.description, options, EmitPhase::Elf); !result)
        consumeError(result.takeError());
  }
}

/// Writes the text or binary of one phase to the output file of the job. Outputs of several
/// pipelines follow each other. Snapshots and lists of passes are as the job asks.
Error assay::compileToFileByOwn(const Job &job, const Case &input, Compiler &compiler,
                                Verdict &verdict) {
  std::optional<EmitPhase> phase = parsePhase(job.phase);
  if (!phase)
    return unsupported("phase '" + job.phase + "' does not exist");
  Expected<std::vector<CasePipeline>> pipelines = choosePipelines(job, input);
  if (!pipelines)
    return pipelines.takeError();
  compiler.setGraphicsChoices(getGraphicsChoices(job));
  Expected<CompileOptions> options = makeOptions(job);
  if (!options)
    return options.takeError();
  if (StringRef(job.phase).starts_with("ir3") &&
      options->target->architecture != Architecture::Adreno)
    return unsupported("phase '" + job.phase + "' of " + options->target->name +
                       ", which is no Adreno GPU");
  compileForOthers(job, *pipelines, *options, compiler);
  Expected<std::unique_ptr<PassLedger>> ledger = PassLedger::create(job);
  if (!ledger)
    return ledger.takeError();
  compiler.setPassWatcher(job.passes == JobPasses() ? nullptr : ledger->get());
  noteStage("compile");
  forgetEnteredCode();
  scope_exit forget([&] { compiler.setPassWatcher(nullptr); });
  std::vector<uint8_t> output;
  for (const CasePipeline &pipeline : *pipelines) {
    Expected<std::vector<uint8_t>> part =
        compilePipeline(job, pipeline, *options, *phase, compiler, verdict);
    if (!part)
      return addVersion(part.takeError(), pipeline);
    append_range(output, *part);
  }
  if (isCodeCounted())
    if (Error error = writeFile(job.codeFile(), StringRef(printAddresses(enteredCode()))))
      return error;
  return writeFile(job.outputFile(), output);
}

/// Passes the job to the row of its compiler. Unsupported for one that is not built in, or has no
/// phases.
static std::optional<Stop> compileToFile(const Job &job, const Case &input, Compiler &compiler,
                                         Verdict &verdict) {
  const CompilerSteps *steps = findCompilerSteps(job.compiler);
  if (!steps || !steps->compileToFile)
    return Stop{State::Unsupported, "compiler '" + job.compiler + "' has no phases", {}};
  return steps->compileToFile(job, input, compiler, verdict);
}

/// Sets state and reason where the phase cannot be written, else changes nothing.
void assay::compilePhase(const Job &job, const Case &input, Compiler &compiler, Verdict &verdict) {
  if (std::optional<Stop> stop = compileToFile(job, input, compiler, verdict)) {
    verdict.state = stop->state;
    verdict.reason = std::move(stop->reason);
  }
}
