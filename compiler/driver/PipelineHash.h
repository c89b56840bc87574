// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hashes by which a driver tells pipelines apart.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"
#include "compiler/driver/GraphicsChoices.h"
#include "compiler/lgc/PipelineState.h"
#include "support/Hash.h"

namespace assay {

/// Of what the application gave: code, entry point, specialization.
Hash128 hashShader(const ShaderDescription &shader);

/// Of everything that the machine code depends on; so not of the version of the metadata.
Hash128 hashPipeline(const PipelineDescription &pipeline, const CompileOptions &options,
                     const GraphicsChoices &choices = {});

/// What passes may know of the fixed-function state: of unlinked stages, no formats and no
/// blending.
GraphicsFacts getGraphicsFacts(const PipelineDescription &pipeline, const TargetInfo &target,
                               const GraphicsChoices &choices);

/// Adds everything in \p layout to \p bytes.
void addLayout(CanonicalBytes &bytes, const ResourceLayout &layout);

/// Adds what passes may read of \p facts for a stage of a graphics pipeline.
void addGraphicsFacts(CanonicalBytes &bytes, const GraphicsFacts &facts, ShaderStage stage);

} // namespace assay
