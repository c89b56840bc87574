// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/Shape.h"

#include "oracles/raster/Clip.h"
#include "oracles/raster/DepthStencil.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <cassert>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// Largest point size: both lavapipe (LP_MAX_POINT_WIDTH) and RADV have more.
static constexpr double MaxPointSize = 255;
/// Coordinates of a polygon that is not clipped for them, in pixels.
static constexpr double MaxCoordinate = 1 << 16;

namespace {
/// Makes the shapes of one primitive.
class ShapeMaker {
public:
  ShapeMaker(const GraphicsState &state, ArrayRef<VertexOutput> outputs,
             const FragmentPrimitive &base, bool isDefinite)
      : m_state(state), m_outputs(outputs), m_base(base), m_isDefinite(isDefinite) {}

  /// Adds the square of a point, which is also that of a triangle in polygon mode point.
  Error makePoint(unsigned vertex, bool isCertain, Answer isFront, Range depthBias);
  /// Adds the parallelogram of a line. Unsupported for lines that are cut at w = 0 or far outside.
  Error makeLine(std::array<unsigned, 2> vertices, bool isCertain, Answer isFront, Range depthBias);
  /// Adds the shapes of a triangle in the polygon mode of the state, unless it is certainly culled.
  Error makeTriangle(ArrayRef<unsigned> vertices);

  SmallVector<Shape, 1> shapes; ///< In drawing order.

private:
  /// A shape without a polygon: the primitive's data and the viewport's bounds.
  Shape makeShape(PrimitiveKind kind, ArrayRef<unsigned> vertices) const;
  WindowVertex getWindow(unsigned vertex) const {
    return transformVertex(m_outputs[vertex], m_state.viewport);
  }
  /// The depth bias of a triangle, zero where it is off.
  Range getDepthBias(const Interpolation &interpolation, ArrayRef<unsigned> vertices) const;
  /// Gives \p shape the polygon of a filled triangle: its three corners, or what clipping leaves
  /// where w is not positive or coordinates are very large.
  Error fillTriangle(ArrayRef<unsigned> vertices, const ClipResult &clip, Shape shape);
  SmallVector<ClipVertex, 3> getClipVertices(ArrayRef<unsigned> vertices) const;

  const GraphicsState &m_state;
  ArrayRef<VertexOutput> m_outputs;
  const FragmentPrimitive &m_base;
  const bool m_isDefinite; ///< DrawInput has it.
};
} // namespace

/// Steps of an implementation that transforms in floats (llvmpipe, draw_cliptest_tmp.h): whether
/// all are exact.
static bool isExactInFloats(double x, double w, double scale, double offset) {
  float inverse = 1 / float(w), divided = float(x) * inverse, scaled = divided * float(scale);
  float sum = scaled + float(offset);
  return double(inverse) * w == 1 && double(divided) == x / w &&
         double(scaled) == double(divided) * scale && double(sum) == double(scaled) + offset;
}

/// Returns x / w * scale + offset with the errors of floats; exact where all steps are. \p w is
/// positive.
static Range transformCoordinate(Range x, Range w, double scale, double offset) {
  if (x.isPoint() && w.isPoint() && isExactInFloats(x.lo, w.lo, scale, offset))
    return Range::point(x.lo / w.lo * scale + offset);
  auto [lo, hi] = std::minmax({x.lo / w.lo, x.lo / w.hi, x.hi / w.lo, x.hi / w.hi});
  Range scaled = Range{lo, hi} * Range::point(scale);
  // Four roundings, each relative to what it rounds.
  double error =
      4 * 0x1p-24 * (std::max(std::fabs(scaled.lo), std::fabs(scaled.hi)) + std::fabs(offset));
  return widen(scaled + Range::point(offset), error);
}

WindowVertex raster::transformVertex(const VertexOutput &clip, const Viewport &viewport) {
  auto [x, y, z, w] = clip.position;
  double scaleX = double(viewport.width) / 2, offsetX = double(viewport.x) + scaleX;
  double scaleY = double(viewport.height) / 2, offsetY = double(viewport.y) + scaleY;
  if (faultPlanted(Fault::RasterViewportFlip)) {
    offsetY = double(viewport.y) + std::fabs(scaleY);
    scaleY = std::fabs(scaleY);
  }
  double scaleZ = double(viewport.maxDepth) - double(viewport.minDepth);
  double offsetZ = double(viewport.minDepth);
  auto project = [&](Range value, double scale, double offset) {
    return value * Range::point(scale) + w * Range::point(offset);
  };
  WindowVertex window{project(x, scaleX, offsetX),
                      project(y, scaleY, offsetY),
                      project(z, scaleZ, offsetZ),
                      w,
                      {},
                      {},
                      {}};
  if (w.lo > 0) {
    window.x = transformCoordinate(x, w, scaleX, offsetX);
    window.y = transformCoordinate(y, w, scaleY, offsetY);
    window.z = transformCoordinate(z, w, scaleZ, offsetZ);
  }
  return window;
}

Shape ShapeMaker::makeShape(PrimitiveKind kind, ArrayRef<unsigned> vertices) const {
  Shape shape;
  shape.primitive = m_base;
  shape.primitive.kind = kind;
  shape.primitive.isFrontFacing = Answer::Yes;
  SmallVector<WindowVertex, 3> windows;
  for (auto [i, vertex] : enumerate(vertices)) {
    shape.primitive.vertices[i] = m_base.vertices[vertex];
    windows.push_back(getWindow(vertex));
  }
  shape.primitive.interpolation = Interpolation(windows);
  const Viewport &viewport = m_state.viewport;
  double left = viewport.x, right = left + double(viewport.width);
  double top = viewport.y, bottom = top + double(viewport.height);
  shape.low = {snap(Range::point(std::min(left, right))),
               snap(Range::point(std::min(top, bottom)))};
  shape.high = {snap(Range::point(std::max(left, right))),
                snap(Range::point(std::max(top, bottom)))};
  return shape;
}

/// What clipping needs of the primitive's vertices.
SmallVector<ClipVertex, 3> ShapeMaker::getClipVertices(ArrayRef<unsigned> vertices) const {
  SmallVector<ClipVertex, 3> result;
  for (unsigned vertex : vertices)
    result.push_back({m_outputs[vertex].position, m_outputs[vertex].clipDistances});
  return result;
}

/// The subpixel positions of a vertex, with \p more subpixels on each side.
static SnappedVertex makeBox(Range x, Range y, int64_t more) {
  SnappedVertex vertex{snap(x), snap(y)};
  vertex.x = {vertex.x.lo - more, vertex.x.hi + more};
  vertex.y = {vertex.y.lo - more, vertex.y.hi + more};
  return vertex;
}

/// One of the positions that a corner may have, the same for all triangles that share it.
static SnappedVertex settle(const WindowVertex &window) {
  SnappedRange x = snap(Range::point(window.x.middle())), y = snap(Range::point(window.y.middle()));
  return {{x.lo, x.lo}, {y.lo, y.lo}};
}

/// The smallest range that contains both.
static SnappedRange joinSnapped(SnappedRange a, SnappedRange b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

/// Two corners that may be one: an edge between them would have no direction. One corner, anywhere
/// in both boxes, represents all polygons with two.
static bool mayBeSame(const SnappedVertex &a, const SnappedVertex &b) {
  auto overlap = [](SnappedRange c, SnappedRange d) { return c.lo <= d.hi && d.lo <= c.hi; };
  return overlap(a.x, b.x) && overlap(a.y, b.y);
}

/// A corner that may be wherever \p a or \p b may be.
static SnappedVertex joinCorners(const SnappedVertex &a, const SnappedVertex &b) {
  return {joinSnapped(a.x, b.x), joinSnapped(a.y, b.y)};
}

/// Snapping the centre and the half width, or the sum of both: implementations do either.
static SnappedRange snapSum(Range center, Range offset) {
  SnappedRange a = snap(center), b = snap(offset);
  return joinSnapped(snap(center + offset), {a.lo + b.lo, a.hi + b.hi});
}

/// Half of a point's size in subpixel units. llvmpipe snaps the size and divides it by two in
/// integers (lp_setup_point.c), and points below one pixel are as large as one.
static SnappedRange getPointOffset(Range size) {
  SnappedRange whole = snap(size), half = snap(size * Range::point(0.5));
  whole.hi = std::max(whole.hi, std::min(SubpixelUnits, whole.lo + SubpixelUnits));
  return joinSnapped(half, {whole.lo / 2, (whole.hi + 1) / 2});
}

Error ShapeMaker::makePoint(unsigned vertex, bool isCertain, Answer isFront, Range depthBias) {
  SmallVector<ClipVertex, 3> clipVertices = getClipVertices(vertex);
  ClipResult clip = findClipPlanes(m_state, clipVertices);
  // pointClippingBehavior: whether the planes of x and y count is open. lavapipe and RADV report
  // that they do, but lavapipe draws points whose centres are outside of them.
  if (clip.isOutside)
    return Error::success();
  WindowVertex window = getWindow(vertex);
  if (window.w.lo <= 0)
    return unsupported("imprecise: the w of a point may be zero");
  Shape shape = makeShape(PrimitiveKind::Point, vertex);
  shape.isCertain = isCertain && !clip.isCut();
  shape.primitive.isFrontFacing = isFront;
  shape.depthBias = depthBias;
  shape.mayLeaveViewport = true;
  Range size = clampTo(m_outputs[vertex].pointSize, 0, MaxPointSize);
  if (faultPlanted(Fault::RasterPointSize))
    size = Range::point(1);
  shape.primitive.pointCenter = {window.x, window.y};
  shape.primitive.pointSize = size;
  SnappedRange offset = getPointOffset(size);
  auto getEdge = [&](Range center, int64_t sign) {
    SnappedRange c = snap(center);
    return sign < 0 ? SnappedRange{c.lo - offset.hi, c.hi - offset.lo}
                    : SnappedRange{c.lo + offset.lo, c.hi + offset.hi};
  };
  SnappedRange left = getEdge(window.x, -1), right = getEdge(window.x, 1);
  SnappedRange top = getEdge(window.y, -1), bottom = getEdge(window.y, 1);
  shape.polygon = {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
  shapes.push_back(std::move(shape));
  return Error::success();
}

Error ShapeMaker::makeLine(std::array<unsigned, 2> vertices, bool isCertain, Answer isFront,
                           Range depthBias) {
  SmallVector<ClipVertex, 3> clipVertices = getClipVertices(vertices);
  ClipResult clip = findClipPlanes(m_state, clipVertices);
  if (clip.isOutside || clip.isOutsideView)
    return Error::success();
  WindowVertex ends[2] = {getWindow(vertices[0]), getWindow(vertices[1])};
  for (const WindowVertex &end : ends)
    if (end.w.lo <= 0 || std::fabs(end.x.middle()) > MaxCoordinate ||
        std::fabs(end.y.middle()) > MaxCoordinate)
      return unsupported("lines that are cut behind the viewer");
  Shape shape = makeShape(PrimitiveKind::Line, vertices);
  shape.isCertain = isCertain;
  shape.primitive.isFrontFacing = isFront;
  shape.depthBias = depthBias;
  double width = std::max(double(m_state.rasterization.lineWidth), 1.0);
  if (clip.isCut())
    shape.openBorder = !clip.viewPlanes.empty() ? int64_t(width * SubpixelUnits / 2) + 2 : 0;
  for (const auto &distances : clip.planes)
    shape.planes.push_back(
        shape.primitive.interpolation.getPlane({distances[0], distances[1], Range()}));
  if (faultPlanted(Fault::RasterThinLines))
    width /= 2;
  double dx = ends[1].x.middle() - ends[0].x.middle();
  double dy = ends[1].y.middle() - ends[0].y.middle();
  double length = std::sqrt(dx * dx + dy * dy);
  if (length == 0)
    return Error::success();
  double error = 0x1p-20; // Of a float in a unit vector, times 8.
  auto getOffset = [&](double part) {
    double exact = part / length * width / 2;
    bool isAlongAxis = dx == 0 || dy == 0;
    return widen(Range::point(exact), isAlongAxis ? 0 : error * width);
  };
  Range across[2] = {getOffset(-dy), getOffset(dx)};
  Range back[2] = {{-across[0].hi, -across[0].lo}, {-across[1].hi, -across[1].lo}};
  int64_t more = movesEdge(clip, ends, 0, 1);
  auto corner = [&](const WindowVertex &end, const Range *offset) {
    SnappedRange x = snapSum(end.x, offset[0]), y = snapSum(end.y, offset[1]);
    return SnappedVertex{{x.lo - more, x.hi + more}, {y.lo - more, y.hi + more}};
  };
  shape.polygon = {corner(ends[0], back), corner(ends[1], back), corner(ends[1], across),
                   corner(ends[0], across)};
  shapes.push_back(std::move(shape));
  return Error::success();
}

Range ShapeMaker::getDepthBias(const Interpolation &interpolation,
                               ArrayRef<unsigned> vertices) const {
  if (!m_state.rasterization.depthBias || faultPlanted(Fault::RasterDepthBiasIgnored))
    return {};
  unsigned unormBits = 0;
  if (m_state.depthStencilFormat != TexelFormat::Undefined)
    if (const TexelComponent *depth = getTexelFormatInfo(m_state.depthStencilFormat).find('D'))
      unormBits = depth->bits == 32 ? 0 : depth->bits;
  double largest = 0;
  for (unsigned vertex : vertices) {
    Range z = getWindow(vertex).z;
    largest = std::max({largest, std::fabs(z.lo), std::fabs(z.hi)});
  }
  return raster::getDepthBias(m_state.rasterization, interpolation.getDepthSlope(),
                              getDepthUnit(unormBits, largest));
}

/// The sign of the area of a triangle in framebuffer coordinates (y down), of any w.
static Answer isAreaPositive(ArrayRef<WindowVertex> windows, bool &isZero) {
  isZero = false;
  if (all_of(windows, [](const WindowVertex &v) { return v.w.lo > 0; })) {
    SnappedVertex snapped[3];
    for (unsigned i = 0; i < 3; ++i)
      snapped[i] = {snap(windows[i].x), snap(windows[i].y)};
    Orientation orientation = getOrientation(snapped);
    isZero = orientation.isZero;
    return orientation.isPositive;
  }
  Range m[3][3];
  for (unsigned i = 0; i < 3; ++i) {
    m[i][0] = windows[i].clipX;
    m[i][1] = windows[i].clipY;
    m[i][2] = windows[i].w;
  }
  Range determinant = m[0][0] * (m[1][1] * m[2][2] - m[2][1] * m[1][2]) +
                      m[0][1] * (m[1][2] * m[2][0] - m[2][2] * m[1][0]) +
                      m[0][2] * (m[1][0] * m[2][1] - m[2][0] * m[1][1]);
  isZero = determinant == Range();
  return determinant.lo > 0 ? Answer::Yes : determinant.hi <= 0 ? Answer::No : Answer::Maybe;
}

Error ShapeMaker::fillTriangle(ArrayRef<unsigned> vertices, const ClipResult &clip, Shape shape) {
  SmallVector<WindowVertex, 3> windows;
  bool isSimple = true;
  for (unsigned vertex : vertices) {
    windows.push_back(getWindow(vertex));
    const WindowVertex &window = windows.back();
    isSimple &= window.w.lo > 0 && std::fabs(window.x.middle()) < MaxCoordinate &&
                std::fabs(window.y.middle()) < MaxCoordinate;
  }
  for (const auto &distances : clip.planes)
    shape.planes.push_back(shape.primitive.interpolation.getPlane(distances));
  if (isSimple) {
    bool moves[3] = {}; // Of the edge from each vertex to the next.
    for (unsigned i = 0; i < 3 && clip.isCut(); ++i)
      moves[i] = movesEdge(clip, windows, i, (i + 1) % 3);
    double slack = clip.isNearBorder ? NearBorder : 0;
    for (const WindowVertex &window : windows)
      if (m_isDefinite)
        shape.polygon.push_back(settle(window));
    for (unsigned i = 0; !m_isDefinite && i < 3; ++i)
      shape.polygon.push_back(makeBox(widen(windows[i].x, slack), widen(windows[i].y, slack),
                                      moves[i] || moves[(i + 2) % 3]));
  } else {
    for (const auto &position : clipPolygon(m_state, getClipVertices(vertices))) {
      WindowVertex window = transformVertex(position, m_state.viewport);
      SnappedVertex corner = makeBox(window.x, window.y, 2);
      if (shape.polygon.empty() || !mayBeSame(shape.polygon.back(), corner))
        shape.polygon.push_back(corner);
      else
        shape.polygon.back() = joinCorners(shape.polygon.back(), corner);
    }
    if (shape.polygon.size() > 1 && mayBeSame(shape.polygon.back(), shape.polygon.front())) {
      shape.polygon.front() = joinCorners(shape.polygon.back(), shape.polygon.front());
      shape.polygon.pop_back();
    }
    if (shape.polygon.size() < 3)
      return Error::success();
  }
  shapes.push_back(std::move(shape));
  return Error::success();
}

Error ShapeMaker::makeTriangle(ArrayRef<unsigned> vertices) {
  SmallVector<ClipVertex, 3> clipVertices = getClipVertices(vertices);
  ClipResult clip = findClipPlanes(m_state, clipVertices);
  if (clip.isOutside || clip.isOutsideView)
    return Error::success();
  SmallVector<WindowVertex, 3> windows;
  for (unsigned vertex : vertices)
    windows.push_back(getWindow(vertex));
  bool isZero;
  Answer isPositive = isAreaPositive(windows, isZero);
  // The specification's area has the opposite sign: it is that with y up.
  bool positiveIsFront = m_state.rasterization.frontFace == FrontFace::Clockwise;
  Answer isFront = isPositive;
  if (isZero)
    isFront = Answer::No; // Triangles without an area are back-facing.
  else if (!positiveIsFront && isPositive != Answer::Maybe)
    isFront = isPositive == Answer::Yes ? Answer::No : Answer::Yes;
  unsigned cull = m_state.rasterization.cullMode;
  if (faultPlanted(Fault::RasterCullSwapped))
    cull = (cull & 1) << 1 | cull >> 1;
  bool mayBeFront = isFront != Answer::No, mayBeBack = isFront != Answer::Yes;
  bool mayStay = (mayBeFront && !(cull & CullFront)) || (mayBeBack && !(cull & CullBack));
  if (!mayStay)
    return Error::success();
  bool mayGo = (mayBeFront && (cull & CullFront)) || (mayBeBack && (cull & CullBack));
  Shape shape = makeShape(PrimitiveKind::Triangle, vertices);
  shape.isCertain = !mayGo;
  shape.primitive.isFrontFacing = isFront;
  shape.depthBias = getDepthBias(shape.primitive.interpolation, vertices);
  PolygonMode mode = m_state.rasterization.polygonMode;
  if (mode == PolygonMode::Fill)
    return fillTriangle(vertices, clip, std::move(shape));
  if (clip.isCut())
    return unsupported("clipped triangles in polygon mode line or point");
  if (mode == PolygonMode::Point) {
    for (unsigned vertex : vertices)
      if (Error error = makePoint(vertex, !mayGo, isFront, shape.depthBias))
        return error;
    return Error::success();
  }
  // The order in which llvmpipe draws the edges (draw_pipe_unfilled.c).
  const unsigned edges[3][2] = {{2, 0}, {0, 1}, {1, 2}};
  for (const auto &edge : edges)
    if (Error error =
            makeLine({vertices[edge[0]], vertices[edge[1]]}, !mayGo, isFront, shape.depthBias))
      return error;
  return Error::success();
}

/// Cull distances: Yes where one of them is negative for all vertices.
static Answer isCulled(ArrayRef<VertexOutput> outputs) {
  Answer result = Answer::No;
  if (faultPlanted(Fault::RasterCullDistanceIgnored))
    return result;
  for (size_t i = 0; i < outputs[0].cullDistances.size(); ++i) {
    Answer isNegative = Answer::Yes;
    for (const VertexOutput &output : outputs) {
      Range distance = output.cullDistances[i];
      isNegative = std::min(isNegative, distance.hi < 0   ? Answer::Yes
                                        : distance.lo < 0 ? Answer::Maybe
                                                          : Answer::No);
    }
    result = std::max(result, isNegative);
  }
  return result;
}

/// Unsupported for positions that are not finite, and for a w of more than 0.1 % uncertainty.
static Error verifyPositions(ArrayRef<VertexOutput> outputs) {
  for (const VertexOutput &output : outputs) {
    for (Range value : output.position)
      if (!std::isfinite(value.lo) || !std::isfinite(value.hi))
        return unsupported("imprecise: a vertex position is not finite");
    Range w = output.position[3];
    if (w.hi - w.lo > 1e-3 * std::max(std::fabs(w.lo), std::fabs(w.hi)))
      return unsupported("imprecise: the w of a vertex position");
  }
  return Error::success();
}

Expected<SmallVector<Shape, 1>> raster::makeShapes(const GraphicsState &state,
                                                   ArrayRef<VertexOutput> outputs,
                                                   const FragmentPrimitive &base, bool isDefinite) {
  if (Error error = verifyPositions(outputs))
    return error;
  Answer culled = isCulled(outputs);
  if (culled == Answer::Yes)
    return SmallVector<Shape, 1>();
  ShapeMaker maker(state, outputs, base, isDefinite);
  Error error = Error::success();
  switch (outputs.size()) {
  case 1:
    cantFail(std::move(error));
    error = maker.makePoint(0, true, Answer::Yes, {});
    break;
  case 2:
    cantFail(std::move(error));
    error = maker.makeLine({0, 1}, true, Answer::Yes, {});
    break;
  default:
    cantFail(std::move(error));
    error = maker.makeTriangle({0, 1, 2});
  }
  if (error)
    return error;
  if (culled == Answer::Maybe)
    for (Shape &shape : maker.shapes)
      shape.isCertain = false;
  return std::move(maker.shapes);
}

/// Whether a position in subpixels is in the viewport.
static Answer isInViewport(const Shape &shape, int64_t x, int64_t y) {
  Answer result = Answer::Yes;
  const int64_t position[2] = {x, y};
  for (unsigned i = 0; i < 2; ++i) {
    if (position[i] < shape.low[i].lo || position[i] >= shape.high[i].hi)
      return shape.mayLeaveViewport ? Answer::Maybe : Answer::No;
    if (position[i] < shape.low[i].hi + shape.openBorder ||
        position[i] >= shape.high[i].lo - shape.openBorder)
      result = Answer::Maybe;
  }
  return result;
}

/// Whether the place (\p x, \p y), in pixels, is in all half-spaces of the shape. Maybe within the
/// tolerance of a plane, if no other plane excludes the place.
static Answer isInPlanes(const Shape &shape, double x, double y) {
  Answer result = Answer::Yes;
  for (const Interpolation::Plane &plane : shape.planes) {
    double value = plane.x * x + plane.y * y + plane.c;
    if (value < -plane.tolerance)
      return Answer::No;
    if (value < plane.tolerance)
      result = Answer::Maybe;
  }
  return result;
}

Coverage raster::coverPixel(const Shape &shape, int32_t x, int32_t y,
                            ArrayRef<SamplePosition> samples) {
  Coverage coverage = coverPixel(shape.polygon, x, y, samples);
  if (!coverage.possible)
    return coverage;
  for (unsigned i = 0; i < samples.size(); ++i) {
    int64_t px = x * SubpixelUnits + samples[i].x * (SubpixelUnits / 16);
    int64_t py = y * SubpixelUnits + samples[i].y * (SubpixelUnits / 16);
    Answer answer = isInViewport(shape, px, py);
    if (!shape.planes.empty())
      answer = std::min(answer,
                        isInPlanes(shape, double(px) / SubpixelUnits, double(py) / SubpixelUnits));
    if (answer == Answer::No)
      coverage.possible &= ~(1u << i);
    if (answer != Answer::Yes)
      coverage.certain &= ~(1u << i);
  }
  if (!shape.isCertain)
    coverage.certain = 0;
  return coverage;
}

Place FragmentPrimitive::getPointCoord(const Place &place) const {
  // Implementations divide by the size as it is, or by the snapped one, which is a pixel at least.
  SnappedRange snapped = snap(pointSize);
  Range size =
      hull(pointSize, {double(snapped.lo) / SubpixelUnits, double(snapped.hi) / SubpixelUnits});
  size.hi = std::max(size.hi, 1.0);
  auto share = [&](Range at, Range center) {
    Range distance = at - center;
    auto [lo, hi] = std::minmax({distance.lo / size.lo, distance.lo / size.hi,
                                 distance.hi / size.lo, distance.hi / size.hi});
    return widen(Range{lo, hi} + Range::point(0.5), 0x1p-20);
  };
  return {share(place.x, pointCenter.x), share(place.y, pointCenter.y)};
}
