// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stays of a message or a stack trace when everything is taken away that differs between two
// appearances of one bug. Pure functions on text.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace assay {

/// One line without numbers ("#"), quoted texts ("''"), names of IR values ("%_", "@_") and folders
/// of paths; nothing is added after 200 characters.
std::string normaliseMessage(llvm::StringRef message);

/// The name of a function without parameters, template arguments, return type, the names of
/// anonymous namespaces and the suffixes of clones: "assay::Builder::create".
std::string normaliseFunction(llvm::StringRef function);

/// The innermost own functions, at most \p maxFrames, of the first stack trace in \p text, as LLVM,
/// the sanitizers or gdb print one ("#N ADDRESS [in] FUNCTION [FILE]"). Frames of the C library, of
/// allocators and of what handles signals are no own functions.
std::vector<std::string> stackFrames(llvm::StringRef text, unsigned maxFrames = 3);

/// The normalised text of the first assertion, fatal error or unreachable that \p text tells of;
/// empty when there is none. Of an assertion the condition stays as it is.
std::string fatalText(llvm::StringRef text);

/// The pass in which LLVM's crash dump says that it was ("Running pass 'X' on ..."), or empty.
std::string dumpedPass(llvm::StringRef text);

} // namespace assay
