// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Anybody's compiler as a command line: `-- command {in} {out}`.
#pragma once

#include "harness/worker/Steps.h"

namespace assay {

/// Runs Job::command once per pipeline, with {in} replaced by a SPIR-V file, {out} by the file that
/// it shall write its ELF to, the others of compilerPlaceholders by the job's. Status 77 is
/// unsupported; death by a signal is a crash, other statuses a fail, both with its last words.
std::optional<Stop> compileByCommand(const Job &job, const Case &input,
                                     std::vector<Artifact> &artifacts);

/// Runs \p words; what it prints goes to \p log. Stops, by the rules above, unless it ends with
/// status 0; \p folder becomes JOB in its last words.
std::optional<Stop> runCompilerCommand(llvm::ArrayRef<std::string> words, llvm::StringRef log,
                                       llvm::StringRef folder);

/// \p words with the placeholders replaced.
std::vector<std::string>
fillCommand(llvm::ArrayRef<std::string> words,
            llvm::ArrayRef<std::pair<llvm::StringRef, std::string>> values);

} // namespace assay
