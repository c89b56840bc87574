// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of glue (compiler/pal/Glue.h): what an unlinked stage left out, as a stage of its own.
// The entry point has the attribute "amdgpu-glue" with the user data map of the part, and only
// the passes that lower what is left out look at it: LowerVertexFetch or LowerColorExport, then
// MutateStageEntryPoint.
#pragma once

#include "compiler/api/Target.h"
#include "compiler/pal/Glue.h"
#include "llvm/IR/Module.h"

namespace assay::amdgpu {

/// Adds the entry point of the glue for \p needs to \p module, which has no state and no hash chain
/// yet. Waves have \p waveSize lanes.
llvm::Function *makeGlue(llvm::Module &module, const pal::GlueNeeds &needs, unsigned waveSize);

bool isGlue(const llvm::Function &entry);
/// The user data map that \p entry, which is glue, has to follow.
llvm::SmallVector<uint32_t, 32> getGlueUserData(const llvm::Function &entry);

/// The entry point of \p module if its stage is \p stage, glue or not, or null.
llvm::Function *findStageOrGlue(llvm::Module &module, ShaderStage stage);

} // namespace assay::amdgpu
