// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the registers that a shader exports to colours, depth, stencil and positions. Sources: AMD's
// register reference (SPI_SHADER_COL_FORMAT, SPI_SHADER_Z_FORMAT, PA_CL_VS_OUT_CNTL); Mesa 25's
// ac_shader_util.c (ac_get_spi_shader_z_format) and ac_nir_lower_ps.c for which channel is where.
#pragma once

#include "oracles/api/TexelFormat.h"
#include "oracles/machine/gcn/graphics/PixelLaunch.h"
#include "llvm/Support/Error.h"

namespace assay::gcn {

/// The built-in outputs of a vertex. InvalidInput: no position was exported.
llvm::Expected<raster::VertexOutput> decodeVertex(const VertexExports &exports,
                                                  const VertexRegisters &registers);

/// What a fragment leaves. \p targets: the formats of the targets by location, which say whether a
/// register of 32 bits is a float or an integer. \p isDualSource: the second target is the second
/// source of blending with the first.
raster::FragmentOutput decodePixel(const PixelExports &exports, const PixelRegisters &registers,
                                   llvm::ArrayRef<const TexelFormatInfo *> targets,
                                   bool isDualSource);

/// Whether the first target blends with a second colour of the shader.
bool usesDualSource(const GraphicsState &state);

} // namespace assay::gcn
