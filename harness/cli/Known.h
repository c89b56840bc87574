// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the owner of a suite knows of its cases, and what else decides about the exit code.
#pragma once

#include "harness/cli/Cli.h"
#include "reports/triage/Expectations.h"

namespace assay {

/// Options about problems that are expected.
struct KnownOptions {
  std::string file;                   ///< Of expected verdicts; empty: none.
  std::string today;                  ///< Empty: the clock's.
  std::vector<std::string> failOn;    ///< "unsupported", "stale".
  std::vector<ExpectedVerdict> rules; ///< Of the file.
};
/// Adds --known, --today and --fail-on.
void addKnownOptions(CLI::App &verb, KnownOptions &options);

/// Reads the file of --known into \p options. InvalidInput with its line; a missing file, too.
llvm::Error readKnown(KnownOptions &options);

/// Marks what is known in \p report, then printReport(). Names each line of the file that holds and
/// excuses nothing, and each that has expired, on stderr.
int printJudged(Report report, const OutputOptions &output, const KnownOptions &known);

/// The rules of the file at \p path; errors name it.
llvm::Expected<std::vector<ExpectedVerdict>> readExpectations(const std::string &path);

} // namespace assay
