// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transformations of any compute case, wherever it was read from.
#pragma once

#include "fuzz/transform/Transform.h"
#include "oracles/api/Case.h"

namespace assay::fuzz {

struct TransformedInput {
  Case result; ///< Its first buffers are the original's; expectations stay as they are.
  TransformationLog log;
};

/// As transformCase, of the shader of pipeline number \p pipeline. What a buffer holds is relied on
/// only where nothing in the case could change it. Unsupported where the case uses the bindings of
/// new buffers itself; InvalidInput where the shader can't be decoded.
llvm::Expected<TransformedInput> transformPipeline(const Case &original, unsigned pipeline,
                                                   const TransformOptions &options);
/// As replay.
llvm::Expected<TransformedInput> replayPipeline(const Case &original, unsigned pipeline,
                                                const TransformationLog &log);

} // namespace assay::fuzz
