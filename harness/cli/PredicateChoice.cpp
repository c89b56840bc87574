// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/PredicateChoice.h"

#include "harness/cli/InputFiles.h"
#include "harness/localize/Observe.h"
#include "harness/reduce/Derive.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

void assay::addPredicateChoice(CLI::App &verb, PredicateChoice &choice) {
  verb.add_option("input", choice.input, "A case, or the folder of a campaign's finding")
      ->required();
  CLI::Option *predicate = verb.add_option("--predicate", choice.predicateFile,
                                           "What must stay and how it is run, as a file; else what "
                                           "a diff with these options finds first");
  size_t before = verb.get_options().size();
  verb.add_option("--rule", choice.rule, "The first finding of this rule, not the first of all");
  addDiffChoices(verb, choice.diff);
  std::vector<CLI::Option *> options = verb.get_options();
  for (CLI::Option *option : drop_begin(options, before))
    predicate->excludes(option);
  addReadOptions(verb, choice.job);
  addRuleOptions(verb, choice.job);
  addJobOptions(verb, choice.job);
}

/// The file of the case; a finding's folder also says in \p options where it was found.
static Expected<CaseFile> openInput(const std::string &input, DiffOptions &options) {
  if (sys::fs::is_directory(input))
    return openFinding(input, options);
  Expected<std::vector<CaseFile>> cases = findCases({input});
  if (!cases)
    return cases.takeError();
  return std::move(cases->front());
}

/// Errors of the text name the file. InvalidInput for a folder and for a file that does not exist.
static Expected<Predicate> readPredicate(const std::string &path) {
  if (Error error = verifyInputFile(path))
    return std::move(error);
  Expected<std::string> text = readFileText(path);
  if (!text)
    return text.takeError();
  Expected<Predicate> predicate = parsePredicate(*text);
  if (!predicate)
    return addContext(predicate.takeError(), path);
  return predicate;
}

/// A finding becomes a wrong value, where there is one after it.
static Error observe(ChosenPredicate &chosen, const std::string &folder, const PoolOptions &pool) {
  if (Error error = WorkFolder::create(folder).moveInto(chosen.folder))
    return error;
  Expected<std::optional<ObservedCase>> observed =
      observeValues(chosen.file, chosen.predicate, pool, *chosen.folder);
  if (!observed)
    return observed.takeError();
  if (!*observed)
    return Error::success();
  std::string path = chosen.folder->jobFolder("chosen", 0) + "/case.amber";
  if (Error error = writeFile(path, StringRef((*observed)->text)))
    return error;
  chosen.file.path = std::move(path);
  chosen.predicate = std::move((*observed)->predicate);
  return Error::success();
}

Expected<ChosenPredicate> assay::choosePredicate(const PredicateChoice &choice,
                                                 const Invocation &invocation,
                                                 const PoolOptions &pool) {
  Expected<DiffOptions> options = makeDiffOptions(choice.job);
  if (!options)
    return options.takeError();
  if (Error error = applyDiffChoices(choice.diff, invocation, *options))
    return std::move(error);
  Expected<CaseFile> file = openInput(choice.input, *options);
  if (!file)
    return file.takeError();
  file->spirvEnv = choice.job.spirvEnv;
  Expected<Predicate> predicate = choice.predicateFile.empty()
                                      ? derivePredicate(*file, *options, pool, choice.rule)
                                      : readPredicate(choice.predicateFile);
  if (!predicate)
    return predicate.takeError();
  ChosenPredicate chosen{std::move(*file), std::move(*predicate), nullptr};
  if (choice.predicateFile.empty() && chosen.predicate.state == State::Invalid)
    if (Error error = observe(chosen, choice.job.workFolder, pool))
      return std::move(error);
  return std::move(chosen);
}
