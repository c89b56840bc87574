// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instruction of a shader goes wrong first: each value, and each block that runs, is stored
// as well, one at a time, and compared with the reference's.
#pragma once

#include "harness/reduce/Predicate.h"
#include "harness/run/CaseFiles.h"
#include "harness/run/WorkFolder.h"
#include "harness/run/WorkerProcess.h"

namespace assay {

/// What probes found in a case.
struct ProbeResult {
  /// Kind of the first instruction, in the order of the module, whose value is wrong
  /// (describePoint()); or the branch to the first block that runs and should not, or the reverse.
  /// A built-in that others are made of is asked about before these. "any store" where not even a
  /// constant comes into a buffer, "invocations" where there are too many or too few. Where all are
  /// right, but a buffer is not: how the shader writes to it (describeWrites()). Empty where
  /// nothing is known, or it was not tried to the end.
  std::string operation;
  /// Where what is loaded or written is right except for its place in a buffer: what it is a part
  /// of there (BlockLoad::place).
  std::string place;
  /// The case that stores what is wrong first, as AmberScript; empty without one.
  std::string shown;
  /// What it shows, by its file: of JobPasses() a wrong value in the probe's buffer, which alone is
  /// judged (Job::judgedBuffer).
  CaseFile file;
  Predicate predicate;
  unsigned runs = 0; ///< Worker processes asked.
};

/// For a case that has one pipeline and few workgroups, and that is as small as minimizing leaves
/// it: others give an empty result. The probed cases run as \p predicate says, but what else goes
/// wrong there - a fault, a finding of a sanitizer - does not count. \p wrongBuffer has the
/// first wrong value of a run of \p file; empty where no value is wrong. Errors: of the
/// environment, and of reading \p file.
llvm::Expected<ProbeResult> probeValues(const CaseFile &file, const Predicate &predicate,
                                        const PoolOptions &pool, const WorkFolder &folder,
                                        llvm::StringRef wrongBuffer = "");

} // namespace assay
