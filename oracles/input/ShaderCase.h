// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A case of one pipeline without buffers and commands, for a shader that is alone in its file.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/Shaders.h"
#include "llvm/Support/Error.h"

namespace assay::input {

/// A compute pipeline where \p shader has a compute entry point ("main", or else the first one);
/// otherwise a graphics pipeline of its vertex and fragment entry points. Its state follows from
/// the shader: each location that a vertex shader reads has an attribute of the type it is read as,
/// in a binding of its own, and each that a fragment shader writes a target of four components of
/// that type. A fragment shader alone gets a vertex shader that passes on an attribute at each
/// location that it reads. Unsupported for modules of other stages only.
llvm::Expected<Case> makeShaderCase(const Shader &shader);

} // namespace assay::input
