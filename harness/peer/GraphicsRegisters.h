// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers of a graphics pipeline that are in no shader's binary, because RADV computes them
// from several shaders or from state when it records a draw.
#pragma once

#include "compiler/api/GraphicsState.h"
#include "compiler/api/Target.h"
#include "harness/peer/PipelineBinary.h"

namespace assay {

/// Joins \p vertex and \p pixel (nothing: no fragment shader), which are of one pipeline with
/// \p state. Unsupported where the two contradict each other.
llvm::Expected<radv::RadvGraphics> linkStages(BinaryShader vertex,
                                              std::optional<BinaryShader> pixel,
                                              const GraphicsState &state, const TargetInfo &target);

} // namespace assay
