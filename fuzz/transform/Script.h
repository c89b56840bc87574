// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transformations of cases as texts: what campaigns and people hold in their hands.
#pragma once

#include "fuzz/transform/Transform.h"

namespace assay::fuzz {

struct TransformedScript {
  std::string text; ///< An Amber script; it needs no other file.
  TransformationLog log;
};

/// Transforms the first pipeline of the case in \p text, which \p path names (CaseReader.h).
/// InvalidInput; Unsupported for what can't be read, transformed or written.
llvm::Expected<TransformedScript> transformScript(llvm::StringRef text, llvm::StringRef path,
                                                  const TransformOptions &options);
/// As replay.
llvm::Expected<TransformedScript> replayScript(llvm::StringRef text, llvm::StringRef path,
                                               const TransformationLog &log);

} // namespace assay::fuzz
