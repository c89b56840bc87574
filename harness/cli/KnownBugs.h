// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder bugs/ as verbs name it.
#pragma once

#include "harness/bugs/Bug.h"

namespace CLI { // NOLINT(readability-identifier-naming): CLI11's own name.
class App;
} // namespace CLI

namespace assay {

/// The folder of known bugs.
struct KnownBugsChoice {
  std::string folder; ///< Empty: bugs/ in the current folder, if there is one.
};
/// Adds --bugs.
void addKnownBugs(CLI::App &verb, KnownBugsChoice &choice);

/// All bugs of the folder; none where it was not named and is not there. InvalidInput.
llvm::Expected<std::vector<KnownBug>> readKnownBugs(const KnownBugsChoice &choice);

} // namespace assay
