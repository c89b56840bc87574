// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a graphics pipeline and the registers that say how the hardware starts it and what it
// does with its exports, whoever compiled it: from the metadata of a PAL ELF, or from what RADV
// would write into the registers. Register values have the layout of AMD's register reference
// (PAL's chip headers, Mesa's src/amd/registers); only fields that are named here have an effect.
#pragma once

#include "oracles/machine/gcn/launch/CodeImage.h"
#include "oracles/pal_elf/MsgPack.h"
#include <array>
#include <optional>

namespace assay::gcn {

/// SPI_PS_INPUT_CNTL_0 to 31.
constexpr unsigned MaxParameters = 32;

/// The stage that positions vertices: hardware VS, or NGG (hardware GS with a vertex shader as ES).
struct VertexRegisters {
  bool isNgg = false; ///< Else hardware VS.
  /// NGG: the code gets the primitive's packed connectivity in a VGPR (PRIMGEN_PASSTHRU_EN).
  bool isPassthrough = false;
  /// The code sends no GS_ALLOC_REQ (PRIMGEN_PASSTHRU_NO_MSG).
  bool sendsNoRequest = false;
  /// Where code for GFX11 and later finds the descriptor of the attribute ring: PAL's, with the
  /// stride of one parameter, in the global table; RADV's, without one, in a table of rings whose
  /// address is in s[0:1].
  bool hasPalRing = false;
  /// VGT_GS_ONCHIP_CNTL / GE_NGG_SUBGRP_CNTL: the most of both that a workgroup gets.
  unsigned verticesPerGroup = 0, primitivesPerGroup = 0;
  /// NGG: VGT_GS_OUT_PRIM_TYPE, whose 0 to 2 are points, lines and triangles; nothing where the
  /// driver sets it for each draw.
  std::optional<uint32_t> outputPrimitive;
  /// VGPRs that are loaded: VGPR_COMP_CNT of the VS, of NGG ES_VGPR_COMP_CNT; GS_VGPR_COMP_CNT.
  unsigned vgprComponents = 3, gsVgprComponents = 3;
  uint32_t posFormat = 0;        ///< SPI_SHADER_POS_FORMAT: 4 bits an export; 0: none, 4: 4COMP.
  uint32_t outControl = 0;       ///< PA_CL_VS_OUT_CNTL.
  unsigned parameterExports = 0; ///< Parameters that the stage writes.
  /// NGG: how many of them, the last ones, are of primitives.
  unsigned primitiveParameters = 0;
  /// VGT_PRIMITIVEID_EN: vertices run again for each primitive, whose number they get.
  bool usesPrimitiveId = false;
  /// The binding that each V# of the table of vertex buffers is of. Their formats are those of
  /// loads by format in the code; strides and sizes are the pipeline's.
  std::vector<uint32_t> vertexTable;
};

/// The fragment stage.
struct PixelRegisters {
  uint32_t inputEna = 0;   ///< SPI_PS_INPUT_ENA: VGPRs that have a value.
  uint32_t inputAddr = 0;  ///< SPI_PS_INPUT_ADDR: VGPRs that are there.
  unsigned inputCount = 0; ///< SPI_PS_IN_CONTROL.NUM_INTERP: of \p inputControl.
  /// SPI_PS_INPUT_CNTL_n: OFFSET 5:0 (bit 5: DEFAULT_VAL 9:8 in the place of a parameter),
  /// FLAT_SHADE 10, FP16_INTERP_MODE 19, ATTR0_VALID 24, ATTR1_VALID 25; GFX11+: PRIM_ATTR 12.
  std::array<uint32_t, MaxParameters> inputControl{};
  /// The last of them are parameters that NGG code exports for a primitive.
  unsigned primitiveInputs = 0;
  uint32_t barycentrics = 0; ///< SPI_BARYC_CNTL.
  uint32_t colorFormat = 0;  ///< SPI_SHADER_COL_FORMAT: 4 bits an export.
  /// CB_SHADER_MASK: 4 bits a target. Exports go to the targets with a bit, in their order; all
  /// zeros: to those of their numbers.
  uint32_t colorMask = 0;
  uint32_t depthFormat = 0;   ///< SPI_SHADER_Z_FORMAT.
  uint32_t shaderControl = 0; ///< DB_SHADER_CONTROL.
  /// PA_SC_MODE_CNTL_1.PS_ITER_SAMPLE: the shader runs for each sample.
  bool isPerSample = false;
};

/// The code of both stages and what starts them.
struct GraphicsProgram {
  CodeImage vertex;
  VertexRegisters vertexRegisters;
  std::optional<CodeImage> pixel; ///< Nothing: no fragment shader.
  PixelRegisters pixelRegisters;
};

/// What the map `.graphics_registers` of metadata 3.x says of each stage. Of vertices, without what
/// NGG adds.
VertexRegisters readVertexRegisters(const MsgValue &graphicsRegisters);
PixelRegisters readPixelRegisters(const MsgValue &graphicsRegisters);

/// Loads a PAL ELF. InvalidInput where its metadata has no hardware stage for vertices.
llvm::Expected<GraphicsProgram> loadGraphicsElf(const Artifact &artifact, const TargetInfo &target);

/// Loads the shaders of RADV.
llvm::Expected<GraphicsProgram> loadGraphicsRadv(const Artifact &artifact,
                                                 const TargetInfo &target);

/// Gives NGG code as many waves in a workgroup as \p registers allow it vertices or primitives.
/// InvalidInput: they allow no triangle, or more than the hardware has (256 of both).
llvm::Error setGroupSize(const VertexRegisters &registers, LaunchState &launch);

/// Loads what a compiler made of a graphics pipeline, a PAL ELF or the shaders of RADV.
/// Unsupported: hardware stages that the machine does not run.
llvm::Expected<GraphicsProgram> loadGraphics(const Artifact &artifact, const TargetInfo &target);

} // namespace assay::gcn
