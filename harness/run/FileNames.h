// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the name of an input file must be.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace assay {

/// InvalidInput for a name that is not UTF-8: jobs and results are JSON, which has no other text.
llvm::Error verifyFileName(llvm::StringRef path);

} // namespace assay
