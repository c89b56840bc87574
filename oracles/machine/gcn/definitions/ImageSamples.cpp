// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sampling, from Vulkan 1.3, "Image Sample Operations", and the order of addresses in AMD's ISA
// manuals, "Image Opcodes with a Sampler". In doubles, which are exact where coordinates, levels
// and texels have few binary digits: tests see to that. Of cubes, texels are defined that lie one
// beyond a face: no filter whose coordinates lie on the face takes others.
#include "oracles/machine/gcn/definitions/ImageMeaning.h"
#include "oracles/machine/gcn/definitions/Texel.h"
#include <cmath>

using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

namespace {

using Color = std::array<double, 4>;

/// What a lane asks for.
struct Question {
  std::array<int, 3> offset = {};
  double bias = 0, reference = 0;
  std::array<std::array<double, 3>, 2> gradients = {};
  std::array<double, 3> at = {};
  int64_t layer = 0;
  double level = 0, least = 0;
};

/// One execution.
struct Sampling {
  const Request &request;
  World &world;        ///< Where results go, and
  const World &before; ///< what addresses are read from.
  const ImageOperands &operands;

  /// The operands of one lane, in the order of the addresses.
  Question read(unsigned lane) const;
  /// The level before biases and clamps.
  double rawLevel(const Question &question, unsigned lane) const;
  /// The level after bias and the clamps of sampler and operand.
  double clampedLevel(const Question &question, unsigned lane) const;
  /// \p level clamped to what the view has.
  double firstToLast(double level) const;
  /// One level of the image, filtered.
  Color filter(const Question &question, unsigned level, bool isLinear) const;
  Color filterAlong(const Question &question, const std::array<double, 3> &at, TexelAt place,
                    unsigned dimension, bool isLinear) const;
  /// One texel after wrapping, as a color or as the result of the comparison.
  Color fetch(const Question &question, const TexelAt &place) const;
  Color fetchOfCube(const TexelAt &place) const;
  /// A texel inside the image.
  Color read(const TexelAt &place) const;
  /// Coordinates in texels of \p level.
  std::array<double, 3> scaledAt(const Question &question, unsigned level) const;
  /// Filters within and between levels.
  Color sample(const Question &question, unsigned lane) const;
  Color gather(const Question &question, unsigned lane) const;
  /// image_get_lod: the level that is used, and the level before clamps.
  Color query(const Question &question, unsigned lane) const;
};

} // namespace

/// \p letter is U, I or another for floats.
static double wordToNumber(uint32_t word, char letter) {
  if (letter == 'U')
    return double(word);
  if (letter == 'I')
    return double(static_cast<int32_t>(word));
  float value;
  __builtin_memcpy(&value, &word, sizeof word);
  return double(value);
}

/// The reverse of wordToNumber(); numbers are rounded to f32.
static uint32_t numberToWord(double number, bool isInteger) {
  if (isInteger)
    return static_cast<uint32_t>(static_cast<int64_t>(number));
  auto value = static_cast<float>(number);
  uint32_t word;
  __builtin_memcpy(&word, &value, sizeof word);
  return word;
}

/// Six bits each, of which the highest is a sign, eight bits apart.
static std::array<int, 3> splitOffset(uint32_t word) {
  std::array<int, 3> offset{};
  for (unsigned i = 0; i < 3; ++i) {
    int bits = static_cast<int>(word >> (8 * i) & 63);
    offset[i] = bits >= 32 ? bits - 64 : bits;
  }
  return offset;
}

/// A layer's number is rounded and clamped; of a cube, 8 times its number and a face.
static int64_t layerOf(double number, const ImageShape &image) {
  double rounded = std::nearbyint(number);
  double last = double(image.layers) - 1;
  if (image.dims != ImageDims::Cube)
    return static_cast<int64_t>(std::min(std::max(rounded, 0.0), last));
  double cube = std::floor(rounded / 8), face = rounded - 8 * cube;
  double lastCube = double(image.layers / 6) - 1;
  return static_cast<int64_t>(std::min(std::min(std::max(cube, 0.0), lastCube) * 6 + face, last));
}

Question Sampling::read(unsigned lane) const {
  const ImageShape &image = world.image;
  AddressReader reader(request, before, lane);
  Question question;
  if (operands.hasOffset)
    question.offset = splitOffset(reader.word());
  if (operands.hasBias) {
    question.bias = reader.number();
    reader.finishRegister();
  }
  if (operands.hasReference)
    question.reference = wordToNumber(reader.word(), 'F');
  bool areHalves = operands.packsGradients || (world.gfx == 9 && request.a16);
  for (auto &gradient : question.gradients) {
    for (unsigned i = 0; operands.hasGradients && i < image.dimensions(); ++i)
      gradient[i] = areHalves ? reader.halfNumber() : wordToNumber(reader.word(), 'F');
    reader.finishRegister();
  }
  for (unsigned i = 0; i < image.dimensions(); ++i)
    question.at[i] = reader.number();
  bool isCube = image.dims == ImageDims::Cube;
  if (image.isLayered() && (!operands.isQuery || isCube))
    question.layer = layerOf(reader.number(), image);
  for (unsigned i = 0; isCube && i < 2; ++i) // From 1 to 2 along a face.
    question.at[i] -= 1;
  if (operands.hasLevel)
    question.level = reader.number();
  if (operands.hasLeast)
    question.least = reader.number();
  return question;
}

/// log2 of the longer of two footprints in texels: of gradients, or of the differences within the
/// quad, whose first lane is compared with its neighbours.
double Sampling::rawLevel(const Question &question, unsigned lane) const {
  if (operands.hasLevel)
    return question.level;
  if (operands.isLevelZero)
    return 0;
  auto gradients = question.gradients;
  if (!operands.hasGradients) {
    Question corner = read(lane / 4 * 4);
    for (unsigned i = 0; i < 2; ++i)
      for (unsigned k = 0; k < 3; ++k)
        gradients[i][k] = read(lane / 4 * 4 + 1 + i).at[k] - corner.at[k];
  }
  bool isInTexels = world.sampler.isUnnormalized || request.unorm;
  std::array<unsigned, 3> extent = world.image.extent(0);
  double longest = 0;
  for (const auto &gradient : gradients) {
    double sum = 0;
    for (unsigned k = 0; k < world.image.dimensions(); ++k) {
      double texels = gradient[k] * (isInTexels ? 1 : extent[k]);
      sum += texels * texels;
    }
    longest = std::max(longest, sum);
  }
  return std::log2(std::sqrt(longest));
}

double Sampling::clampedLevel(const Question &question, unsigned lane) const {
  double level = rawLevel(question, lane) + world.sampler.bias + question.bias;
  double least =
      operands.hasLeast ? std::max(world.sampler.minLod, question.least) : world.sampler.minLod;
  level = level > least ? level : least;
  return level < world.sampler.maxLod ? level : world.sampler.maxLod;
}

double Sampling::firstToLast(double level) const {
  double last = double(world.image.levels - world.image.baseLevel) - 1;
  return level < 0 ? 0 : level > last ? last : level;
}

/// The nearest level; of two that are as near, the larger one's number is not taken.
static double nearestLevel(double level) {
  double below = std::floor(level);
  return level - below > 0.5 ? below + 1 : below;
}

std::array<double, 3> Sampling::scaledAt(const Question &question, unsigned level) const {
  std::array<double, 3> at = question.at;
  std::array<unsigned, 3> extent = world.image.extent(level);
  for (unsigned i = 0; i < 3; ++i)
    if (!world.sampler.isUnnormalized && !request.unorm)
      at[i] *= extent[i];
  return at;
}

/// Where a texel beyond the edge is looked for; -1: nowhere.
static int64_t wrapped(Wrapping wrapping, int64_t index, int64_t size) {
  int64_t inTwo = (index % (2 * size) + 2 * size) % (2 * size);
  switch (wrapping) {
  case Wrapping::Repeat:
    return inTwo % size;
  case Wrapping::Mirror:
    return inTwo < size ? inTwo : 2 * size - 1 - inTwo;
  case Wrapping::MirrorOnce:
    index = index < 0 ? -index - 1 : index;
    return index < size ? index : size - 1;
  case Wrapping::Border:
    return index < 0 || index >= size ? -1 : index;
  case Wrapping::Edge:
    break;
  }
  return index < 0 ? 0 : index >= size ? size - 1 : index;
}

/// \p function is a VkCompareOp.
static bool compares(unsigned function, double reference, double texel) {
  // VkCompareOp: bit 0 less, bit 1 equal, bit 2 greater.
  return reference < texel ? function & 1 : reference == texel ? function & 2 : function & 4;
}

namespace {
/// A direction along an axis of the cube: 0 is X.
struct Direction {
  unsigned axis;
  int sign;
};
/// Where a face is, and where its texels' x and y lead.
struct Face {
  Direction out, right, down;
};
} // namespace

/// Vulkan 1.3, "Cube Map Face Selection": the major axis, and the axes of s and t.
static constexpr Face faces[6] = {
    {{0, 1}, {2, -1}, {1, -1}}, {{0, -1}, {2, 1}, {1, -1}}, {{1, 1}, {0, 1}, {2, 1}},
    {{1, -1}, {0, 1}, {2, -1}}, {{2, 1}, {0, 1}, {1, -1}},  {{2, -1}, {0, -1}, {1, -1}},
};

/// The coordinate of a point along a direction.
static int64_t along(const std::array<int64_t, 3> &point, Direction direction) {
  return point[direction.axis] * direction.sign;
}

/// The texel that meets one beyond one edge of a face, where the face next to it is folded flat. On
/// a cube whose edges have twice the length of \p size texels, with 0 in the middle, the middles of
/// texels are odd numbers.
static TexelAt foldedOver(TexelAt place, int64_t size) {
  const Face &from = faces[place.layer % 6];
  bool isAcross = place.at[0] < 0 || place.at[0] >= size;
  Direction over = isAcross ? from.right : from.down;
  over.sign *= place.at[isAcross ? 0 : 1] < 0 ? -1 : 1;
  Direction edge = isAcross ? from.down : from.right;
  std::array<int64_t, 3> point{};
  point[over.axis] = over.sign * size;
  point[from.out.axis] = from.out.sign * (size - 1);
  point[edge.axis] = edge.sign * (2 * place.at[isAcross ? 1 : 0] + 1 - size);
  int64_t cube = place.layer / 6;
  for (unsigned face = 0; face < 6; ++face)
    if (faces[face].out.axis == over.axis && faces[face].out.sign == over.sign) {
      place.layer = cube * 6 + face;
      place.at[0] = (along(point, faces[face].right) + size - 1) / 2;
      place.at[1] = (along(point, faces[face].down) + size - 1) / 2;
      break;
    }
  return place;
}

Color Sampling::read(const TexelAt &place) const {
  std::array<uint32_t, 4> words = readTexel(world, place);
  Color color;
  for (unsigned i = 0; i < 4; ++i)
    color[i] = wordToNumber(words[i], world.image.letter);
  return color;
}

/// Beyond a corner no face has a texel: the mean of the three that meet there.
Color Sampling::fetchOfCube(const TexelAt &place) const {
  int64_t size = world.image.extent(unsigned(place.level))[0];
  auto isOut = [&](int64_t index) { return index < 0 || index >= size; };
  bool isOutX = isOut(place.at[0]), isOutY = isOut(place.at[1]);
  if (!isOutX && !isOutY)
    return read(place);
  if (isOutX != isOutY)
    return read(foldedOver(place, size));
  TexelAt corner = place, besideX = place, besideY = place;
  corner.at[0] = besideY.at[0] = place.at[0] < 0 ? 0 : size - 1;
  corner.at[1] = besideX.at[1] = place.at[1] < 0 ? 0 : size - 1;
  Color mean = read(corner);
  Color second = read(foldedOver(besideX, size)), third = read(foldedOver(besideY, size));
  for (unsigned i = 0; i < 4; ++i)
    mean[i] = (mean[i] + second[i] + third[i]) / 3;
  return mean;
}

Color Sampling::fetch(const Question &question, const TexelAt &place) const {
  const ImageShape &image = world.image;
  TexelAt found = place;
  found.layer = question.layer;
  bool isCube = image.dims == ImageDims::Cube;
  bool isBorder = false;
  std::array<unsigned, 3> extent = image.extent(unsigned(place.level));
  for (unsigned i = 0; !isCube && i < image.dimensions(); ++i) {
    found.at[i] = wrapped(world.sampler.wrapping[i], place.at[i], extent[i]);
    isBorder |= found.at[i] < 0;
  }
  Color color = {world.sampler.borderColor, world.sampler.borderColor, world.sampler.borderColor,
                 world.sampler.borderOpacity};
  for (unsigned i = 0; isBorder && i < 4; ++i)
    if (image.select[i] < 4)
      color[i] = image.select[i];
  if (!isBorder)
    color = isCube ? fetchOfCube(found) : read(found);
  if (!operands.hasReference)
    return color;
  double reference = question.reference;
  if (image.letter == 'n')
    reference = reference < 0 ? 0 : reference > 1 ? 1 : reference;
  return {double(compares(world.sampler.compare, reference, color[0])), 0, 0, 1};
}

/// The mean along \p dimension and those below it.
Color Sampling::filterAlong(const Question &question, const std::array<double, 3> &at,
                            TexelAt place, unsigned dimension, bool isLinear) const {
  if (dimension == 0)
    return fetch(question, place);
  unsigned i = dimension - 1;
  double exact = at[i] + question.offset[i] - (isLinear ? 0.5 : 0);
  place.at[i] = static_cast<int64_t>(std::floor(exact));
  if (!isLinear && world.image.dims == ImageDims::Cube) // The end of a face is still on it.
    place.at[i] =
        wrapped(Wrapping::Edge, place.at[i], world.image.extent(unsigned(place.level))[i]);
  Color near = filterAlong(question, at, place, i, isLinear);
  double share = isLinear ? exact - std::floor(exact) : 0;
  if (share == 0)
    return near;
  ++place.at[i];
  Color far = filterAlong(question, at, place, i, isLinear);
  for (unsigned k = 0; k < 4; ++k)
    near[k] += (far[k] - near[k]) * share;
  return near;
}

Color Sampling::filter(const Question &question, unsigned level, bool isLinear) const {
  TexelAt place;
  place.level = level;
  return filterAlong(question, scaledAt(question, level), place, world.image.dimensions(),
                     isLinear);
}

Color Sampling::sample(const Question &question, unsigned lane) const {
  double level = clampedLevel(question, lane);
  bool isLinear = level <= 0 ? world.sampler.isMagLinear : world.sampler.isMinLinear;
  double within = firstToLast(level);
  if (world.sampler.mips == 0)
    return filter(question, 0, isLinear);
  if (world.sampler.mips == 1)
    return filter(question, unsigned(nearestLevel(within)), isLinear);
  Color near = filter(question, unsigned(std::floor(within)), isLinear);
  double share = within - std::floor(within);
  if (share == 0)
    return near;
  Color far = filter(question, unsigned(std::floor(within)) + 1, isLinear);
  for (unsigned k = 0; k < 4; ++k)
    near[k] += (far[k] - near[k]) * share;
  return near;
}

/// One component of four texels: below left, below right, above right, above left.
Color Sampling::gather(const Question &question, unsigned lane) const {
  bool isFirst = operands.isLevelZero || world.sampler.mips == 0;
  double level = isFirst ? 0 : nearestLevel(firstToLast(clampedLevel(question, lane)));
  std::array<double, 3> at = scaledAt(question, unsigned(level));
  static constexpr int Steps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  unsigned component = operands.hasReference ? 0 : unsigned(__builtin_ctz(request.dmask));
  Color result{};
  for (unsigned corner = 0; corner < 4; ++corner) {
    TexelAt place;
    place.level = static_cast<int64_t>(level);
    for (unsigned i = 0; i < 2; ++i)
      place.at[i] =
          static_cast<int64_t>(std::floor(at[i] - 0.5)) + question.offset[i] + Steps[corner][i];
    result[corner] = fetch(question, place)[component];
  }
  return result;
}

Color Sampling::query(const Question &question, unsigned lane) const {
  double level = firstToLast(clampedLevel(question, lane));
  if (world.sampler.mips == 0)
    level = 0;
  else if (world.sampler.mips == 1)
    level = nearestLevel(level);
  return {level, rawLevel(question, lane) + world.sampler.bias + question.bias, 0, 0};
}

/// Multisampled images end the run. Addresses are read from a copy, since results of one lane may
/// overwrite what its neighbours need.
void gcn::definitions::sampleImage(const Request &request, World &world,
                                   const ImageOperands &operands) {
  World before = world;
  world.faults |= world.image.isMultisampled();
  Sampling sampling{request, world, before, operands};
  bool isNumber = operands.isQuery || operands.hasReference || !world.image.isInteger();
  char letter = isNumber ? 'F' : world.image.letter;
  before.forLanes([&](unsigned lane) {
    if (world.faults)
      return;
    Question question = sampling.read(lane);
    Color color = operands.isQuery    ? sampling.query(question, lane)
                  : operands.isGather ? sampling.gather(question, lane)
                                      : sampling.sample(question, lane);
    std::array<uint32_t, 4> words{};
    for (unsigned i = 0; i < 4; ++i)
      words[i] = numberToWord(color[i], !isNumber);
    writeTexel(request, world, lane, words, letter, operands.givesFour);
  });
}
