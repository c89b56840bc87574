// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/RunTrace.h"

#include "harness/cli/Cli.h"
#include "harness/cli/InputFiles.h"
#include "harness/cli/OutputFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

void assay::addTraceOptions(CLI::App &verb, TraceChoices &choices) {
  verb.add_flag("--trace", choices.traces,
                "Machine gcn: print what each instruction changes, before the result");
  addOutputFile(verb, "--trace-file", choices.file, "The same, to a file");
  verb.add_option("--break", choices.breakPc,
                  "Of the trace: begin where a wave comes to this pc, with its state");
  verb.add_option("--trace-group", choices.group,
                  "Of the trace: this workgroup only, by its number, x first")
      ->check(wholeNumber(0));
  verb.add_option("--trace-wave", choices.wave,
                  "Of the trace: this wave of each workgroup only (--wave is a size)")
      ->check(wholeNumber(0));
  verb.add_option("--lane", choices.lane, "Of the trace: this lane only")->check(wholeNumber(0));
  addOutputFile(verb, "--log", choices.logFile,
                "Machine gcn: write the choices of the schedule to this file");
  verb.add_option("--replay", choices.replayFile,
                  "Machine gcn: make the choices of such a file again");
}

/// Whether any option asks for a trace: --break and --trace-file imply --trace.
static bool traces(const TraceChoices &choices) {
  return choices.traces || !choices.file.empty() || !choices.breakPc.empty();
}

bool assay::tracesToStdout(const TraceChoices &choices) {
  return traces(choices) && choices.file.empty();
}

Error assay::applyTraceChoices(const TraceChoices &choices, size_t jobs, JobSchedule &schedule) {
  schedule.traces = traces(choices);
  if (!schedule.traces && (choices.group || choices.wave || choices.lane))
    return invalidInput("--trace-group, --trace-wave and --lane are of a trace: --trace");
  uint64_t pc = 0;
  if (StringRef text = choices.breakPc; !text.empty()) {
    if (text.consume_front("0x") ? text.getAsInteger(16, pc) : text.getAsInteger(10, pc))
      return invalidInput("--break '" + choices.breakPc + "': 64 and 0x40 are pcs");
    schedule.breakPc = pc;
  }
  if ((!choices.logFile.empty() || !choices.replayFile.empty()) && jobs != 1)
    return invalidInput("--log and --replay are for one case, not " + Twine(jobs));
  if (!choices.replayFile.empty()) {
    if (schedule.late || schedule.seed || schedule.count > 1)
      return invalidInput("--replay has its schedule from the log");
    SmallString<128> path(choices.replayFile);
    if (std::error_code code = sys::fs::make_absolute(path))
      return environmentError("'" + choices.replayFile + "': " + code.message());
    schedule.replayFile = path.str().str();
    if (Error error = verifyInputFile(choices.replayFile))
      return addContext(std::move(error), "--replay");
  }
  schedule.traceGroup = choices.group;
  schedule.traceWave = choices.wave;
  schedule.lane = choices.lane;
  schedule.keepsLog = !choices.logFile.empty();
  return Error::success();
}

// A job that did not get to its machine left no file.
static Error copyText(const std::string &from, raw_ostream &os) {
  if (!sys::fs::exists(from))
    return Error::success();
  Expected<std::string> text = readFileText(from);
  if (!text)
    return text.takeError();
  os << *text;
  return Error::success();
}

/// Writes the file of each job that \p file names to \p path, stdout when empty. With several jobs
/// the case's id precedes each.
static Error deliverTo(const std::string &path, ArrayRef<Job> jobs,
                       std::string (Job::*file)() const) {
  std::error_code code;
  raw_fd_ostream os(path.empty() ? "-" : path, code);
  if (code)
    return environmentError("'" + path + "': " + code.message());
  for (const Job &job : jobs) {
    if (jobs.size() > 1)
      os << job.caseId << "\n";
    if (Error error = copyText((job.*file)(), os))
      return error;
  }
  return Error::success();
}

Error assay::deliverTraces(const TraceChoices &choices, ArrayRef<Job> jobs) {
  if (traces(choices))
    if (Error error = deliverTo(choices.file, jobs, &Job::traceFile))
      return error;
  if (!choices.logFile.empty())
    return deliverTo(choices.logFile, jobs, &Job::scheduleFile);
  return Error::success();
}
