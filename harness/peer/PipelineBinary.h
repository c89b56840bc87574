// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is in the data of a pipeline binary of RADV: a struct of Mesa's, written as it is in memory.
// The offsets are those of Mesa 25.0; every binary is checked in many places, and RadvPeer.h tries
// known shaders before it believes any.
#pragma once

#include "oracles/radv/RadvGraphics.h"

namespace assay {

/// What a vertex shader exports, apart from its registers (radv_vs_output_info).
struct VertexOutputs {
  /// gl_varying_slot to AC_EXP_PARAM_*: a parameter, a constant, or undefined.
  std::array<uint8_t, 64> parameters{};
  bool primitiveIdIsPerPrimitive = false;
  bool viewportIsPerPrimitive = false;
};

/// What a fragment shader reads, apart from its registers (radv_shader_info::ps).
struct PixelInputs {
  bool pointCoord = false, primitiveId = false, viewportIndex = false;
  uint32_t clipCullMask = 0;       ///< Bit per clip or cull distance.
  uint32_t locations = 0;          ///< Bit per location.
  uint32_t primitiveLocations = 0; ///< Bit per location of an input of the primitive.
  uint32_t interpolated = 0, explicitly = 0, explicitlyStrict = 0; ///< Bit per input.
  uint32_t halves = 0, highHalves = 0;                             ///< Bit per input: of 16 bits.
  uint32_t count = 0;
  bool hasSampleShading = false;
};

/// One shader of a pipeline. Registers that also depend on other shaders are left out; linkStages()
/// (GraphicsRegisters.h) computes them.
struct BinaryShader {
  radv::RadvShader shader;
  radv::VertexRegisters vertex;
  VertexOutputs outputs;
  radv::PixelRegisters pixel;
  PixelInputs inputs;
};

/// The shader in \p data. compiler, driver, target and bindings are left to the caller. Unsupported
/// when the bytes are not laid out as expected, with the first thing that is odd.
llvm::Expected<BinaryShader> readPipelineBinary(llvm::ArrayRef<uint8_t> data);

} // namespace assay
