// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the bytes of a fuzz target on shaders mean: a SPIR-V module, whose word for the tool that
// made it, which means nothing, chooses what is done with it. So every .spv file is an input.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"
#include "oracles/api/Case.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace assay::fuzz {

/// A module that spirv-val accepts, with a compute entry point.
struct ShaderInput {
  PipelineDescription pipeline; ///< Of the first compute entry point.
  uint32_t choice = 0;          ///< The word of the tool.

  /// A number below \p count from the bits of choice from \p bit on, 8 of them.
  unsigned choose(unsigned bit, unsigned count) const { return (choice >> bit & 0xff) % count; }
};

/// The input that \p bytes are; nothing for what is no such module, whatever decoder, validator and
/// resource interface say of it.
std::optional<ShaderInput> tryReadShader(llvm::ArrayRef<uint8_t> bytes);

/// Target, level, wave size, builder and robustness by choice: the latter in \p input.
CompileOptions chooseOptions(ShaderInput &input);

/// A case that runs \p input once, in one to three workgroups: after every descriptor a buffer or
/// image with some bytes, as large as \p bytes. Nothing where there is a descriptor of a kind that
/// it can't make.
std::optional<Case> makeCase(const ShaderInput &input, uint64_t bytes);

} // namespace assay::fuzz
