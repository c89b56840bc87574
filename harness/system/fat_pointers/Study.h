// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a function of LLVM IR on the gcn machine, lowered by the own pass or by LLVM's, and compares
// with what the interpreter makes of the function as it was written.
#pragma once

#include "compiler/api/Target.h"
#include "llvm/IR/Module.h"
#include <string>

namespace assay::fat_pointers {

/// What a lowering made of a function.
enum class Treatment {
  Ok,        ///< Every trial that has a meaning gave the same on gcn.
  Crash,     ///< The compiler died (studyInChild only).
  Rejected,  ///< The compiler refused it with a message.
  WrongCode, ///< A trial gave something else.
  Unclear    ///< Nothing could be compared; reason says why. Never counts as good.
};
/// "ok", "crash", "rejected", "wrong code" or "unclear".
llvm::StringRef toString(Treatment treatment);

/// What one function of a module comes to.
struct Study {
  Treatment treatment = Treatment::Unclear;
  std::string reason;
  unsigned compared = 0; ///< Trials.
};

/// How a function is compiled and tried.
struct StudyOptions {
  CompileOptions compile; ///< Target, level, wave size, whose lowering.
  unsigned trials = 8;    ///< Runs with other arguments.
  unsigned lanes = 4;     ///< That call the function in each trial.
  uint64_t seed = 0;
};

/// \p functions is the module as read; its target is replaced by that of \p options.
Study study(llvm::Module &functions, llvm::StringRef name, const StudyOptions &options);

/// The same in a child process, whose death by a signal, or of old age after a minute, is a Crash.
Study studyInChild(llvm::Module &functions, llvm::StringRef name, const StudyOptions &options);

} // namespace assay::fat_pointers
