// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/ValidateFiles.h"

#include "harness/run/WorkerGuard.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "reports/VerdictJson.h"
#include "support/Count.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// "2 errors, 1 warning", of what makes the file unsound.
static std::string countFindings(ArrayRef<Finding> findings, Severity least) {
  size_t errors = 0, warnings = 0;
  for (const Finding &finding : findings) {
    errors += finding.severity == Severity::Error;
    warnings += finding.severity == Severity::Warning;
  }
  std::string text = errors ? countOf(errors, "error") : "";
  if (warnings && least == Severity::Warning)
    text += (text.empty() ? "" : ", ") + countOf(warnings, "warning");
  return text;
}

/// Returns a verdict with \p path as its case id. A file that can't be read keeps the verdict's
/// default state, with the reason. Errors of the rules themselves are errors here.
static Expected<Verdict> validateFile(const std::string &path, const ValidateOptions &options) {
  Verdict verdict;
  verdict.caseId = path;
  Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
  if (!bytes) {
    verdict.reason = takeError(bytes.takeError()).message;
    return verdict;
  }
  Expected<std::vector<Finding>> findings = validateElf(*bytes, options);
  if (!findings)
    return findings.takeError();
  verdict.findings = std::move(*findings);
  bool sound = isSound(verdict.findings, options);
  verdict.state = sound ? State::Pass : State::Fail;
  if (!sound)
    verdict.reason = countFindings(verdict.findings, options.failOn);
  return verdict;
}

// The faults of \p job that are meant for \p path.
static Error plantFaults(const Job &job, StringRef path) {
  for (StringRef plant : job.plants) {
    auto [fault, file] = plant.split('@');
    if (file.empty() || file == path)
      if (Error error = plantFault(fault))
        return error;
  }
  return Error::success();
}

/// Writes a line for each file and flushes it. Errors mean that options are bad or that a file
/// cannot be read or written; bad ELFs are verdicts.
Error assay::validateFiles(const Job &job) {
  Expected<ValidateOptions> options = parseValidateOptions(job.ruleOptions);
  if (!options)
    return options.takeError();
  std::error_code code;
  raw_fd_ostream lines(job.verdictsFile(), code, sys::fs::CD_CreateAlways);
  if (code)
    return environmentError(job.verdictsFile() + ": " + code.message());
  noteStage("validate-elf");
  for (const std::string &path : job.files) {
    if (Error error = plantFaults(job, path))
      return error;
    Expected<Verdict> verdict = validateFile(path, *options);
    if (!verdict)
      return verdict.takeError();
    json::OStream json(lines);
    writeVerdict(json, *verdict);
    json.flush();
    lines << "\n";
    lines.flush(); // The parent reads what was done before a crash.
  }
  lines.close();
  if (lines.has_error())
    return environmentError(job.verdictsFile() + ": " + lines.error().message());
  return Error::success();
}
