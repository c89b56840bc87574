// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of a primitive's vertices at a place of the framebuffer (Vulkan 1.3, "Rasterization":
// "Basic Point/Line/Polygon Rasterization"). All are ranges: positions may be boxes, snapping moves
// them, and implementations compute in floats.
#pragma once

#include "oracles/raster/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>

namespace assay::raster {

/// A place in pixels of the framebuffer; a box where it is left open (centroid).
struct Place {
  Range x, y;
};

/// Weights of three vertices; their sum is 1 for each exact choice. Of a line, the third is 0; of a
/// point, only the first is 1.
using Weights = std::array<Range, 3>;

/// What is interpolated from \p values at the vertices. Never wider than the weights make it, and
/// exact where all values are the same number.
Range interpolate(const Weights &weights, const std::array<Range, 3> &values);

/// A vertex of a primitive after the viewport transform, but not divided by w, which may be zero or
/// negative: the pixel is (x / w, y / w), its depth z / w.
struct WindowVertex {
  Range x, y, z, w;
};

/// The functions of one point, line or triangle, of the vertices that the shader wrote, whatever
/// clipping left of it.
class Interpolation {
public:
  Interpolation() = default;
  /// Of one to three vertices.
  explicit Interpolation(llvm::ArrayRef<WindowVertex> vertices);

  /// Of inputs without decoration: perspective-correct.
  Weights getPerspective(const Place &place) const;
  /// Of inputs with NoPerspective.
  Weights getLinear(const Place &place) const;
  /// FragCoord.w: 1 / w.
  Range getInverseW(const Place &place) const;

private:
  unsigned m_count = 0;
  std::array<WindowVertex, 3> m_vertices = {};
};

} // namespace assay::raster
