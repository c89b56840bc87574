// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLPC's .pipe files that describe a compute pipeline, or a graphics pipeline with a
// vertex and a fragment shader: shaders, specialization constants, fixed-function state, and
// options that make a different program. The mapping of resources is ignored: Assay lays
// descriptors out itself.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/ReadOptions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace assay::input {

/// Reads the pipeline \p text; files that it names are relative to the folder of \p path. A case of
/// one pipeline without buffers or commands. InvalidInput for broken text; Unsupported for other
/// stages, HLSL, and options that change what the shader does. State that GraphicsState lacks
/// (multiview) is in Case::unsupported.
llvm::Expected<Case> readPipe(llvm::StringRef text, llvm::StringRef path,
                              const ReadOptions &options = {});

} // namespace assay::input
