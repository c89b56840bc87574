// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of scripts, line by line and word by word: bytes changed at random hardly ever leave a
// script that reads.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace assay::fuzz {

/// \p script with one to three changes that \p seed chooses: a line or a block left out, doubled or
/// moved; a word changed to another of the script, of the languages, or, where it is a number, to
/// another one. The same seed makes the same ones.
std::string mutateScript(llvm::StringRef script, uint64_t seed);

/// \p into with some lines of \p from, a block or a few in a row.
std::string mixScripts(llvm::StringRef into, llvm::StringRef from, uint64_t seed);

} // namespace assay::fuzz
