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

/// Where execution of a shader stage starts.
struct ShaderEntry {
  ShaderStage stage = ShaderStage::Compute;
  std::string name;
};

/// A SPIR-V module and what a pipeline must know of it.
struct Shader {
  std::vector<uint32_t> words;
  std::vector<ShaderEntry> entryPoints;
  VersionChoice version; ///< Of assembly.

  bool hasEntryPoint(ShaderStage stage, llvm::StringRef name) const;
  /// The name of the first entry point of \p stage, "main" preferred; empty if there is none.
  llvm::StringRef findEntryPoint(ShaderStage stage) const;
};

enum class ShaderLanguage { Glsl, SpirvAssembly, SpirvHex, SpirvBinary };

/// The text of a shader and where it stands.
struct ShaderText {
  ShaderLanguage language = ShaderLanguage::Glsl;
  llvm::StringRef text;
  unsigned firstLine = 1;                   ///< Line of the script on which the text begins.
  VersionCandidates versions = {};          ///< Of assembly.
  ShaderStage stage = ShaderStage::Compute; ///< Of GLSL.
};

/// Makes SPIR-V of \p source and inspects it. Errors have the line in the script.
llvm::Expected<Shader> makeShader(const ShaderText &source, const ScriptFiles &files);

/// Decodes \p words. InvalidInput when they don't decode or have no entry point; Unsupported for
/// what the decoder doesn't know and for modules with entry points of kernels only.
llvm::Expected<Shader> inspectShader(std::vector<uint32_t> words);

/// Runs the spirv-opt passes \p passes, in order. Unsupported for one that the installed
/// SPIRV-Tools lack.
llvm::Expected<Shader> optimizeShader(const Shader &shader, llvm::ArrayRef<std::string> passes);

/// SPIR-V of the vertex shader that copies the attribute at location 0 to the position.
const Shader &passthroughShader();

/// Makes \p shader at \p entryPoint the \p stage of \p pipeline; what the stage says of
/// specialization and subgroups stays. InvalidInput when the module has no such entry point.
llvm::Error setStage(PipelineDescription &pipeline, ShaderStage stage, const Shader &shader,
                     llvm::StringRef entryPoint);
/// Gives \p pipeline the layout that all its stages need together. InvalidInput where stages
/// disagree about a binding.
llvm::Error updateLayout(PipelineDescription &pipeline);

/// A pipeline of \p shader at \p entryPoint, without bindings. InvalidInput when the module has no
/// such compute entry point.
llvm::Expected<CasePipeline> makePipeline(llvm::StringRef name, const Shader &shader,
                                          llvm::StringRef entryPoint);

} // namespace assay::input
