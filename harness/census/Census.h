// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Much code of many shaders, for `assay doctor --isa` to look at: compiled and written to files,
// never run. ci/measure census drives it.
#pragma once

#include "harness/peer/RadvPeer.h"

namespace assay {

/// A vertex shader that feeds every fragment shader: it passes 16 vec4 inputs on.
llvm::Expected<std::vector<uint32_t>> makeVertexShader();

/// A fragment shader and the resources it names.
struct FragmentInput {
  RadvModule module;
  std::vector<radv::SetBinding> bindings;
  uint32_t pushConstantBytes = 0;
};

/// \p words, whose first entry point is of a fragment shader.
llvm::Expected<FragmentInput> describeFragment(std::vector<uint32_t> words);

/// True when the first entry point of \p words is of a fragment shader.
bool isFragment(llvm::ArrayRef<uint32_t> words);

} // namespace assay
