// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/FatPointerJobs.h"

#include "oracles/api/States.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace assay;

/// In the order of FatLowering: its name in a job, and what a verdict calls the compiler.
static constexpr std::pair<StringLiteral, StringLiteral> lowerings[] = {
    {"own", ownCompiler},
    {"llvm", "llvm"},
    {"command", commandCompiler},
    {"given", "given"},
    {"lowered", "given"}};

StringRef assay::loweringName(FatLowering lowering) {
  return lowerings[static_cast<size_t>(lowering)].first;
}

/// Nothing for unknown names.
std::optional<FatLowering> assay::parseLowering(StringRef name) {
  const auto *row = find_if(lowerings, [&](const auto &each) { return each.first == name; });
  if (row == std::end(lowerings))
    return std::nullopt;
  return static_cast<FatLowering>(row - std::begin(lowerings));
}

/// As "name=value" words, which parseFatPointerOptions() reads.
std::vector<std::string> assay::printFatPointerOptions(const FatPointerOptions &options) {
  return {("lowering=" + loweringName(options.lowering)).str(),
          "seed=" + std::to_string(options.seed), "trials=" + std::to_string(options.trials),
          "function=" + options.function, "explains=" + std::to_string(options.explains)};
}

/// Sets the option that "name=value" describes. InvalidInput.
static Error parseOption(StringRef text, FatPointerOptions &options) {
  auto [name, value] = text.split('=');
  if (name == "lowering") {
    std::optional<FatLowering> lowering = parseLowering(value);
    if (!lowering)
      return invalidInput("unknown lowering '" + value + "'");
    options.lowering = *lowering;
  } else if (name == "function") {
    options.function = value.str();
  } else if (name == "explains") {
    options.explains = value == "1";
  } else if (!(name == "seed" && to_integer(value, options.seed, 10)) &&
             !(name == "trials" && to_integer(value, options.trials, 10))) {
    return invalidInput("unknown option '" + text + "' of check-fat-pointers");
  }
  return Error::success();
}

Expected<FatPointerOptions> assay::parseFatPointerOptions(ArrayRef<std::string> texts) {
  FatPointerOptions options;
  for (const std::string &text : texts)
    if (Error error = parseOption(text, options))
      return std::move(error);
  return std::move(options);
}

/// \p options take the place of those of \p batch.
static Job makeJob(const FatPointerInput &input, const FatPointerBatch &batch,
                   const FatPointerOptions &options, std::string folder) {
  Job job;
  job.kind = JobKind::FatPointers;
  job.caseId = input.name;
  job.compiler = lowerings[static_cast<size_t>(options.lowering)].second.str();
  job.machine = irMachine.str();
  job.target = batch.target;
  job.command = batch.command;
  job.plants = batch.plants;
  job.limits = batch.limits;
  job.files = {input.before};
  if (!input.after.empty())
    job.files.push_back(input.after);
  job.ruleOptions = printFatPointerOptions(options);
  job.folder = std::move(folder);
  return job;
}

/// The verdicts that the worker of \p job left, up to where it came.
static std::vector<Verdict> readVerdicts(const Job &job) {
  std::vector<Verdict> verdicts;
  Expected<std::string> text = readFileText(job.verdictsFile());
  if (!text) {
    consumeError(text.takeError()); // It died before it wrote any.
    return verdicts;
  }
  SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    Expected<json::Value> value = json::parse(line);
    Expected<Verdict> verdict = value ? readVerdict(*value) : Expected<Verdict>(value.takeError());
    if (!verdict) {
      consumeError(verdict.takeError()); // The line that it died at.
      break;
    }
    verdicts.push_back(std::move(*verdict));
  }
  return verdicts;
}

/// The functions that a worker saw before it lowered them.
static std::vector<std::string> readFunctions(const Job &job) {
  Expected<std::string> text = readFileText(job.outputFile());
  std::vector<std::string> names;
  if (!text) {
    consumeError(text.takeError());
    return names;
  }
  SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    names.push_back(line.str());
  return names;
}

/// Whether the lowered module as a whole breaks LLVM's rules, so that no function was judged.
static bool isBroken(ArrayRef<Verdict> verdicts) {
  return any_of(verdicts, [](const Verdict &verdict) {
    return any_of(verdict.findings,
                  [](const Finding &finding) { return finding.rule == brokenModuleRule; });
  });
}

/// Returns the verdicts of \p functions, each lowered by a worker of its own. A worker that dies
/// leaves its death as the verdict. \p index makes the folders unique.
static Expected<std::vector<Verdict>> checkOneByOne(const FatPointerInput &input,
                                                    ArrayRef<std::string> functions,
                                                    const FatPointerBatch &batch,
                                                    const WorkFolder &folder, size_t index) {
  std::vector<Job> jobs;
  for (const std::string &function : functions) {
    FatPointerOptions options = batch.options;
    options.function = function;
    jobs.push_back(makeJob(input, batch, options,
                           folder.jobFolder("fat-" + std::to_string(index), jobs.size())));
  }
  PoolOptions pool = batch.pool;
  pool.progress = nullptr;
  Expected<std::vector<Verdict>> ends = runJobs(jobs, pool);
  if (!ends)
    return ends.takeError();
  std::vector<Verdict> verdicts;
  for (const auto &[job, end, function] : zip_equal(jobs, *ends, functions)) {
    if (!isDeath(end.state) && end.state != State::ToolError) {
      append_range(verdicts, readVerdicts(job));
      continue;
    }
    end.caseId = input.name + ":" + function;
    verdicts.push_back(std::move(end));
  }
  return std::move(verdicts);
}

/// Checks each module in one worker. Where it dies, each of its functions is checked in a worker of
/// its own, so that the death is charged to one function.
Expected<std::vector<Verdict>> assay::checkFatPointers(ArrayRef<FatPointerInput> inputs,
                                                       const FatPointerBatch &batch,
                                                       const WorkFolder &folder) {
  std::vector<Job> jobs;
  for (const FatPointerInput &input : inputs)
    jobs.push_back(makeJob(input, batch, batch.options, folder.jobFolder("fat", jobs.size())));
  Expected<std::vector<Verdict>> ends = runJobs(jobs, batch.pool);
  if (!ends)
    return ends.takeError();
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < jobs.size(); ++i) {
    Verdict &end = (*ends)[i];
    std::vector<std::string> functions = readFunctions(jobs[i]);
    bool isDead = isDeath(end.state), isDone = !isDead && end.state != State::ToolError;
    std::vector<Verdict> own = isDone ? readVerdicts(jobs[i]) : std::vector<Verdict>();
    if ((isDead || isBroken(own)) && functions.size() > 1 && batch.options.function.empty()) {
      // Which of them it was, and what of the others.
      if (Error error = checkOneByOne(inputs[i], functions, batch, folder, i).moveInto(own))
        return std::move(error);
    } else if (!isDone) {
      end.caseId = inputs[i].name + (functions.size() == 1 ? ":" + functions.front() : "");
      own = {std::move(end)};
    }
    append_range(verdicts, std::move(own));
  }
  return std::move(verdicts);
}
