// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay validate-elf: PAL ELFs, and archives of them, against a catalogue of rules.
#include "oracles/pal_elf/ValidateElf.h"
#include "harness/cli/Cli.h"
#include "harness/cli/InputFiles.h"
#include "harness/cli/Progress.h"
#include "harness/run/ValidateBatches.h"
#include "harness/run/WorkFolder.h"
#include "oracles/pal_elf/DumpMetadata.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/ShellQuote.h"
#include "llvm/ADT/STLExtras.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Options of the verb. \p only and \p skip are lists with commas, which fillRules() splits.
struct ValidateVerb {
  std::vector<std::string> inputs;
  ValidateOptions rules;
  std::string only, skip, dialect = "auto", failOn = "error", explain;
  bool listRules = false;
  bool noCode = false; ///< Leaves out the rules on machine code.
  bool dump = false;   ///< Prints metadata as assembler text and judges nothing.
  JobOptions job;
  OutputOptions output;
};
} // namespace

/// Returns whether the first bytes of the file are those of an ELF or an archive.
static bool looksLikeElf(StringRef path) {
  return beginsLike(path, isElfOrArchive);
}

/// Returns the command line that checks \p path again by the same rules. Options with their default
/// value are left out.
static std::string describeElfRerun(const ValidateVerb &verb, const std::string &path) {
  std::string text = "assay validate-elf " + quoteForShell(path);
  const std::pair<const char *, const std::string &> options[] = {
      {" --gfxip ", verb.rules.gfxip}, {" --only ", verb.only}, {" --skip ", verb.skip}};
  for (const auto &[name, value] : options)
    if (!value.empty())
      text += name + quoteForShell(value);
  if (verb.dialect != "auto")
    text += " --dialect " + verb.dialect;
  if (verb.failOn != "error")
    text += " --fail-on " + verb.failOn;
  return text + (verb.noCode ? " --no-code" : "") + (verb.rules.strict ? " --strict" : "");
}

/// Returns a verdict for each of \p files, in order. Standard input is copied to a file for the
/// workers; its verdict is called "-" again.
static Expected<std::vector<Verdict>>
validateAll(const ValidateVerb &verb, const Invocation &invocation, ArrayRef<std::string> files) {
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(verb.job.workFolder);
  if (!folder)
    return folder.takeError();
  Expected<std::vector<std::string>> kept =
      keepStandardInput(files, (*folder)->jobFolder("stdin", 0) + "/elf");
  if (!kept)
    return kept.takeError();
  ValidateBatchOptions options;
  options.ruleOptions = printValidateOptions(verb.rules);
  Expected<DiffOptions> limits = makeDiffOptions(verb.job);
  if (!limits)
    return limits.takeError();
  options.limits = limits->limits;
  for (const Plant &plant : limits->plants)
    options.plants.push_back(plant.fault + (plant.caseName.empty() ? "" : "@" + plant.caseName));
  Progress progress("validate-elf", verb.output.quiet);
  options.pool = makePool(verb.job, invocation);
  options.pool.progress = [&](size_t done, size_t total) { progress.update(done, total); };
  Expected<std::vector<Verdict>> verdicts = validateInBatches(*kept, options, **folder);
  if (!verdicts)
    return verdicts.takeError();
  for (auto [verdict, file] : zip_equal(*verdicts, files)) {
    verdict.caseId = file;
    verdict.rerun = describeElfRerun(verb, file);
  }
  return std::move(*verdicts);
}

/// Fills verb.rules from the texts of the command line. InvalidInput for rules, dialects and chips
/// that do not exist. Names of rules may be in lower case.
static Error fillRules(ValidateVerb &verb) {
  std::pair<StringRef, std::vector<std::string> &> lists[] = {{verb.only, verb.rules.only},
                                                              {verb.skip, verb.rules.skip}};
  for (auto &[text, names] : lists) {
    if (text.empty())
      continue;
    Expected<std::vector<std::string>> split = splitNames("rules", text);
    if (!split)
      return split.takeError();
    names = std::move(*split);
    for (std::string &name : names)
      name = StringRef(name).upper();
  }
  Expected<ElfDialect> dialect = parseElfDialect(verb.dialect);
  if (!dialect)
    return dialect.takeError();
  verb.rules.dialect = *dialect;
  verb.rules.code = !verb.noCode;
  verb.rules.failOn = verb.failOn == "warning" ? Severity::Warning : Severity::Error;
  // Unknown rules and chips are the command line's fault, whatever the files hold.
  return checkValidateOptions(verb.rules);
}

/// Prints the metadata of each file as text, with the file's name in front if there are several.
/// Files that can't be read are reported, and the others printed. Returns the highest exit code.
static int dumpFiles(const ValidateVerb &verb, ArrayRef<std::string> files) {
  std::string text;
  int code = ExitGood;
  for (const std::string &path : files) {
    Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
    if (!bytes) {
      code = std::max(code, failUsage(bytes.takeError()));
      continue;
    }
    std::string metadata;
    raw_string_ostream os(metadata);
    if (Error error = dumpMetadata(*bytes, os)) {
      code = std::max(code, failUsage(addContext(std::move(error), path)));
      continue;
    }
    text += (files.size() > 1 ? "# " + path + "\n" : "") + metadata;
  }
  int printed = text.empty() ? ExitGood : printText(text, verb.output.output);
  return printed ? printed : code;
}

/// Returns InvalidInput where no input is given, and for --dump in a format other than text.
static Error verifyUse(const ValidateVerb &verb) {
  if (verb.inputs.empty())
    return invalidInput("validate-elf: an ELF, an archive, a folder or - is missing");
  if (verb.dump && verb.output.format != "text")
    return invalidInput("--dump prints text for the assembler, not " + verb.output.format);
  return Error::success();
}

/// --list-rules and --explain need no input and run nothing; --dump prints metadata and judges
/// nothing.
static int runValidateElfVerb(ValidateVerb &verb, const Invocation &invocation) {
  if ((verb.listRules || !verb.explain.empty()) && verb.output.format != "text")
    return failUsage(
        invalidInput("--list-rules and --explain print text, not " + verb.output.format));
  if (verb.listRules) {
    std::string text;
    raw_string_ostream os(text);
    printRules(os);
    return printText(text, verb.output.output);
  }
  if (!verb.explain.empty()) {
    Expected<std::string> text = explainRule(StringRef(verb.explain).upper());
    return text ? printText(*text, verb.output.output)
                : fail(ExitUsage, takeError(text.takeError()).message);
  }
  if (Error error = verifyUse(verb))
    return failUsage(std::move(error));
  if (Error error = fillRules(verb))
    return failUsage(std::move(error));
  Expected<std::vector<std::string>> files = findInputFiles(verb.inputs, "ELF", looksLikeElf);
  if (!files)
    return failUsage(files.takeError());
  if (verb.dump)
    return dumpFiles(verb, *files);
  Expected<std::vector<Verdict>> verdicts = validateAll(verb, invocation, *files);
  if (!verdicts)
    return fail(ExitToolFailure, takeError(verdicts.takeError()).message);
  Report report;
  report.verb = "validate-elf";
  report.verdicts = std::move(*verdicts);
  return printReport(std::move(report), verb.output);
}

void assay::addValidateElf(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<ValidateVerb>();
  CLI::App *verb = app.add_subcommand("validate-elf", "Check PAL ELFs against the ABI's rules");
  verb->add_option("inputs", options->inputs, "ELFs, archives, folders, patterns, or - for stdin");
  verb->add_option("--gfxip", options->rules.gfxip, "The chip they must be for, such as gfx1100");
  verb->add_option("--only", options->only, "Rules, or prefixes of them, separated by commas");
  verb->add_option("--skip", options->skip, "Rules to leave out; wins over --only");
  verb->add_option("--dialect", options->dialect, "auto, llvm, lgc or sc: who wrote the metadata")
      ->check(CLI::IsMember({"auto", "llvm", "lgc", "sc"}))
      ->capture_default_str();
  verb->add_option("--fail-on", options->failOn, "error or warning: from what on a file fails")
      ->check(CLI::IsMember({"error", "warning"}))
      ->capture_default_str();
  verb->add_flag("--no-code", options->noCode, "Leave out the rules on machine code");
  verb->add_flag("--dump", options->dump,
                 "Print the metadata as assembler text instead of judging it");
  verb->add_flag("--strict", options->rules.strict, "Also what known writers do without harm");
  verb->add_option("--explain", options->explain, "Print the paragraph on a rule");
  verb->add_flag("--list-rules", options->listRules, "Print all rules");
  addWorkerOptions(*verb, options->job);
  addOutputOptions(*verb, options->output);
  verb->callback([options, &invocation] {
    invocation.action = [options, &invocation] { return runValidateElfVerb(*options, invocation); };
  });
}
