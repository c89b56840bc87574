// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes into the compiler and what comes out.
#pragma once

#include "compiler/api/GraphicsState.h"
#include "compiler/api/HashChain.h"
#include "compiler/api/ResourceLayout.h"
#include "compiler/api/ShaderStage.h"
#include "support/Diagnostic.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// The value of one specialization constant: up to 64 bits, little endian, zero-extended.
struct SpecializationValue {
  uint32_t id = 0; ///< SpecId.
  uint64_t bits = 0;
};

/// One shader of a pipeline.
struct ShaderDescription {
  ShaderStage stage = ShaderStage::Compute;
  std::vector<uint32_t> spirv; ///< Host-endian words.
  std::string entryPoint = "main";
  std::vector<SpecializationValue> specialization;
  /// Invocations in a subgroup that the pipeline asks for (VkPipelineShaderStage-
  /// RequiredSubgroupSizeCreateInfo); 0 leaves it to CompileOptions.
  uint32_t requiredSubgroupSize = 0;
};

/// What a shader may rely on where it leaves a resource (Vulkan's robustBufferAccess,
/// VK_EXT_robustness2).
enum class Robustness : uint8_t {
  None,    ///< Undefined behaviour.
  Access,  ///< robustBufferAccess: some value, some place of the same buffer, or nothing.
  Access2, ///< robustBufferAccess2, robustImageAccess2: reads give 0, writes do nothing.
};

/// Everything the machine code of a pipeline depends on, apart from CompileOptions.
struct PipelineDescription {
  std::vector<ShaderDescription> stages; ///< In the order of ShaderStage, each at most once.
  GraphicsState graphics;                ///< Of a graphics pipeline; otherwise all defaults.
  ResourceLayout layout;                 ///< One for all stages.
  Robustness robustness = Robustness::None;

  /// The shader of \p stage, or null.
  const ShaderDescription *find(ShaderStage stage) const;
  ShaderDescription *find(ShaderStage stage);
  /// The shader of \p stage, which must exist.
  const ShaderDescription &getShader(ShaderStage stage) const;
  ShaderDescription &getShader(ShaderStage stage);
  /// The shader of \p stage; if there is none yet, an empty one is added. That invalidates
  /// references to other shaders of the pipeline.
  ShaderDescription &addShader(ShaderStage stage);

  /// Whether the only stage is Compute.
  bool isCompute() const;
  /// Whether a stage is one of a graphics pipeline.
  bool isGraphics() const;
};

/// The one shader of a compute pipeline. Unsupported, naming the first other stage, for any other
/// pipeline: "vertex shaders".
llvm::Expected<const ShaderDescription *> requireCompute(const PipelineDescription &pipeline);

/// The phases of a compilation whose result can be had (assay compile --emit=).
enum class EmitPhase {
  Elf,       ///< PAL ELF (bytes).
  SpirvText, ///< The module as read, disassembled.
  Lgc,       ///< After the front-end: LLVM IR with recorded lgc ops, as text.
  Llvm,      ///< After the middle-end: what the back-end gets, as text.
  Assembly,  ///< Machine code as LLVM's assembler text.
  Metadata,  ///< The PAL metadata, as YAML.
};

struct CompileResult {
  std::vector<uint8_t> output; ///< Bytes (Elf) or text, by phase.
  std::vector<Diagnostic> diagnostics;
  std::vector<FunctionChain> hashChains; ///< Of the functions of the code; not of phases before it.
  bool isFromCache = false;
};

} // namespace assay
