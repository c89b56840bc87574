// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From coordinates to texels and filtered colours. SamplingLod.cpp has the levels of detail.
#include "oracles/machine/spirv/image/Sampling.h"

#include "oracles/machine/spirv/image/CubeMap.h"
#include "oracles/machine/spirv/math/FloatMath.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Beyond this a coordinate has no fraction left that a quantization could keep.
static constexpr double MostTexels = 0x1p20;
/// Texels of one dimension that a result may range over; more is not worth its time.
static constexpr int64_t MostCandidates = 4;
/// "Individual results of floating-point operations are accurate to about 1 part in 10^5" (Vulkan
/// 1.3, "Floating-Point Computation"): of a weighted sum of up to eight.
static constexpr double FilterError = 4e-5;
/// Components of fewer than 8 bits are filtered in no less.
static constexpr double LargestUnit = 1.0 / 127;

/// A colour of which nothing is known.
Color Color::ambiguous() {
  Color color;
  color.flags = Ambiguous;
  return color;
}

/// Widens every channel so that it covers the other colour too, and takes over its flags.
void Color::include(const Color &other) {
  if (other.flags & Undef)
    cause = other.cause;
  flags |= other.flags;
  for (unsigned i = 0; i < 4; ++i)
    channel[i] = hull(channel[i], other.channel[i]);
}

/// Compares flags and channels; causes of poison do not count.
bool Color::operator==(const Color &other) const {
  return flags == other.flags && std::equal(channel.begin(), channel.end(), other.channel.begin(),
                                            [](const Interval &a, const Interval &b) {
                                              return a.lo == b.lo && a.hi == b.hi && a.nan == b.nan;
                                            });
}

/// Adds \p color to the possibilities, or makes it the first one.
static void includeInto(std::optional<Color> &result, const Color &color) {
  if (result)
    result->include(color);
  else
    result = color;
}

TexelSampler::TexelSampler(const SampleRequest &request, TexelSource source)
    : m_request(request), m_view(*request.view), m_sampler(*request.sampler), m_source(source) {}

/// Returns why the sampler may not be used with this view and instruction; empty if it may.
std::string TexelSampler::whyNot() const {
  bool isLinear = m_sampler.magFilter == Filter::Linear || m_sampler.minFilter == Filter::Linear ||
                  (m_sampler.mipFilter == Filter::Linear && m_view.levels() > 1);
  if (m_request.reference.has_value() != m_sampler.compare.has_value())
    return m_sampler.compare ? "the sampler compares, the instruction does not"
                             : "the instruction compares, the sampler does not";
  if (isLinear && m_view.format->isInteger())
    return "a linear filter of integers";
  if (m_sampler.minLod > m_sampler.maxLod)
    return "the sampler's least level of detail is above its greatest";
  if (m_sampler.normalized)
    return "";
  bool isFlat = m_request.dimensions <= 2 && !m_view.isCube && !m_request.isArrayed;
  bool hasOffset = std::any_of(m_request.offset, m_request.offset + 3,
                               [](int64_t offset) { return offset != 0; });
  if (!isFlat || m_view.levels() != 1 || hasOffset || m_request.reference)
    return "unnormalized coordinates need one level of a plain 1D or 2D image, without offsets "
           "and comparisons";
  return "";
}

/// Rounds outward to multiples of 1 / \p steps, the coarsest quantization that an implementation
/// may have. \p x is exact.
static Interval quantize(Interval x, double steps) {
  return {floorOf(floorToWidth(x.lo, 32) * steps) / steps,
          -floorOf(-ceilToWidth(x.hi, 32) * steps) / steps, false};
}

/// Applies the address mode to texel \p i of \p size. ClampToBorder returns -1 or \p size outside.
static int64_t wrapCoordinate(AddressMode mode, int64_t i, int64_t size) {
  auto modulo = [](int64_t a, int64_t n) { return (a % n + n) % n; };
  auto mirror = [](int64_t n) { return n >= 0 ? n : -(1 + n); };
  switch (mode) {
  case AddressMode::Repeat:
    return modulo(i, size);
  case AddressMode::MirroredRepeat:
    return size - 1 - mirror(modulo(i, 2 * size) - size);
  case AddressMode::ClampToEdge:
    return std::clamp<int64_t>(i, 0, size - 1);
  case AddressMode::ClampToBorder:
    return std::clamp<int64_t>(i, -1, size);
  case AddressMode::MirrorClampToEdge:
    return std::clamp<int64_t>(mirror(i), 0, size - 1);
  }
  return 0;
}

/// The layers that coordinate \p a may select of \p layers: ties may round either way.
static std::pair<int64_t, int64_t> layersOf(const Interval &a, int64_t layers, bool isNominal) {
  double most = static_cast<double>(layers - 1);
  if (isNominal) {
    auto layer = static_cast<int64_t>(std::clamp(roundEvenOf(a.lo), 0.0, most));
    return {layer, layer};
  }
  double first = std::clamp(-floorOf(-(a.lo - 0.5)), 0.0, most);
  double last = std::clamp(floorOf(a.hi + 0.5), 0.0, most);
  return {static_cast<int64_t>(first), static_cast<int64_t>(last)};
}

/// Neither empty nor possibly NaN.
static bool isNumber(const Interval &x) {
  return !x.nan && !x.isEmpty();
}

/// Empty where nothing useful can be said.
SmallVector<TexelSampler::Point, 2> TexelSampler::pointsOf(uint32_t level) const {
  SmallVector<Point, 2> points;
  const Interval *coordinates = m_request.coordinates;
  SmallVector<std::pair<Point, unsigned>, 2> flat; // With the face.
  if (m_view.isCube) {
    for (const FacePoint &point : selectFaces(coordinates))
      flat.push_back({{{point.s, point.t, {}}, 0}, point.face});
    if (m_request.isNominal && flat.size() > 1) // Z before Y before X.
      flat.erase(flat.begin(), flat.end() - 1);
  } else {
    flat.push_back({{{coordinates[0], coordinates[1], coordinates[2]}, 0}, 0});
  }
  int64_t perElement = m_view.isCube ? 6 : 1;
  std::pair<int64_t, int64_t> elements = {0, 0};
  if (m_request.isArrayed && !isNumber(m_request.layer))
    return points;
  if (m_request.isArrayed)
    elements = layersOf(m_request.layer, m_view.layers / perElement, m_request.isNominal);
  if (elements.second - elements.first >= MostCandidates)
    return points;
  for (auto &[point, face] : flat) {
    for (unsigned i = 0; i < filteredDimensions(); ++i) {
      Interval &place = point.place[i];
      if (!isNumber(place))
        return {};
      double scale = m_sampler.normalized ? m_view.extent(i, level) : 1;
      auto shift = static_cast<double>(m_request.offset[i]);
      place = {place.lo * scale + shift, place.hi * scale + shift, false};
      bool clamps = m_sampler.address[i] != AddressMode::Repeat &&
                    m_sampler.address[i] != AddressMode::MirroredRepeat;
      if (!clamps && absolute(place).hi > MostTexels)
        return {};
      place = clampTo(place, -MostTexels, MostTexels);
      if (!m_request.isNominal)
        place = quantize(place, m_request.subTexels);
    }
    for (int64_t element = elements.first; element <= elements.second; ++element) {
      point.layer = element * perElement + face;
      points.push_back(point);
    }
  }
  return points;
}

/// Returns all that sampling of one level may give, over all places that the coordinate may mean.
Color TexelSampler::sampleLevel(uint32_t level, Filter filter) {
  std::optional<Color> result;
  for (const Point &point : pointsOf(level))
    includeInto(result, filter == Filter::Nearest ? sampleNearest(level, point)
                                                  : sampleLinear(level, point));
  return result.value_or(Color::ambiguous());
}

/// Returns a colour that covers every texel that the coordinate may select. Ambiguous where a
/// dimension has more than MostCandidates of them.
Color TexelSampler::sampleNearest(uint32_t level, const Point &point) {
  int64_t first[3] = {}, last[3] = {};
  for (unsigned i = 0; i < filteredDimensions(); ++i) {
    first[i] = static_cast<int64_t>(floorOf(point.place[i].lo));
    last[i] = static_cast<int64_t>(floorOf(point.place[i].hi));
    if (last[i] - first[i] >= MostCandidates) {
      m_mixesTexels = true;
      return Color::ambiguous();
    }
  }
  std::optional<Color> result;
  int64_t place[3];
  for (place[2] = first[2]; place[2] <= last[2]; ++place[2])
    for (place[1] = first[1]; place[1] <= last[1]; ++place[1])
      for (place[0] = first[0]; place[0] <= last[0]; ++place[0]) {
        Color color = texel(level, point.layer, place, false);
        if (!is_contained(m_candidates, color))
          m_candidates.push_back(color);
        includeInto(result, color);
      }
  return *result;
}

/// The pairs of texels on which coordinate \p u may lie, with the weights of the second of each.
/// \p isGather: which pair it is matters even where the second has no weight.
template <typename Segments>
static bool splitCoordinate(const Interval &u, Segments &segments, bool isGather = false) {
  double lo = u.lo - 0.5, hi = u.hi - 0.5;
  auto first = static_cast<int64_t>(floorOf(lo)), last = static_cast<int64_t>(floorOf(hi));
  if (last - first >= MostCandidates)
    return false;
  for (int64_t cell = first; cell <= last; ++cell) {
    auto base = static_cast<double>(cell);
    Interval weight{std::max(lo - base, 0.0), std::min(hi - base, 1.0), false};
    // The end of the interval before is the same as the beginning of this one.
    if (cell > first && weight.hi == 0 && !isGather)
      continue;
    segments.push_back({cell, weight});
  }
  return true;
}

/// Splits the coordinate into cells between texel centres, and covers the filtered colours of all
/// cells that it may be in.
Color TexelSampler::sampleLinear(uint32_t level, const Point &point) {
  m_mixesTexels = true;
  Segments segments[3];
  unsigned dimensions = filteredDimensions();
  for (unsigned i = 0; i < dimensions; ++i)
    if (!splitCoordinate(point.place[i], segments[i]))
      return Color::ambiguous();
  for (unsigned i = dimensions; i < 3; ++i)
    segments[i].push_back({0, {}});
  std::optional<Color> result;
  for (const Segment &k : segments[2])
    for (const Segment &j : segments[1])
      for (const Segment &i : segments[0])
        includeInto(result,
                    sampleCell(level, point.layer, ArrayRef({i, j, k}).take_front(dimensions)));
  return *result;
}

/// The texels around a place and their weighted sum. Texels of no weight are not read.
Color TexelSampler::sampleCell(uint32_t level, int64_t layer, ArrayRef<Segment> cell) {
  SmallVector<Color, 8> texels;
  SmallVector<Segment, 3> used; // Dimensions in which both neighbours count.
  SmallVector<unsigned, 3> dimensions;
  int64_t place[3] = {};
  for (unsigned i = 0; i < cell.size(); ++i) {
    place[i] = cell[i].first;
    if (cell[i].weight.hi > 0) {
      used.push_back(cell[i]);
      dimensions.push_back(i);
    }
  }
  for (unsigned corner = 0; corner < 1u << used.size(); ++corner) {
    int64_t at[3] = {place[0], place[1], place[2]};
    for (unsigned i = 0; i < used.size(); ++i)
      at[dimensions[i]] += corner >> i & 1;
    texels.push_back(texel(level, layer, at, true));
  }
  return blend(texels, used);
}

/// The sum of \p values by the weights of one corner of the box of weights.
static double weigh(ArrayRef<double> values, ArrayRef<double> weights) {
  double sum = 0;
  for (unsigned corner = 0; corner < values.size(); ++corner) {
    double weight = 1;
    for (unsigned i = 0; i < weights.size(); ++i)
      weight *= corner >> i & 1 ? weights[i] : 1 - weights[i];
    sum += weight * values[corner];
  }
  return sum;
}

/// A number with finite bounds.
static bool isFinite(const Interval &x) {
  return isNumber(x) && x.lo - x.lo == 0 && x.hi - x.hi == 0;
}

/// What a filter may be off by: normalized texels may be filtered in their own precision (llvmpipe
/// does so with 8 bits).
static double filterError(const TexelFormatInfo &format, double largest) {
  bool isNormalized = format.numeric == TexelNumeric::Unorm ||
                      format.numeric == TexelNumeric::Snorm || format.numeric == TexelNumeric::Srgb;
  double unit = 0;
  for (unsigned i = 0; i < format.componentCount && isNormalized; ++i) {
    const TexelComponent &component = format.components[i];
    bool isSigned = format.numeric == TexelNumeric::Snorm;
    double most = static_cast<double>((uint64_t(1) << (component.bits - isSigned)) - 1);
    unit = std::max(unit, 1 / most);
  }
  return largest * FilterError + std::min(unit, LargestUnit);
}

/// Weighs the texels at the corners of a cell; \p cell has the weights of one dimension each. Flags
/// of any texel go to the result. Ambiguous where a channel of a texel is infinite or NaN.
Color TexelSampler::blend(ArrayRef<Color> texels, ArrayRef<Segment> cell) const {
  if (texels.size() == 1)
    return texels[0];
  Color result;
  for (const Color &color : texels)
    result.flags |= color.flags;
  result.cause = texels[0].cause;
  for (unsigned channel = 0; channel < 4 && !result.isPoison(); ++channel) {
    SmallVector<double, 8> lows, highs;
    double largest = 0;
    for (const Color &color : texels) {
      const Interval &value = color.channel[channel];
      if (!isFinite(value))
        return Color::ambiguous();
      lows.push_back(value.lo);
      highs.push_back(value.hi);
      largest = std::max(largest, absolute(value).hi);
    }
    // The sum is linear in each weight: its extremes lie in corners of the box of weights.
    std::optional<Interval> sum;
    for (unsigned corner = 0; corner < 1u << cell.size(); ++corner) {
      SmallVector<double, 3> weights;
      for (unsigned i = 0; i < cell.size(); ++i)
        weights.push_back(corner >> i & 1 ? cell[i].weight.hi : cell[i].weight.lo);
      Interval value{weigh(lows, weights), weigh(highs, weights), false};
      sum = sum ? hull(*sum, value) : value;
    }
    auto areSame = [](ArrayRef<double> values) {
      return all_of(values, [&](double value) { return value == values[0]; });
    };
    // Texels that are all the same have nothing to lose between them.
    bool isFlat = areSame(lows) && areSame(highs);
    double error = isFlat ? largest * FilterError : filterError(*m_view.format, largest);
    result.channel[channel] = widenBy(*sum, error);
    // How many comparisons passed, or anything like it.
    if (m_request.reference)
      result.channel[channel] =
          isFlat && lows == highs ? Interval::point(lows[0]) : Interval{0, 1, false};
  }
  return result;
}

/// Reads a texel at coordinates that may be outside of the level: they wrap by the sampler's
/// address modes, or give the border colour.
Color TexelSampler::texel(uint32_t level, int64_t layer, const int64_t *place, bool isSeamless) {
  if (m_view.isCube)
    return cubeTexel(level, layer, place, isSeamless);
  TexelPlace at;
  at.level = level;
  at.layer = layer;
  int64_t *coordinates[] = {&at.x, &at.y, &at.z};
  for (unsigned i = 0; i < m_request.dimensions; ++i) {
    int64_t size = m_view.extent(i, level);
    *coordinates[i] = wrapCoordinate(m_sampler.address[i], place[i], size);
    if (*coordinates[i] < 0 || *coordinates[i] >= size)
      return border();
  }
  return read(at);
}

/// Without seams, what lies beyond an edge is the neighbouring face's; what lies beyond a corner is
/// made of the three texels around it in some way.
Color TexelSampler::cubeTexel(uint32_t level, int64_t layer, const int64_t *place,
                              bool isSeamless) {
  int64_t size = m_view.extent(0, level), cube = layer / 6 * 6;
  int64_t x = std::clamp<int64_t>(place[0], 0, size - 1);
  int64_t y = std::clamp<int64_t>(place[1], 0, size - 1);
  auto readFace = [&](const FaceTexel &texel) {
    return read({texel.x, texel.y, 0, cube + texel.face, 0, level});
  };
  auto face = static_cast<unsigned>(layer % 6);
  bool isInside = x == place[0] && y == place[1];
  if (isInside || !isSeamless)
    return readFace({face, x, y});
  if (x == place[0] || y == place[1])
    return readFace(crossEdge({face, place[0], place[1]}, size));
  Color result = readFace({face, x, y});
  result.include(readFace(crossEdge({face, place[0], y}, size)));
  result.include(readFace(crossEdge({face, x, place[1]}, size)));
  return result;
}

/// Returns the border colour with components that the format lacks replaced by 0, or 1 for alpha.
/// Notes where an integer border meets another format or vice versa.
Color TexelSampler::border() {
  using enum BorderColor;
  BorderColor color = m_sampler.border;
  bool isInteger =
      color == IntTransparentBlack || color == IntOpaqueBlack || color == IntOpaqueWhite;
  m_usedWrongBorder |= isInteger != m_view.format->isInteger();
  bool isWhite = color == FloatOpaqueWhite || color == IntOpaqueWhite;
  bool isOpaque = color != FloatTransparentBlack && color != IntTransparentBlack;
  Color result;
  for (unsigned i = 0; i < 4; ++i)
    result.channel[i] = Interval::point(i == 3 ? isOpaque : isWhite);
  // Components that the format lacks are substituted as ever.
  const char names[] = "RGBA";
  for (unsigned i = 0; i < 4; ++i)
    if (!m_view.format->find(names[i]) && !(i == 0 && m_view.format->find('D')))
      result.channel[i] = Interval::point(i == 3);
  if (m_request.reference)
    result.channel[0] = compare(result.channel[0]);
  return result;
}

/// Reads one texel inside of the level. With a depth reference, channel 0 is the result of the
/// comparison.
Color TexelSampler::read(const TexelPlace &place) {
  TexelValue value = m_source(place);
  Color result;
  FloatRules exact;
  exact.mayFlush = false;
  for (unsigned i = 0; i < 4; ++i) {
    if (value[i].isPoison()) {
      result.flags |= value[i].flags & Poison;
      result.cause = value[i].cause;
    } else if (m_view.format->isInteger()) {
      result.channel[i] = Interval::point(static_cast<double>(value[i].bits));
    } else {
      result.channel[i] = intervalOf(value[i], exact);
    }
  }
  if (m_request.reference && !result.isPoison())
    result.channel[0] = compare(result.channel[0]);
  return result;
}

/// 1 where the reference and the depth compare so, 0 where not, both where it is open.
Interval TexelSampler::compare(const Interval &depth) const {
  Interval reference = *m_request.reference;
  if (m_view.format->numeric == TexelNumeric::Unorm)
    reference = clampTo(reference, 0, 1);
  if (!isNumber(reference) || !isNumber(depth))
    return {0, 1, false};
  bool mayBeLess = reference.lo<depth.hi, mayBeGreater = reference.hi> depth.lo;
  bool mayBeEqual = reference.lo <= depth.hi && depth.lo <= reference.hi;
  auto op = static_cast<unsigned>(*m_sampler.compare);
  // In the order of CompareOp: the bits say whether less, equal and greater pass.
  bool mayPass = (op & 1 && mayBeLess) || (op & 2 && mayBeEqual) || (op & 4 && mayBeGreater);
  bool mayFail =
      (!(op & 1) && mayBeLess) || (!(op & 2) && mayBeEqual) || (!(op & 4) && mayBeGreater);
  return {mayFail ? 0.0 : 1.0, mayPass ? 1.0 : 0.0, false};
}

/// Returns \p component of four texels of level 0 in the order of the gather instructions. \p
/// offsets replaces the four corners of the cell.
Color TexelSampler::gather(unsigned component, const int64_t (*offsets)[2]) {
  // i0j1, i1j1, i1j0, i0j0.
  static constexpr int64_t corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  std::optional<Color> result;
  for (const Point &point : pointsOf(0)) {
    Segments segments[2];
    if (!splitCoordinate(point.place[0], segments[0], true) ||
        !splitCoordinate(point.place[1], segments[1], true))
      return Color::ambiguous();
    for (const Segment &j : segments[1]) {
      for (const Segment &i : segments[0]) {
        Color four;
        for (unsigned corner = 0; corner < 4; ++corner) {
          const int64_t *step = offsets ? offsets[corner] : corners[corner];
          int64_t place[3] = {i.first + step[0], j.first + step[1], 0};
          Color color = texel(0, point.layer, place, true);
          four.flags |= color.flags;
          four.cause = color.cause;
          four.channel[corner] = color.channel[component];
        }
        includeInto(result, four);
      }
    }
  }
  return result.value_or(Color::ambiguous());
}
