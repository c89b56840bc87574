// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/ir3_variant/ImageDescriptors.h"

#include "oracles/api/TexelFormat.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace llvm;
using namespace assay;
using namespace assay::ir3_variant;

namespace {

/// Numbers of a6xx_format by the bits of the components and what they mean; 0: there is none.
struct FormatRow {
  std::array<uint8_t, 4> bits;
  uint8_t unorm, snorm, real, unsignedInteger, signedInteger;
};

/// The format of a descriptor.
struct TexelLook {
  uint32_t format = 0;
  uint32_t swap = 0; ///< a3xx_color_swap.
  bool isSrgb = false;
  bool hasAlpha = false;
};

} // namespace

/// Components are in the order of TexelFormatInfo. A shared exponent is the last one.
static constexpr FormatRow formatRows[] = {
    {{8}, 0x03, 0x04, 0, 0x05, 0x06},
    {{8, 8}, 0x0f, 0x10, 0, 0x11, 0x12},
    {{8, 8, 8, 8}, 0x30, 0x32, 0, 0x33, 0x34},
    {{16}, 0x15, 0x16, 0x17, 0x18, 0x19},
    {{16, 16}, 0x43, 0x44, 0x45, 0x46, 0x47},
    {{16, 16, 16, 16}, 0x60, 0x61, 0x62, 0x63, 0x64},
    {{32}, 0, 0, 0x4a, 0x4b, 0x4c},
    {{32, 32}, 0, 0, 0x67, 0x68, 0x69},
    {{32, 32, 32, 32}, 0, 0, 0x82, 0x83, 0x84},
    {{10, 10, 10, 2}, 0x36, 0x39, 0, 0x3a, 0x3b},
    {{11, 11, 10}, 0, 0, 0x42, 0, 0},
    {{9, 9, 9, 5}, 0, 0, 0x35, 0, 0},
    {{5, 6, 5}, 0x0e, 0, 0, 0, 0},
    {{5, 5, 5, 1}, 0x0a, 0, 0, 0, 0},
};

/// Returns the number of a6xx_format, 0 for a meaning without one. sRGB has that of unorm.
static uint32_t numberOf(const FormatRow &row, TexelNumeric numeric) {
  switch (numeric) {
  case TexelNumeric::Unorm:
  case TexelNumeric::Srgb:
    return row.unorm;
  case TexelNumeric::Snorm:
    return row.snorm;
  case TexelNumeric::Ufloat:
  case TexelNumeric::Sfloat:
    return row.real;
  case TexelNumeric::Uint:
    return row.unsignedInteger;
  case TexelNumeric::Sint:
    return row.signedInteger;
  default:
    return 0;
  }
}

/// Unsupported for formats without a row, and for other orders of components than RGBA and BGRA.
/// Formats of depth alone have the order of red.
static Expected<TexelLook> lookOf(TexelFormat format) {
  const TexelFormatInfo &info = getTexelFormatInfo(format);
  std::array<uint8_t, 4> bits{};
  for (unsigned i = 0; i < info.componentCount; ++i)
    bits[i] = info.components[i].bits;
  char first = info.components[0].channel;
  // Components in the order of red, green, blue, alpha, or with red and blue exchanged (WXYZ).
  bool isKnownOrder = first == 'R' || first == 'D' ||
                      (first == 'B' && info.componentCount >= 3 &&
                       info.components[info.componentCount - 1].channel != 'B');
  const auto *row = find_if(formatRows, [&](const FormatRow &each) { return each.bits == bits; });
  TexelLook look;
  look.format = row == std::end(formatRows) ? 0 : numberOf(*row, info.numeric);
  if (!look.format || !isKnownOrder)
    return unsupported("texel format " + info.name + " on an Adreno GPU");
  look.swap = first == 'B';
  look.isSrgb = info.numeric == TexelNumeric::Srgb;
  look.hasAlpha = info.find('A');
  return look;
}

/// Returns word 0 of a descriptor with format, swizzle and sRGB; the number of levels is left 0.
static uint32_t firstWord(const TexelLook &look) {
  constexpr uint32_t x = 0, y = 1, z = 2, w = 3, one = 5;
  uint32_t swizzle = x | y << 3 | z << 6 | (look.hasAlpha ? w : one) << 9;
  return uint32_t(look.isSrgb) << 2 | swizzle << 4 | look.format << 22 | look.swap << 30;
}

/// What field MIN_LAYERSZ can hold, in bytes: four bits of pages.
static constexpr uint64_t largestLeastSlice = 0xf000;

/// Returns an extent at \p level, at least 1.
static uint32_t minified(uint32_t size, uint32_t level) {
  return std::max(size >> level, 1U);
}

namespace {
/// Sizes that the levels of a linear image share.
struct Pitches {
  uint32_t first = 0; ///< Bytes of a row of level 0.
  uint32_t align = 0; ///< Bytes; rows of all levels have it.

  Pitches(const ImageShape &shape, unsigned texelBytes)
      : align(64 * static_cast<uint32_t>(PowerOf2Ceil(texelBytes))) {
    first = static_cast<uint32_t>(alignTo(shape.width * texelBytes, align));
  }
  /// Returns the bytes of a row of \p level.
  uint32_t at(uint32_t level) const {
    return static_cast<uint32_t>(alignTo(minified(first, level), align));
  }
};
} // namespace

/// Bytes of one slice of each level of a 3D image: whole pages. Turnip keeps the size of the first
/// level that needs more than the first slice divided by four for each level; all following levels
/// have that size, which is field MIN_LAYERSZ. This agrees with turnip of Mesa 25.0.7 for 40
/// shapes. Sizes that the field cannot hold are not kept here; turnip keeps them.
/// \p needed has the bytes of a slice by level, without padding to pages.
static std::vector<uint64_t> sliceSizes(ArrayRef<uint64_t> needed) {
  constexpr uint64_t page = 4096;
  std::vector<uint64_t> sizes;
  std::optional<uint64_t> least;
  for (auto [level, bytes] : enumerate(needed)) {
    uint64_t size = least.value_or(alignTo(bytes, page));
    if (!least && level != 0 && size > sizes.front() >> (2 * level) && size <= largestLeastSlice)
      least = size;
    sizes.push_back(size);
  }
  return sizes;
}

turnip::ResourcePlace ir3_variant::layOutImage(const ImageShape &shape, TexelFormat format) {
  Pitches pitches(shape, getTexelFormatInfo(format).bytes);
  bool is3d = shape.dimension == ImageDimension::Dim3D;
  std::vector<uint64_t> needed; // Of a layer or slice.
  for (uint32_t level = 0; level < shape.mipLevels; ++level) {
    uint32_t rows = minified(shape.height, level);
    // Copies fetch four rows of the last level. Hardware would not know that of a slice whose size
    // is not in the descriptor.
    uint64_t padded = alignTo(rows, 4) * pitches.at(level);
    bool isPadded = level + 1 == shape.mipLevels &&
                    (!is3d || level == 0 || alignTo(padded, 4096) <= largestLeastSlice);
    needed.push_back(isPadded ? padded : uint64_t(rows) * pitches.at(level));
  }
  std::vector<uint64_t> sizes = is3d ? sliceSizes(needed) : needed;
  turnip::ResourcePlace place;
  uint64_t end = 0;
  for (uint32_t level = 0; level < shape.mipLevels; ++level) {
    turnip::LevelPlace each;
    each.offset = end;
    each.size = sizes[level] * shape.depth; // As turnip reports it (turnip::LevelPlace).
    each.rowPitch = pitches.at(level);
    each.arrayPitch = each.depthPitch = sizes[level];
    end += sizes[level] * (is3d ? minified(shape.depth, level) : 1);
    place.levels.push_back(each);
  }
  place.bytes = end;
  if (is3d)
    return place;
  // Each layer has all levels.
  uint64_t layer = alignTo(end, 4096);
  for (turnip::LevelPlace &each : place.levels)
    each.arrayPitch = layer;
  place.bytes = layer * shape.layers;
  return place;
}

/// Field TYPE. A cube as a storage image is an array of 2D images.
static Expected<uint32_t> viewType(const ImageView &view) {
  switch (view.type.dim) {
  case spv::Dim::Dim1D:
    return 0;
  case spv::Dim::Dim2D:
  case spv::Dim::Rect:
    return 1;
  case spv::Dim::Cube:
    return view.isStorage ? 1 : 2;
  case spv::Dim::Dim3D:
    return 3;
  default:
    return unsupported("an image of dimension " + Twine(unsigned(view.type.dim)) +
                       " on an Adreno GPU");
  }
}

/// Field DEPTH.
/// It is the depth of a 3D level, the number of cubes, or that of layers.
static uint32_t depthOf(const ImageShape &shape, const ImageView &view) {
  constexpr uint32_t faces = 6;
  bool isCube = view.type.dim == spv::Dim::Cube;
  if (view.type.dim == spv::Dim::Dim3D)
    return minified(shape.depth, view.baseLevel);
  uint32_t layers = view.type.arrayed ? shape.layers : isCube ? faces : 1;
  return isCube && !view.isStorage ? layers / faces : layers;
}

Expected<Descriptor> ir3_variant::describeImage(const Buffer &buffer,
                                                const turnip::ResourcePlace &place,
                                                const ImageView &view) {
  const ImageShape &shape = *buffer.image;
  if (shape.samples > 1 || view.type.multisampled)
    return unsupported("a multisampled image on an Adreno GPU");
  Expected<TexelLook> look = lookOf(*buffer.texelFormat);
  if (!look)
    return look.takeError();
  Expected<uint32_t> type = viewType(view);
  if (!type)
    return type.takeError();
  if (view.baseLevel >= place.levels.size())
    return invalidInput("a view of level " + Twine(view.baseLevel) + " of image '" + buffer.name +
                        "', which has " + Twine(place.levels.size()));
  const turnip::LevelPlace &level = place.levels[view.baseLevel];
  unsigned texelBytes = getTexelFormatInfo(*buffer.texelFormat).bytes;
  uint64_t address = place.address + level.offset;
  uint32_t levels = static_cast<uint32_t>(place.levels.size()) - view.baseLevel;
  Descriptor words{};
  words[0] = firstWord(*look) | (view.isStorage ? 0 : (levels - 1) << 16);
  words[1] = minified(shape.width, view.baseLevel) | minified(shape.height, view.baseLevel) << 15;
  words[2] = (view.isStorage ? 0 : Log2_32_Ceil(texelBytes)) |
             static_cast<uint32_t>(level.rowPitch) << 7 | *type << 29;
  words[3] = static_cast<uint32_t>(level.arrayPitch >> 12);
  uint64_t leastSlice = place.levels.back().depthPitch;
  if (shape.dimension == ImageDimension::Dim3D && leastSlice <= largestLeastSlice)
    words[3] |= static_cast<uint32_t>(leastSlice >> 12) << 23;
  words[4] = static_cast<uint32_t>(address);
  words[5] = static_cast<uint32_t>(address >> 32) | depthOf(shape, view) << 17;
  return words;
}

Expected<Descriptor> ir3_variant::describeTexelBuffer(TexelFormat format, uint64_t address,
                                                      uint64_t bytes) {
  constexpr uint32_t typeBuffer = 4, lineBytes = 64;
  Expected<TexelLook> look = lookOf(format);
  if (!look)
    return look.takeError();
  unsigned texelBytes = getTexelFormatInfo(format).bytes;
  auto skipped = static_cast<uint32_t>(address % lineBytes / texelBytes);
  Descriptor words{};
  words[0] = firstWord(*look);
  words[1] = static_cast<uint32_t>(bytes / texelBytes);
  words[2] = 1U << 4 | skipped << 16 | typeBuffer << 29;
  words[4] = static_cast<uint32_t>(address & ~uint64_t(lineBytes - 1));
  words[5] = static_cast<uint32_t>(address >> 32);
  return words;
}

/// Field WRAP_S and its like.
static uint32_t wrapOf(AddressMode mode) {
  // Repeat, mirrored repeat, clamp to edge, clamp to border, mirror and clamp.
  constexpr uint32_t wraps[] = {0, 2, 1, 3, 4};
  return wraps[static_cast<unsigned>(mode)];
}

/// A level of detail with eight bits of fraction.
/// It is clamped to [0, 4095 / 256].
static uint32_t fixedLod(float lod) {
  return static_cast<uint32_t>(std::clamp(lod, 0.0f, 4095.0f / 256) * 256);
}

Descriptor ir3_variant::describeSampler(const Sampler &sampler) {
  Descriptor words{};
  auto isLinear = [](Filter filter) { return uint32_t(filter == Filter::Linear); };
  words[0] = isLinear(sampler.mipFilter) | isLinear(sampler.magFilter) << 1 |
             isLinear(sampler.minFilter) << 3;
  for (unsigned i = 0; i < 3; ++i)
    words[0] |= wrapOf(sampler.address[i]) << (5 + 3 * i);
  words[0] |= static_cast<uint32_t>(static_cast<int32_t>(sampler.lodBias * 256)) << 19;
  words[1] = uint32_t(!sampler.normalized) << 5 | fixedLod(sampler.maxLod) << 8 |
             fixedLod(sampler.minLod) << 20;
  if (sampler.compare)
    words[1] |= static_cast<uint32_t>(*sampler.compare) << 1;
  // Fast border colours: black without and with alpha, white.
  constexpr uint32_t fastColors[] = {0, 1, 3};
  auto border = static_cast<unsigned>(sampler.border);
  words[2] = border << 7 | fastColors[border / 2] << 2 | 1U << 4;
  return words;
}
