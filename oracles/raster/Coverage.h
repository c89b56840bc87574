// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which samples a polygon covers (Vulkan 1.3, "Rasterization": "Multisampling", "Basic Polygon
// Rasterization"). Vertices are snapped to 1/256 of a pixel (subPixelPrecisionBits 8, as lavapipe
// and RADV report), and edge functions are exact integers. A vertex may be a box of positions; then
// some samples are certainly covered, some possibly.
#pragma once

#include "oracles/raster/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace assay::raster {

constexpr int64_t SubpixelUnits = 256; ///< In a pixel.
/// Magnitude that a snapped coordinate may have, so that edge functions fit into 64 bits.
constexpr int64_t MaxSubpixel = int64_t(1) << 29;

/// A coordinate in subpixel units, or an interval of them.
struct SnappedRange {
  int64_t lo = 0, hi = 0;
  bool operator==(const SnappedRange &) const = default;
};

struct SnappedVertex {
  SnappedRange x, y;
};

/// The subpixel position nearest to \p x (in pixels, magnitude below MaxSubpixel / 256); either
/// neighbour where \p x lies in the middle between two, as the specification names no rule.
SnappedRange snap(Range x);

/// A position inside a pixel, in 1/16 of it.
struct SamplePosition {
  uint8_t x = 8, y = 8;
};

/// standardSampleLocations of 1, 2, 4, 8 or 16 samples; empty for another count.
llvm::ArrayRef<SamplePosition> getSamplePositions(unsigned samples);

/// Masks of the samples of one pixel, bit = sample. \p certain is a subset of \p possible.
struct Coverage {
  uint32_t certain = 0, possible = 0;
  bool operator==(const Coverage &) const = default;
};

/// Pixels [x0, x1) x [y0, y1).
struct PixelRect {
  int32_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool operator==(const PixelRect &) const = default;
};

/// The sign of the area of a polygon in framebuffer coordinates (y down): Yes if positive for all
/// positions, No if negative or zero for all. \p isZero: it is zero for all.
struct Orientation {
  Answer isPositive = Answer::No;
  bool isZero = false;
};
/// Of the triangle of the first three vertices.
Orientation getOrientation(llvm::ArrayRef<SnappedVertex> triangle);

/// The samples of pixel (x, y) in a convex polygon of at least three vertices, all turning the same
/// way. A sample on an edge belongs to the polygon if the edge is a top or a left one: the choice
/// of lavapipe and RADV (the specification asks only that shared edges draw no sample twice).
Coverage coverPixel(llvm::ArrayRef<SnappedVertex> polygon, int32_t x, int32_t y,
                    llvm::ArrayRef<SamplePosition> samples);

/// Calls \p visit for each pixel in \p clip with a sample that is possibly covered, row after row.
void coverPolygon(llvm::ArrayRef<SnappedVertex> polygon, PixelRect clip,
                  llvm::ArrayRef<SamplePosition> samples,
                  llvm::function_ref<void(int32_t x, int32_t y, Coverage)> visit);

} // namespace assay::raster
