// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Determinism.h"

#include "harness/run/Rerun.h"
#include "harness/run/Retry.h"
#include "harness/run/WorkFolder.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

static std::vector<Job> makeJobs(ArrayRef<CompiledAgain> cases, const DiffOptions &options,
                                 const WorkFolder &folder, StringRef stage) {
  std::vector<Job> jobs;
  for (const CompiledAgain &each : cases) {
    Job job = makeCompileJob(makeCaseJob(each.file, options), "elf");
    job.compiler = "assay";
    job.machine = compileAgainMachine.str();
    job.entryPoint = each.pipeline;
    size_t choice = each.number;
    auto choose = [&](const auto &values) {
      const auto &value = values[choice % values.size()];
      choice /= values.size();
      return value;
    };
    job.target = choose(options.targets);
    job.optLevel = choose(options.levels);
    job.waveSize = choose(options.waves);
    job.useLlvmLowering = options.useLlvmLowering;
    job.folder = folder.jobFolder(stage, jobs.size());
    job.rerun = describeCompile(job);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

/// Makes \p verdict a fail where the two outputs differ.
static Error compareOutputs(const Job &first, const Job &second, Verdict &verdict) {
  Expected<std::vector<uint8_t>> one = readFileBytes(first.outputFile());
  if (!one)
    return one.takeError();
  Expected<std::vector<uint8_t>> other = readFileBytes(second.outputFile());
  if (!other)
    return other.takeError();
  if (*one == *other)
    return Error::success();
  auto at = std::mismatch(one->begin(), one->end(), other->begin(), other->end()).first;
  Finding finding;
  finding.rule = "DETERMINISM";
  finding.message = "compiled again, in another process, it gives other bytes, from byte " +
                    std::to_string(at - one->begin()) + " of " + std::to_string(one->size()) +
                    " and " + std::to_string(other->size()) + " on";
  finding.signature = "DETERMINISM";
  verdict.state = State::Fail;
  verdict.reason = finding.rule + ": " + finding.message;
  verdict.findings.push_back(std::move(finding));
  return Error::success();
}

Expected<std::vector<Verdict>> assay::compileAgain(ArrayRef<CompiledAgain> cases,
                                                   const DiffOptions &options,
                                                   const PoolOptions &pool) {
  Expected<std::unique_ptr<WorkFolder>> folder =
      WorkFolder::create(options.workFolder, options.workFiles);
  if (!folder)
    return folder.takeError();
  PoolOptions elsewhere = pool;
  elsewhere.warm = pool.warmOthers;
  std::vector<Job> first = makeJobs(cases, options, **folder, "compile");
  std::vector<Job> second = makeJobs(cases, options, **folder, "again");
  Expected<std::vector<Verdict>> verdicts = runJobsSteadily(first, pool, options.retries);
  if (!verdicts)
    return verdicts.takeError();
  Expected<std::vector<Verdict>> others = runJobsSteadily(second, elsewhere, options.retries);
  if (!others)
    return others.takeError();
  for (size_t i = 0; i < first.size(); ++i) {
    Verdict &verdict = (*verdicts)[i];
    const Verdict &other = (*others)[i];
    if (verdict.state != other.state)
      makeFlaky(verdict, other);
    else if (verdict.state == State::Pass)
      if (Error error = compareOutputs(first[i], second[i], verdict))
        return std::move(error);
  }
  return verdicts;
}
