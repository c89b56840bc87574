// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shaders of a graphics pipeline as Mesa's RADV hands them to the hardware, and the registers
// it writes for them. A file of its own kind holds one, so that what a peer compiled can be kept
// and run again without Mesa. Registers have the layout of AMD's register reference (Mesa's
// src/amd/registers).
#pragma once

#include "oracles/radv/RadvShader.h"
#include <optional>

namespace assay::radv {

/// Of a vertex shader. It runs as hardware stage VS, or as NGG: then user SGPR n is s(8 + n), and
/// s0 and s1 hold the address of the table of ring descriptors.
struct VertexRegisters {
  uint32_t isNgg = 0;          ///< 0 or 1.
  uint32_t isPassthrough = 0;  ///< 0 or 1. NGG: the primitive comes packed in one VGPR.
  uint32_t positionFormat = 0; ///< SPI_SHADER_POS_FORMAT.
  uint32_t outControl = 0;     ///< PA_CL_VS_OUT_CNTL.
  uint32_t outConfig = 0;      ///< SPI_VS_OUT_CONFIG, of GFX12 SPI_SHADER_GS_OUT_CONFIG_PS.
  uint32_t primitiveId = 0;    ///< VGT_PRIMITIVEID_EN.
  uint32_t verticesPerGroup = 0, primitivesPerGroup = 0; ///< NGG: limits of a workgroup.
  uint32_t parameters = 0;          ///< Parameters that the code exports for each vertex.
  uint32_t primitiveParameters = 0; ///< NGG: parameters that it exports for each primitive.
  /// V#s in the table of vertex buffers, in ascending order: bit n is vertex binding n, or vertex
  /// attribute n if descriptorsPerAttribute is 1.
  uint32_t vertexDescriptors = 0;
  uint32_t descriptorsPerAttribute = 0; ///< 0 or 1.
  std::vector<uint32_t> vertexBindings; ///< The vertex binding that each of these V#s is of.

  bool operator==(const VertexRegisters &) const = default;
};

/// Of a fragment shader.
struct PixelRegisters {
  uint32_t inputEna = 0, inputAddr = 0; ///< SPI_PS_INPUT_ENA, SPI_PS_INPUT_ADDR.
  uint32_t barycentrics = 0;            ///< SPI_BARYC_CNTL.
  uint32_t colorFormat = 0;   ///< SPI_SHADER_COL_FORMAT: the targets in colorMask, in their order.
  uint32_t colorMask = 0;     ///< CB_SHADER_MASK.
  uint32_t depthFormat = 0;   ///< SPI_SHADER_Z_FORMAT.
  uint32_t shaderControl = 0; ///< DB_SHADER_CONTROL.
  uint32_t loadsProvokingVertex = 0; ///< 0 or 1: a system SGPR follows the primitive mask.
  uint32_t primitiveInputs = 0;      ///< The last inputs that are parameters of the primitive.
  std::vector<uint32_t> inputs;      ///< SPI_PS_INPUT_CNTL_0 and following.

  bool operator==(const PixelRegisters &) const = default;
};

struct RadvGraphics {
  RadvShader vertex;
  VertexRegisters vertexRegisters;
  std::optional<RadvShader> pixel; ///< Nothing: the pipeline has no fragment shader.
  PixelRegisters pixelRegisters;
};

std::vector<uint8_t> writeRadvGraphics(const RadvGraphics &pipeline);
/// InvalidInput for anything that writeRadvGraphics would not have written: verifyRadvGraphics
/// holds when it succeeds, whatever the bytes were.
llvm::Expected<RadvGraphics> readRadvGraphics(llvm::ArrayRef<uint8_t> bytes);

/// InvalidInput where a shader or its stage is wrong, where the shaders are not for the same target
/// and bindings, and where counts contradict each other.
llvm::Error verifyRadvGraphics(const RadvGraphics &pipeline);

/// Everything but the code, one line each.
std::string printRadvGraphics(const RadvGraphics &pipeline);

} // namespace assay::radv
