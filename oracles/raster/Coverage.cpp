// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/Coverage.h"

#include "support/Fault.h"
#include <cassert>
#include <limits>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// Rounds to the grid of subpixels; at a half either neighbour is possible. Far positions are cut.
SnappedRange raster::snap(Range x) {
  // Scaling by a power of two is exact, and so is what is compared here.
  constexpr double Limit = double(MaxSubpixel);
  double lo = std::clamp(x.lo * SubpixelUnits, -Limit, Limit);
  double hi = std::clamp(x.hi * SubpixelUnits, -Limit, Limit);
  // ceil(x - 1/2) and floor(x + 1/2) differ at a half alone.
  return {int64_t(std::ceil(lo - 0.5)), int64_t(std::floor(hi + 0.5))};
}

/// "Standard sample locations", in 1/16 of a pixel.
static constexpr SamplePosition positions1[] = {{8, 8}}; ///< x, y.
static constexpr SamplePosition positions2[] = {{12, 12}, {4, 4}};
static constexpr SamplePosition positions4[] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
static constexpr SamplePosition positions8[] = {{9, 5},  {7, 11}, {13, 9},  {5, 3},
                                                {3, 13}, {1, 7},  {11, 15}, {15, 1}};
static constexpr SamplePosition positions16[] = {
    {9, 9},  {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
    {6, 14}, {8, 1}, {4, 2},  {2, 12}, {0, 8}, {15, 4},  {14, 15}, {1, 0}};

ArrayRef<SamplePosition> raster::getSamplePositions(unsigned samples) {
  switch (samples) {
  case 1:
    return positions1;
  case 2:
    return positions2;
  case 4:
    return positions4;
  case 8:
    return positions8;
  case 16:
    return positions16;
  default:
    return {};
  }
}

/// Bounds of the difference.
static SnappedRange subtract(SnappedRange a, SnappedRange b) {
  return {a.lo - b.hi, a.hi - b.lo};
}

/// Bounds of the product, exact integers.
static SnappedRange multiply(SnappedRange a, SnappedRange b) {
  if (a.lo == a.hi && b.lo == b.hi)
    return {a.lo * b.lo, a.lo * b.lo};
  auto [lo, hi] = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  return {lo, hi};
}

/// (a - p) x (b - p): twice the area of the triangle a, b, p. Each coordinate occurs once, so that
/// the bounds are the exact ones.
static SnappedRange crossFrom(const SnappedVertex &a, const SnappedVertex &b, SnappedRange px,
                              SnappedRange py) {
  SnappedRange left = multiply(subtract(a.x, px), subtract(b.y, py));
  SnappedRange right = multiply(subtract(a.y, py), subtract(b.x, px));
  return subtract(left, right);
}

/// Maybe where the corners are not known well enough.
Orientation raster::getOrientation(ArrayRef<SnappedVertex> triangle) {
  // Relative to a corner that is a box the bounds are wider than they could be: Maybe more often.
  SnappedRange area = crossFrom(triangle[1], triangle[2], triangle[0].x, triangle[0].y);
  Orientation result;
  result.isPositive = area.lo > 0 ? Answer::Yes : area.hi > 0 ? Answer::Maybe : Answer::No;
  result.isZero = area.lo == 0 && area.hi == 0;
  return result;
}

/// Whether an edge with direction (dx, dy) of a polygon with positive area (clockwise on a screen
/// whose y points down) is a top edge (going right) or a left one (going up).
static Answer isTopLeft(SnappedRange dx, SnappedRange dy) {
  if (faultPlanted(Fault::RasterBottomRightRule)) {
    dx = {-dx.hi, -dx.lo};
    dy = {-dy.hi, -dy.lo};
  }
  if (dy.hi < 0)
    return Answer::Yes;
  if (dy.lo > 0)
    return Answer::No;
  if (dy.lo == 0 && dy.hi == 0)
    return dx.lo > 0 ? Answer::Yes : dx.hi <= 0 ? Answer::No : Answer::Maybe;
  return Answer::Maybe;
}

/// Whether a sample is on the inner side of one edge of a polygon with positive area.
static Answer isInside(const SnappedVertex &a, const SnappedVertex &b, SnappedRange px,
                       SnappedRange py) {
  SnappedRange edge = crossFrom(a, b, px, py);
  if (edge.lo > 0)
    return Answer::Yes;
  if (edge.hi < 0)
    return Answer::No;
  Answer onEdge = isTopLeft(subtract(b.x, a.x), subtract(b.y, a.y));
  if (edge.lo == 0 && onEdge == Answer::Yes)
    return Answer::Yes;
  if (edge.hi == 0 && onEdge == Answer::No)
    return Answer::No;
  return Answer::Maybe;
}

/// Returns whether the sample at subpixel (\p x, \p y) is inside of all edges. \p isReversed: the
/// polygon has a negative area.
static Answer coverSample(ArrayRef<SnappedVertex> polygon, bool isReversed, int64_t x, int64_t y) {
  Answer result = Answer::Yes;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const SnappedVertex &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    Answer inside = isReversed ? isInside(b, a, {x, x}, {y, y}) : isInside(a, b, {x, x}, {y, y});
    result = std::min(result, inside);
  }
  return result;
}

/// The sum of the triangles (v0, vi, vi+1).
static SnappedRange getArea(ArrayRef<SnappedVertex> polygon) {
  SnappedRange sum;
  for (size_t i = 1; i + 1 < polygon.size(); ++i) {
    SnappedRange area = crossFrom(polygon[i], polygon[i + 1], polygon[0].x, polygon[0].y);
    sum = {sum.lo + area.lo, sum.hi + area.hi};
  }
  return sum;
}

/// Returns which samples are covered for all positions that the corners may have, and which for
/// some.
Coverage raster::coverPixel(ArrayRef<SnappedVertex> polygon, int32_t x, int32_t y,
                            ArrayRef<SamplePosition> samples) {
  assert(polygon.size() >= 3 && "not a polygon");
  SnappedRange area = getArea(polygon);
  Coverage coverage;
  for (size_t i = 0; i < samples.size(); ++i) {
    int64_t px = x * SubpixelUnits + samples[i].x * (SubpixelUnits / 16);
    int64_t py = y * SubpixelUnits + samples[i].y * (SubpixelUnits / 16);
    Answer forward = area.hi > 0 ? coverSample(polygon, false, px, py) : Answer::No;
    Answer backward = area.lo < 0 ? coverSample(polygon, true, px, py) : Answer::No;
    if (forward != Answer::No || backward != Answer::No)
      coverage.possible |= 1u << i;
    bool isKnown = area.lo > 0 || area.hi < 0;
    if (isKnown && (forward == Answer::Yes || backward == Answer::Yes))
      coverage.certain |= 1u << i;
  }
  return coverage;
}

/// Visits pixels in [x0, x1) and [y0, y1) of \p clip that may be covered, row by row.
void raster::coverPolygon(ArrayRef<SnappedVertex> polygon, PixelRect clip,
                          ArrayRef<SamplePosition> samples,
                          function_ref<void(int32_t, int32_t, Coverage)> visit) {
  constexpr int64_t Most = std::numeric_limits<int64_t>::max();
  int64_t left = Most, top = Most, right = -Most, bottom = -Most;
  for (const SnappedVertex &vertex : polygon) {
    left = std::min(left, vertex.x.lo);
    right = std::max(right, vertex.x.hi);
    top = std::min(top, vertex.y.lo);
    bottom = std::max(bottom, vertex.y.hi);
  }
  // An arithmetic shift rounds down.
  int64_t x0 = std::max<int64_t>(clip.x0, left >> 8),
          x1 = std::min<int64_t>(clip.x1, (right >> 8) + 1);
  int64_t y0 = std::max<int64_t>(clip.y0, top >> 8),
          y1 = std::min<int64_t>(clip.y1, (bottom >> 8) + 1);
  for (int64_t y = y0; y < y1; ++y)
    for (int64_t x = x0; x < x1; ++x) {
      Coverage coverage = coverPixel(polygon, int32_t(x), int32_t(y), samples);
      if (coverage.possible)
        visit(int32_t(x), int32_t(y), coverage);
    }
}
