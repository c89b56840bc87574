// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pass by its name, on a module that stands alone.
#pragma once

#include "compiler/api/Backend.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace assay {

/// For \p target, a name of the target table.
llvm::Expected<std::unique_ptr<Backend>> makeBackend(llvm::StringRef target);

/// Runs the pass \p name of LLVM's registry or of Passes.def, as \p machine's. Environment where
/// neither has it; else what the pass reports.
llvm::Error runPass(llvm::StringRef name, llvm::TargetMachine &machine, llvm::Module &module);

} // namespace assay
