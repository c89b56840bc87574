// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shaders of a DriverDraw, as SPIR-V.
#pragma once

#include "harness/peer/draws/DriverDraw.h"

namespace assay::draws {

llvm::Expected<std::vector<uint32_t>> makeVertexShader();
llvm::Expected<std::vector<uint32_t>> makeFragmentShader(FragmentKind kind);

} // namespace assay::draws
