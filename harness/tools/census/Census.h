// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Much code of many shaders, for `assay doctor --isa` to look at: compiled and written to files,
// never run. ci/measure census drives it.
#pragma once

#include "harness/peer/RadvPeer.h"

namespace assay {

/// A vertex shader that feeds every fragment shader: it passes 16 vec4 inputs on.
llvm::Expected<std::vector<uint32_t>> makeVertexShader();
/// A fragment shader that reads all that a vertex shader passes on, as 16 vec4 inputs, and adds it
/// up.
llvm::Expected<std::vector<uint32_t>> makeFragmentShader();

/// A pipeline of two shaders, of each the first entry point of its stage, with the resources that
/// \p measured, one of the two, names. State that changes code is chosen so that much of it
/// appears: eight attachments, of two formats.
llvm::Expected<RadvPipeline> describeDraw(std::vector<uint32_t> vertex,
                                          std::vector<uint32_t> fragment, ShaderStage measured);

/// The stage of the first entry point of \p words, if it is a vertex or a fragment shader.
std::optional<ShaderStage> findGraphicsStage(llvm::ArrayRef<uint32_t> words);

} // namespace assay
