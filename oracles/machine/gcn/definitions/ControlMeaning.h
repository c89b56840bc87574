// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables that make up controlEffect().
#pragma once

#include "oracles/machine/gcn/definitions/Effect.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay::gcn::definitions {

/// The definition of one scalar instruction.
struct ControlRow {
  llvm::StringLiteral name; ///< Without "s_".
  ScalarForm form;
  unsigned dst, source; ///< SGPRs.
  void (*run)(const Request &request, World &world);
};

/// Branches, calls, forks, loops, and what ends the wave or the run.
llvm::ArrayRef<ControlRow> jumpRows();
/// Hardware registers, MODE, and moves of registers that M0 selects.
llvm::ArrayRef<ControlRow> stateRows();
/// Barriers and messages.
llvm::ArrayRef<ControlRow> syncRows();
/// s_*_saveexec and s_*_wrexec, without "s_".
std::optional<Effect> execMaskEffect(llvm::StringRef name);

} // namespace assay::gcn::definitions
