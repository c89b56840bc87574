// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON results as inputs of verbs.
#pragma once

#include "reports/Report.h"

namespace assay {

/// The result at \p path. InvalidInput when it is none; Environment when it can't be read.
llvm::Expected<Report> readResult(llvm::StringRef path);

/// Says what is wrong with the result at \p path: exit code 2 when there is no such file, else by
/// the kind of \p error.
int failResult(llvm::StringRef path, llvm::Error error);

} // namespace assay
