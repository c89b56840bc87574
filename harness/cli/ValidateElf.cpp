// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay validate-elf: PAL ELFs, and archives of them, against a catalogue of rules.
#include "oracles/pal_elf/ValidateElf.h"
#include "harness/cli/Cli.h"
#include "harness/run/Rerun.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
struct ValidateVerb {
  std::vector<std::string> inputs;
  ValidateOptions rules;
  std::string only, skip, dialect = "auto", explain;
  bool listRules = false;
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

// Named files as they are; of a folder, whatever begins like an ELF or an archive.
static Expected<std::vector<std::string>> findFiles(ArrayRef<std::string> inputs) {
  std::vector<std::string> files;
  for (const std::string &input : inputs) {
    if (input != "-" && !sys::fs::exists(input))
      return invalidInput(input + ": No such file or directory");
    if (!sys::fs::is_directory(input)) {
      files.push_back(input);
      continue;
    }
    std::error_code code;
    std::vector<std::string> found;
    for (sys::fs::recursive_directory_iterator it(input, code), end; it != end && !code;
         it.increment(code))
      if (sys::fs::is_regular_file(it->path()) && looksLikeElf(it->path()))
        found.push_back(it->path());
    if (found.empty())
      return invalidInput(input + ": holds no ELF");
    llvm::sort(found);
    files.insert(files.end(), found.begin(), found.end());
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
  return text + (verb.rules.strict ? " --strict" : "");
}

static Expected<Verdict> validateFile(const ValidateVerb &verb, const std::string &path) {
  Verdict verdict;
  verdict.caseId = path;
  verdict.rerun = describeRerun(verb, path);
  Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
  if (!bytes) {
    verdict.reason = takeError(bytes.takeError()).message;
    return verdict;
  }
  Expected<std::vector<Finding>> findings = validateElf(*bytes, verb.rules);
  if (!findings)
    return findings.takeError();
  verdict.findings = std::move(*findings);
  auto errors =
      count_if(verdict.findings, [](const Finding &f) { return f.severity == Severity::Error; });
  verdict.state = errors ? State::Fail : State::Pass;
  if (errors)
    verdict.reason = std::to_string(errors) + (errors == 1 ? " error" : " errors");
  return verdict;
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
  // Unknown rules and chips are the command line's fault, whatever the files hold.
  return validateElf({}, verb.rules).takeError();
}

static int runVerb(ValidateVerb &verb) {
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
  Report report;
  report.verb = "validate-elf";
  for (const std::string &path : *files) {
    Expected<Verdict> verdict = validateFile(verb, path);
    if (!verdict)
      return fail(verdict.takeError());
    report.verdicts.push_back(std::move(*verdict));
  }
  return printReport(std::move(report), verb.output);
}

void assay::addValidateElf(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<ValidateVerb>();
  CLI::App *verb = app.add_subcommand("validate-elf", "Check PAL ELFs against the ABI's rules");
  verb->add_option("inputs", options->inputs, "ELFs, archives, folders, or - for stdin");
  verb->add_option("--gfxip", options->rules.gfxip, "The chip they must be for, such as gfx1100");
  verb->add_option("--only", options->only, "Rules, or prefixes of them, separated by commas");
  verb->add_option("--skip", options->skip, "Rules to leave out; wins over --only");
  verb->add_option("--dialect", options->dialect, "auto, llvm, lgc or sc: who wrote the metadata")
      ->check(CLI::IsMember({"auto", "llvm", "lgc", "sc"}))
      ->capture_default_str();
  verb->add_flag("--strict", options->rules.strict, "Also what known writers do without harm");
  verb->add_option("--explain", options->explain, "Print the paragraph on a rule");
  verb->add_flag("--list-rules", options->listRules, "Print all rules");
  addOutputOptions(*verb, options->output);
  verb->callback(
      [options, &invocation] { invocation.action = [options] { return runVerb(*options); }; });
}
