// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One draw by a Vulkan driver, with fixed small shaders: for comparing the model oracles/raster
// with it. Cases with their own shaders are what machine vulkan is for.
#pragma once

#include "compiler/api/GraphicsState.h"
#include "oracles/machine/vulkan/Device.h"
#include <array>

namespace assay::draws {

/// What the vertex shader reads; it passes all on.
struct DrawnVertex {
  std::array<float, 4> position = {0, 0, 0, 1};
  std::array<float, 4> color = {};
  float pointSize = 1, clipDistance = 1, cullDistance = 1, unused = 0;
};

/// What the fragment shader writes.
enum class FragmentKind : uint8_t {
  Color,         ///< The vertices' colours.
  FlatColor,     ///< That of the provoking vertex.
  LinearColor,   ///< The colours without perspective.
  CentroidColor, ///< The same at the centroid.
  TwoColors,     ///< As Color, and the components in reverse order as second source.
  PointCoord,    ///< (PointCoord, 0, 1).
  Coordinates    ///< (FragCoord.z, FragCoord.w, FrontFacing, 1).
};

/// One draw into a colour target and, where the state has a format for it, a depth or stencil
/// target.
struct DriverDraw {
  GraphicsState state;            ///< One colour target; samples 1 or more.
  uint32_t width = 0, height = 0; ///< Of the targets, in pixels.
  std::vector<DrawnVertex> vertices;
  FragmentKind kind = FragmentKind::Color;
  std::array<float, 4> clearColor = {};
  float clearDepth = 1;
  uint32_t clearStencil = 0;
};

/// What the targets hold after a draw, row after row.
struct DrawnImages {
  std::vector<uint8_t> color; ///< Resolved.
  std::vector<uint8_t> depth; ///< Or stencil; empty without a target or with several samples.
};

/// Whether the driver can draw to the colour format; blend: with blending.
bool canDraw(const vulkan::Device &device, TexelFormat format, uint32_t samples, bool blend);

/// Draws and waits for the result. Errors are those of Vulkan calls. The caller has asked canDraw()
/// for the format.
llvm::Expected<DrawnImages> drawOnDriver(vulkan::Device &device, const DriverDraw &draw);

} // namespace assay::draws
