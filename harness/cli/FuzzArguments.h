// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What other verbs need to know of the command line of `assay fuzz`.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace assay {

/// InvalidInput unless \p arguments describe a campaign for `assay fuzz`. Its folder and its shard
/// are for somebody else to choose, so they must not be among them.
llvm::Error verifyFuzzArguments(llvm::ArrayRef<std::string> arguments);

} // namespace assay
