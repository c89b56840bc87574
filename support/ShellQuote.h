// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of command lines.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace assay {

/// \p word for a POSIX shell or bash, quoted unless all of its letters are known to be plain.
std::string quoteForShell(llvm::StringRef word);

} // namespace assay
