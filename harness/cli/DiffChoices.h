// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What verbs that run a case against the reference let be chosen: compilers, machines, targets,
// levels, wave sizes, lowerings of fat pointers.
#pragma once

#include "harness/cli/Cli.h"

namespace assay {

/// Adds --metadata-version.
void addPalVersion(CLI::App &verb, PalVersion &version);

/// Adds --ir3-debug.
void addDebugModes(CLI::App &verb, std::vector<std::string> &modes);
/// The compiler that has debug mode \p mode.
std::string compilerInMode(llvm::StringRef mode);
/// For a verb that runs one compiler: puts the one with the only mode of \p modes in the place of
/// \p compiler. InvalidInput for several modes, and where compiler or target have none.
llvm::Error chooseDebugMode(llvm::ArrayRef<std::string> modes, llvm::StringRef target,
                            std::string &compiler);

/// As on the command line.
struct DiffChoices {
  std::string targets;   ///< Empty: the default ones of the machines.
  std::string compilers; ///< Empty: Assay's, or the command after `--`.
  std::string machines;  ///< Empty: the reference, and the standard ones of the targets.
  std::vector<int> levels;
  std::vector<unsigned> waves;
  std::string lowerings = "own";
  PalVersion palVersion = PalVersion::V3_0;
  unsigned checkThreads = 0, checkHashes = 0;
  std::vector<std::string> debugModes; ///< From addDebugModes().
};
void addDiffChoices(CLI::App &verb, DiffChoices &choices);

/// Takes \p choices and the command after `--` over into \p options. InvalidInput for names that
/// nobody knows and for what does not go together.
llvm::Error applyDiffChoices(const DiffChoices &choices, const Invocation &invocation,
                             DiffOptions &options);

} // namespace assay
