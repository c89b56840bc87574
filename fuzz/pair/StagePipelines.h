// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vertex and fragment shaders that exchange much, for tests of linking.
#pragma once

#include "compiler/api/Pipeline.h"
#include "support/Random.h"

namespace assay {

/// SPIR-V assembly of the two stages of a pipeline.
struct StageTexts {
  std::string vertex, fragment;
};

/// Shaders that exchange one to six scalars and vectors: some with several in a location, some
/// constant, some not written or not read, with all kinds of interpolation. All is a function of
/// VertexIndex: three vertices cover a framebuffer. The fragment shader writes four floats to
/// location 0. No branch depends on how values are rounded.
StageTexts makeStageTexts(Random &random);

/// The pipeline of \p texts, with a target of four floats at location 0. InvalidInput where they
/// can't be assembled.
llvm::Expected<PipelineDescription> assembleStages(const StageTexts &texts);

} // namespace assay
