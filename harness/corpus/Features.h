// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a case exercises, as names: by these a corpus is described and made smaller.
#pragma once

#include "harness/run/Diff.h"
#include <set>

namespace assay {

/// Those of fuzz/generate/Coverage.h, "isa TARGET MNEMONIC" and "code compiler/FILE:LINE".
using Features = std::set<std::string>;

/// A case of a corpus, and what it exercises.
struct FeaturedCase {
  CaseFile file;
  uint64_t bytes = 0; ///< Of the file.
  Features features;
  std::string problem; ///< Why it could not be read; then it has no features.
};

/// Features of the SPIR-V of \p files, read in this process; with targets in \p options also the
/// mnemonics of what \p pool's workers compile for each of them at its first level (what can't be
/// compiled has none), and \p withCode the lines of the compiler's source that it enters meanwhile:
/// for programs that count them (support/CodeCounts.h). Errors are of the environment.
llvm::Expected<std::vector<FeaturedCase>> collectFeatures(llvm::ArrayRef<CaseFile> files,
                                                          const DiffOptions &options,
                                                          const PoolOptions &pool,
                                                          bool withCode = false);

/// The indices, ascending, of a small part of \p cases that has every feature that they have
/// together: greedily what adds most, then what is smallest, then by order; then without those that
/// the others made needless. The same for the same cases.
std::vector<size_t> chooseCover(llvm::ArrayRef<FeaturedCase> cases);

} // namespace assay
