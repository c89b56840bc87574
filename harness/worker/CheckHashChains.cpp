// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/CheckHashChains.h"

#include "harness/hash_chain/CheckPairs.h"
#include "harness/run/HashChainJobs.h"
#include "harness/run/WorkerGuard.h"
#include "harness/worker/Steps.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;

/// Returns the first pipeline of \p input with the job's target and optimization level; further
/// pipelines are ignored. Unsupported for a case without pipelines.
static Expected<PairInput> makeInput(const Job &job, const Case &input) {
  if (input.pipelines.empty())
    return unsupported("the input has no pipeline");
  Expected<const TargetInfo *> target = findTarget(job.target);
  if (!target)
    return target.takeError();
  PairInput result;
  result.pipeline = input.pipelines.front().description;
  result.options.target = *target;
  result.options.optLevel = static_cast<unsigned>(job.optLevel);
  return result;
}

/// Compares \p first with the first pipeline of the job's first file, read as a case. Errors are
/// those of reading it and of both compilations.
static Expected<PairReport> checkGivenPair(const Job &job, const PairInput &first,
                                           Compiler &compiler) {
  Expected<ReadOptions> options = makeReadOptions(job.spirvEnv);
  if (!options)
    return options.takeError();
  Expected<Case> other = readCase(job.files.front(), job.files.front(), *options);
  if (!other)
    return other.takeError();
  Expected<PairInput> second = makeInput(job, *other);
  if (!second)
    return second.takeError();
  return checkPair(compiler, first, *second);
}

/// Checks one given pair where the job names a second file, else pairs that are derived from \p
/// input by mutations, as many as the rule options say.
static Expected<PairReport> check(const Job &job, const Case &input, Compiler &compiler) {
  Expected<HashChainOptions> options = parseHashChainOptions(job.ruleOptions);
  if (!options)
    return options.takeError();
  Expected<PairInput> first = makeInput(job, input);
  if (!first)
    return first.takeError();
  if (!job.files.empty())
    return checkGivenPair(job, *first, compiler);
  PairOptions pairs;
  pairs.seed = job.seed;
  pairs.pairs = options->pairs;
  pairs.mutations = options->mutations;
  return checkPairs(compiler, *first, pairs);
}

/// What the user of a pair wants to know: whether one may represent the other.
static std::string describePair(const PairReport &report) {
  PairCounts total = report.total();
  if (total.sameCodeSameHash == total.shaders)
    return "equal hashes, equal code";
  std::string text =
      total.sameCode == total.shaders ? "equal code, but different hashes" : "different hashes";
  for (const auto &[datum, count] : report.differing)
    text += ": '" + datum + "' differs";
  return text;
}

/// Fails with the first finding as the reason. Counts of pairs go to the facts of the verdict.
/// Where the oracle cannot work, the state says why.
void assay::checkHashChains(const Job &job, const Case &input, Compiler &compiler,
                            Verdict &verdict) {
  noteStage("check-hashes");
  Expected<PairReport> report = check(job, input, compiler);
  if (!report) {
    Stop stop = stopFor(report.takeError(), "compile");
    verdict.state = stop.state;
    verdict.reason = stop.reason;
    return;
  }
  PairCounts total = report->total();
  verdict.facts.pairs = total.pairs;
  verdict.facts.sameCodePairs = total.sameCode;
  verdict.facts.sameHashPairs = total.sameCodeSameHash;
  verdict.findings = std::move(report->findings);
  if (!verdict.findings.empty()) {
    verdict.state = State::Fail;
    verdict.reason = verdict.findings.front().rule + ": " + verdict.findings.front().message;
  } else if (!job.files.empty()) {
    verdict.reason = describePair(*report);
  }
}
