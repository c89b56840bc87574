// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of things, for people.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace assay {

/// "1 case", "3 cases". \p several is the plural of \p one where that is more than an s: "entries".
std::string countOf(uint64_t number, llvm::StringRef one, llvm::StringRef several = "");

} // namespace assay
