// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what the reference alone reports (UB-*) to a value that it alone has: the instructions
// that it reports are left out, and the values that the shader computes are compared.
#pragma once

#include "fuzz/program/Program.h"
#include "harness/reduce/Predicate.h"
#include "harness/run/CaseFiles.h"
#include "harness/run/WorkFolder.h"
#include "harness/run/WorkerProcess.h"
#include <optional>

namespace assay {

/// A case made of another, and what it shows.
struct ObservedCase {
  std::string text; ///< AmberScript.
  Predicate predicate;
};

/// A case that differs from \p file by instructions left out and one value stored, which the
/// reference and the machine of \p finding - a predicate of state Invalid - have differently;
/// the predicate asks for that difference. Nothing where all values are the same, or \p file is no
/// case for probes (probeValues()): then it may be the finding itself that is wrong. Errors: of
/// the environment, and of reading \p file.
llvm::Expected<std::optional<ObservedCase>> observeValues(const CaseFile &file,
                                                          const Predicate &reported,
                                                          const PoolOptions &pool,
                                                          const WorkFolder &folder);

/// Takes out of \p program the instruction of a function's body whose first word is \p word of the
/// encoded module; its result becomes zero where something uses it. False, and nothing changed,
/// where there is none, or it ends a block.
bool leaveOutAtWord(fuzz::Program &program, size_t word);

} // namespace assay
