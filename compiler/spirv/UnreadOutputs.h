// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vertex outputs that a fragment shader does not have as inputs, before either is translated.
#pragma once

#include "compiler/api/Pipeline.h"

namespace assay::spirv {

/// Removes from the words of \p vertex the outputs at locations where \p fragment has no input, and
/// the stores to them: scalars and vectors of at most 32 bits that are only stored to. Nothing is
/// removed where the inputs are not all of that kind, or where a module has several entry points or
/// can't be parsed. So the hash of a vertex shader does not depend on what no stage reads; what
/// linking removes besides, it finds in the code.
void dropUnreadOutputs(ShaderDescription &vertex, const ShaderDescription &fragment);

} // namespace assay::spirv
