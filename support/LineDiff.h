// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The difference of two short texts, line by line, as people read it.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace assay {

/// Lines of both in the unified format, with \p context lines around each change and the names in
/// the header; empty for equal texts. Takes time and memory by the product of what differs.
std::string diffLines(llvm::StringRef oldName, llvm::StringRef oldText, llvm::StringRef newName,
                      llvm::StringRef newText, size_t context = 3);

} // namespace assay
