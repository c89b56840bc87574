// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/amdgpu/passes/graphics/TargetFormats.h"
#include "compiler/lgc/PipelineState.h"
#include "compiler/pal/GraphicsMetadata.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Exports what a fragment shader writes (lgc.write.output, lgc.write.stage.built.in) at its end:
/// depth, stencil reference and sample mask, then colors as the formats and blending of the targets
/// ask. Exports have no gaps: the n-th one is of the n-th target that gets one. Without any, an
/// export of nothing ends the wave. Adds the registers that say so (StageFacts).
class LowerColorExport : public llvm::PassInfoMixin<LowerColorExport> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// What an export of a color depends on, except for its target.
struct ColorUse {
  bool writesAlpha = false;
  bool coversByAlpha = false; ///< Alpha to coverage reads this color.
};

/// What may have to be known of the blending of a color target.
struct TargetBlending {
  llvm::function_ref<bool()> blends;
  llvm::function_ref<bool()> readsAlpha; ///< Of the shader.
};

/// The format in which a color is exported to a target of \p format (LLPC,
/// PipelineState::computeExportFormat). Asks for no more of \p target than it depends on.
pal::ExportFormat chooseExportFormat(const FormatInfo &format, const ColorUse &use,
                                     const TargetBlending &target);

} // namespace assay::amdgpu
