// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay localize: the phase, pass, function and instruction where a failing case goes wrong.
#include "harness/localize/Localize.h"

#include "harness/cli/OutputFile.h"
#include "harness/cli/PredicateChoice.h"
#include "harness/run/SameBytes.h"
#include "harness/triage/Findings.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Options of the verb. The input is a case, a folder of a finding, or a module of LLVM IR.
struct LocalizeVerb {
  PredicateChoice choice;
  std::string format = "text";
  std::string output;
};
} // namespace

/// Writes localize.json to the folder of a finding, and adds pass and operation to its facts.json,
/// where triage reads them. Other facts are kept. Errors are those of the files.
static Error writeFacts(const std::string &folder, const Localization &result, StringRef json) {
  std::string path = folder + "/facts.json";
  Facts facts;
  if (sys::fs::exists(path)) {
    Expected<std::string> text = readFileText(path);
    if (!text)
      return text.takeError();
    Expected<Facts> known = parseFacts(*text);
    if (!known)
      return addContext(known.takeError(), path);
    facts = std::move(*known);
  }
  if (!result.pass.empty())
    facts.pass = result.pass;
  facts.operation = result.operation;
  if (Error error = writeFile(folder + "/localize.json", json))
    return error;
  return writeFile(path, StringRef(printFacts(facts)));
}

/// Returns true for the endings of LLVM's text and bitcode. The file is not read.
static bool isModule(StringRef path) {
  return path.ends_with(".ll") || path.ends_with(".bc");
}

/// Localizes the lowering of a module of LLVM IR, for the first of the chosen targets.
static Expected<Localization> runModule(const LocalizeVerb &verb, const Invocation &invocation) {
  const PredicateChoice &choice = verb.choice;
  Expected<DiffOptions> options = makeDiffOptions(choice.job);
  if (!options)
    return options.takeError();
  if (Error error = applyDiffChoices(choice.diff, invocation, *options))
    return std::move(error);
  FatPointerBatch batch;
  batch.target = options->targets.front();
  for (const Plant &plant : options->plants)
    batch.plants.push_back(plant.fault);
  batch.limits = options->limits;
  batch.pool = makePool(choice.job, invocation);
  return localizeModule({choice.input, choice.input, ""}, batch, choice.job.workFolder);
}

/// Returns \p choice with the minimal case of a finding and its predicate as input, if the finding
/// was minimized. That case fails in the same way with less code. A given predicate file prevents
/// this.
static PredicateChoice preferMinimal(PredicateChoice choice) {
  std::string folder = choice.input + "/minimal";
  if (choice.predicateFile.empty() && sys::fs::exists(folder + "/difference.txt")) {
    choice.input = folder + "/minimal.amber";
    choice.predicateFile = folder + "/predicate.json";
  }
  return choice;
}

/// Localizes a case or a finding by its predicate. InvalidInput for a predicate about code that
/// differs from compilation to compilation.
static Expected<Localization> runCase(const LocalizeVerb &verb, const Invocation &invocation) {
  PoolOptions pool = makePool(verb.choice.job, invocation);
  Expected<ChosenPredicate> chosen = choosePredicate(preferMinimal(verb.choice), invocation, pool);
  if (!chosen)
    return chosen.takeError();
  if (chosen->predicate.job.machine == compileAgainMachine)
    return invalidInput("what is bad is that code is not always the same, which no run shows; "
                        "assay minimize makes the case small");
  return localize(chosen->file, chosen->predicate, pool, verb.choice.job.workFolder);
}

/// Prints the result. For a finding's folder it also writes localize.json and facts.json there, if
/// a pass or an operation was found.
static int runLocalizeVerb(const LocalizeVerb &verb, const Invocation &invocation) {
  Expected<Localization> result =
      isModule(verb.choice.input) ? runModule(verb, invocation) : runCase(verb, invocation);
  if (!result)
    return failUsage(result.takeError());
  std::string json, text;
  raw_string_ostream jsonOs(json), textOs(text);
  writeLocalizeJson(jsonOs, *result);
  writeLocalizeText(textOs, *result);
  if (sys::fs::is_directory(verb.choice.input) &&
      !(result->pass.empty() && result->operation.empty()))
    if (Error error = writeFacts(verb.choice.input, *result, json))
      return fail(std::move(error));
  return printText(verb.format == "json" ? json : text, verb.output);
}

void assay::addLocalize(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<LocalizeVerb>();
  CLI::App *verb =
      app.add_subcommand("localize", "Where a failing case goes wrong: phase, pass, instruction");
  verb->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  addOutputFile(*verb, "--output,-o", options->output,
                "Write the result to this file, not to stdout");
  addPredicateChoice(*verb, options->choice);
  verb->callback([options, &invocation] {
    invocation.takesCommand = true;
    invocation.action = [options, &invocation] { return runLocalizeVerb(*options, invocation); };
  });
}
