// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a command line after `--` may hold in place of files and names; harness/worker fills it in.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace assay {

namespace placeholder {
constexpr llvm::StringLiteral In = "{in}";         ///< The file to read.
constexpr llvm::StringLiteral Out = "{out}";       ///< The file to write.
constexpr llvm::StringLiteral Target = "{target}"; ///< The chip: "gfx1100".
constexpr llvm::StringLiteral Entry = "{entry}";   ///< The entry point.
constexpr llvm::StringLiteral Opt = "{opt}";       ///< The level: 0 or 2.
constexpr llvm::StringLiteral Wave = "{wave}";     ///< The wave size; 0: the default.
} // namespace placeholder

/// Of a compiler, which reads SPIR-V and writes an ELF.
constexpr llvm::StringLiteral compilerPlaceholders[] = {placeholder::In,     placeholder::Out,
                                                        placeholder::Target, placeholder::Entry,
                                                        placeholder::Opt,    placeholder::Wave};
/// Of a lowering of fat pointers, which reads and writes LLVM IR.
constexpr llvm::StringLiteral loweringPlaceholders[] = {placeholder::In, placeholder::Out,
                                                        placeholder::Target};

/// InvalidInput for \p words that are no command: none, none with {out}, or one with a name in
/// braces that \p known has not. A word with white space is a script of another program and may
/// hold any braces; so may what follows a '$'.
llvm::Error verifyCommandWords(llvm::ArrayRef<std::string> words,
                               llvm::ArrayRef<llvm::StringLiteral> known);

} // namespace assay
