// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Plan.h"

#include "harness/campaign/PlanTexts.h"
#include "support/Error.h"
#include "support/ShellQuote.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace assay;

namespace {

/// A file of an engine's plan, from a text with places like @NAME@.
struct FileRow {
  StringLiteral name;
  const char *text;
  bool isProgram;
};

/// What is known of one engine, and the files that its plan has.
struct EngineRow {
  StringLiteral name;
  StringLiteral runNumber; ///< Of a service: the variable that counts its runs. Empty: no service.
  unsigned mostShards;     ///< That the engine takes; 0: no limit.
  bool limitsAtOnce;       ///< Can be told how many shards run at one time.
  ArrayRef<FileRow> files;

  bool isService() const { return !runNumber.empty(); }
};

/// Name of the table in the plan's folder.
constexpr StringLiteral planSteeringFile = "steering.json";

/// What takes the place of each @NAME@.
using Values = std::vector<std::pair<StringRef, std::string>>;

} // namespace

static ArrayRef<EngineRow> engineRows() {
  static constexpr FileRow shard = {"shard.sh", planText::shard, true};
  static constexpr FileRow merge = {"merge.sh", planText::merge, true};
  static constexpr FileRow local[] = {shard, merge, {"run.sh", planText::local, true}};
  static constexpr FileRow parallel[] = {shard, merge, {"run.sh", planText::parallel, true}};
  static constexpr FileRow slurm[] = {shard,
                                      merge,
                                      {"shards.sbatch", planText::slurmShards, false},
                                      {"merge.sbatch", planText::slurmMerge, false},
                                      {"submit.sh", planText::slurmSubmit, true}};
  static constexpr FileRow gitlab[] = {{"gitlab-ci.yml", planText::gitlab, false}};
  static constexpr FileRow github[] = {{"workflow.yml", planText::github, false}};
  // Limits: "CI/CD YAML syntax reference" of GitLab, `parallel` ("a numeric value from 1 to 200");
  // "Actions limits" of GitHub ("a job matrix can generate a maximum of 256 jobs"). A resource
  // group of GitLab has one job at a time; how many of others run, its runners decide. Run numbers
  // stay when a run is repeated ("Predefined CI/CD variables", "Variables reference").
  static const EngineRow rows[] = {{"local", "", 0, true, local},
                                   {"parallel", "", 0, true, parallel},
                                   {"slurm", "", 0, true, slurm},
                                   {"gitlab", "CI_PIPELINE_IID", 200, false, gitlab},
                                   {"github", "GITHUB_RUN_NUMBER", 256, true, github}};
  return rows;
}

ArrayRef<StringRef> assay::campaignEngines() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> result;
    for (const EngineRow &row : engineRows())
      result.push_back(row.name);
    return result;
  }();
  return names;
}

/// Null for an unknown engine.
static const EngineRow *findEngine(StringRef name) {
  const auto *row = find_if(engineRows(), [&](const EngineRow &each) { return each.name == name; });
  return row == engineRows().end() ? nullptr : row;
}

bool assay::isService(StringRef engine) {
  const EngineRow *row = findEngine(engine);
  return row && row->isService();
}

std::vector<std::string> assay::takeOption(std::vector<std::string> &arguments, StringRef name) {
  std::vector<std::string> values, rest;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef word = arguments[i];
    if (word == name && i + 1 < arguments.size())
      values.push_back(arguments[++i]);
    else if (word.consume_front(name) && word.consume_front("="))
      values.push_back(word.str());
    else
      rest.push_back(arguments[i]);
  }
  arguments = std::move(rest);
  return values;
}

/// \p words as a command line for a POSIX shell.
static std::string quoteAll(ArrayRef<std::string> words) {
  return join(map_range(words, [](const std::string &word) { return quoteForShell(word); }), " ");
}

/// "A, B, C" from 1 to \p count.
static std::string listShards(unsigned count) {
  return join(map_range(seq_inclusive(1u, count), [](unsigned k) { return std::to_string(k); }),
              ", ");
}

/// \p folder between the quotes of an #SBATCH line, in a file name with %x: sbatch reads its
/// comments without a shell, but honours quotes and backslashes (src/sbatch/opt.c of Slurm 22.05),
/// and %% is a % (sbatch(1), "filename pattern").
static std::string escapeForSbatch(StringRef folder) {
  std::string result;
  for (char c : folder) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '%' ? "%%" : std::string(1, c);
  }
  return result;
}

/// Goes on after a shard that ended well: 1 findings, 4 flaky ones, 77 nothing but unsupported, as
/// a few cases may be where others are not.
static constexpr char unlessShardEndedWell[] = "case $? in 1 | 4 | 77) ;; *) exit $? ;; esac";

/// The report after a merge. What was found is no failure of it: 1 findings, 4 flaky ones. 77 is
/// one: in the whole campaign nothing was compared.
static std::string reportCommand(const std::string &program, const std::string &folder) {
  return formatv(
      "{0} report {1}/merged/result.json --quiet --html {1}/html || case $? in 1 | 4) ;; "
      "*) exit $? ;; esac",
      program, folder);
}

/// Of each shard, for a shell.
static std::string printArguments(const CampaignPlan &plan, const EngineRow &engine) {
  std::vector<std::string> arguments = plan.arguments;
  auto has = [&](StringRef name) {
    std::vector<std::string> copy = arguments;
    return !takeOption(copy, name).empty();
  };
  auto add = [&](StringRef name, const std::string &value) {
    arguments.insert(arguments.end(), {name.str(), value});
  };
  if (!engine.isService()) {
    if (!has("--jobs"))
      add("--jobs", "1");
    if (!plan.steering.empty())
      add("--steer", plan.folder + "/" + planSteeringFile.str());
    return quoteAll(arguments);
  }
  // A service kills what is late; a shard that stops before that keeps what it has.
  constexpr unsigned spareMinutes = 4;
  if (plan.minutes > spareMinutes && !has("--max-total-time"))
    add("--max-total-time", std::to_string((plan.minutes - spareMinutes) * 60));
  std::vector<std::string> seed = takeOption(arguments, "--seed");
  // Verified to be a number; a shell would read one that begins with 0 as octal.
  StringRef number = seed.empty() ? StringRef() : StringRef(seed.back()).ltrim('0');
  return formatv("{0}{1}--seed \"$(({2} + ${3}))\"", quoteAll(arguments),
                 arguments.empty() ? "" : " ", number.empty() ? "0" : number, engine.runNumber);
}

/// Returns a value for each place that any file of any engine has.
static Values valuesOf(const CampaignPlan &plan, const EngineRow &engine) {
  auto orElse = [](unsigned number, const std::string &other) {
    return number ? std::to_string(number) : other;
  };
  unsigned minutes = plan.minutes;
  std::string folder = engine.isService() ? "campaign" : quoteForShell(plan.folder);
  std::string program = quoteForShell(plan.program);
  return {
      {"PROGRAM", program},
      {"ARGUMENTS", printArguments(plan, engine)},
      {"FOLDER", folder},
      {"UNLESS-WELL", unlessShardEndedWell},
      {"REPORT", reportCommand(program, folder)},
      {"SBATCH-FOLDER", escapeForSbatch(plan.folder)},
      {"NAME", plan.name},
      {"SHARDS", std::to_string(plan.shards)},
      {"LIST", listShards(plan.shards)},
      {"AT-ONCE", orElse(plan.atOnce, "$(nproc)")},
      {"ARRAY-LIMIT", plan.atOnce ? "%" + std::to_string(plan.atOnce) : ""},
      {"MAX-PARALLEL", plan.atOnce ? "\n      max-parallel: " + std::to_string(plan.atOnce) : ""},
      {"SLURM-TIME", minutes ? formatv("\n#SBATCH --time={0}", minutes).str() : ""},
      {"GITLAB-TIME", minutes ? formatv("\n  timeout: {0} minutes", minutes).str() : ""},
      {"GITHUB-TIME", minutes ? formatv("\n    timeout-minutes: {0}", minutes).str() : ""}};
}

/// \p text with each @NAME@ of \p values replaced.
static std::string fillPlaces(StringRef text, const Values &values) {
  std::string result;
  while (!text.empty()) {
    auto found = find_if(
        values, [&](const auto &value) { return text.starts_with("@" + value.first.str() + "@"); });
    if (found == values.end()) {
      result += text.front();
      text = text.drop_front();
      continue;
    }
    result += found->second;
    text = text.drop_front(found->first.size() + 2);
  }
  return result;
}

/// A seed that the number of a run can be added to, by a shell.
static Error verifySeed(const CampaignPlan &plan) {
  std::vector<std::string> arguments = plan.arguments;
  uint32_t seed = 0;
  for (const std::string &text : takeOption(arguments, "--seed"))
    if (StringRef(text).getAsInteger(10, seed))
      return invalidInput("--seed " + text +
                          ": a service adds the number of its run to it, so that "
                          "it must be below 2^32");
  return Error::success();
}

/// InvalidInput as of planFiles().
static Error verifyPlan(const CampaignPlan &plan, const EngineRow &engine) {
  if (plan.shards == 0)
    return invalidInput("a plan needs at least one shard");
  if (engine.mostShards && plan.shards > engine.mostShards)
    return invalidInput(engine.name + " takes " + Twine(engine.mostShards) +
                        " shards at most, not " + Twine(plan.shards));
  if (plan.atOnce && !engine.limitsAtOnce)
    return invalidInput("how many shards run at one time is for the runners of " + engine.name +
                        " to decide");
  if (engine.isService())
    if (Error error = verifySeed(plan))
      return error;
  auto isPlain = [](char c) { return isAlnum(c) || c == '-' || c == '_'; };
  if (plan.name.empty() || !all_of(plan.name, isPlain))
    return invalidInput("the name '" + plan.name + "' has more than letters, digits, - and _");
  auto isLine = [](const std::string &text) { return text.find('\n') == std::string::npos; };
  if (!all_of(plan.arguments, isLine) || !isLine(plan.folder) || !isLine(plan.program))
    return invalidInput("an argument of a plan has more than one line");
  return Error::success();
}

Expected<std::vector<PlanFile>> assay::planFiles(StringRef engine, const CampaignPlan &plan) {
  const EngineRow *row = findEngine(engine);
  if (!row)
    return invalidInput("engine '" + engine + "': known are " + join(campaignEngines(), ", "));
  if (Error error = verifyPlan(plan, *row))
    return std::move(error);
  Values values = valuesOf(plan, *row);
  std::vector<PlanFile> files;
  if (!plan.steering.empty())
    files.push_back({planSteeringFile.str(), plan.steering, false});
  for (const FileRow &file : row->files)
    files.push_back({file.name.str(), fillPlaces(file.text, values), file.isProgram});
  return std::move(files);
}
