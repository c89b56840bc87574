// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What entry points of all stages have in common.
#pragma once

#include "compiler/lgc/FloatMode.h"
#include "compiler/lgc/TrackedState.h"
#include "llvm/IR/IRBuilder.h"

namespace assay::amdgpu {

/// What is left open in \p mode: f32 denormals are flushed, those of f16 and f64 kept.
FloatMode chooseFloatMode(FloatMode mode);

/// `.float_mode` of \p mode, apart from rounding: LLVM writes the same denormals into the metadata,
/// by the attributes, but always rounding to nearest even.
uint8_t encodeDenormals(const FloatMode &mode);

/// Sets the rounding of \p mode where it is not to nearest even.
void setRounding(llvm::IRBuilderBase &builder, const FloatMode &mode);

/// Chip, features and float mode.
void setTargetAttributes(llvm::Function &function, const FloatMode &mode, TrackedState &state);

/// What a shader can name, without VCC and its like (LLVM's AMDGPUUsage).
inline unsigned getSgprLimit(const TargetInfo &target) {
  return target.major == 9 ? 102 : 106;
}

} // namespace assay::amdgpu
