// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults of draws: one place each where the hardware around the code, the registers of a pipeline
// or its machine code is wrong.
#pragma once

#include "oracles/machine/gcn/graphics/LaunchFaults.h"
#include "oracles/radv/RadvGraphics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace assay {

/// Wrong in machine gcn, and what draws show it.
struct HardwareFault {
  llvm::StringLiteral name;
  gcn::LaunchFault fault;
  llvm::StringLiteral input; ///< Of corpora/graphics.
  llvm::StringLiteral target;
};
/// All of them, each with the draw and the chip on which it shows.
llvm::ArrayRef<HardwareFault> hardwareFaults();

/// Wrong in what RADV writes into registers.
struct RegisterFault {
  llvm::StringLiteral name;
  llvm::StringLiteral input;
  llvm::StringLiteral target;
  void (*edit)(radv::RadvGraphics &pipeline);
};
/// All of them. Each changes at least one register of its pipeline.
llvm::ArrayRef<RegisterFault> registerFaults();

/// Wrong in instructions of a stage: those whose text begins with \p text.
struct CodeFault {
  llvm::StringLiteral name;
  llvm::StringLiteral input;
  llvm::StringLiteral target;
  radv::Stage stage;
  llvm::StringLiteral text;
  /// Changes the instruction's words; nothing: they become s_nop.
  void (*edit)(llvm::MutableArrayRef<uint32_t> words);
  llvm::StringLiteral rule; ///< That reports it; empty: the pixels show it, or any rule.
};
/// All of them.
llvm::ArrayRef<CodeFault> codeFaults();

} // namespace assay
