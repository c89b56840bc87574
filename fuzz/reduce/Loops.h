// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of loops: they go, or what is in them runs once.
#pragma once

#include "fuzz/reduce/Reduction.h"

namespace assay::fuzz {

/// All loops.
std::vector<Chance> findLoops(const Program &program);
/// None of what is in them runs.
void skipLoops(Program &program, llvm::ArrayRef<Chance> chances);
/// Once; what follows sees the values that this leaves.
void runLoopsOnce(Program &program, llvm::ArrayRef<Chance> chances);

/// Those where a phi counts.
std::vector<Chance> findCountedLoops(const Program &program);
/// As runLoopsOnce(), with a value in place of counters that no compiler knows: of a loop, a bug
/// often needs nothing else.
void uncountLoops(Program &program, llvm::ArrayRef<Chance> chances);

} // namespace assay::fuzz
