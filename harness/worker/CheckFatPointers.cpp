// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/CheckFatPointers.h"

#include "harness/run/FatPointerJobs.h"
#include "harness/run/WorkerGuard.h"
#include "harness/worker/ExplainLowering.h"
#include "harness/worker/LowerFatPointers.h"
#include "oracles/fat_pointer/FatPointerOracle.h"
#include "oracles/fat_pointer/Rules.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include <map>

using namespace llvm;
using namespace assay;

namespace {

/// One FatPointers job on one module of IR. It writes verdicts as lines of JSON, so that those
/// written before a crash can still be read.
class FatPointerJob {
public:
  /// Keeps references to \p job and \p lines, which must outlive this value.
  FatPointerJob(const Job &job, FatPointerOptions options, raw_ostream &lines)
      : m_job(job), m_options(std::move(options)), m_lines(lines) {}
  /// Writes all verdicts. A module that can't be read, lowered or checked has exactly one, which
  /// has the name of the wanted function where the job names one.
  Error run();

private:
  /// Reads, lists functions, lowers, and verifies the result. Sets m_after, and m_before unless the
  /// input is already lowered. Stops where there is nothing to judge.
  std::optional<Stop> prepare();
  /// Sets m_after for a module that is already lowered, else m_before, with a data layout and a
  /// triple. Stops for a module that can't be read or has no fat pointer.
  std::optional<Stop> readInput();
  /// Deletes from m_before what the wanted function does not need. Stops if the module has no such
  /// function with a body. Does nothing where the job names no function.
  std::optional<Stop> keepOnlyFunction();
  /// Sets m_after from m_before: by a lowering, or by the second file of the job, which somebody
  /// else lowered. Does nothing for a module that is already lowered.
  std::optional<Stop> lower();
  /// Writes the names of the functions with a body to the output file, one a line.
  Error listFunctions();
  /// Writes a verdict for each function that is to be judged. One for the whole module precedes
  /// them where a finding concerns no such function, or where no function has a body.
  void judge();
  /// Writes the verdict of \p function, which is of m_before if there is one. \p findings are what
  /// the rules report in it; trials compare it with its lowering only if m_before is there.
  void judgeFunction(Function &function, std::vector<Finding> findings);
  /// Appends one line and flushes it.
  void write(const Verdict &verdict);
  /// Returns a verdict with the job's case id, which names the module and no function.
  Verdict makeModuleVerdict(State state, std::string reason);

  const Job &m_job;
  const FatPointerOptions m_options;
  raw_ostream &m_lines;
  LLVMContext m_context;
  std::unique_ptr<Module> m_before; ///< Null for a module that was lowered long ago.
  std::unique_ptr<Module> m_after;
};

} // namespace

/// Appends the verdict as one line of JSON and flushes it.
void FatPointerJob::write(const Verdict &verdict) {
  json::OStream json(m_lines);
  writeVerdict(json, verdict);
  json.flush();
  m_lines << "\n";
  m_lines.flush(); // The parent reads what was done before a crash.
}

/// A verdict about the module as a whole; judgeFunction() makes it one about a function.
Verdict FatPointerJob::makeModuleVerdict(State state, std::string reason) {
  return makeVerdict(m_job, state, std::move(reason));
}

/// Reads the first file of the job. A module that is lowered already has no module before it.
/// Invalid where there is no fat pointer to lower.
std::optional<Stop> FatPointerJob::readInput() {
  Expected<std::unique_ptr<Module>> module = readModule(m_job.files[0], m_context);
  if (!module)
    return stopFor(module.takeError(), "read");
  if (m_options.lowering == FatLowering::Lowered) {
    m_after = std::move(*module);
    return std::nullopt;
  }
  m_before = std::move(*module);
  if (!hasFatPointers(*m_before))
    return Stop{State::Invalid, noFatPointer.str(), {}};
  if (Error error = completeModule(*m_before))
    return stopFor(std::move(error), "read");
  return keepOnlyFunction();
}

// The function that was asked for, and what it needs.
std::optional<Stop> FatPointerJob::keepOnlyFunction() {
  if (m_options.function.empty())
    return std::nullopt;
  const Function *wanted = m_before->getFunction(m_options.function);
  if (!wanted || wanted->isDeclaration())
    return Stop{State::Invalid, "it has no function '" + m_options.function + "' with a body", {}};
  for (Function &function : *m_before)
    if (&function != wanted && !function.isDeclaration())
      function.setLinkage(GlobalValue::InternalLinkage);
  ModuleAnalysisManager analyses;
  GlobalDCEPass().run(*m_before, analyses);
  return std::nullopt;
}

/// Writes the names of the defined functions to the output file, one a line. With it the parent
/// knows which ones a crash left without a verdict.
Error FatPointerJob::listFunctions() {
  std::string names;
  for (const Function &function : m_before ? *m_before : *m_after)
    if (!function.isDeclaration())
      names += (function.getName() + "\n").str();
  return writeFile(m_job.outputFile(), StringRef(names));
}

/// Sets m_after: by a pass, by a command, or from the second file of the job. Does nothing for a
/// module that is lowered already.
std::optional<Stop> FatPointerJob::lower() {
  if (m_options.lowering == FatLowering::Lowered)
    return std::nullopt;
  if (m_options.lowering != FatLowering::Given)
    return lowerFatPointers(m_job, m_options.lowering, *m_before, m_after);
  if (m_job.files.size() != 2)
    return Stop{State::ToolError, "the job names no lowered module", {}};
  Expected<std::unique_ptr<Module>> module = readModule(m_job.files[1], m_context);
  if (!module)
    return stopFor(addContext(module.takeError(), "after the lowering"), "read");
  m_after = std::move(*module);
  if (Error error = completeModule(*m_after))
    return stopFor(addContext(std::move(error), "after the lowering"), "read");
  return std::nullopt;
}

/// Stops, as a fail with finding FatRule::Broken, if LLVM's verifier rejects \p after. The message
/// is the first line of the verifier's report.
static std::optional<Stop> checkRules(const Module &after) {
  std::string text;
  raw_string_ostream os(text);
  if (!verifyModule(after, &os))
    return std::nullopt;
  std::string message = StringRef(text).split('\n').first.str();
  return Stop{State::Fail, message, {makeFatFinding(FatRule::Broken, "module", "", message)}};
}

/// Writes the verdict of one function. \p findings are those of the rules; the comparison of
/// meanings adds its own, if there is a module to compare with. A finding makes the verdict Fail.
void FatPointerJob::judgeFunction(Function &function, std::vector<Finding> findings) {
  Verdict verdict = makeModuleVerdict(State::Pass, "");
  verdict.caseId += (":" + function.getName()).str();
  verdict.findings = std::move(findings);
  Function *after = m_after->getFunction(function.getName());
  if (m_before) {
    MeaningOptions options;
    options.seed = m_options.seed;
    options.trials = m_options.trials;
    FunctionMeaning meaning = after && !after->isDeclaration()
                                  ? compareMeaning(function, *after, options)
                                  : reportMissing(function);
    verdict.state = meaning.state;
    verdict.reason = meaning.reason;
    if (m_options.explains && !meaning.findings.empty()) {
      std::string source;
      raw_string_ostream(source) << *m_before;
      explainLowering(m_job, m_options.lowering, source, /*isShader=*/false, options,
                      meaning.findings);
    }
    append_range(verdict.findings, meaning.findings);
    verdict.statistics.emplace_back("compared-trials", meaning.compared);
  }
  if (!verdict.findings.empty()) {
    verdict.state = State::Fail;
    verdict.reason = verdict.findings.front().rule + ": " + verdict.findings.front().message;
  }
  write(verdict);
}

/// Runs the rules on the whole module, gives each finding to its function, and judges the
/// functions. Findings that belong to no defined function get a verdict of the module, and so does
/// a module without functions.
void FatPointerJob::judge() {
  std::map<std::string, std::vector<Finding>> findings;
  Module &functions = m_before ? *m_before : *m_after;
  Verdict module = makeModuleVerdict(State::Pass, "");
  bool hasFunctions = false;
  for (Finding &finding : checkLowered(*m_after, m_before.get())) {
    StringRef name = finding.location;
    const Function *function =
        name.consume_front("function ") ? functions.getFunction(name) : nullptr;
    bool isJudged = function && !function->isDeclaration();
    (isJudged ? findings[name.str()] : module.findings).push_back(std::move(finding));
  }
  for (const Function &function : functions)
    hasFunctions |= !function.isDeclaration();
  if (!module.findings.empty()) {
    module.state = State::Fail;
    module.reason = module.findings.front().rule + ": " + module.findings.front().message;
  }
  if (!hasFunctions || !module.findings.empty())
    write(module);
  noteStage("interpret");
  for (Function &function : functions)
    if (!function.isDeclaration() &&
        (m_options.function.empty() || function.getName() == m_options.function))
      judgeFunction(function, std::move(findings[function.getName().str()]));
}

/// Runs all steps up to the first check. A Stop is the verdict of the module.
std::optional<Stop> FatPointerJob::prepare() {
  noteStage("read");
  if (std::optional<Stop> stop = readInput())
    return stop;
  if (Error error = listFunctions())
    return stopFor(std::move(error), "write");
  noteStage("lower");
  if (std::optional<Stop> stop = lower())
    return stop;
  noteStage("check");
  return checkRules(*m_after);
}

/// An error means that verdicts cannot be written. All that is wrong with the module is a verdict.
Error FatPointerJob::run() {
  std::optional<Stop> stop = prepare();
  if (!stop) {
    judge();
    return Error::success();
  }
  Verdict verdict = makeModuleVerdict(stop->state, stop->reason);
  if (!m_options.function.empty())
    verdict.caseId += ":" + m_options.function;
  verdict.findings = std::move(stop->findings);
  write(verdict);
  return Error::success();
}

/// InvalidInput for bad options and a job without files, Environment where the verdicts cannot be
/// written.
Error assay::checkFatPointerFiles(const Job &job) {
  Expected<FatPointerOptions> options = parseFatPointerOptions(job.ruleOptions);
  if (!options)
    return options.takeError();
  if (job.files.empty())
    return invalidInput("the job names no module");
  std::error_code code;
  raw_fd_ostream lines(job.verdictsFile(), code, sys::fs::CD_CreateAlways);
  if (code)
    return environmentError(job.verdictsFile() + ": " + code.message());
  if (Error error = FatPointerJob(job, std::move(*options), lines).run())
    return error;
  lines.close();
  if (lines.has_error())
    return environmentError(job.verdictsFile() + ": " + lines.error().message());
  return Error::success();
}
