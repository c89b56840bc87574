// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debug modes of the ir3 passes (assay --ir3-debug): other code of the same results. They are no
// part of what hash chains and cache keys are made of.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay {

struct DebugModes {
  bool spillAll = false;     ///< Every value that can be is kept in private memory.
  bool fullSync = false;     ///< (ss) and (sy) at every instruction that can have them.
  bool fullNop = false;      ///< The largest delay in front of every instruction.
  bool noSchedule = false;   ///< Instructions stay in the order of selection.
  bool printsPasses = false; ///< EmitPhase::Assembly is the IR after each pass.
  bool printsIr = false;     ///< EmitPhase::Assembly is the IR after the last pass.

  bool any() const;
  bool operator==(const DebugModes &) const = default;
};

/// Those that --ir3-debug has: "spillall", "fullsync", "fullnop", "no-sched".
std::vector<std::string> debugModeNames();
/// InvalidInput for a name that is not among debugModeNames().
llvm::Expected<DebugModes> parseDebugMode(llvm::StringRef name);

} // namespace assay
