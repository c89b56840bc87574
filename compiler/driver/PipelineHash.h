// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hashes by which a driver tells pipelines apart.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"
#include "compiler/pal/Metadata.h"

namespace assay {

/// Of what the application gave: code, entry point, specialization.
pal::Hash hashShader(const ShaderDescription &shader);

/// Of everything that the machine code depends on.
pal::Hash hashPipeline(const PipelineDescription &pipeline, const CompileOptions &options);

} // namespace assay
