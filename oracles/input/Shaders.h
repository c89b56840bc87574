// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts in which a script or a file gives a shader, turned into SPIR-V that is known to decode.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/ScriptFiles.h"
#include "oracles/input/SpirvVersion.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::input {

/// A SPIR-V module and what a pipeline must know of it.
struct Shader {
  std::vector<uint32_t> words;
  ResourceLayout layout;
  std::vector<std::string> computeEntryPoints;
  VersionChoice version; ///< Of assembly.
};

enum class ShaderLanguage { Glsl, SpirvAssembly, SpirvHex, SpirvBinary };

/// The text of a shader and where it stands.
struct ShaderText {
  ShaderLanguage language = ShaderLanguage::Glsl;
  llvm::StringRef text;
  unsigned firstLine = 1;          ///< Line of the script on which the text begins.
  VersionCandidates versions = {}; ///< Of assembly.
};

/// Makes SPIR-V of \p source and inspects it. Errors have the line in the script.
llvm::Expected<Shader> makeShader(const ShaderText &source, const ScriptFiles &files);

/// Decodes \p words. InvalidInput when they don't decode or have no entry point; Unsupported for
/// what the decoder doesn't know and for modules without a compute entry point.
llvm::Expected<Shader> inspectShader(std::vector<uint32_t> words);

/// Runs the spirv-opt passes \p passes, in order. Unsupported for one that the installed
/// SPIRV-Tools lack.
llvm::Expected<Shader> optimizeShader(const Shader &shader, llvm::ArrayRef<std::string> passes);

/// A pipeline of \p shader at \p entryPoint, without bindings. InvalidInput when the module has no
/// such compute entry point.
llvm::Expected<CasePipeline> makePipeline(llvm::StringRef name, const Shader &shader,
                                          llvm::StringRef entryPoint);

} // namespace assay::input
