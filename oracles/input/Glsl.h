// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL shaders of all stages to SPIR-V, by glslang. Nothing of glslang's types leaves this file's
// .cpp.
#pragma once

#include "compiler/api/ShaderStage.h"
#include "oracles/input/ScriptFiles.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace assay::input {

/// Compiles \p text, a shader of \p stage, for Vulkan 1.3 and SPIR-V 1.6, entry point main. \p
/// firstLine is the line of the script on which the text begins: messages speak of lines of the
/// script. #include "name" reads from \p files. InvalidInput with glslang's first message.
llvm::Expected<std::vector<uint32_t>> compileGlsl(ShaderStage stage, llvm::StringRef text,
                                                  unsigned firstLine, const ScriptFiles &files);
/// The same for a compute shader.
inline llvm::Expected<std::vector<uint32_t>> compileGlsl(llvm::StringRef text, unsigned firstLine,
                                                         const ScriptFiles &files) {
  return compileGlsl(ShaderStage::Compute, text, firstLine, files);
}

} // namespace assay::input
