// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sampling and gathering (category 5). Order of the sources: Mesa 25.0, ir3_compiler_nir.c,
// emit_tex. What is computed: Vulkan 1.3, "Image Operations". Weights are exact; what may come of a
// filter with fewer bits, the reference says.
#include "oracles/machine/adreno/image/Images.h"

#include "oracles/machine/gcn_alu/Transcendental.h"
#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

namespace {

/// What an instruction asks for, by its name.
enum class SampleKind : uint8_t { Sample, Gather, QueryLod };
enum class LevelSource : uint8_t { Quad, Operand, Bias, Gradients };

struct SampleRow {
  StringLiteral name;
  SampleKind kind;
  LevelSource level;
  uint8_t component = 0; ///< Of a gather.
};
constexpr SampleRow Rows[] = {
    {"sam", SampleKind::Sample, LevelSource::Quad},
    {"samb", SampleKind::Sample, LevelSource::Bias},
    {"saml", SampleKind::Sample, LevelSource::Operand},
    {"samgq", SampleKind::Sample, LevelSource::Gradients},
    {"samgp0", SampleKind::Sample, LevelSource::Gradients},
    {"samgp1", SampleKind::Sample, LevelSource::Gradients},
    {"samgp2", SampleKind::Sample, LevelSource::Gradients},
    {"samgp3", SampleKind::Sample, LevelSource::Gradients},
    {"getlod", SampleKind::QueryLod, LevelSource::Quad},
    {"gather4r", SampleKind::Gather, LevelSource::Quad, 0},
    {"gather4g", SampleKind::Gather, LevelSource::Quad, 1},
    {"gather4b", SampleKind::Gather, LevelSource::Quad, 2},
    {"gather4a", SampleKind::Gather, LevelSource::Quad, 3},
};

const SampleRow &rowOf(const Op &op) {
  for (const SampleRow &row : Rows)
    if (row.name == op.inst.name())
      return row;
  llvm_unreachable("a handler of this file with another name");
}

using Vector = std::array<double, 3>;
/// Four components: floats, or integers exactly.
using Numbers = std::array<double, 4>;

/// What one lane asks for.
struct Request {
  Vector coordinate = {};
  Vector gradientX = {}, gradientY = {};
  std::array<int32_t, 3> offset = {};
  double reference = 0;
  double level = 0; ///< A level of detail, or a bias.
  int64_t layer = 0;
};

/// Reads the sources of a lane one after the other.
class SourceReader {
public:
  SourceReader(const Wave &wave, const Op &op, unsigned lane, unsigned first)
      : m_wave(wave), m_lane(lane), m_next(first), m_half(op.inst.hasHalfSources()) {}
  double takeFloat() {
    uint32_t bits = take();
    if (m_half)
      bits = convert(bits, DataType::F16, DataType::F32, 1, Arithmetic());
    return double(bit_cast<float>(bits));
  }
  int32_t takeInteger() { return m_half ? int16_t(take()) : int32_t(take()); }

private:
  uint32_t take() { return readAliased(m_wave, m_lane, m_next++, m_half); }

  const Wave &m_wave;
  unsigned m_lane, m_next;
  bool m_half;
};

/// One instruction that uses a sampler; lanes follow each other.
class Sampling {
public:
  Sampling(Wave &wave, const Op &op, const ImageView &view, const SamplerView &sampler)
      : m_wave(wave), m_op(op), m_row(rowOf(op)), m_view(view), m_sampler(sampler) {}
  /// What \p lane gets; nothing after wave.fail().
  std::optional<TexelWords> run(unsigned lane);
  bool givesIntegers() const {
    return m_row.kind == SampleKind::QueryLod || (isInteger() && !compares());
  }

private:
  bool isCube() const { return m_view.type == ImageType::Cube; }
  bool isInteger() const { return m_view.texel.row->isInteger(); }
  bool compares() const {
    return m_op.inst.get(Field::Variant) && m_row.kind != SampleKind::QueryLod;
  }
  unsigned directions() const {
    return m_view.type == ImageType::ThreeD ? 3 : m_view.type == ImageType::OneD ? 1 : 2;
  }
  Request takeRequest(unsigned lane) const;
  void takeGradients(Request &request, unsigned lane) const;
  void takeExtra(Request &request, unsigned lane) const;
  void chooseFace(Request &request) const;
  double footprint(const Request &request) const;
  double rawLevel(const Request &request) const;
  double levelOf(const Request &request) const;
  uint32_t nearestLevel(double level) const;
  double lastLevel() const { return double(m_view.levels) - 1; }
  Numbers sample(const Request &request);
  Numbers sampleLevel(const Request &request, uint32_t level, bool isLinear);
  Numbers gather(const Request &request);
  TexelWords queryLevel(const Request &request) const;
  Vector texelCoordinates(const Request &request, uint32_t level) const;
  Numbers fetch(const Request &request, std::array<int64_t, 3> at, uint32_t level);
  Numbers fetchAcrossEdge(const Request &request, std::array<int64_t, 3> at, uint32_t level);
  Numbers load(const TexelPlace &place);
  Numbers border() const;
  Numbers compare(const Request &request, const Numbers &texel) const;
  Numbers toNumbers(const TexelWords &words) const;
  TexelWords toWords(const Numbers &numbers) const;

  Wave &m_wave;
  const Op &m_op;
  const SampleRow &m_row;
  const ImageView &m_view;
  const SamplerView &m_sampler;
  unsigned m_lane = 0;
};

} // namespace

// What a lane asks for.

/// The number of registers that precede the gradients: coordinates (at least two), reference value,
/// layer.
static unsigned countCoordinates(const Inst &inst) {
  return 2 + inst.get(Field::ThreeD) + inst.get(Field::Variant) + inst.get(Field::Array);
}

/// Coordinates (two at least), what is compared, the layer; gradients start at the fifth register.
/// runSample() refuses more than four coordinates.
Request Sampling::takeRequest(unsigned lane) const {
  const Inst &inst = m_op.inst;
  SourceReader source(m_wave, m_op, lane, inst.get(Field::Src1));
  Request request;
  for (unsigned i = 0; i < 2 + inst.get(Field::ThreeD); ++i)
    request.coordinate[i] = source.takeFloat();
  if (compares())
    request.reference = source.takeFloat();
  if (inst.get(Field::Array) && m_row.kind != SampleKind::QueryLod) {
    // Code adds 0.5 before, so that this rounds to the nearest.
    double layer = std::floor(source.takeFloat());
    double last = double(m_view.depth) - 1;
    request.layer = int64_t(std::isnan(layer) ? 0 : std::clamp(layer, 0.0, last));
  }
  if (m_row.level == LevelSource::Gradients)
    takeGradients(request, lane);
  takeExtra(request, lane);
  if (isCube())
    chooseFace(request);
  return request;
}

/// Reads both derivatives of \p lane from the fifth register on: two components each, or three of a
/// 3D image.
void Sampling::takeGradients(Request &request, unsigned lane) const {
  SourceReader source(m_wave, m_op, lane, m_op.inst.get(Field::Src1) + 4);
  for (Vector *gradient : {&request.gradientX, &request.gradientY})
    for (unsigned i = 0; i < 2 + m_op.inst.get(Field::ThreeD); ++i)
      (*gradient)[i] = source.takeFloat();
}

/// The second source: offsets, then the level or the bias.
void Sampling::takeExtra(Request &request, unsigned lane) const {
  SourceReader source(m_wave, m_op, lane, m_op.inst.get(Field::Src2));
  if (m_op.inst.get(Field::HasOffset))
    for (unsigned i = 0; i < std::max(2U, directions()); ++i)
      request.offset[i] = source.takeInteger();
  if (m_row.level == LevelSource::Operand || m_row.level == LevelSource::Bias)
    request.level = source.takeFloat();
}

/// Vulkan 1.3, "Cube Map Face Selection": the face by the largest of the three coordinates (of
/// equal ones z before y before x), and s and t on it; derivatives as of "Cube Map Derivative
/// Transformation".
void Sampling::chooseFace(Request &request) const {
  const Vector r = request.coordinate;
  unsigned axis = 2;
  for (unsigned i : {1U, 0U})
    if (std::abs(r[i]) > std::abs(r[axis]))
      axis = i;
  bool isNegative = std::signbit(r[axis]);
  double sign = isNegative ? -1 : 1;
  auto across = [&](const Vector &v) {
    return axis == 0 ? -v[2] * sign : axis == 1 ? v[0] : v[0] * sign;
  };
  auto down = [&](const Vector &v) { return axis == 1 ? v[2] * sign : -v[1]; };
  double major = std::abs(r[axis]);
  auto derive = [&](Vector &gradient) {
    double change = gradient[axis] * sign;
    double s = (across(gradient) * major - across(r) * change) / (2 * major * major);
    double t = (down(gradient) * major - down(r) * change) / (2 * major * major);
    gradient = {s, t, 0};
  };
  derive(request.gradientX);
  derive(request.gradientY);
  request.coordinate = {(across(r) / major + 1) / 2, (down(r) / major + 1) / 2, 0};
  request.layer = request.layer * 6 + int64_t(axis) * 2 + isNegative;
}

// The level of detail.

/// The longer one of the two footprints of a gradient, in texels of the view's first level.
double Sampling::footprint(const Request &request) const {
  auto extent = m_view.extent(0);
  double longest = 0;
  for (const Vector *gradient : {&request.gradientX, &request.gradientY}) {
    double square = 0;
    for (unsigned i = 0; i < directions(); ++i) {
      double length = (*gradient)[i] * (m_sampler.isUnnormalized ? 1 : double(extent[i]));
      square += length * length;
    }
    longest = std::max(longest, square);
  }
  return std::sqrt(longest);
}

/// Before biases and clamps. Without an operand, by how the coordinates of the first lane of the
/// quad differ from those of its neighbours.
double Sampling::rawLevel(const Request &request) const {
  if (m_row.level == LevelSource::Operand)
    return request.level;
  if (m_row.level == LevelSource::Gradients)
    return std::log2(footprint(request));
  unsigned quad = m_lane & ~3U;
  Request first = takeRequest(quad), right = takeRequest(quad + 1), below = takeRequest(quad + 2);
  for (unsigned i = 0; i < 3; ++i) {
    first.gradientX[i] = right.coordinate[i] - first.coordinate[i];
    first.gradientY[i] = below.coordinate[i] - first.coordinate[i];
  }
  return std::log2(footprint(first));
}

/// The level of detail with the biases of sampler and operand, limited by the sampler. NaN becomes
/// 0.
double Sampling::levelOf(const Request &request) const {
  double bias = m_row.level == LevelSource::Bias ? request.level : 0;
  double level = rawLevel(request) + m_sampler.lodBias + bias;
  level = std::min(std::max(level, m_sampler.minLod), m_sampler.maxLod);
  return std::isnan(level) ? 0 : level;
}

/// The level for a sampler that takes the nearest one; halves round down. Relative to the view, and
/// at most its last level.
uint32_t Sampling::nearestLevel(double level) const {
  return uint32_t(
      std::clamp(std::ceil(std::clamp(level, 0.0, lastLevel()) + 0.5) - 1, 0.0, lastLevel()));
}

/// The level that would be used, and the one before clamps, in units of 1/256.
TexelWords Sampling::queryLevel(const Request &request) const {
  double level = std::clamp(levelOf(request), 0.0, lastLevel());
  if (!m_sampler.isMipLinear)
    level = nearestLevel(level);
  double raw = std::clamp(rawLevel(request) + m_sampler.lodBias, -128.0, 127.0);
  return {uint32_t(int32_t(std::floor(level * 256))), uint32_t(int32_t(std::floor(raw * 256)))};
}

// Texels.

/// The components of a decoded texel as numbers, by the kind of the format.
Numbers Sampling::toNumbers(const TexelWords &words) const {
  Numbers numbers;
  for (unsigned i = 0; i < 4; ++i)
    numbers[i] = m_view.texel.row->kind == TexelKind::Uint   ? double(words[i])
                 : m_view.texel.row->kind == TexelKind::Sint ? double(int32_t(words[i]))
                                                             : double(bit_cast<float>(words[i]));
  return numbers;
}

/// The reverse for results: bits of integers or of f32.
TexelWords Sampling::toWords(const Numbers &numbers) const {
  TexelWords words;
  for (unsigned i = 0; i < 4; ++i)
    words[i] =
        givesIntegers() ? uint32_t(int64_t(numbers[i])) : bit_cast<uint32_t>(float(numbers[i]));
  return words;
}

/// In the place of a texel, before the swizzle; components that the format lacks are its own.
Numbers Sampling::border() const {
  const TexelRow &row = *m_view.texel.row;
  uint32_t one = row.isInteger() ? 1 : 0x3f800000;
  TexelWords words = {};
  for (unsigned i = 0; i < 4; ++i) {
    bool isSet = row.bits[i] ? m_sampler.border >> (i == 3 ? 0 : 1) & 1 : i == 3;
    words[i] = isSet ? one : 0;
    if (row.bits[i] && m_sampler.borderColor)
      words[i] = (*m_sampler.borderColor)[i];
  }
  return toNumbers(swizzled(m_view, words));
}

/// A texel as numbers, or the border color.
Numbers Sampling::load(const TexelPlace &place) {
  if (!findTexel(m_view, place))
    return border();
  std::optional<TexelWords> words = loadTexel(m_wave, m_view, place);
  return words ? toNumbers(*words) : Numbers{};
}

/// Nothing: the border.
static std::optional<int64_t> wrapped(Wrap wrap, int64_t index, int64_t size) {
  auto modulo = [](int64_t value, int64_t by) { return ((value % by) + by) % by; };
  switch (wrap) {
  case Wrap::Repeat:
    if (hasDefect(Defect::WrapClamps))
      break;
    return modulo(index, size);
  case Wrap::MirrorRepeat: {
    int64_t folded = modulo(index, 2 * size);
    return folded < size ? folded : 2 * size - 1 - folded;
  }
  case Wrap::MirrorClamp:
    return std::min(index >= 0 ? index : -1 - index, size - 1);
  case Wrap::ClampToBorder:
    return index >= 0 && index < size ? std::optional(index) : std::nullopt;
  case Wrap::ClampToEdge:
    break;
  }
  return std::clamp<int64_t>(index, 0, size - 1);
}

/// Beyond the edge of a face: the place as a direction, and its texel on the face which that meets.
/// Beyond a corner there is no texel: the mean of the three around it (Vulkan 1.3, "Cube Map Edge
/// Handling").
Numbers Sampling::fetchAcrossEdge(const Request &request, std::array<int64_t, 3> at,
                                  uint32_t level) {
  int64_t size = m_view.extent(level)[0];
  bool isOutX = at[0] < 0 || at[0] >= size, isOutY = at[1] < 0 || at[1] >= size;
  if (isOutX && isOutY) {
    int64_t x = std::clamp<int64_t>(at[0], 0, size - 1),
            y = std::clamp<int64_t>(at[1], 0, size - 1);
    Numbers sum = {};
    for (auto [column, row] : {std::pair(x, y), {at[0], y}, {x, at[1]}}) {
      Numbers texel = fetch(request, {column, row, 0}, level);
      for (unsigned i = 0; i < 4; ++i)
        sum[i] += texel[i] / 3;
    }
    return sum;
  }
  double s = (2.0 * double(at[0]) + 1) / double(size) - 1;
  double t = (2.0 * double(at[1]) + 1) / double(size) - 1;
  const Vector directions[6] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                                {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
  Request turned;
  turned.coordinate = directions[request.layer % 6];
  turned.layer = request.layer / 6;
  chooseFace(turned);
  TexelPlace place;
  auto texelOf = [&](double coordinate) {
    return std::clamp<int64_t>(int64_t(std::floor(coordinate * double(size))), 0, size - 1);
  };
  place.x = texelOf(turned.coordinate[0]);
  place.y = texelOf(turned.coordinate[1]);
  place.layer = turned.layer;
  place.level = level;
  return load(place);
}

/// One texel with wrapped coordinates, or the border. A cube's texel beyond an edge comes from the
/// neighbouring face.
Numbers Sampling::fetch(const Request &request, std::array<int64_t, 3> at, uint32_t level) {
  auto extent = m_view.extent(level);
  TexelPlace place;
  place.layer = request.layer;
  place.level = level;
  if (isCube()) {
    int64_t size = extent[0];
    if (at[0] < 0 || at[0] >= size || at[1] < 0 || at[1] >= size)
      return fetchAcrossEdge(request, at, level);
    place.x = at[0];
    place.y = at[1];
    return load(place);
  }
  std::array<int64_t, 3> inside = {};
  for (unsigned i = 0; i < directions(); ++i) {
    std::optional<int64_t> index = wrapped(m_sampler.wrap[i], at[i], extent[i]);
    if (!index)
      return border();
    inside[i] = *index;
  }
  place.x = inside[0];
  place.y = inside[1];
  place.z = inside[2];
  return load(place);
}

/// Depth comparison: 1 or 0 in the first component.
Numbers Sampling::compare(const Request &request, const Numbers &texel) const {
  double reference = request.reference, depth = texel[0];
  if (m_view.texel.row->kind == TexelKind::Unorm)
    reference = std::clamp(reference, 0.0, 1.0);
  bool isLess = reference<depth, isEqual = reference == depth, isGreater = reference> depth;
  bool passes = (m_sampler.compare & 1 && isLess) || (m_sampler.compare & 2 && isEqual) ||
                (m_sampler.compare & 4 && isGreater);
  if (m_sampler.compare == 7)
    passes = true;
  if (m_sampler.compare == 5)
    passes = reference != depth;
  return {passes ? 1.0 : 0.0, 0, 0, 1};
}

// Filters.

/// Coordinates in texels of \p level, limited to 1e9; infinities and NaN become 0.
Vector Sampling::texelCoordinates(const Request &request, uint32_t level) const {
  Vector result = request.coordinate;
  auto extent = m_view.extent(level);
  for (unsigned i = 0; i < 3; ++i) {
    if (!m_sampler.isUnnormalized)
      result[i] *= double(extent[i]);
    result[i] = std::isfinite(result[i]) ? std::clamp(result[i], -1e9, 1e9) : 0;
  }
  return result;
}

Numbers Sampling::sampleLevel(const Request &request, uint32_t level, bool isLinear) {
  Vector at = texelCoordinates(request, level), weight = {};
  std::array<int64_t, 3> first = {};
  int64_t size = m_view.extent(level)[0];
  for (unsigned i = 0; i < directions(); ++i) {
    double shifted =
        at[i] + request.offset[i] - (isLinear && !hasDefect(Defect::FilterShift) ? 0.5 : 0);
    double whole = std::floor(shifted);
    first[i] = int64_t(whole);
    weight[i] = isLinear ? shifted - whole : 0;
    if (isCube() && !isLinear) // A coordinate of just 1 is still on its face.
      first[i] = std::clamp<int64_t>(first[i], 0, size - 1);
  }
  Numbers sum = {};
  for (unsigned corner = 0; corner < 1U << directions(); ++corner) {
    double share = 1;
    std::array<int64_t, 3> place = first;
    for (unsigned i = 0; i < directions(); ++i) {
      bool isFar = corner >> i & 1;
      share *= isFar ? weight[i] : 1 - weight[i];
      place[i] += isFar;
    }
    if (share == 0)
      continue;
    Numbers texel = fetch(request, place, level);
    if (compares())
      texel = compare(request, texel);
    for (unsigned i = 0; i < 4; ++i)
      sum[i] += share == 1 ? texel[i] : share * texel[i];
  }
  return sum;
}

/// One or two levels, as filters and the level say.
Numbers Sampling::sample(const Request &request) {
  double detail = m_sampler.isUnnormalized ? 0 : levelOf(request);
  bool isLinear = detail <= 0 ? m_sampler.isMagLinear : m_sampler.isMinLinear;
  double level = std::clamp(detail, 0.0, lastLevel());
  if (!m_sampler.isMipLinear)
    return sampleLevel(request, nearestLevel(level), isLinear);
  auto low = uint32_t(std::floor(level));
  double share = level - double(low);
  Numbers near = sampleLevel(request, low, isLinear);
  if (share == 0)
    return near;
  Numbers far = sampleLevel(request, low + 1, isLinear);
  for (unsigned i = 0; i < 4; ++i)
    near[i] = near[i] * (1 - share) + far[i] * share;
  return near;
}

/// One component of the four texels that a linear filter would mix, from (0, 1) counterclockwise.
Numbers Sampling::gather(const Request &request) {
  Vector at = texelCoordinates(request, 0);
  int64_t x = int64_t(std::floor(at[0] - 0.5)) + request.offset[0];
  int64_t y = int64_t(std::floor(at[1] - 0.5)) + request.offset[1];
  Numbers result = {};
  unsigned next = 0;
  for (auto [dx, dy] : {std::pair(0, 1), {1, 1}, {1, 0}, {0, 0}}) {
    Numbers texel = fetch(request, {x + dx, y + dy, 0}, 0);
    result[next++] = compares() ? compare(request, texel)[0] : texel[m_row.component];
  }
  return result;
}

/// The result of the instruction for \p lane; nothing when the wave has failed.
std::optional<TexelWords> Sampling::run(unsigned lane) {
  m_lane = lane;
  Request request = takeRequest(lane);
  TexelWords words = m_row.kind == SampleKind::QueryLod ? queryLevel(request)
                     : m_row.kind == SampleKind::Gather ? toWords(gather(request))
                                                        : toWords(sample(request));
  return m_wave.status == simt::WaveStatus::Failed ? std::nullopt : std::optional(words);
}

/// Lanes look at their neighbours' coordinates, which results may overwrite: all results first.
static void runSample(Wave &wave, const Op &op) {
  if (!requireBindless(wave, op))
    return;
  if (op.inst.get(Field::Projected))
    return refuse(wave, "projected coordinates");
  if (rowOf(op).level == LevelSource::Gradients && countCoordinates(op.inst) > 4)
    return refuse(wave, "gradients with five other coordinates"); // Their place is not known.
  std::vector<std::pair<TexelWords, bool>> results(wave.lanes());
  forActive(wave, [&](unsigned lane) {
    TextureSlots slots = textureSlotsOf(wave, op, lane);
    std::optional<ImageView> view = readView(wave, slots.textureBase, slots.texture);
    std::optional<SamplerView> sampler =
        view ? readSampler(wave, slots.samplerBase, slots.sampler) : std::nullopt;
    if (!sampler || !view->width) // A null descriptor gives zeros.
      return;
    Sampling sampling(wave, op, *view, *sampler);
    if (std::optional<TexelWords> words = sampling.run(lane))
      results[lane] = {*words, sampling.givesIntegers()};
  });
  if (wave.status != simt::WaveStatus::Running)
    return;
  forActive(wave, [&](unsigned lane) {
    writeResult(wave, op, lane, results[lane].first, results[lane].second);
  });
  endTexture(wave);
}

static constexpr HandlerRow Handlers[] = {
    {"sam", runSample},      {"samb", runSample},     {"saml", runSample},
    {"samgq", runSample},    {"samgp0", runSample},   {"samgp1", runSample},
    {"samgp2", runSample},   {"samgp3", runSample},   {"getlod", runSample},
    {"gather4r", runSample}, {"gather4g", runSample}, {"gather4b", runSample},
    {"gather4a", runSample},
};

ArrayRef<HandlerRow> adreno::samplingHandlers() {
  return Handlers;
}
