// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/Interpolation.h"

#include "oracles/raster/Coverage.h"
#include "support/Fault.h"
#include <cassert>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// Rounding of an implementation that computes a + b x + c y in floats, relative to the largest of
/// the three, with b and c from differences: 16 roundings (8 are too few for llvmpipe,
/// lp_state_setup.c: calc_coef4).
static constexpr double FloatError = 16 * 0x1p-24;
/// 1 / w, its interpolation, and the division by it.
static constexpr double PerspectiveError = 16 * 0x1p-24;

/// Bounds of the quotient; \p b does not contain 0.
static Range divide(Range a, Range b) {
  if (a.isPoint() && b.isPoint())
    return Range::point(a.lo / b.lo);
  auto [lo, hi] = std::minmax({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi});
  return {lo, hi};
}

/// Returns the numbers that are in both ranges, \p a if there are none.
static Range intersect(Range a, Range b) {
  Range both{std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
  return both.lo <= both.hi ? both : a; // Empty by rounding alone.
}

/// Bounds the sum of the values by their weights. Equal values stay as they are where the weights
/// promise that.
Range raster::interpolate(const Weights &weights, const std::array<Range, 3> &values) {
  bool areEqual = values[0].isPoint() && values[1] == values[0] && values[2] == values[0];
  double largest = 0;
  for (const Range &value : values)
    largest = std::max({largest, std::fabs(value.lo), std::fabs(value.hi)});
  double error = areEqual && weights.keepsEqualValues ? 0 : weights.relativeError * largest;
  if (areEqual)
    return widen(values[0], error);
  // v0 + w1 (v1 - v0) + w2 (v2 - v0), from each of the vertices; all are bounds.
  Range result;
  for (unsigned i = 0; i < 3; ++i) {
    unsigned j = (i + 1) % 3, k = (i + 2) % 3;
    Range bounds =
        values[i] + weights[j] * (values[j] - values[i]) + weights[k] * (values[k] - values[i]);
    result = i ? intersect(result, bounds) : bounds;
  }
  return widen(result, error);
}

/// How far the position that an implementation uses may be from the middle of the range, in pixels.
static double getPositionError(Range exact) {
  double middle = exact.middle();
  SnappedRange snapped = snap(exact);
  return std::max({middle - exact.lo, exact.hi - middle,
                   std::fabs(double(snapped.lo) / SubpixelUnits - middle),
                   std::fabs(double(snapped.hi) / SubpixelUnits - middle)});
}

/// The larger error of both coordinates.
static double getPositionError(const WindowVertex &vertex) {
  return std::max(getPositionError(vertex.x), getPositionError(vertex.y));
}

Interpolation::Interpolation(ArrayRef<WindowVertex> vertices) : m_count(unsigned(vertices.size())) {
  assert(m_count >= 1 && m_count <= 3);
  for (unsigned i = 0; i < m_count; ++i) {
    m_vertices[i] = vertices[i];
    m_w[i] = vertices[i].w.middle();
    m_hasWindow &= vertices[i].w.lo > 0;
    m_isAffine &= vertices[i].w.isPoint() && vertices[i].w == vertices[0].w;
  }
  for (unsigned i = m_count; i < 3; ++i)
    m_vertices[i] = vertices.back();
  if (m_count == 3)
    setUpTriangle();
  else if (m_count == 2)
    setUpLine();
}

/// Numerators are the rows of the inverse of the matrix with columns (x, y, w): at the pixel of a
/// vertex its own is 1 / w, the others are 0.
void Interpolation::setUpTriangle() {
  double x[3], y[3], shift = 1.0 / SubpixelUnits;
  for (unsigned i = 0; i < 3; ++i) {
    x[i] = m_hasWindow ? m_vertices[i].x.middle() * m_w[i] : m_vertices[i].clipX.middle();
    y[i] = m_hasWindow ? m_vertices[i].y.middle() * m_w[i] : m_vertices[i].clipY.middle();
  }
  if (m_hasWindow) {
    shift = 0;
    for (const WindowVertex &vertex : m_vertices)
      shift = std::max(shift, getPositionError(vertex));
  }
  double determinant = 0;
  for (unsigned i = 0; i < 3; ++i) {
    unsigned j = (i + 1) % 3, k = (i + 2) % 3;
    Numerator &row = m_numerators[i];
    row.x = y[j] * m_w[k] - y[k] * m_w[j];
    row.y = x[k] * m_w[j] - x[j] * m_w[k];
    row.c = x[j] * y[k] - x[k] * y[j];
    if (i == 0)
      determinant = row.x * x[0] + row.y * y[0] + row.c * m_w[0];
  }
  m_isDegenerate = determinant == 0;
  if (m_isDegenerate)
    return;
  double change = 0; // Of the weights by a shift, for terms of the second order.
  for (unsigned i = 0; i < 3; ++i) {
    Numerator &row = m_numerators[i];
    row.x /= determinant;
    row.y /= determinant;
    row.c /= determinant;
    row.positionError = (std::fabs(row.x) + std::fabs(row.y)) * shift;
    change += row.positionError * std::fabs(m_w[i]);
  }
  for (Numerator &row : m_numerators)
    row.positionError *= change < 0.5 ? 1 / (1 - change) : 1e9;
  if (faultPlanted(Fault::RasterSwappedWeights))
    std::swap(m_numerators[1], m_numerators[2]);
}

/// t of "Basic Line Segment Rasterization"; numerators are (1 - t) / w_a and t / w_b.
void Interpolation::setUpLine() {
  double ax = m_vertices[0].x.middle(), ay = m_vertices[0].y.middle();
  double dx = m_vertices[1].x.middle() - ax, dy = m_vertices[1].y.middle() - ay;
  double length = dx * dx + dy * dy;
  m_isDegenerate = length == 0;
  if (m_isDegenerate)
    return;
  double shift = std::max(getPositionError(m_vertices[0]), getPositionError(m_vertices[1]));
  double x = dx / length, y = dy / length, c = -(ax * x + ay * y);
  // A shift turns the line too: what is half its width away moves along by less than the shift.
  double error = 2 * (std::fabs(x) + std::fabs(y)) * shift;
  m_numerators[0] = {-x / m_w[0], -y / m_w[0], (1 - c) / m_w[0], error / m_w[0]};
  m_numerators[1] = {x / m_w[1], y / m_w[1], c / m_w[1], error / m_w[1]};
}

/// The largest magnitude.
static double getLargest(Range range) {
  return std::max(std::fabs(range.lo), std::fabs(range.hi));
}

/// Errors of positions, of w, and of floats are added to the exact values. Entries above the number
/// of vertices are 0. A place that is a range adds half of its width.
std::array<Range, 3> Interpolation::getNumerators(const Place &place) const {
  std::array<Range, 3> result = {};
  double x = place.x.middle(), y = place.y.middle();
  double halfX = place.x.hi - x, halfY = place.y.hi - y;
  double middles[3], sum = 0;
  for (unsigned i = 0; i < m_count; ++i) {
    const Numerator &row = m_numerators[i];
    middles[i] = row.x * x + row.y * y + row.c;
    sum += std::fabs(middles[i] * m_w[i]);
  }
  for (unsigned i = 0; i < m_count; ++i) {
    const Numerator &row = m_numerators[i];
    double terms = std::fabs(row.x) * getLargest(place.x) + std::fabs(row.y) * getLargest(place.y) +
                   std::fabs(row.c);
    double relativeW = (m_vertices[i].w.hi - m_vertices[i].w.lo) / std::fabs(m_w[i]);
    double error = row.positionError * std::max(sum, 1.0) + FloatError * terms +
                   (m_hasWindow ? std::fabs(middles[i]) * relativeW : 0);
    error += std::fabs(row.x) * halfX + std::fabs(row.y) * halfY;
    result[i] = widen(Range::point(middles[i]), error);
  }
  return result;
}

/// Weights of a degenerate primitive: anything from 0 to 1.
static Weights makeUnknown() {
  Weights weights;
  weights.fill({0, 1});
  return weights;
}

/// Nothing is known of a degenerate primitive.
Weights Interpolation::getLinear(const Place &place) const {
  if (m_isDegenerate)
    return makeUnknown();
  Weights weights;
  if (m_count == 1) {
    weights[0] = Range::point(1);
    return weights;
  }
  std::array<Range, 3> numerators = getNumerators(place);
  for (unsigned i = 0; i < m_count; ++i)
    weights[i] = numerators[i] * Range::point(m_w[i]);
  weights.relativeError = FloatError;
  return weights;
}

/// n / (n + rest) is monotone in both; its bounds are at corners.
static Range getShare(Range part, Range rest) {
  Range share{1, 0};
  bool isFirst = true;
  for (double n : {part.lo, part.hi})
    for (double r : {rest.lo, rest.hi}) {
      if (n + r <= 0)
        return {-1e9, 1e9}; // The place is behind the viewer.
      Range corner = Range::point(n / (n + r));
      share = isFirst ? corner : hull(share, corner);
      isFirst = false;
    }
  return share;
}

Weights Interpolation::getPerspective(const Place &place) const {
  if (m_isAffine || m_isDegenerate || m_count == 1 || faultPlanted(Fault::RasterNoPerspective))
    return getLinear(place);
  std::array<Range, 3> numerators = getNumerators(place);
  Weights weights;
  for (unsigned i = 0; i < m_count; ++i)
    weights[i] = getShare(numerators[i], numerators[(i + 1) % 3] + numerators[(i + 2) % 3]);
  weights.relativeError = PerspectiveError;
  weights.keepsEqualValues = false;
  return weights;
}

/// Interpolates 1 / w linearly; where a w is not positive, it is the sum of the numerators. For a
/// degenerate primitive it is that of the first vertex.
Range Interpolation::getInverseW(const Place &place) const {
  if (m_isAffine || m_count == 1 || m_isDegenerate)
    return divide(Range::point(1), m_vertices[0].w);
  if (m_hasWindow) {
    std::array<Range, 3> inverses;
    for (unsigned i = 0; i < 3; ++i)
      inverses[i] = divide(Range::point(1), m_vertices[i].w);
    return interpolate(getLinear(place), inverses);
  }
  std::array<Range, 3> numerators = getNumerators(place);
  return numerators[0] + numerators[1] + numerators[2];
}

Range Interpolation::getDepth(const Place &place) const {
  if (m_hasWindow) {
    std::array<Range, 3> depths;
    for (unsigned i = 0; i < 3; ++i)
      depths[i] = m_vertices[i].z;
    return interpolate(getLinear(place), depths);
  }
  std::array<Range, 3> numerators = getNumerators(place);
  Range sum;
  for (unsigned i = 0; i < 3; ++i)
    sum = sum + numerators[i] * m_vertices[i].clipZ;
  return sum;
}

Range Interpolation::getDepthSlope() const {
  if (m_count < 3 || m_isDegenerate)
    return {};
  double dx = 0, dy = 0, error = 0;
  for (unsigned i = 0; i < 3; ++i) {
    double z = m_vertices[i].clipZ.middle();
    dx += m_numerators[i].x * z;
    dy += m_numerators[i].y * z;
    error += (std::fabs(m_numerators[i].x) + std::fabs(m_numerators[i].y)) *
             (FloatError * std::fabs(z) + (m_vertices[i].clipZ.hi - m_vertices[i].clipZ.lo));
  }
  return widen({std::max(std::fabs(dx), std::fabs(dy)), std::sqrt(dx * dx + dy * dy)}, error);
}

/// Its tolerance covers the ranges of the values, errors of positions, and vertices that clipping
/// makes.
Interpolation::Plane Interpolation::getPlane(const std::array<Range, 3> &values) const {
  Plane plane;
  for (unsigned i = 0; i < m_count; ++i) {
    const Numerator &row = m_numerators[i];
    double value = values[i].middle();
    plane.x += row.x * value;
    plane.y += row.y * value;
    plane.c += row.c * value;
    plane.tolerance += (values[i].hi - value) / std::fabs(m_w[i]);
    plane.tolerance += row.positionError * std::fabs(value) + FloatError * std::fabs(row.c * value);
  }
  // Clipping makes vertices that are snapped: the edge between them is off by that.
  plane.tolerance += (std::fabs(plane.x) + std::fabs(plane.y)) / SubpixelUnits;
  return plane;
}
