// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a bug still reproduces with what is installed.
#pragma once

#include "harness/bugs/Bug.h"

namespace assay {

/// What a check of a bug comes to.
enum class BugOutcome {
  Reproduced,
  NotReproduced, ///< The command ran and did something else.
  Skipped,       ///< Something that it needs is not installed.
};

/// The outcome of one check.
struct BugResult {
  BugOutcome outcome = BugOutcome::Skipped;
  std::string reason; ///< Of all but Reproduced.
  double seconds = 0;
};

/// Limits of the commands, and where their programs are.
struct BugCheckOptions {
  double timeoutSeconds = 30; ///< Of one command.
  uint64_t memoryMib = 8192;  ///< Of the address space of each of its processes.
  std::string programFolder;  ///< Searched before PATH: the project's own runner is there.
  std::string mesaVersion;    ///< Of the installed Vulkan drivers, or empty.
};

/// Runs the command of \p bug in a temporary copy of its folder and compares what it does with
/// KnownBug::reproduced. Environment when the copy can't be made.
llvm::Expected<BugResult> checkBug(const KnownBug &bug, const BugCheckOptions &options);

/// What of KnownBug::needs is missing, or empty. Programs are looked up in the program folder and
/// in PATH; "radv" and "lavapipe" are Mesa's drivers, of at least KnownBug::firstVersion.
std::string findMissing(const KnownBug &bug, const BugCheckOptions &options);

} // namespace assay
