// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/corpus/Features.h"

#include "fuzz/generate/Coverage.h"
#include "harness/corpus/CodePlaces.h"
#include "harness/run/WorkFolder.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/gcn/Coverage.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

/// Adds the features of all shaders of the case. Errors are those of reading it.
static Error addCaseFeatures(const CaseFile &file, Features &features) {
  Expected<ReadOptions> options = makeReadOptions(file.spirvEnv);
  if (!options)
    return options.takeError();
  Expected<Case> input = readCase(file.path, file.id, *options);
  if (!input)
    return input.takeError();
  for (const CasePipeline &pipeline : input->pipelines)
    for (const ShaderDescription &shader : pipeline.description.stages) {
      Expected<Features> own = fuzz::featuresOf(shader.spirv);
      if (!own)
        return own.takeError();
      features.merge(*own);
    }
  return Error::success();
}

/// Adds the mnemonics in the code that \p job left.
static Error addCodeFeatures(const Job &job, Features &features) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(job.outputFile());
  if (!bytes)
    return bytes.takeError();
  Expected<gcn::StaticCode> code = gcn::decodeStatically(*bytes);
  if (!code)
    return code.takeError();
  for (const gcn::MicroOp &op : code->program->ops()) {
    StringRef mnemonic = StringRef(op.inst->text).split(' ').first;
    if (!mnemonic.empty())
      features.insert("isa " + job.target + " " + mnemonic.str());
  }
  return Error::success();
}

/// Adds the lines of the compiler's source that \p job entered. Environment for a broken file.
static Error addEnteredCode(const Job &job, CodePlaces &places, Features &features) {
  Expected<std::string> text = readFileText(job.codeFile());
  if (!text)
    return text.takeError();
  SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    uint64_t address = 0;
    if (line.getAsInteger(0, address))
      return environmentError(job.codeFile() + ": '" + line + "' is no address");
    if (std::string place = places.describe(address); !place.empty())
      features.insert("code " + place);
  }
  return Error::success();
}

/// A job for each case and target, the target changing fastest.
static std::vector<Job> makeCompileJobs(ArrayRef<FeaturedCase> cases, const DiffOptions &options,
                                        const WorkFolder &folder) {
  std::vector<Job> jobs;
  for (const FeaturedCase &each : cases)
    for (const std::string &target : options.targets) {
      Job job = makeCompileJob(makeCaseJob(each.file, options), "elf");
      job.compiler = ownCompiler.str();
      job.target = target;
      job.optLevel = options.levels.empty() ? 2 : options.levels.front();
      job.folder = folder.jobFolder("corpus", jobs.size());
      jobs.push_back(std::move(job));
    }
  return jobs;
}

/// Compiles all cases and adds what the code shows. Cases that do not compile get nothing.
static Error addCompiled(std::vector<FeaturedCase> &cases, const DiffOptions &options,
                         PoolOptions pool, bool withCode) {
  // What a process has compiled before decides what of the compiler is entered.
  if (withCode)
    pool.warm = pool.warmOthers = nullptr;
  CodePlaces places(pool.program);
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(options.workFolder);
  if (!folder)
    return folder.takeError();
  std::vector<Job> jobs = makeCompileJobs(cases, options, **folder);
  Expected<std::vector<Verdict>> verdicts = runJobs(jobs, pool);
  if (!verdicts)
    return verdicts.takeError();
  for (auto [index, job] : enumerate(jobs)) {
    if ((*verdicts)[index].state != State::Pass)
      continue;
    Features &features = cases[index / options.targets.size()].features;
    Error error = addCodeFeatures(job, features);
    if (!error && withCode)
      error = addEnteredCode(job, places, features);
    if (error)
      return addContext(std::move(error), job.caseId);
  }
  return Error::success();
}

Expected<std::vector<FeaturedCase>> assay::collectFeatures(ArrayRef<CaseFile> files,
                                                           const DiffOptions &options,
                                                           const PoolOptions &pool, bool withCode) {
  std::vector<FeaturedCase> cases;
  for (const CaseFile &file : files) {
    FeaturedCase each;
    each.file = file;
    if (std::error_code code = sys::fs::file_size(file.path, each.bytes))
      return environmentError(file.path + ": " + code.message());
    if (Error error = addCaseFeatures(file, each.features)) {
      each.problem = takeError(std::move(error)).message;
      each.features.clear();
    }
    cases.push_back(std::move(each));
  }
  if (!options.targets.empty())
    if (Error error = addCompiled(cases, options, pool, withCode))
      return std::move(error);
  return std::move(cases);
}

/// How many of \p features are not in \p covered.
static size_t countNew(const Features &features, const std::map<std::string, size_t> &covered) {
  return static_cast<size_t>(
      count_if(features, [&](const std::string &feature) { return !covered.count(feature); }));
}

std::vector<size_t> assay::chooseCover(ArrayRef<FeaturedCase> cases) {
  std::map<std::string, size_t> covered; ///< Chosen cases that have the feature.
  std::vector<size_t> chosen;
  while (true) {
    std::optional<size_t> best;
    size_t bestNew = 0;
    for (auto [index, each] : enumerate(cases)) {
      size_t adds = countNew(each.features, covered);
      if (adds > bestNew || (adds && adds == bestNew && each.bytes < cases[*best].bytes)) {
        best = index;
        bestNew = adds;
      }
    }
    if (!best)
      break;
    chosen.push_back(*best);
    for (const std::string &feature : cases[*best].features)
      ++covered[feature];
  }
  // What was chosen early may be needless by now: the largest go first.
  std::vector<size_t> bySize = chosen;
  sort(bySize, [&](size_t a, size_t b) {
    return std::pair(cases[a].bytes, a) > std::pair(cases[b].bytes, b);
  });
  for (size_t index : bySize) {
    const Features &features = cases[index].features;
    if (any_of(features, [&](const std::string &feature) { return covered[feature] == 1; }))
      continue;
    for (const std::string &feature : features)
      --covered[feature];
    erase(chosen, index);
  }
  sort(chosen);
  return chosen;
}
