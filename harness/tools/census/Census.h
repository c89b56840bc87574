// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Much code of many shaders, for `assay doctor --isa` to look at: compiled and written to files,
// never run. ci/measure census drives it.
#pragma once

#include "harness/peer/RadvPeer.h"

namespace assay {

/// A vertex shader that feeds every fragment shader: it passes 16 vec4 inputs on.
llvm::Expected<std::vector<uint32_t>> makeVertexShader();

/// A pipeline of the fragment shader in \p words, the first entry point, with the resources that it
/// names, and of \p vertex, the shader of makeVertexShader(). State that changes code is chosen so
/// that much of it appears: eight attachments, of two formats.
llvm::Expected<RadvPipeline> describeFragment(std::vector<uint32_t> vertex,
                                              std::vector<uint32_t> words);

/// True when the first entry point of \p words is of a fragment shader.
bool isFragment(llvm::ArrayRef<uint32_t> words);

} // namespace assay
