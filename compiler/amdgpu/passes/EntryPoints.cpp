// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/EntryPoints.h"

#include "compiler/lgc/BufferUse.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;

/// Where the shader leaves it open, denormals of f32 are flushed and all others preserved.
FloatMode amdgpu::chooseFloatMode(FloatMode mode) {
  if (mode.single.denormals == Denormals::Any)
    mode.single.denormals = Denormals::Flush;
  if (mode.others.denormals == Denormals::Any)
    mode.others.denormals = Denormals::Preserve;
  return mode;
}

/// Fields of SPI_SHADER_PGM_RSRC1.FLOAT_MODE and of MODE: rounding of f32 [1:0], of f16 and f64
/// [3:2]; denormals of f32 [5:4], of f16 and f64 [7:6].
uint8_t amdgpu::encodeDenormals(const FloatMode &mode) {
  return (mode.single.denormals == Denormals::Preserve ? 0x30 : 0) |
         (mode.others.denormals == Denormals::Preserve ? 0xC0 : 0);
}

/// Returns bits 3:0 of MODE: 0 rounds to nearest even, 3 toward zero.
static uint32_t encodeRounding(const FloatMode &mode) {
  return (mode.single.towardZero ? 0x3 : 0) | (mode.others.towardZero ? 0xC : 0);
}

/// Writes the four rounding bits of MODE by s_setreg.
void amdgpu::setRounding(IRBuilderBase &builder, const FloatMode &mode) {
  if (!mode.roundsTowardZero())
    return;
  constexpr unsigned ModeRegister = 1, Offset = 0, Bits = 4;
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_setreg,
                          {builder.getInt32(ModeRegister | Offset << 6 | (Bits - 1) << 11),
                           builder.getInt32(encodeRounding(mode))});
}

/// Robustness is read only where the function accesses buffers, so that the hash chain of others
/// does not depend on it.
void amdgpu::setTargetAttributes(Function &function, const FloatMode &mode, TrackedState &state) {
  setFloatMode(function, mode);
  function.addFnAttr("target-cpu", state.getTarget().name);
  std::string features;
  if (state.getTarget().supportsWave32)
    features = "+wavefrontsize" + std::to_string(state.getWaveSize()) + ",";
  // SILoadStoreOptimizer would make one access of neighbours, all of which is outside where it
  // begins in front of the buffer. With robustBufferAccess they may suffer for each other (Vulkan
  // 1.3, "Robust Buffer Access"), with robustBufferAccess2 not.
  // LoadStoreVectorizer asks for the other feature.
  bool hasBuffers = accessesBuffers(function);
  if (hasBuffers && state.hasRobustAccess2())
    features += "-load-store-opt,";
  else if (hasBuffers)
    features += "+relaxed-buffer-oob-mode,";
  // With halves of registers of their own, LLVM keeps 16-bit values of inactive lanes where code
  // for whole waves writes (bugs/README.md).
  if (state.getTarget().major == 11)
    features += "-real-true16,";
  if (!features.empty())
    function.addFnAttr("target-features", StringRef(features).drop_back());
}
