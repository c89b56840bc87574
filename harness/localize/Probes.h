// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instruction of a shader goes wrong first: each value, and each block that runs, is stored
// as well, one at a time, and compared with the reference's.
#pragma once

#include "harness/reduce/Predicate.h"
#include "harness/run/CaseFiles.h"
#include "harness/run/WorkFolder.h"
#include "harness/run/WorkerProcess.h"

namespace assay {

struct ProbeResult {
  /// Kind of the first instruction, in the order of the module, whose value is wrong
  /// (instructionKind()), of a load with what it loads from ("OpLoad PushConstant", "OpLoad
  /// GlobalInvocationId"); or the branch to the first block that runs and should not, or the
  /// reverse; "any store" where not even a constant comes into a buffer, "no value" where all are
  /// right: what is wrong is a store, or goes away when it is looked at. Empty where it was not
  /// tried to the end.
  std::string operation;
  unsigned runs = 0; ///< Worker processes asked.
};

/// For a case that has one pipeline, with one workgroup in each dispatch, and that is as small as
/// minimising leaves it: others give an empty result. What must fail is any comparison with the
/// reference, not \p predicate, which says how to run. Errors: of the environment, and of reading
/// \p file.
llvm::Expected<ProbeResult> probeValues(const CaseFile &file, const Predicate &predicate,
                                        const PoolOptions &pool, const WorkFolder &folder);

} // namespace assay
