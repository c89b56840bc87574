// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines to the oracle of hash chains, one worker a pipeline and target.
#pragma once

#include "harness/run/Diff.h"

namespace assay {

/// Which mutations a job of check-hashes tries.
struct HashChainOptions {
  unsigned pairs = 16;                ///< Mutations of each pipeline that compile.
  std::vector<std::string> mutations; ///< Names from PairMutations.def; empty: all.
};

/// As texts, for Job::ruleOptions, and back. InvalidInput for anything that is not such a text.
std::vector<std::string> printHashChainOptions(const HashChainOptions &options);
llvm::Expected<HashChainOptions> parseHashChainOptions(llvm::ArrayRef<std::string> texts);

/// A job on the first pipeline of \p file for \p target. \p other is the file of a second pipeline,
/// or empty: then the job mutates the first.
Job makeHashChainJob(const CaseFile &file, llvm::StringRef target, llvm::StringRef other,
                     const HashChainOptions &chains, const DiffOptions &options);

/// The command line that does \p job alone.
std::string describeHashChains(const Job &job);

} // namespace assay
