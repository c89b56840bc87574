// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a worker died, or was when its time was up: it writes bare addresses and its memory map,
// which is all that is safe then; the parent makes names of them.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <csignal>
#include <string>

namespace assay {

/// A job's stack is in the file of its journal with this after its name.
constexpr llvm::StringLiteral crashStackSuffix = ".stack";

/// Evidence of a verdict: what a process that was ended for a limit had in memory then. That is
/// chance, and so not in a bundle.
constexpr llvm::StringLiteral memoryEvidence = "memory";

/// Asks for a stack.
constexpr int stackSignal = SIGXCPU;
/// As often is a process asked that is out of time, with so much time in between. The stacks differ
/// inside of the function that does not end; with fewer, by chance, they may not.
constexpr unsigned stackSamples = 8;
constexpr unsigned stackSampleMs = 25;

/// From now on a signal that means a crash (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) writes the
/// stack to \p path first, on a stack of its own, and then ends the process as it would have; and
/// stackSignal adds the stack to the file, and the process goes on. A sanitizer's handlers stay as
/// they are: in such a build this does nothing.
void installCrashStack(llvm::StringRef path);

/// The stack in \p text, which such a process left: "#N FUNCTION" a line, demangled, "??" where a
/// module has no name for the place; empty for anything else. Of several, what they have in common
/// from the outermost function inwards: the innermost is the one that did not end. Ends after the
/// first function whose name begins with \p last, if that is not empty. Reads the symbol tables of
/// the modules.
std::string printCrashStack(llvm::StringRef text, llvm::StringRef last = "");

/// Bytes that the process had in memory when it last wrote to \p text; 0 when that is not there.
uint64_t readCrashMemory(llvm::StringRef text);

} // namespace assay
