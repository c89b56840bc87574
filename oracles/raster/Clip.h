// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clip volume (Vulkan 1.3, "Fixed-Function Vertex Post-Processing", "Primitive Clipping"). Most
// primitives are not cut into polygons: each sample is tested against the half-spaces that cut
// them.
#pragma once

#include "oracles/raster/Draw.h"

namespace assay::raster {

/// What clipping needs of a vertex.
struct ClipVertex {
  std::array<Range, 4> position;
  llvm::ArrayRef<Range> distances; ///< Clip distances of the shader.
};

/// In pixels: far less than a subpixel.
constexpr double NearBorder = 1.0 / 4096;

struct ClipResult {
  using Distances = std::array<Range, 3>; ///< From a half-space's border, by vertex.
  /// All vertices are outside of one half-space, of depth and the shader's or of x and y.
  bool isOutside = false, isOutsideView = false;
  /// A vertex is so near to a border of the view that clipping moves it by NearBorder at most. Its
  /// distance counts as zero.
  bool isNearBorder = false;
  /// Half-spaces that (may) cut the primitive: -w <= x <= w and -w <= y <= w; depth and the
  /// shader's.
  llvm::SmallVector<Distances, 2> viewPlanes, planes;
  bool isCut() const { return !viewPlanes.empty() || !planes.empty(); }
};

/// Tests a primitive of one to three vertices against the view volume and the shader's clip
/// distances.
ClipResult findClipPlanes(const GraphicsState &state, llvm::ArrayRef<ClipVertex> vertices);

/// Whether clipping may move the edge between two vertices: it makes a vertex on it, which is not a
/// subpixel position, and snaps it. \p a, \p b: indices of the vertices.
bool movesEdge(const ClipResult &clip, llvm::ArrayRef<WindowVertex> windows, unsigned a,
               unsigned b);

/// The polygon that is left of a triangle in front of the viewer, with coordinates that are
/// bounded: clipped to a multiple of the view volume, to w > 0, and to depth where the state asks
/// for it. The corners' middles only.
llvm::SmallVector<VertexOutput, 8> clipPolygon(const GraphicsState &state,
                                               llvm::ArrayRef<ClipVertex> triangle);

} // namespace assay::raster
