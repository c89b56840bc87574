// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a worker died: the dying process writes bare addresses and its memory map, which is all
// that is safe then; the parent makes names of them.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace assay {

/// A job's stack is in the file of its journal with this behind its name.
constexpr llvm::StringLiteral crashStackSuffix = ".stack";

/// From now on a signal that means a crash (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) writes the
/// stack to \p path first, on a stack of its own, and then ends the process as it would have. A
/// sanitizer's handlers stay as they are: in such a build this does nothing.
void installCrashStack(llvm::StringRef path);

/// What a crash left in \p text, "#N FUNCTION" a line, demangled, "??" where a module has no name
/// for the place; empty for anything else. Ends behind the first function whose name begins with
/// \p last, if that is not empty. Reads the symbol tables of the modules.
std::string printCrashStack(llvm::StringRef text, llvm::StringRef last = "");

} // namespace assay
