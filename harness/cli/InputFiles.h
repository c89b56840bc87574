// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what is named on a command line to files that are no cases: ELFs, modules of IR.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay {

/// The files that \p inputs name: a file or "-" as it is; of a folder all that \p belongs says yes
/// to, below it, in the order of their paths (links to folders are not followed); of a pattern that
/// no shell has expanded what it represents, its folders likewise; each once. \p kind says in
/// messages what belongs: "ELF". InvalidInput for what does not exist, and for a folder in which
/// nothing belongs.
llvm::Expected<std::vector<std::string>>
findInputFiles(llvm::ArrayRef<std::string> inputs, llvm::StringRef kind,
               llvm::function_ref<bool(llvm::StringRef)> belongs);

/// InvalidInput where \p path is a folder or does not exist. "-", the standard input, is fine.
llvm::Error verifyInputFile(llvm::StringRef path);

/// What \p isMeant says of the first bytes of \p path, 16 or all: a folder may hold anything. True
/// for what can't be read, so that whoever reads it all says why.
bool beginsLike(llvm::StringRef path, llvm::function_ref<bool(llvm::ArrayRef<uint8_t>)> isMeant);

/// By their first bytes.
bool isElfOrArchive(llvm::ArrayRef<uint8_t> bytes);

/// \p files with "-" replaced by the path of a copy of the standard input, at \p copy.
llvm::Expected<std::vector<std::string>> keepStandardInput(llvm::ArrayRef<std::string> files,
                                                           const std::string &copy);

} // namespace assay
