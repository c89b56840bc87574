// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sampling and gathering. Weights are exact where hardware has eight bits of fraction: what may
// come of either is the reference's to say. Sources: Vulkan 1.3, "Image Sample Operations"; AMD's
// ISA manuals, "Image Opcodes with a Sampler", for the order of addresses.
#include "oracles/machine/gcn/image/ImageMemory.h"
#include "oracles/machine/gcn/memory/Transfer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// What one lane asks for.
struct Request {
  std::array<int, 3> offset = {};
  double bias = 0;
  double reference = 0;
  std::array<double, 3> gradientX = {}, gradientY = {};
  std::array<double, 3> coordinate = {}; ///< Those of s, t, r that the image has.
  int64_t layer = 0;
  double lod = 0;
  double leastLod = 0; ///< The operand that clamps levels.
};

/// Four components as numbers: floats, or integers exactly.
using Numbers = std::array<double, 4>;

class Sampling {
public:
  Sampling(Wave &wave, const MicroOp &op, const ImageDescriptor &image,
           const SamplerDescriptor &sampler)
      : m_wave(wave), m_op(op), m_image(image), m_sampler(sampler) {}

  /// What \p lane gets; nothing after ending the run.
  std::optional<TexelWords> runLane(unsigned lane);
  /// The kind of number that results have, for the conversion to halves.
  TexelClass resultClass() const {
    return m_op.image.isLodQuery || m_op.image.hasCompare ? TexelClass::Float
                                                          : m_image.texel.format.kind;
  }

private:
  /// Coordinates along which the image is filtered: 1, 2 or 3, without layers.
  unsigned dimensions() const;
  /// The operands of a lane, active or not, in the order of the addresses.
  Request takeRequest(unsigned lane) const;
  double footprint(const Request &request) const;
  double rawLod(const Request &request) const;
  /// The level after biases and the clamps of sampler and operand. It may lie outside the view.
  double levelOfDetail(const Request &request) const;
  uint32_t nearestLevel(double lod) const;
  Numbers queryLod(const Request &request) const;
  /// Filters within and between levels.
  Numbers sample(const Request &request);
  /// Filters one level, counted from the view's first one, by point or linearly.
  Numbers sampleLevel(const Request &request, uint32_t level, bool isLinear);
  Numbers gather(const Request &request);
  /// Coordinates in texels of \p level; numbers that are not finite become 0.
  std::array<double, 3> texelCoordinates(const Request &request, uint32_t level) const;
  /// The texel at \p place, which may lie outside the level: wrapped, on another face, or the
  /// border.
  Numbers fetch(const Request &request, std::array<int64_t, 3> place, uint32_t level);
  Numbers fetchCubeCorner(const Request &request, std::array<int64_t, 3> place, uint32_t level);
  /// A texel of the image, or the border outside of it. Zeros after ending the run.
  Numbers load(const TexelPlace &place);
  /// The border colour, with missing components as the format has them.
  Numbers border() const;
  /// The index in [0, size) that is read for \p index, or nothing for the border.
  std::optional<int64_t> wrap(AddressClamp clamp, int64_t index, int64_t size) const;
  /// Coordinates count texels.
  bool isUnnormalized() const { return m_sampler.isUnnormalized || m_op.inst->mods.unorm; }
  bool isInteger() const {
    return m_image.texel.format.kind == TexelClass::Uint ||
           m_image.texel.format.kind == TexelClass::Sint;
  }
  Numbers toNumbers(const TexelWords &words) const;
  TexelWords toWords(const Numbers &numbers) const;
  /// The result of a depth comparison: 0 or 1 in the first component. References of fixed-point
  /// formats are clamped first.
  Numbers compare(const Request &request, Numbers texel) const;

  Wave &m_wave;
  const MicroOp &m_op;
  const ImageDescriptor &m_image;
  const SamplerDescriptor &m_sampler;
  unsigned m_lane = 0;      ///< That runLane() is for.
  bool m_hasFailed = false; ///< Memory ended the run.
};

/// Where a texel beyond the edge of a cube's face lies.
struct CubePlace {
  int64_t face, x, y;
};
} // namespace

unsigned Sampling::dimensions() const {
  if (m_image.is3D())
    return 3;
  return m_image.kind == ImageType::Dim1D || m_image.kind == ImageType::Dim1DArray ? 1 : 2;
}

/// Six bits each, in bytes of their own.
static std::array<int, 3> unpackOffset(uint32_t packed) {
  std::array<int, 3> offset;
  for (unsigned i = 0; i < 3; ++i)
    offset[i] = static_cast<int>(packed << (26 - 8 * i)) >> 26;
  return offset;
}

Request Sampling::takeRequest(unsigned lane) const {
  const ImageAccess &access = m_op.image;
  LaneAddresses addresses(m_wave, m_op, lane);
  Request request;
  if (access.hasOffset)
    request.offset = unpackOffset(addresses.takeDword());
  if (access.hasBias)
    request.bias = addresses.takeFront();
  if (access.hasCompare)
    request.reference = addresses.takeSingle();
  if (access.hasGradients)
    for (auto *gradient : {&request.gradientX, &request.gradientY}) {
      for (unsigned i = 0; i < dimensions(); ++i)
        (*gradient)[i] = access.packsGradients ? addresses.takeHalfFloat() : addresses.takeSingle();
      addresses.align();
    }
  for (unsigned i = 0; i < dimensions(); ++i)
    request.coordinate[i] = addresses.takeFloat();
  bool isCube = m_image.kind == ImageType::Cube;
  if (access.isLodQuery && !isCube)
    return request;
  if (isCube || m_image.kind == ImageType::Dim1DArray || m_image.kind == ImageType::Dim2DArray) {
    double layer = std::nearbyint(addresses.takeFloat());
    double last = double(m_image.depth) - 1;
    if (isCube) { // Eight numbers a cube, six layers; it is the cube that gets clamped.
      double cube = std::floor(layer / 8), face = layer - cube * 8;
      layer = std::clamp(cube, 0.0, (last + 1) / 6 - 1) * 6 + face;
      for (unsigned i = 0; i < 2; ++i)
        request.coordinate[i] -= 1;
    }
    request.layer = static_cast<int64_t>(std::isnan(layer) ? 0 : std::clamp(layer, 0.0, last));
  }
  if (access.hasLod)
    request.lod = addresses.takeFloat();
  if (access.hasClamp)
    request.leastLod = addresses.takeFloat();
  return request;
}

/// The longer of the two footprints of a gradient, in texels of the view's first level.
double Sampling::footprint(const Request &request) const {
  auto extent = m_image.extent(m_image.baseLevel);
  double longest = 0;
  for (const auto *gradient : {&request.gradientX, &request.gradientY}) {
    double square = 0;
    for (unsigned i = 0; i < dimensions(); ++i) {
      double scale = isUnnormalized() ? 1 : double(extent[i]);
      square += std::pow((*gradient)[i] * scale, 2);
    }
    longest = std::max(longest, square);
  }
  return std::sqrt(longest);
}

/// Before biases and clamps: from the operand, from gradients, or from how the coordinates of the
/// quad's first lane differ from those of its neighbours, active or not.
double Sampling::rawLod(const Request &request) const {
  const ImageAccess &access = m_op.image;
  if (access.hasLod)
    return request.lod;
  if (access.isLevelZero)
    return 0;
  if (access.hasGradients)
    return std::log2(footprint(request));
  unsigned quad = m_lane & ~3u;
  Request first = takeRequest(quad);
  Request right = takeRequest(quad + 1);
  Request below = takeRequest(quad + 2);
  for (unsigned i = 0; i < 3; ++i) {
    first.gradientX[i] = right.coordinate[i] - first.coordinate[i];
    first.gradientY[i] = below.coordinate[i] - first.coordinate[i];
  }
  return std::log2(footprint(first));
}

double Sampling::levelOfDetail(const Request &request) const {
  double lod = rawLod(request) + m_sampler.lodBias + request.bias;
  double least = std::max(m_sampler.minLod, m_op.image.hasClamp ? request.leastLod : 0);
  lod = std::min(std::max(lod, least), m_sampler.maxLod);
  return std::isnan(lod) ? 0 : lod;
}

/// The level that point filtering between levels takes.
uint32_t Sampling::nearestLevel(double lod) const {
  double last = double(m_image.lastLevel) - double(m_image.baseLevel);
  double level = std::clamp(lod, 0.0, last);
  return static_cast<uint32_t>(std::clamp(std::ceil(level + 0.5) - 1, 0.0, last));
}

/// image_get_lod: the level that would be used, and the one before it was clamped.
Numbers Sampling::queryLod(const Request &request) const {
  double last = double(m_image.lastLevel) - double(m_image.baseLevel);
  double level = std::clamp(levelOfDetail(request), 0.0, last);
  if (m_sampler.mipFilter < 2)
    level = m_sampler.mipFilter == 0 ? 0 : nearestLevel(level);
  return {level, rawLod(request) + m_sampler.lodBias + request.bias, 0, 0};
}

std::array<double, 3> Sampling::texelCoordinates(const Request &request, uint32_t level) const {
  std::array<double, 3> result = request.coordinate;
  auto extent = m_image.extent(m_image.baseLevel + level);
  for (unsigned i = 0; i < 3; ++i) {
    if (!isUnnormalized())
      result[i] *= double(extent[i]);
    if (!std::isfinite(result[i]))
      result[i] = 0;
    result[i] = std::clamp(result[i], -1e9, 1e9);
  }
  return result;
}

std::optional<int64_t> Sampling::wrap(AddressClamp clamp, int64_t index, int64_t size) const {
  auto modulo = [](int64_t value, int64_t by) { return ((value % by) + by) % by; };
  switch (clamp) {
  case AddressClamp::Wrap:
    return modulo(index, size);
  case AddressClamp::Mirror: {
    int64_t folded = modulo(index, 2 * size);
    return folded < size ? folded : 2 * size - 1 - folded;
  }
  case AddressClamp::MirrorOnce:
    return std::min(index >= 0 ? index : -1 - index, size - 1);
  case AddressClamp::Border:
    if (index < 0 || index >= size)
      return std::nullopt;
    return index;
  default:
    return std::clamp<int64_t>(index, 0, size - 1);
  }
}

Numbers Sampling::border() const {
  double alpha = m_sampler.border == 0 ? 0 : 1;
  double color = m_sampler.border == 2 ? 1 : 0;
  Numbers texel = {color, color, color, alpha};
  // Missing components are those of the format.
  for (unsigned i = 0; i < 4; ++i)
    if (m_image.texel.select[i] < SelectX)
      texel[i] = m_image.texel.select[i] == SelectOne ? 1 : 0;
  return texel;
}

Numbers Sampling::toNumbers(const TexelWords &words) const {
  Numbers numbers;
  for (unsigned i = 0; i < 4; ++i)
    numbers[i] = m_image.texel.format.kind == TexelClass::Uint ? double(words[i])
                 : m_image.texel.format.kind == TexelClass::Sint
                     ? double(int32_t(words[i]))
                     : double(bit_cast<float>(words[i]));
  return numbers;
}

TexelWords Sampling::toWords(const Numbers &numbers) const {
  TexelWords words;
  for (unsigned i = 0; i < 4; ++i)
    words[i] = isInteger() && !m_op.image.hasCompare && !m_op.image.isLodQuery
                   ? static_cast<uint32_t>(static_cast<int64_t>(numbers[i]))
                   : bit_cast<uint32_t>(static_cast<float>(numbers[i]));
  return words;
}

Numbers Sampling::load(const TexelPlace &place) {
  std::optional<uint64_t> at = findTexel(m_image, place);
  if (!at)
    return border();
  uint8_t *memory = findGlobal(m_wave, m_op, m_lane, *at, m_image.texel.format.bytes());
  if (!memory) {
    m_hasFailed = true;
    return {};
  }
  TexelWords texel = decodeTexel(m_image.texel.format, memory);
  return toNumbers(selectComponents(m_image.texel, texel));
}

/// The texel of a neighbour face: the place beyond the edge as a direction, and that direction's
/// place on the face it meets (Vulkan 1.3, "Cube Map Face Selection").
static CubePlace turnCorner(int64_t face, int64_t x, int64_t y, int64_t size) {
  double s = (2.0 * double(x) + 1) / double(size) - 1;
  double t = (2.0 * double(y) + 1) / double(size) - 1;
  const double directions[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                                   {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
  const double *d = directions[face];
  unsigned axis = 0;
  for (unsigned i = 1; i < 3; ++i)
    if (std::abs(d[i]) > std::abs(d[axis]))
      axis = i;
  bool isNegative = d[axis] < 0;
  double sign = isNegative ? -1 : 1;
  const double across[3] = {-d[2] * sign, d[0], d[0] * sign};
  const double down[3] = {-d[1], d[2] * sign, -d[1]};
  auto toTexel = [&](double value) {
    double scaled = (value / std::abs(d[axis]) + 1) / 2 * double(size);
    return std::clamp<int64_t>(static_cast<int64_t>(std::floor(scaled)), 0, size - 1);
  };
  return {int64_t(axis) * 2 + isNegative, toTexel(across[axis]), toTexel(down[axis])};
}

/// Beyond a corner there is no texel: the mean of the three around it.
Numbers Sampling::fetchCubeCorner(const Request &request, std::array<int64_t, 3> place,
                                  uint32_t level) {
  int64_t size = m_image.extent(m_image.baseLevel + level)[0];
  int64_t insideX = std::clamp<int64_t>(place[0], 0, size - 1);
  int64_t insideY = std::clamp<int64_t>(place[1], 0, size - 1);
  Numbers sum = {};
  for (auto [x, y] : {std::pair(insideX, insideY), {place[0], insideY}, {insideX, place[1]}}) {
    Numbers texel = fetch(request, {x, y, 0}, level);
    for (unsigned i = 0; i < 4; ++i)
      sum[i] += texel[i] / 3;
  }
  return sum;
}

Numbers Sampling::fetch(const Request &request, std::array<int64_t, 3> place, uint32_t level) {
  auto extent = m_image.extent(m_image.baseLevel + level);
  TexelPlace texel;
  texel.level = level;
  texel.layer = request.layer;
  if (m_image.kind == ImageType::Cube) {
    int64_t size = extent[0];
    bool isOutX = place[0] < 0 || place[0] >= size;
    bool isOutY = place[1] < 0 || place[1] >= size;
    if (isOutX && isOutY)
      return fetchCubeCorner(request, place, level);
    if (isOutX || isOutY) {
      int64_t cube = request.layer / 6 * 6;
      CubePlace turned = turnCorner(request.layer % 6, place[0], place[1], size);
      texel.layer = cube + turned.face;
      place = {turned.x, turned.y, 0};
    }
    texel.x = place[0];
    texel.y = place[1];
    return load(texel);
  }
  std::array<int64_t, 3> wrapped = {};
  for (unsigned i = 0; i < dimensions(); ++i) {
    std::optional<int64_t> index = wrap(m_sampler.clamp[i], place[i], extent[i]);
    if (!index)
      return border();
    wrapped[i] = *index;
  }
  texel.x = wrapped[0];
  texel.y = wrapped[1];
  texel.z = wrapped[2];
  return load(texel);
}

Numbers Sampling::compare(const Request &request, Numbers texel) const {
  double reference = request.reference;
  bool isFixed = m_image.texel.format.kind == TexelClass::Unorm;
  if (isFixed)
    reference = std::clamp(reference, 0.0, 1.0);
  double depth = texel[0];
  const bool results[8] = {
      false, reference<depth, reference == depth, reference <= depth, reference> depth,
      reference != depth, reference >= depth, true};
  double value = results[m_sampler.compare & 7] ? 1 : 0;
  return {value, 0, 0, 1};
}

Numbers Sampling::sampleLevel(const Request &request, uint32_t level, bool isLinear) {
  std::array<double, 3> at = texelCoordinates(request, level);
  std::array<int64_t, 3> first = {};
  std::array<double, 3> weight = {};
  for (unsigned i = 0; i < dimensions(); ++i) {
    double shifted = at[i] + request.offset[i] - (isLinear ? 0.5 : 0);
    double floor = std::floor(shifted);
    first[i] = static_cast<int64_t>(floor);
    weight[i] = isLinear ? shifted - floor : 0;
  }
  if (!isLinear && m_image.kind == ImageType::Cube) {
    // A coordinate of just 1 is still on its face.
    int64_t size = m_image.extent(m_image.baseLevel + level)[0];
    for (unsigned i = 0; i < 2; ++i)
      first[i] = std::clamp<int64_t>(first[i], 0, size - 1);
  }
  Numbers sum = {};
  for (unsigned corner = 0; corner < 1u << dimensions(); ++corner) {
    double share = 1;
    std::array<int64_t, 3> place = first;
    for (unsigned i = 0; i < dimensions(); ++i) {
      bool isFar = corner >> i & 1;
      share *= isFar ? weight[i] : 1 - weight[i];
      place[i] += isFar;
    }
    if (share == 0)
      continue;
    Numbers texel = fetch(request, place, level);
    if (m_op.image.hasCompare)
      texel = compare(request, texel);
    for (unsigned i = 0; i < 4; ++i)
      sum[i] += share == 1 ? texel[i] : share * texel[i];
  }
  return sum;
}

Numbers Sampling::sample(const Request &request) {
  double lod = levelOfDetail(request);
  bool isLinear = lod <= 0 ? m_sampler.isMagLinear : m_sampler.isMinLinear;
  double last = double(m_image.lastLevel) - double(m_image.baseLevel);
  double level = std::clamp(lod, 0.0, last);
  if (m_sampler.mipFilter == 0)
    return sampleLevel(request, 0, isLinear);
  if (m_sampler.mipFilter == 1)
    return sampleLevel(request, nearestLevel(level), isLinear);
  auto low = static_cast<uint32_t>(std::floor(level));
  double share = level - double(low);
  Numbers near = sampleLevel(request, low, isLinear);
  if (share == 0)
    return near;
  Numbers far = sampleLevel(request, low + 1, isLinear);
  for (unsigned i = 0; i < 4; ++i)
    near[i] = near[i] * (1 - share) + far[i] * share;
  return near;
}

/// One component of the four texels that a linear filter would mix: (0, 1), (1, 1), (1, 0), (0, 0).
Numbers Sampling::gather(const Request &request) {
  bool isBase = m_op.image.isLevelZero || m_sampler.mipFilter == 0;
  uint32_t level = isBase ? 0 : nearestLevel(levelOfDetail(request));
  std::array<double, 3> at = texelCoordinates(request, level);
  int64_t x = static_cast<int64_t>(std::floor(at[0] - 0.5)) + request.offset[0];
  int64_t y = static_cast<int64_t>(std::floor(at[1] - 0.5)) + request.offset[1];
  unsigned component = m_op.image.dmask ? static_cast<unsigned>(countr_zero(m_op.image.dmask)) : 0;
  Numbers result;
  unsigned next = 0;
  for (auto [dx, dy] : {std::pair(0, 1), {1, 1}, {1, 0}, {0, 0}}) {
    Numbers texel = fetch(request, {x + dx, y + dy, 0}, level);
    if (m_op.image.hasCompare)
      texel = compare(request, texel);
    result[next++] = texel[m_op.image.hasCompare ? 0 : component];
  }
  return result;
}

/// Nothing after memory ended the run.
std::optional<TexelWords> Sampling::runLane(unsigned lane) {
  m_lane = lane;
  Request request = takeRequest(lane);
  const ImageAccess &access = m_op.image;
  TexelWords words = toWords(access.isLodQuery ? queryLod(request)
                             : access.isGather ? gather(request)
                                               : sample(request));
  return m_hasFailed ? std::nullopt : std::optional(words);
}

/// NULL is a sampler of zeros.
static SamplerDescriptor readSampler(const Wave &wave, const MicroOp &op) {
  SamplerWords words = {};
  unsigned first = op.sources[ImageSampler].operand.index;
  if (first != sreg::Null)
    std::copy_n(wave.s.begin() + first, words.size(), words.begin());
  return decodeSampler(words, wave.gfxMajor);
}

/// Results are written after all lanes are done.
void gcn::runImageSample(Wave &wave, const MicroOp &op) {
  std::optional<ImageDescriptor> image = readImage(wave, op);
  if (!image)
    return;
  if (image->isMultisampled())
    return wave.fail(OutcomeKind::Trap, "BAD-DESCRIPTOR", op, "a multisampled image is sampled");
  SamplerDescriptor sampler = readSampler(wave, op);
  Sampling sampling(wave, op, *image, sampler);
  // Lanes look at their neighbours' coordinates, which results may overwrite.
  std::array<TexelWords, MaxLanes> results;
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    std::optional<TexelWords> words = sampling.runLane(lane);
    if (!words)
      return;
    results[lane] = *words;
  }
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    if (op.image.isGather)
      writeWords(wave, op, lane, results[lane], sampling.resultClass());
    else
      writeComponents(wave, op, lane, results[lane], sampling.resultClass());
  }
  writeResidency(wave, op);
}
