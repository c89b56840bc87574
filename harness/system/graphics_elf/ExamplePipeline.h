// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small graphics pipeline as IR and metadata, for every generation and both types: what tests of
// metadata, of parts and of validate-elf compile.
#pragma once

#include "compiler/pal/GraphicsMetadata.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// Which shaders are compiled.
enum class ExampleShaders : uint8_t { Both, Vertex, Fragment };

struct ExamplePipeline {
  pal::GraphicsPipelineType type = pal::GraphicsPipelineType::VsPs;
  ExampleShaders shaders = ExampleShaders::Both;
  unsigned waveSize = 64;
  PalVersion palVersion = PalVersion::V3_0;
  bool isPart = false; ///< Of version 2.6: with the fields of 3.0 (compiler/pal/CombineParts.h).
};

/// The metadata of \p example: one interpolant at location 4 (in parts by semantics), one target.
pal::GraphicsMetadata makeExampleMetadata(const ExamplePipeline &example, const TargetInfo &target);

/// The IR of \p example, text.
std::string makeExampleIr(const ExamplePipeline &example, const TargetInfo &target);

/// The PAL ELF that LLVM's back-end makes of both. \p change may spoil the metadata, which are then
/// not verified.
llvm::Expected<std::vector<uint8_t>>
compileExample(const ExamplePipeline &example, const TargetInfo &target,
               llvm::function_ref<void(pal::GraphicsMetadata &)> change = nullptr);

} // namespace assay
