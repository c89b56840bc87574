// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes into the compiler and what comes out.
#pragma once

#include "compiler/api/ResourceLayout.h"
#include "support/Diagnostic.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

enum class ShaderStage { Compute };

/// The value of one specialization constant: up to 64 bits, little endian, zero-extended.
struct SpecializationValue {
  uint32_t id = 0; ///< SpecId.
  uint64_t bits = 0;
};

/// One shader of a pipeline. An empty module means that the stage is absent.
struct ShaderDescription {
  ShaderStage stage = ShaderStage::Compute;
  std::vector<uint32_t> spirv; ///< Host-endian words.
  std::string entryPoint = "main";
  std::vector<SpecializationValue> specialization;
};

/// Everything the machine code of a pipeline depends on, apart from CompileOptions.
struct PipelineDescription {
  ShaderDescription compute;
  ResourceLayout layout;
};

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
};

} // namespace assay
