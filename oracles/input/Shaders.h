// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts in which a script or a file gives a shader, turned into SPIR-V that is known to decode.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/ScriptFiles.h"
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
};

enum class ShaderLanguage { Glsl, SpirvAssembly, SpirvHex, SpirvBinary };

/// The text of a shader and where it stands.
struct ShaderText {
  ShaderLanguage language = ShaderLanguage::Glsl;
  llvm::StringRef text;
  unsigned firstLine = 1; ///< Line of the script on which the text begins.
  /// Version that assembled modules say they have. Nothing: the newest that spirv-val accepts the
  /// module as, of 1.6, 1.3 and 1.0, between which rules changed; 1.6 where it accepts none.
  std::optional<uint32_t> spirvVersion = std::nullopt;
};

/// Makes SPIR-V of \p source and inspects it. Errors have the line in the script.
llvm::Expected<Shader> makeShader(const ShaderText &source, const ScriptFiles &files);

/// Decodes \p words. InvalidInput when they don't decode or have no entry point; Unsupported for
/// what the decoder doesn't know and for modules without a compute entry point.
llvm::Expected<Shader> inspectShader(std::vector<uint32_t> words);

/// "spv1.3", "vulkan1.1" -> 0x00010300; InvalidInput for another name.
llvm::Expected<uint32_t> parseTargetEnvironment(llvm::StringRef name);

/// The version in a "; Version: 1.3" comment before the first instruction, as the disassembler
/// writes it, if there is one.
std::optional<uint32_t> versionOfAssembly(llvm::StringRef text);

/// Runs the spirv-opt passes \p passes, in order. Unsupported for one that the installed
/// SPIRV-Tools lack.
llvm::Expected<Shader> optimizeShader(const Shader &shader, llvm::ArrayRef<std::string> passes);

/// A pipeline of \p shader at \p entryPoint, without bindings. InvalidInput when the module has no
/// such compute entry point.
llvm::Expected<CasePipeline> makePipeline(llvm::StringRef name, const Shader &shader,
                                          llvm::StringRef entryPoint);

} // namespace assay::input
