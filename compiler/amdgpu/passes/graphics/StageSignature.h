// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers at the start of a hardware stage, as the arguments of its entry point.
#pragma once

#include "compiler/amdgpu/passes/UserDataLayout.h"
#include "compiler/amdgpu/passes/graphics/StageInputs.h"
#include "compiler/api/Target.h"
#include "compiler/pal/GraphicsMetadata.h"
#include <optional>

namespace assay::amdgpu {

/// An argument: a register, or several for one input.
struct StageArgument {
  std::optional<StageInput> input; ///< Nothing: what no code reads.
  unsigned dwords = 1;
  bool isSgpr = false;
  llvm::StringRef name;
};

/// Arguments in their order. User data are \p userSgprs SGPRs, from argument \p firstUserData on.
struct StageSignature {
  llvm::SmallVector<StageArgument, 24> arguments;
  unsigned firstUserData = 0;
};

/// Of \p stage on \p target with \p userSgprs user SGPRs. Sources: AMD's ISA manuals, "Initial wave
/// state"; LLPC, lgc/lowering/MutateEntryPoint.cpp and ShaderMerger.cpp; Mesa, radv_shader_args.c.
StageSignature makeStageSignature(pal::HardwareStage stage, const TargetInfo &target,
                                  unsigned userSgprs);

/// The UserDataMapping of an input that is user data.
std::optional<uint32_t> findMapping(StageInput input);

} // namespace assay::amdgpu
