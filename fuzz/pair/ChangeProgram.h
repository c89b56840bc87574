// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For mutations that change the SPIR-V of a pipeline.
#pragma once

#include "compiler/api/Pipeline.h"
#include "fuzz/program/Program.h"

namespace assay {

/// Changes the module of \p shader by \p change, which returns false when there is nothing to
/// change. False, and nothing is changed, then and where the module can't be taken apart.
bool changeProgram(ShaderDescription &shader, llvm::function_ref<bool(fuzz::Program &)> change);

/// The same for a vertex and a fragment shader together; false too without one of them.
bool changeStages(PipelineDescription &pipeline,
                  llvm::function_ref<bool(fuzz::Program &vertex, fuzz::Program &fragment)> change);

} // namespace assay
