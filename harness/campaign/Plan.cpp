// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Plan.h"

#include "harness/campaign/PlanTexts.h"
#include "harness/run/Rerun.h"
#include "support/Error.h"
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

struct EngineRow {
  StringLiteral name;
  bool isService; ///< Starts somewhere else, in a checkout, with `assay` on the path.
  ArrayRef<FileRow> files;
};

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
  static const EngineRow rows[] = {{"local", false, local},
                                   {"parallel", false, parallel},
                                   {"slurm", false, slurm},
                                   {"gitlab", true, gitlab},
                                   {"github", true, github}};
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

/// The report after a merge. What was found is no failure of it: 1 findings, 4 flaky ones, 77
/// nothing but unsupported.
static std::string reportCommand(const std::string &program, const std::string &folder) {
  return formatv("{0} report {1}/merged/result.json --quiet --html {1}/html || case $? in 1 | 4 | "
                 "77) ;; *) exit $? ;; esac",
                 program, folder);
}

static Values valuesOf(const CampaignPlan &plan, const EngineRow &engine) {
  auto orElse = [](unsigned number, const std::string &other) {
    return number ? std::to_string(number) : other;
  };
  unsigned minutes = plan.minutes;
  std::vector<std::string> arguments = plan.arguments;
  // A service kills what is late; a shard that stops before that keeps what it has.
  if (engine.isService && minutes > 5 && !is_contained(arguments, "--max-total-time"))
    append_range(arguments,
                 std::vector<std::string>{"--max-total-time", std::to_string((minutes - 4) * 60)});
  std::string folder = engine.isService ? "campaign" : quoteForShell(plan.folder);
  std::string program = quoteForShell(plan.program);
  return {
      {"PROGRAM", program},
      {"ARGUMENTS", quoteAll(arguments)},
      {"FOLDER", folder},
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

static Error verifyPlan(const CampaignPlan &plan) {
  if (plan.shards == 0)
    return invalidInput("a plan needs at least one shard");
  auto isPlain = [](char c) { return isAlnum(c) || c == '-' || c == '_'; };
  if (plan.name.empty() || !all_of(plan.name, isPlain))
    return invalidInput("the name '" + plan.name + "' has more than letters, digits, - and _");
  auto isLine = [](const std::string &text) { return text.find('\n') == std::string::npos; };
  if (!all_of(plan.arguments, isLine) || !isLine(plan.folder) || !isLine(plan.program))
    return invalidInput("an argument of a plan has more than one line");
  return Error::success();
}

Expected<std::vector<PlanFile>> assay::planFiles(StringRef engine, const CampaignPlan &plan) {
  const auto *row =
      find_if(engineRows(), [&](const EngineRow &each) { return each.name == engine; });
  if (row == engineRows().end())
    return invalidInput("engine '" + engine + "': known are " + join(campaignEngines(), ", "));
  if (Error error = verifyPlan(plan))
    return std::move(error);
  Values values = valuesOf(plan, *row);
  std::vector<PlanFile> files;
  for (const FileRow &file : row->files)
    files.push_back({file.name.str(), fillPlaces(file.text, values), file.isProgram});
  return std::move(files);
}
