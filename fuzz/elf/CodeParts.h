// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of an ELF that is taken apart, changed by whole instructions.
#pragma once

#include "fuzz/elf/ElfParts.h"
#include "support/Random.h"

namespace assay::fuzz {

/// Replaces, drops or inserts an instruction of one function, or flips one of its bits; symbols and
/// what follows in its section move along. False when there is no function with code.
bool mutateFunction(ElfParts &parts, Random &random);

/// Inserts some instructions of a function of \p from into one of \p into. False when one has none.
bool mixFunctions(ElfParts &into, const ElfParts &from, Random &random);

} // namespace assay::fuzz
