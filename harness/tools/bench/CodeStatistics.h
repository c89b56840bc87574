// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The size of the code of a pipeline, for Assay's ELFs and for the shaders of RADV in the same
// terms.
#pragma once

#include "compiler/api/Target.h"
#include "oracles/radv/RadvGraphics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Sums over the stages of a pipeline.
struct CodeStatistics {
  uint64_t instructions = 0; ///< Without the padding that follows the last one.
  uint64_t bytes = 0;        ///< Of these instructions.
  uint64_t vgprs = 0;        ///< As the hardware allocates them.
  uint64_t parameters = 0;   ///< That the vertex stage exports for each vertex.
};

/// Of the hardware stages in the metadata of \p elf. InvalidInput where an entry point or the
/// metadata can't be read; Unsupported for a chip without a decoder.
llvm::Expected<CodeStatistics> measureElf(llvm::ArrayRef<uint8_t> elf, const TargetInfo &target);

/// The same of RADV's shaders; errors likewise.
llvm::Expected<CodeStatistics> measureRadv(const radv::RadvGraphics &pipeline,
                                           const TargetInfo &target);
llvm::Expected<CodeStatistics> measureRadv(const radv::RadvShader &shader,
                                           const TargetInfo &target);

} // namespace assay
