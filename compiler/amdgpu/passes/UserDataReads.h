// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out what a compute entry point reads of its user data and inputs.
#pragma once

#include "compiler/amdgpu/passes/UserDataLayout.h"
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/TrackedState.h"

namespace assay::amdgpu {

/// A load of push constants at a known place.
struct PushConstantLoad {
  llvm::LoadInst *load;
  uint32_t byteOffset;
};

/// All ops of one function that represent user data and inputs.
struct UserDataReads {
  UserDataUse use;
  llvm::SmallVector<PushConstantLoad, 8> pushConstantLoads;
  llvm::SmallVector<PushConstantsPtrOp *, 4> pushConstantPointers;
  llvm::SmallVector<DescriptorTableOp *, 4> tables;
  llvm::SmallVector<ReadBuiltInOp *, 4> builtIns;
};

/// InvalidInput when a set or the push constants are not in \p state's layout, or a built-in is
/// none that the hardware gives (LowerBuiltIns makes the others).
llvm::Expected<UserDataReads> collectUserDataReads(llvm::Function &entry, TrackedState &state);

} // namespace assay::amdgpu
