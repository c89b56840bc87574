// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole files in and out, with errors that name the file.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// The bytes of \p path ("-" is stdin). Environment when it can't be read; Limit above \p maxBytes.
llvm::Expected<std::vector<uint8_t>> readFileBytes(llvm::StringRef path,
                                                   uint64_t maxBytes = uint64_t(1) << 30);

/// As readFileBytes, as text.
llvm::Expected<std::string> readFileText(llvm::StringRef path, uint64_t maxBytes = uint64_t(1)
                                                                                   << 30);

/// Writes \p bytes to \p path ("-" is stdout) by way of a temporary file and a rename, so that a
/// reader never sees half of it; a device or pipe is written into. Makes missing folders.
/// Environment on any failure, a full disk too.
llvm::Error writeFile(llvm::StringRef path, llvm::ArrayRef<uint8_t> bytes);
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);

} // namespace assay
