// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shaders of a DriverDraw, as SPIR-V.
#pragma once

#include "harness/peer/draws/DriverDraw.h"

namespace assay::draws {

/// The words of a shader that passes a DrawnVertex on.
llvm::Expected<std::vector<uint32_t>> makeVertexShader();
/// The words of the shader for \p kind.
llvm::Expected<std::vector<uint32_t>> makeFragmentShader(FragmentKind kind);

} // namespace assay::draws
