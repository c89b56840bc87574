// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of a primitive's vertices at a place of the framebuffer (Vulkan 1.3, "Rasterization":
// "Basic Line Segment Rasterization", "Basic Polygon Rasterization"). All are ranges: positions may
// be boxes, implementations interpolate between positions before or after snapping, and compute in
// floats (docs/draws.md, "Precision").
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
struct Weights : std::array<Range, 3> {
  /// Of the largest value: what rounding adds to the result.
  double relativeError = 0;
  /// Three equal values give that value without an error.
  bool keepsEqualValues = true;
};

/// What is interpolated from \p values at the vertices. Never wider than the weights make it.
Range interpolate(const Weights &weights, const std::array<Range, 3> &values);

/// A vertex of a primitive after the viewport transform.
struct WindowVertex {
  Range clipX, clipY, clipZ; ///< Pixels and depth, times w: they are right where w is not positive.
  Range w;                   ///< Of the clip coordinates.
  Range x, y, z;             ///< Pixels and depth; without a meaning unless w > 0.
};

/// The functions of one point, line or triangle, of the vertices that the shader wrote, whatever
/// clipping left of it.
class Interpolation {
public:
  Interpolation() = default;
  /// Of one to three vertices. Those of points and lines have w > 0.
  explicit Interpolation(llvm::ArrayRef<WindowVertex> vertices);

  /// Of inputs without decoration: perspective-correct.
  Weights getPerspective(const Place &place) const;
  /// Of inputs with NoPerspective.
  Weights getLinear(const Place &place) const;
  /// FragCoord.w: 1 / w.
  Range getInverseW(const Place &place) const;
  /// Depth without bias and clamp: z / w.
  Range getDepth(const Place &place) const;

  /// The largest of |dz/dx|, |dz/dy|, and the length of both: m of depth bias.
  Range getDepthSlope() const;

  /// The function x * X + y * Y + c of a pixel (X, Y), with a maximum error.
  struct Plane {
    double x = 0, y = 0, c = 0, tolerance = 0;
  };
  /// A function with value / w at each vertex: it has the sign of what is interpolated.
  Plane getPlane(const std::array<Range, 3> &values) const;

private:
  /// Of one vertex: a function of the pixel whose value is weight / w.
  struct Numerator {
    double x = 0, y = 0, c = 0;
    double positionError = 0; ///< Where the sum of |weights| is 1.
  };
  /// Computes the numerators, or marks the primitive as degenerate.
  void setUpTriangle();
  /// The same for a line, by the position along it.
  void setUpLine();
  /// Weight / w of each vertex at \p place.
  std::array<Range, 3> getNumerators(const Place &place) const;

  unsigned m_count = 0;
  std::array<WindowVertex, 3> m_vertices = {};
  std::array<double, 3> m_w = {1, 1, 1}; ///< Middles.
  std::array<Numerator, 3> m_numerators = {};
  bool m_isAffine = true;  ///< All w are the same number.
  bool m_hasWindow = true; ///< All w are positive.
  bool m_isDegenerate = false;
};

} // namespace assay::raster
