// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/Clip.h"

#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// The distance from a plane of the view volume; negative outside of it.
using Distance = Range (*)(const std::array<Range, 4> &position);
/// Right, left, bottom and top plane: -w <= x <= w and -w <= y <= w.
static constexpr Distance viewDistances[] = {
    [](const std::array<Range, 4> &p) { return p[3] - p[0]; },
    [](const std::array<Range, 4> &p) { return p[3] + p[0]; },
    [](const std::array<Range, 4> &p) { return p[3] - p[1]; },
    [](const std::array<Range, 4> &p) { return p[3] + p[1]; },
};
/// Near and far plane: 0 <= z <= w, as in Vulkan.
static constexpr Distance depthDistances[] = {
    [](const std::array<Range, 4> &p) { return p[2]; },
    [](const std::array<Range, 4> &p) { return p[3] - p[2]; },
};

/// Returns true when depth cuts primitives. Clamping takes precedence over clipping.
static bool clipsDepth(const GraphicsState &state) {
  return state.rasterization.depthClip && !state.rasterization.depthClamp &&
         !faultPlanted(Fault::RasterDepthClipIgnored);
}

/// Returns the planes that cut the primitive, with the distances of its vertices, and whether it is
/// outside of one.
ClipResult raster::findClipPlanes(const GraphicsState &state, ArrayRef<ClipVertex> vertices) {
  ClipResult result;
  auto add = [&](SmallVectorImpl<ClipResult::Distances> &planes, bool &isOutside,
                 function_ref<Range(const ClipVertex &)> getDistance) {
    ClipResult::Distances distances = {};
    bool isCut = false, areOutside = true;
    for (auto [i, vertex] : enumerate(vertices)) {
      distances[i] = getDistance(vertex);
      isCut |= distances[i].lo < 0;
      areOutside &= distances[i].hi < 0;
    }
    isOutside |= areOutside;
    if (isCut)
      planes.push_back(distances);
  };
  double size =
      std::max({1.0, double(state.viewport.width), std::fabs(double(state.viewport.height))});
  for (Distance distance : viewDistances)
    add(result.viewPlanes, result.isOutsideView, [&](const ClipVertex &v) -> Range {
      Range exact = distance(v.position);
      double slack = NearBorder / size * v.position[3].lo;
      bool isNear = exact != Range() && exact.lo >= -slack && exact.hi <= slack;
      result.isNearBorder |= isNear;
      return isNear ? Range() : exact;
    });
  if (clipsDepth(state))
    for (Distance distance : depthDistances)
      add(result.planes, result.isOutside,
          [&](const ClipVertex &v) { return distance(v.position); });
  bool clipsUser = !faultPlanted(Fault::RasterClipDistanceIgnored);
  for (size_t i = 0; clipsUser && i < vertices[0].distances.size(); ++i)
    add(result.planes, result.isOutside, [&](const ClipVertex &v) { return v.distances[i]; });
  return result;
}

/// Returns true when \p x pixels are a whole number of subpixels, up to rounding errors.
static bool isSubpixel(double x) {
  double units = x * SubpixelUnits;
  return std::fabs(units - std::floor(units + 0.5)) < 1e-7;
}

/// Whether the subpixel position next to (\p x, \p y), a place between two vertices, is on the edge
/// between those of the vertices, and no rounding leads to another one.
static bool staysOnEdge(const WindowVertex &from, const WindowVertex &to, double x, double y) {
  constexpr double MostError = 1.0 / 16; // In subpixels; more than a few roundings of floats.
  if (from.w.lo <= 0 || to.w.lo <= 0)
    return false;
  const SnappedRange ends[] = {snap(from.x), snap(from.y), snap(to.x), snap(to.y)};
  if (any_of(ends, [](const SnappedRange &end) { return end.lo != end.hi; }))
    return false;
  double unitsX = x * SubpixelUnits, unitsY = y * SubpixelUnits;
  double nearX = std::floor(unitsX + 0.5), nearY = std::floor(unitsY + 0.5);
  if (!(std::fabs(unitsX - nearX) < MostError) || !(std::fabs(unitsY - nearY) < MostError) ||
      std::fabs(nearX) > double(MaxSubpixel) || std::fabs(nearY) > double(MaxSubpixel))
    return false;
  int64_t dx = int64_t(nearX) - ends[0].lo, dy = int64_t(nearY) - ends[1].lo;
  return (ends[2].lo - ends[0].lo) * dy == (ends[3].lo - ends[1].lo) * dx;
}

/// True if clipping may move the edge from \p a to \p b, as a new vertex is not where the line
/// crosses exactly.
bool raster::movesEdge(const ClipResult &clip, ArrayRef<WindowVertex> windows, unsigned a,
                       unsigned b) {
  auto moves = [&](const ClipResult::Distances &distances) {
    Range da = distances[a], db = distances[b];
    if (da.lo >= 0 && db.lo >= 0)
      return false;
    if (da.hi <= 0 && db.hi <= 0)
      return false; // All of the edge is cut away; or, where one is zero, it ends at a vertex.
    if (!da.isPoint() || !db.isPoint())
      return true;
    double t = da.lo / (da.lo - db.lo);
    auto mix = [&](Range from, Range to) {
      return from.middle() + (to.middle() - from.middle()) * t;
    };
    const WindowVertex &from = windows[a], &to = windows[b];
    double w = mix(from.w, to.w);
    double x = mix(from.clipX, to.clipX) / w, y = mix(from.clipY, to.clipY) / w;
    return !(isSubpixel(x) && isSubpixel(y)) && !staysOnEdge(from, to, x, y);
  };
  return any_of(clip.viewPlanes, moves) || any_of(clip.planes, moves);
}

using Corner = std::array<double, 4>; ///< Clip coordinates.

/// Keeps the part of a convex polygon with a non-negative \p distance, which is linear.
static void cut(SmallVectorImpl<Corner> &polygon, function_ref<double(const Corner &)> distance) {
  SmallVector<Corner, 8> result;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Corner &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    double da = distance(a), db = distance(b);
    if (da >= 0)
      result.push_back(a);
    if ((da >= 0) == (db >= 0))
      continue;
    Corner &middle = result.emplace_back();
    for (unsigned k = 0; k < 4; ++k)
      middle[k] = a[k] + (b[k] - a[k]) * (da / (da - db));
  }
  polygon.assign(result.begin(), result.end());
}

/// Clips with middle values, for primitives of which only the shape after clipping is needed. Sides
/// are cut at four times the view volume.
SmallVector<VertexOutput, 8> raster::clipPolygon(const GraphicsState &state,
                                                 ArrayRef<ClipVertex> triangle) {
  constexpr double Guard = 4;
  SmallVector<Corner, 8> polygon;
  double largest = 0;
  for (const ClipVertex &vertex : triangle) {
    Corner &corner = polygon.emplace_back();
    for (unsigned k = 0; k < 4; ++k)
      corner[k] = vertex.position[k].middle();
    largest = std::max(largest, std::fabs(corner[3]));
  }
  cut(polygon, [&](const Corner &c) { return c[3] - largest * 1e-9; });
  if (clipsDepth(state)) {
    cut(polygon, [](const Corner &c) { return c[2]; });
    cut(polygon, [](const Corner &c) { return c[3] - c[2]; });
  }
  for (unsigned k = 0; k < 2; ++k) {
    cut(polygon, [&](const Corner &c) { return Guard * c[3] - c[k]; });
    cut(polygon, [&](const Corner &c) { return Guard * c[3] + c[k]; });
  }
  SmallVector<VertexOutput, 8> result;
  for (const Corner &corner : polygon)
    for (VertexOutput &output = result.emplace_back(); unsigned k : {0, 1, 2, 3})
      output.position[k] = Range::point(corner[k]);
  return result;
}
