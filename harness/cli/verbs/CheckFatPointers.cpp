// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay check-fat-pointers: modules of LLVM IR, lowered here or by somebody else, to the
// fat-pointer oracle.
#include "harness/cli/Cli.h"
#include "harness/cli/InputFiles.h"
#include "harness/cli/Known.h"
#include "harness/cli/Progress.h"
#include "harness/run/CommandWords.h"
#include "harness/run/FatPointerJobs.h"
#include "harness/run/WorkFolder.h"
#include "oracles/fat_pointer/Rules.h"
#include "support/Error.h"
#include "support/ShellQuote.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Options of the verb. Inputs and flags together decide which module is the lowered one; see
/// chooseLowering().
struct FatPointerVerb {
  std::vector<std::string> inputs; ///< The modules before and, where given, after the lowering.
  FatPointerOptions options;
  std::string target = defaultTarget(Architecture::AmdGpu).str(), explain;
  bool llvmLowering = false, isLowered = false, listRules = false;
  JobOptions job;
  OutputOptions output;
  KnownOptions known;
};
} // namespace

/// Returns true for the endings of LLVM's text and bitcode. The file is not read.
static bool looksLikeModule(StringRef path) {
  return path.ends_with(".ll") || path.ends_with(".bc");
}

/// Returns what the lowered module is: the output of LLVM's pass or of a command, the second input,
/// or the first input itself. Assay's lowering is the default. InvalidInput for more than one
/// choice.
static Expected<FatLowering> chooseLowering(const FatPointerVerb &verb,
                                            const Invocation &invocation) {
  const std::pair<bool, FatLowering> choices[] = {
      {verb.llvmLowering, FatLowering::Llvm},
      {!invocation.command.empty(), FatLowering::Command},
      {verb.inputs.size() == 2, FatLowering::Given},
      {verb.isLowered, FatLowering::Lowered}};
  FatLowering lowering = FatLowering::Own;
  unsigned chosen = 0;
  for (auto [isChosen, choice] : choices) {
    chosen += isChosen;
    lowering = isChosen ? choice : lowering;
  }
  if (chosen > 1)
    return invalidInput("check-fat-pointers: only one of --use-llvm-lowering, --lowered, AFTER and "
                        "-- command can say what the lowered module is");
  return lowering;
}

/// Returns the lowered module of \p before: the second input, or where the inputs are folders the
/// file with the same relative path in the second. InvalidInput where that file is missing.
static Expected<std::string> findCounterpart(const FatPointerVerb &verb, StringRef before) {
  StringRef first = verb.inputs[0], second = verb.inputs[1];
  if (!sys::fs::is_directory(first))
    return second.str();
  SmallString<128> path(second);
  sys::path::append(path, before.drop_front(first.size()));
  if (!sys::fs::exists(path))
    return invalidInput(before + ": has no counterpart " + path);
  return path.str().str();
}

/// Returns the modules of the first input, each with its lowered counterpart if the second input
/// names one. InvalidInput if a counterpart is missing.
static Expected<std::vector<FatPointerInput>> findInputs(const FatPointerVerb &verb) {
  Expected<std::vector<std::string>> files =
      findInputFiles(verb.inputs[0], "module of LLVM IR", looksLikeModule);
  if (!files)
    return files.takeError();
  std::vector<FatPointerInput> inputs;
  for (const std::string &file : *files) {
    inputs.push_back({file, file, ""});
    if (verb.options.lowering != FatLowering::Given)
      continue;
    if (Error error = findCounterpart(verb, file).moveInto(inputs.back().after))
      return std::move(error);
    if (!sys::fs::exists(inputs.back().after))
      return invalidInput(inputs.back().after + ": No such file or directory");
  }
  return std::move(inputs);
}

/// Returns the command line that checks \p input again. Only \p function is checked if it is not
/// empty; a module that is already lowered is always checked as a whole.
static std::string describeRerun(const FatPointerVerb &verb, const Invocation &invocation,
                                 const FatPointerInput &input, StringRef function) {
  std::string text = "assay check-fat-pointers " + quoteForShell(input.before);
  if (!input.after.empty())
    text += " " + quoteForShell(input.after);
  if (verb.isLowered)
    return text + " --lowered";
  if (!function.empty())
    text += " --function " + quoteForShell(function);
  text += " --target " + verb.target + " --seed " + std::to_string(verb.options.seed) +
          " --trials " + std::to_string(verb.options.trials);
  for (const std::string &plant : verb.job.plants)
    text += " --plant " + quoteForShell(plant);
  if (verb.llvmLowering)
    text += " --use-llvm-lowering";
  if (!invocation.command.empty())
    text += " --";
  for (const std::string &word : invocation.command)
    text += " " + quoteForShell(word);
  return text;
}

/// Sets the command of each verdict. Its case id is the name of an input, or that and a function
/// after a colon.
static void addReruns(const FatPointerVerb &verb, const Invocation &invocation,
                      ArrayRef<FatPointerInput> inputs, std::vector<Verdict> &verdicts) {
  for (Verdict &verdict : verdicts)
    for (const FatPointerInput &input : inputs) {
      StringRef rest = verdict.caseId;
      if (rest.consume_front(input.name) && (rest.empty() || rest.consume_front(":")))
        verdict.rerun = describeRerun(verb, invocation, input, rest);
    }
}

/// Runs workers on all inputs. Standard input is copied to a file first, so that workers can read
/// it. A plant is for all cases here. Only faults of plants are used; their case names are ignored.
static Expected<std::vector<Verdict>> checkAll(const FatPointerVerb &verb,
                                               const Invocation &invocation,
                                               std::vector<FatPointerInput> inputs) {
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(verb.job.workFolder);
  if (!folder)
    return folder.takeError();
  for (FatPointerInput &input : inputs) {
    Expected<std::vector<std::string>> kept =
        keepStandardInput(input.before, (*folder)->jobFolder("stdin", 0) + "/module.ll");
    if (!kept)
      return kept.takeError();
    input.before = kept->front();
  }
  FatPointerBatch batch;
  batch.options = verb.options;
  batch.command = invocation.command;
  batch.target = verb.isLowered ? "" : verb.target;
  Expected<DiffOptions> common = makeDiffOptions(verb.job);
  if (!common)
    return common.takeError();
  batch.limits = common->limits;
  for (const Plant &plant : common->plants)
    batch.plants.push_back(plant.fault);
  Progress progress("check-fat-pointers", verb.output.quiet);
  batch.pool = makePool(verb.job, invocation);
  batch.pool.progress = [&](size_t done, size_t total) { progress.update(done, total); };
  return checkFatPointers(inputs, batch, **folder);
}

/// Prints id and title of each rule in two columns.
static int printRuleList(const FatPointerVerb &verb) {
  std::string text;
  for (const FatRuleInfo &rule : listFatRules())
    text += (rule.id + std::string(rule.id.size() < 16 ? 16 - rule.id.size() : 1, ' ') +
             rule.title + "\n")
                .str();
  return printText(text, verb.output.output);
}

/// Prints title and paragraph of the rule in --explain. Usage error for an unknown rule.
static int printExplanation(const FatPointerVerb &verb) {
  for (const FatRuleInfo &rule : listFatRules())
    if (rule.id == verb.explain)
      return printText((rule.id + ": " + rule.title + "\n\n" + rule.explanation + "\n").str(),
                       verb.output.output);
  return fail(ExitUsage, "unknown rule '" + verb.explain + "'");
}

/// Returns true if a worker refused the module because there is nothing to lower in it.
static bool isWithoutFatPointer(const Verdict &verdict) {
  return verdict.state == State::Invalid && verdict.reason == noFatPointer;
}

/// Returns the message of a usage error if a named module has no fat pointer, or if no module of a
/// folder has one. Otherwise removes the verdicts of modules without a fat pointer from a folder's
/// verdicts and returns nothing.
static std::optional<std::string> findMistake(const FatPointerVerb &verb,
                                              std::vector<Verdict> &verdicts) {
  bool isFolder = sys::fs::is_directory(verb.inputs[0]);
  auto first = find_if(verdicts, isWithoutFatPointer);
  if (first == verdicts.end())
    return std::nullopt;
  std::string name = first->caseId;
  erase_if(verdicts, [&](const Verdict &v) { return isFolder && isWithoutFatPointer(v); });
  if (isFolder && !verdicts.empty())
    return std::nullopt;
  return (isFolder ? verb.inputs[0] + ": no module in it has a fat pointer"
                   : name + ": " + noFatPointer.str()) +
         " (ptr addrspace(7) or (9)); --lowered checks what was lowered already";
}

/// --list-rules and --explain need no input and run nothing. Each verdict gets the command that
/// checks its input again.
static int runCheckFatPointersVerb(FatPointerVerb &verb, const Invocation &invocation) {
  if (verb.listRules)
    return printRuleList(verb);
  if (!verb.explain.empty())
    return printExplanation(verb);
  if (verb.inputs.empty() || verb.inputs.size() > 2)
    return fail(ExitUsage,
                "check-fat-pointers: BEFORE [AFTER] are files, folders, a quoted pattern "
                "or - for standard input");
  if (Error error = verifyCommand(invocation, loweringPlaceholders))
    return failUsage(std::move(error));
  Expected<FatLowering> lowering = chooseLowering(verb, invocation);
  if (!lowering)
    return failUsage(lowering.takeError());
  verb.options.lowering = *lowering;
  verb.options.seed = verb.job.seed;
  if (Error error = verifyTarget(verb.target))
    return failUsage(std::move(error));
  Expected<std::vector<FatPointerInput>> inputs = findInputs(verb);
  if (!inputs)
    return failUsage(inputs.takeError());
  if (Error error = readKnown(verb.known))
    return failUsage(std::move(error));
  Expected<std::vector<Verdict>> verdicts = checkAll(verb, invocation, *inputs);
  if (!verdicts)
    return failUsage(verdicts.takeError());
  if (std::optional<std::string> mistake = findMistake(verb, *verdicts))
    return fail(ExitUsage, *mistake);
  addReruns(verb, invocation, *inputs, *verdicts);
  Report report;
  report.verb = "check-fat-pointers";
  report.options = {{"target", verb.target},
                    {"seed", std::to_string(verb.options.seed)},
                    {"trials", std::to_string(verb.options.trials)}};
  report.verdicts = std::move(*verdicts);
  return printJudged(std::move(report), verb.output, verb.known);
}

void assay::addCheckFatPointers(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<FatPointerVerb>();
  CLI::App *verb =
      app.add_subcommand("check-fat-pointers", "Check a lowering of buffer fat pointers (LLVM IR)");
  verb->add_option(
      "inputs", options->inputs,
      "BEFORE [AFTER]: modules (.ll, .bc), folders, a pattern, or - for stdin; without "
      "AFTER, BEFORE is lowered here");
  verb->add_flag("--lowered", options->isLowered, "BEFORE was lowered already: is anything left?");
  verb->add_flag("--use-llvm-lowering", options->llvmLowering,
                 "Lower with LLVM's pass, not Assay's");
  verb->add_option("--target", options->target, "The chip to lower for")->capture_default_str();
  verb->add_option("--function", options->options.function, "Only this one, and what it calls");
  verb->add_option("--trials", options->options.trials, "Inputs that each function is run on")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  verb->add_option("--explain", options->explain, "Print the paragraph on a rule");
  verb->add_flag("--list-rules", options->listRules, "Print all rules");
  addJobOptions(*verb, options->job);
  addOutputOptions(*verb, options->output);
  addKnownOptions(*verb, options->known);
  verb->callback([options, &invocation] {
    invocation.takesCommand = true;
    invocation.action = [options, &invocation] {
      return runCheckFatPointersVerb(*options, invocation);
    };
  });
}
