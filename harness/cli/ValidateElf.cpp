// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay validate-elf: PAL ELFs, and archives of them, against a catalogue of rules.
#include "oracles/pal_elf/ValidateElf.h"
#include "harness/cli/Cli.h"
#include "harness/cli/Progress.h"
#include "harness/run/Rerun.h"
#include "harness/run/ValidateBatches.h"
#include "harness/run/WorkFolder.h"
#include "oracles/pal_elf/DumpMetadata.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>
#include <glob.h>

using namespace llvm;
using namespace assay;

namespace {
struct ValidateVerb {
  std::vector<std::string> inputs;
  ValidateOptions rules;
  std::string only, skip, dialect = "auto", failOn = "error", explain;
  bool listRules = false;
  bool noCode = false;
  bool dump = false;
  JobOptions job;
  OutputOptions output;
};
} // namespace

static bool looksLikeElf(StringRef path) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
  if (!bytes) {
    consumeError(bytes.takeError());
    return false;
  }
  StringRef text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  return text.starts_with("\x7f"
                          "ELF") ||
         text.starts_with("!<arch>\n");
}

static Expected<std::vector<std::string>> findInFolder(const std::string &folder) {
  std::error_code code;
  std::vector<std::string> found;
  for (sys::fs::recursive_directory_iterator it(folder, code), end; it != end && !code;
       it.increment(code))
    if (sys::fs::is_regular_file(it->path()) && looksLikeElf(it->path()))
      found.push_back(it->path());
  if (code)
    return invalidInput(folder + ": " + code.message());
  if (found.empty())
    return invalidInput(folder + ": holds no ELF");
  llvm::sort(found);
  return std::move(found);
}

// What a pattern that no shell has expanded stands for, as the shell would have it.
static Expected<std::vector<std::string>> expandPattern(const std::string &pattern) {
  glob_t matches = {};
  int result = glob(pattern.c_str(), GLOB_ERR, nullptr, &matches);
  std::vector<std::string> found(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  globfree(&matches);
  if (result == 0)
    return std::move(found);
  return invalidInput(
      pattern + (result == GLOB_NOMATCH ? ": nothing is called so" : ": can't be searched for"));
}

// A named file as it is; of a folder, whatever begins like an ELF or an archive.
static Expected<std::vector<std::string>> findInput(const std::string &input) {
  if (sys::fs::is_directory(input))
    return findInFolder(input);
  if (input == "-" || sys::fs::exists(input))
    return std::vector<std::string>{input};
  if (StringRef(input).find_first_of("*?[") != StringRef::npos)
    return expandPattern(input);
  return invalidInput(input + ": No such file or directory");
}

static Expected<std::vector<std::string>> findFiles(ArrayRef<std::string> inputs) {
  std::vector<std::string> files;
  for (const std::string &input : inputs) {
    Expected<std::vector<std::string>> found = findInput(input);
    if (!found)
      return found.takeError();
    append_range(files, *found);
  }
  return std::move(files);
}

static std::string describeRerun(const ValidateVerb &verb, const std::string &path) {
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

// Standard input as a file that workers can read.
static Expected<std::vector<std::string>> keepStdin(ArrayRef<std::string> files,
                                                    const WorkFolder &folder) {
  std::vector<std::string> kept = files.vec();
  auto it = find(kept, "-");
  if (it == kept.end())
    return std::move(kept);
  Expected<std::vector<uint8_t>> bytes = readFileBytes("-");
  if (!bytes)
    return bytes.takeError();
  std::string path = folder.jobFolder("stdin", 0) + "/elf";
  if (Error error = writeFile(path, *bytes))
    return std::move(error);
  std::replace(it, kept.end(), std::string("-"), path);
  return std::move(kept);
}

static Expected<std::vector<Verdict>>
validateAll(const ValidateVerb &verb, const Invocation &invocation, ArrayRef<std::string> files) {
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(verb.job.workFolder);
  if (!folder)
    return folder.takeError();
  Expected<std::vector<std::string>> kept = keepStdin(files, **folder);
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
    verdict.rerun = describeRerun(verb, file);
  }
  return std::move(*verdicts);
}

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

// The metadata of each file as text, instead of verdicts.
static int dumpFiles(const ValidateVerb &verb, ArrayRef<std::string> files) {
  std::string text;
  raw_string_ostream os(text);
  for (const std::string &path : files) {
    Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
    if (!bytes)
      return failUsage(bytes.takeError());
    if (files.size() > 1)
      os << "# " << path << "\n";
    if (Error error = dumpMetadata(*bytes, os))
      return failUsage(addContext(std::move(error), path));
  }
  return printText(text, verb.output.output);
}

static int runVerb(ValidateVerb &verb, const Invocation &invocation) {
  if (verb.listRules) {
    std::string text;
    raw_string_ostream os(text);
    printRules(os);
    return printText(text, verb.output.output);
  }
  if (!verb.explain.empty()) {
    Expected<std::string> text = explainRule(verb.explain);
    return text ? printText(*text, verb.output.output)
                : fail(ExitUsage, takeError(text.takeError()).message);
  }
  if (verb.inputs.empty())
    return fail(ExitUsage, "validate-elf: an ELF, an archive, a folder or - is missing");
  if (Error error = fillRules(verb))
    return failUsage(std::move(error));
  Expected<std::vector<std::string>> files = findFiles(verb.inputs);
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
  addJobOptions(*verb, options->job);
  addOutputOptions(*verb, options->output);
  verb->callback([options, &invocation] {
    invocation.action = [options, &invocation] { return runVerb(*options, invocation); };
  });
}
