// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the end of a worker means.
#include "harness/run/CrashStack.h"
#include "harness/run/WorkerGuard.h"
#include "harness/run/WorkerProcess.h"
#include "reports/Escape.h"
#include "reports/triage/Signature.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include <csignal>
#include <cstring>

using namespace llvm;
using namespace assay;

/// Of a result file; a larger one is a tool error.
static constexpr uint64_t maxResultBytes = uint64_t(256) << 20;
/// Of the file of stacks.
static constexpr uint64_t maxStackBytes = uint64_t(4) << 20;

/// "SIGSEGV", or "signal N" for one that has no name.
static std::string signalName(int signal) {
  if (const char *name = sigabbrev_np(signal))
    return std::string("SIG") + name;
  return "signal " + std::to_string(signal);
}

// The text of \p path, or nothing when it can't be read: a dead worker may not have made it.
static std::string readOrEmpty(StringRef path, uint64_t maxBytes) {
  Expected<std::string> text = readFileText(path, maxBytes);
  if (text)
    return std::move(*text);
  consumeError(text.takeError());
  return "";
}

// The last line that is not empty of what the worker said.
static std::string lastWords(const Job &job) {
  std::string text = readOrEmpty(job.stderrFile(), uint64_t(16) << 20);
  StringRef last = StringRef(text).rtrim().rsplit('\n').second;
  std::string words = (last.empty() ? StringRef(text).rtrim() : last).take_front(500).str();
  // Where the job ran is chance; the report must not depend on it.
  for (size_t at; (at = words.find(job.folder)) != std::string::npos;)
    words.replace(at, job.folder.size(), "JOB");
  return escapeLine(words);
}

/// A verdict with one finding of the state's rule: CRASH, TIMEOUT or OOM. What the worker wrote
/// last to stderr is its evidence.
static Verdict makeDead(const Job &job, State state, const Twine &reason, const Twine &signature) {
  Verdict verdict = makeVerdict(job, state, reason.str());
  Finding finding;
  finding.rule = stateName(state).upper();
  finding.message = verdict.reason;
  finding.signature = signature.str();
  std::string words = lastWords(job);
  if (!words.empty())
    finding.evidence.emplace_back("stderr", words);
  verdict.findings.push_back(std::move(finding));
  return verdict;
}

/// Adds where the worker was, and with \p withMemory how much it had.
static Verdict withStack(Verdict verdict, const Job &job, bool withMemory = false) {
  std::string text = readOrEmpty(job.journalFile() + crashStackSuffix.str(), maxStackBytes);
  auto &evidence = verdict.findings.front().evidence;
  // What is outside of the job is another in a process that serves many.
  std::string stack = printCrashStack(text, "assay::executeJob(");
  if (!stack.empty())
    evidence.emplace_back("stack", std::move(stack));
  if (uint64_t memory = readCrashMemory(text); withMemory && memory)
    evidence.emplace_back(memoryEvidence, std::to_string(memory >> 20) + " MiB");
  return verdict;
}

/// The journal tells out-of-memory and fatal errors of LLVM from other deaths by the same signal.
static Verdict judgeSignal(const Job &job, int signal, const JournalEntry &journal) {
  std::string stage = journal.stage.empty() ? "start" : journal.stage;
  if (journal.end == "oom")
    return withStack(makeDead(job, State::Oom,
                              "out of memory in stage '" + stage + "' (limit " +
                                  Twine(job.limits.memoryBytes >> 20) + " MiB)",
                              "oom " + stage),
                     job, /*withMemory=*/true);
  if (journal.end == "fatal-error")
    return makeDead(job, State::Crash,
                    "LLVM fatal error in stage '" + stage + "': " + escapeLine(journal.text),
                    "crash " + stage + " fatal-error " + normaliseMessage(journal.text));
  // Nobody here sends SIGKILL without noting it: that is the kernel, short of memory.
  if (signal == SIGKILL)
    return makeDead(job, State::Oom, "killed by SIGKILL in stage '" + stage + "'",
                    "oom " + stage + " SIGKILL");
  return withStack(makeDead(job, State::Crash,
                            "died of " + signalName(signal) + " in stage '" + stage + "'",
                            "crash " + stage + " " + signalName(signal)),
                   job);
}

/// Takes state, findings and facts from the result file. Any status other than 0, and a file that
/// is missing or broken, is a tool error.
static Verdict judgeExit(const Job &job, int code) {
  if (code != 0) {
    std::string words = lastWords(job);
    return makeVerdict(job, State::ToolError,
                       "the worker ended with status " + std::to_string(code) +
                           (words.empty() ? "" : ": " + words));
  }
  Expected<std::string> text = readFileText(job.resultFile(), maxResultBytes);
  if (!text)
    return makeVerdict(job, State::ToolError,
                       "the worker left no result: " + takeError(text.takeError()).message);
  Expected<Verdict> result = parseResult(*text);
  if (!result)
    return makeVerdict(job, State::ToolError,
                       "the worker left a broken result: " + takeError(result.takeError()).message);
  // Who it is about is the job's to say.
  Verdict verdict = makeVerdict(job, result->state, std::move(result->reason));
  verdict.findings = std::move(result->findings);
  verdict.firstDifference = std::move(result->firstDifference);
  verdict.facts = std::move(result->facts);
  verdict.statistics = std::move(result->statistics);
  return verdict;
}

JournalEntry assay::readJournal(const Job &job) {
  return parseJournal(readOrEmpty(job.journalFile(), uint64_t(1) << 20));
}

Verdict assay::judgeWorkerEnd(const Job &job, const WorkerEnd &end) {
  JournalEntry journal = readJournal(job);
  std::string stage = journal.stage.empty() ? "start" : journal.stage;
  switch (end.kind) {
  case WorkerEnd::Kind::NotStarted:
    return makeVerdict(job, State::ToolError, "the worker could not be started: " + end.message);
  case WorkerEnd::Kind::TimedOut: {
    uint64_t ms = job.limits.timeoutMs;
    std::string limit = ms % 1000 ? std::to_string(ms) + " ms" : std::to_string(ms / 1000) + " s";
    return withStack(makeDead(job, State::Timeout,
                              "over the time limit of " + limit + " in stage '" + stage + "'",
                              "timeout " + stage),
                     job, /*withMemory=*/true);
  }
  case WorkerEnd::Kind::OverMemory:
    return makeDead(job, State::Oom,
                    "over the memory limit of " + Twine(job.limits.memoryBytes >> 20) +
                        " MiB in stage '" + stage + "'",
                    "oom " + stage);
  case WorkerEnd::Kind::Signalled:
    return judgeSignal(job, end.code, journal);
  case WorkerEnd::Kind::Exited:
    return judgeExit(job, end.code);
  }
  llvm_unreachable("an end of a worker that does not exist");
}
