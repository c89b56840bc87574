// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay check-hashes: pipelines to the oracle of hash chains.
#include "compiler/api/Architecture.h"
#include "compiler/api/Target.h"
#include "fuzz/pair/PairMutations.h"
#include "harness/cli/Cli.h"
#include "harness/cli/Progress.h"
#include "harness/run/HashChainJobs.h"
#include "harness/run/WorkFolder.h"
#include "oracles/hash_chain/HashChainOracle.h"
#include "support/Count.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// One input is a case or a folder of cases to mutate; two are a pair to compare.
struct HashVerb {
  std::vector<std::string> inputs; ///< One to be mutated, or two cases to be compared.
  std::string targets = defaultTarget(Architecture::AmdGpu).str(), explain;
  bool listRules = false, listMutations = false;
  HashChainOptions chains;
  JobOptions job;
  OutputOptions output;
};
} // namespace

/// Prints id and title of each rule in two columns.
static int printRuleList(const HashVerb &verb) {
  std::string text;
  raw_string_ostream os(text);
  for (const ChainRuleInfo &rule : listChainRules())
    os << left_justify(rule.id, 14) << rule.title << "\n";
  return printText(text, verb.output.output);
}

/// Prints title and paragraph of the rule in --explain. Usage error for an unknown rule.
static int printExplanation(const HashVerb &verb) {
  for (const ChainRuleInfo &rule : listChainRules())
    if (rule.id == verb.explain)
      return printText((rule.id + ": " + rule.title + "\n\n" + rule.text + "\n").str(),
                       verb.output.output);
  return fail(ExitUsage, "unknown rule '" + verb.explain + "'");
}

/// Prints name and help of each mutation, and marks the neutral ones.
static int printMutationList(const HashVerb &verb) {
  std::string text;
  raw_string_ostream os(text);
  for (const PairMutation &mutation : listPairMutations())
    os << left_justify(mutation.name, 24) << (mutation.isNeutral ? "neutral  " : "         ")
       << mutation.help << "\n";
  return printText(text, verb.output.output);
}

/// InvalidInput for a name of --mutation that does not exist.
static Error verifyMutations(const HashVerb &verb) {
  for (const std::string &name : verb.chains.mutations)
    if (none_of(listPairMutations(),
                [&](const PairMutation &mutation) { return mutation.name == name; }))
      return invalidInput("unknown mutation '" + name + "'; see check-hashes --list-mutations");
  return Error::success();
}

/// Returns whether \p path can be one of a pair: a regular file or standard input.
static bool isFile(StringRef path) {
  return path == standardInputId || sys::fs::is_regular_file(path);
}

/// Returns a job for each target and case; the caller sets their folders. InvalidInput for an
/// unknown target, and for a pair that is not two files.
static Expected<std::vector<Job>> makeJobs(const HashVerb &verb) {
  Expected<DiffOptions> options = makeDiffOptions(verb.job);
  if (!options)
    return options.takeError();
  Expected<std::vector<std::string>> targets = splitNames("--targets", verb.targets);
  if (!targets)
    return targets.takeError();
  bool isPair = verb.inputs.size() == 2;
  for (const std::string &input : verb.inputs)
    if (isPair && !isFile(input))
      return invalidInput(input + ": is not a file; two inputs are a pair of files");
  Expected<std::vector<CaseFile>> files = findCases(verb.inputs.front(), verb.job.spirvEnv);
  if (!files)
    return files.takeError();
  std::vector<Job> jobs;
  for (const std::string &target : *targets) {
    if (Error error = verifyTarget(target))
      return std::move(error);
    for (const CaseFile &file : *files)
      jobs.push_back(
          makeHashChainJob(file, target, isPair ? verb.inputs[1] : "", verb.chains, *options));
  }
  return jobs;
}

/// Returns the sum of \p fact over the verdicts that have it.
static uint64_t sumFact(ArrayRef<Verdict> verdicts, std::optional<uint64_t> VerdictFacts::*fact) {
  uint64_t sum = 0;
  for (const Verdict &verdict : verdicts)
    sum += (verdict.facts.*fact).value_or(0);
  return sum;
}

/// Prints to stderr how many of the pairs with equal code have equal hashes. A low share means that
/// the hashes are imprecise, not that they are wrong.
static void printPrecision(ArrayRef<Verdict> verdicts) {
  uint64_t sameCode = sumFact(verdicts, &VerdictFacts::sameCodePairs);
  uint64_t sameHash = sumFact(verdicts, &VerdictFacts::sameHashPairs);
  errs() << "check-hashes: " << countOf(sumFact(verdicts, &VerdictFacts::pairs), "pair") << ", "
         << sameCode << " with equal code; " << sameHash << " of these have equal hashes";
  if (sameCode)
    errs() << format(" (%.1f %%)", 100.0 * double(sameHash) / double(sameCode));
  errs() << "\n";
}

/// Runs a job for each case and target. The precision is printed for mutated pairs only.
static int runCheckHashesVerb(HashVerb &verb, const Invocation &invocation) {
  if (verb.listRules)
    return printRuleList(verb);
  if (verb.listMutations)
    return printMutationList(verb);
  if (!verb.explain.empty())
    return printExplanation(verb);
  if (verb.inputs.empty() || verb.inputs.size() > 2)
    return fail(ExitUsage, "check-hashes: PIPELINE [PIPELINE] are a case or a folder of cases, or "
                           "two cases");
  if (Error error = verifyMutations(verb))
    return failUsage(std::move(error));
  Expected<std::vector<Job>> jobs = makeJobs(verb);
  if (!jobs)
    return failUsage(jobs.takeError());
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(verb.job.workFolder);
  if (!folder)
    return fail(folder.takeError());
  for (size_t i = 0; i < jobs->size(); ++i)
    (*jobs)[i].folder = (*folder)->jobFolder("hashes", i);
  Progress progress("check-hashes", verb.output.quiet);
  PoolOptions pool = makePool(verb.job, invocation);
  pool.progress = [&](size_t done, size_t total) { progress.update(done, total); };
  Report report;
  report.verb = "check-hashes";
  report.options = {{"targets", verb.targets},
                    {"pairs", std::to_string(verb.chains.pairs)},
                    {"seed", std::to_string(verb.job.seed)}};
  Expected<std::vector<Verdict>> verdicts = runJobs(*jobs, pool);
  if (!verdicts)
    return fail(verdicts.takeError());
  report.verdicts = std::move(*verdicts);
  if (!verb.output.quiet && verb.inputs.size() == 1)
    printPrecision(report.verdicts);
  return printReport(std::move(report), verb.output);
}

void assay::addCheckHashes(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<HashVerb>();
  CLI::App *verb =
      app.add_subcommand("check-hashes", "Check the laws of hash chains on pairs of pipelines");
  verb->add_option("inputs", options->inputs,
                   "PIPELINE [PIPELINE]: a case or a folder of cases, which are mutated, or two "
                   "cases, which are compared");
  verb->add_option("--targets", options->targets, "Chips, separated by commas")
      ->capture_default_str();
  verb->add_option("--pairs", options->chains.pairs, "Mutations of each pipeline")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  verb->add_option("--mutation", options->chains.mutations,
                   "A kind of mutation; may be repeated (default: all)");
  verb->add_flag("--list-mutations", options->listMutations, "Print the kinds of mutations");
  verb->add_option("--explain", options->explain, "Print the paragraph on a rule");
  verb->add_flag("--list-rules", options->listRules, "Print all rules");
  addReadOptions(*verb, options->job);
  addJobOptions(*verb, options->job);
  addOutputOptions(*verb, options->output);
  verb->callback([options, &invocation] {
    invocation.action = [options, &invocation] { return runCheckHashesVerb(*options, invocation); };
  });
}
