// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PAL metadata of one graphics stage: registers that follow from its code and the state.
#pragma once

#include "compiler/amdgpu/passes/graphics/StageFacts.h"
#include "compiler/amdgpu/passes/graphics/StageInputs.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/TrackedState.h"
#include <set>

namespace assay::amdgpu {

/// What the code of a stage says to its metadata.
struct StageUse {
  pal::HardwareStage hardware = pal::HardwareStage::Vs;
  StageMode mode;
  std::set<StageInput> inputs;
  bool writesMemory = false; ///< That others see: buffers and images.
};

/// `.type`, `.shaders`, and all registers, those of \p facts included. The stage itself is missing
/// in `.hardware_stages`.
pal::GraphicsMetadata makeStageMetadata(const StageFacts &facts, const StageUse &use,
                                        TrackedState &state);

/// The hardware stage of \p stage on the target of \p state.
pal::HardwareStage getHardwareStage(ShaderStage stage, TrackedState &state);

} // namespace assay::amdgpu
