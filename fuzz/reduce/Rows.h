// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reductions of each file of this folder, for the table in Reductions.cpp.
#pragma once

#include "fuzz/reduce/Reduction.h"

namespace assay::fuzz {

llvm::ArrayRef<ProgramReduction> moduleReductions();    ///< What stands outside of functions.
llvm::ArrayRef<ProgramReduction> variableReductions();  ///< Variables that become values.
llvm::ArrayRef<ProgramReduction> callReductions();      ///< Calls and parameters.
llvm::ArrayRef<ProgramReduction> flowReductions();      ///< Constructs, branches, blocks.
llvm::ArrayRef<ProgramReduction> conditionReductions(); ///< What decides on branches.
llvm::ArrayRef<ProgramReduction> codeReductions();      ///< Statements.
llvm::ArrayRef<ProgramReduction> valueReductions();     ///< Results and operands.
llvm::ArrayRef<ProgramReduction> constantReductions();  ///< Numbers.

} // namespace assay::fuzz
