// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an assembled primitive to what is rasterized: cull distances, clip volume, viewport, facing
// and culling, polygon mode, the polygons of lines and points (Vulkan 1.3, "Fixed-Function Vertex
// Post-Processing": "Primitive Clipping", "Coordinate Transformations", "Controlling the Viewport";
// "Rasterization": "Points", "Line Segments", "Polygons").
#pragma once

#include "oracles/raster/Draw.h"

namespace assay::raster {

/// A convex polygon of which samples are covered, with all that its fragments share.
struct Shape {
  FragmentPrimitive primitive;
  llvm::SmallVector<SnappedVertex, 6> polygon;
  /// False: the whole of it may be missing (culling or clipping is not certain).
  bool isCertain = true;
  /// Half-spaces of the clip volume that cut the primitive; a sample must be in all.
  llvm::SmallVector<Interpolation::Plane, 2> planes;
  /// Bounds of the viewport in subpixels, x and y, low and high. Outside, nothing is covered; or,
  /// with \p mayLeaveViewport, it is open whether something is.
  std::array<SnappedRange, 2> low = {}, high = {};
  bool mayLeaveViewport = false;
  /// Samples as near to the viewport's border (in subpixels) may be missing.
  int64_t openBorder = 0;
  Range depthBias;
};

/// A vertex in window coordinates. \p clip: its output.
WindowVertex transformVertex(const VertexOutput &clip, const Viewport &viewport);

/// The samples of a pixel that are in \p shape.
Coverage coverPixel(const Shape &shape, int32_t x, int32_t y,
                    llvm::ArrayRef<SamplePosition> samples);

/// The shapes of a primitive, in drawing order. \p outputs: of its vertices; \p base: what all its
/// shapes have in common; \p isDefinite: DrawInput has it. Unsupported: positions too imprecise, or
/// state that the model lacks.
llvm::Expected<llvm::SmallVector<Shape, 1>> makeShapes(const GraphicsState &state,
                                                       llvm::ArrayRef<VertexOutput> outputs,
                                                       const FragmentPrimitive &base,
                                                       bool isDefinite = false);

} // namespace assay::raster
