// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The difference of two short texts, line by line, as people read it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace assay {

/// What lines are compared by, one for each of a whole text.
using LineKeys = llvm::function_ref<std::vector<std::string>(llvm::ArrayRef<llvm::StringRef>)>;

/// Lines of both in the unified format, with \p context lines around each change and the names in
/// the header; empty for equal texts. With \p keys, lines with equal keys are equal, and the old
/// one is shown. Takes time and memory by the product of what differs.
std::string diffLines(llvm::StringRef oldName, llvm::StringRef oldText, llvm::StringRef newName,
                      llvm::StringRef newText, size_t context = 3, LineKeys keys = nullptr);

} // namespace assay
