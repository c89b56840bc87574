// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/execution/TexelText.h"

#include "oracles/execution/Scalar.h"
#include <algorithm>

using namespace llvm;
using namespace assay;

/// Returns the texel that holds the byte; nothing for buffers that are no images and for bytes
/// after the last level.
std::optional<TexelLocation> assay::locateTexel(const Buffer &buffer, uint64_t offset) {
  if (!buffer.image || !buffer.texelFormat)
    return std::nullopt;
  const ImageShape &shape = *buffer.image;
  uint64_t texelBytes = getTexelFormatInfo(*buffer.texelFormat).bytes, begin = 0;
  TexelLocation texel;
  for (;; ++texel.level) {
    if (texel.level == shape.mipLevels)
      return std::nullopt;
    uint64_t size = getLevelBytes(shape, *buffer.texelFormat, texel.level);
    if (offset < begin + size)
      break;
    begin += size;
  }
  uint64_t index = (offset - begin) / texelBytes;
  texel.byteOffset = begin + index * texelBytes;
  auto take = [&](uint64_t extent) {
    auto result = static_cast<uint32_t>(index % extent);
    index /= extent;
    return result;
  };
  auto extent = [&](uint32_t size) { return std::max(1u, size >> texel.level); };
  texel.sample = take(shape.samples);
  texel.x = take(extent(shape.width));
  texel.y = take(extent(shape.height));
  texel.z = take(extent(shape.depth));
  texel.layer = static_cast<uint32_t>(index);
  return texel;
}

/// Layer, level and sample are printed only where the image has several.
std::string assay::printTexelLocation(const TexelLocation &texel, const ImageShape &shape) {
  std::string text = "texel (" + std::to_string(texel.x);
  if (shape.dimension != ImageDimension::Dim1D)
    text += ", " + std::to_string(texel.y);
  if (shape.dimension == ImageDimension::Dim3D)
    text += ", " + std::to_string(texel.z);
  text += ")";
  auto add = [&](uint32_t count, const char *name, uint32_t number) {
    if (count > 1)
      text += std::string(" ") + name + " " + std::to_string(number);
  };
  add(shape.layers, "layer", texel.layer);
  add(shape.mipLevels, "level", texel.level);
  add(shape.samples, "sample", texel.sample);
  return text;
}

/// Returns the bits of a component; those beyond the end of \p texel are 0.
static uint64_t loadBits(ArrayRef<uint8_t> texel, const TexelComponent &component) {
  uint64_t result = 0;
  for (unsigned i = 0; i < component.bits; ++i) {
    unsigned bit = component.firstBit + i;
    if (bit / 8 < texel.size())
      result |= uint64_t(texel[bit / 8] >> bit % 8 & 1) << i;
  }
  return result;
}

std::string assay::printTexelComponent(const TexelFormatInfo &format,
                                       const TexelComponent &component, ArrayRef<uint8_t> texel) {
  uint64_t bits = loadBits(texel, component);
  bool isFloat = component.bits >= 16 && component.channel != 'S' &&
                 (format.numeric == TexelNumeric::Sfloat ||
                  (component.channel == 'D' && component.bits == 32));
  if (isFloat)
    return printDouble(floatFromBits(bits, component.bits / 8u));
  bool isSigned = format.numeric == TexelNumeric::Sint || format.numeric == TexelNumeric::Snorm ||
                  format.numeric == TexelNumeric::Sscaled;
  if (isSigned && component.bits && component.bits < 64 && bits >> (component.bits - 1))
    return std::to_string(int64_t(bits) - (int64_t(1) << component.bits));
  return isSigned ? std::to_string(int64_t(bits)) : std::to_string(bits);
}

std::string assay::printTexel(const TexelFormatInfo &format, ArrayRef<uint8_t> texel) {
  static constexpr StringLiteral order = "RGBADSE";
  std::string text;
  for (char channel : order)
    if (const TexelComponent *component = format.find(channel))
      text += (text.empty() ? "" : ", ") + printTexelComponent(format, *component, texel);
  return "(" + text + ")";
}
