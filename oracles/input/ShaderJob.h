// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shader jobs of GraphicsFuzz: a fragment shader, and a JSON file next to it with the values of its
// uniforms.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/ReadOptions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace assay::input {

/// Reads the fragment shader \p text; its uniforms are in a file with the name of \p path and
/// .json. The case clears an image of 256 x 256 texels (or as $framebuffer says) to opaque black,
/// and draws a rectangle (or a $grid) over all of it. Loose uniforms get bindings in their order.
/// InvalidInput for broken JSON, which names the uniform; Unsupported where there is no JSON file.
llvm::Expected<Case> readShaderJob(llvm::StringRef text, llvm::StringRef path);

} // namespace assay::input
