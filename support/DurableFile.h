// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are only ever appended to, and whose lines outlive the process and the machine.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Makes \p path, which must not exist, and its entry in its folder durable. Environment.
llvm::Error createDurably(llvm::StringRef path);

/// Appends \p text to \p path, which is made where it is missing, and returns when it is on disk.
/// One write, so that whole lines of two processes do not mix. Environment; then a part of \p text
/// may be in the file.
llvm::Error appendDurably(llvm::StringRef path, llvm::StringRef text);

} // namespace assay
