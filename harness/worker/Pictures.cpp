// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Pictures.h"

#include "oracles/execution/Judge.h"
#include "oracles/raster/TexelCodec.h"
#include "support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <png.h>
#include <set>

using namespace llvm;
using namespace assay;

/// An attached level: buffer and level.
using Level = std::pair<unsigned, uint32_t>;

/// Returns each level once that a graphics pipeline draws or resolves into; resolves go to level 0.
static std::set<Level> listLevels(const Case &input) {
  std::set<Level> levels;
  auto add = [&](const std::optional<Attachment> &attachment) {
    if (!attachment)
      return;
    levels.insert({attachment->buffer, attachment->mipLevel});
    if (attachment->resolve)
      levels.insert({*attachment->resolve, 0});
  };
  for (const CasePipeline &pipeline : input.pipelines) {
    for (const std::optional<Attachment> &color : pipeline.draw.color)
      add(color);
    add(pipeline.draw.depthStencil);
  }
  return levels;
}

/// Rounds \p x to the nearest of 256 steps after clamping it to [0, 1].
static uint8_t toByte(double x) {
  return x > 0 ? uint8_t(std::lround(std::min(x, 1.0) * 255)) : 0; // NaN is black.
}

/// R, G, B, A of a texel as a screen shows it.
static void addTexel(const TexelFormatInfo &format, const uint8_t *texel,
                     std::vector<uint8_t> &pixels) {
  raster::TexelFields fields = raster::loadFields(format, texel);
  raster::Color color = raster::decodeColor(format, fields);
  double values[4];
  for (unsigned i = 0; i < 4; ++i)
    values[i] = color[i].range.middle() / (format.isInteger() ? 255 : 1);
  for (unsigned i = 0; i < format.componentCount; ++i) {
    const TexelComponent &component = format.components[i];
    unsigned index = raster::getColorIndex(component.channel);
    if (component.channel == 'D') {
      values[0] = values[1] = values[2] = raster::decodeDepth(fields[i], component.bits).middle();
      values[3] = 1;
    } else if (format.numeric == TexelNumeric::Srgb && index < 3) { // Screens decode it.
      values[index] = fields[i].range.lo / raster::getMaxCode(component.bits, false);
    }
  }
  if (format.isInteger() && !format.find('A'))
    values[3] = 1;
  for (double value : values)
    pixels.push_back(toByte(value));
}

/// RGBA with 8 bits per channel, rows from the top.
static png_image describePng(uint32_t width, uint32_t height) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGBA;
  return image;
}

/// Writes \p pixels, four bytes each. Environment if the file can't be written.
static Error writePng(const std::string &path, uint32_t width, uint32_t height,
                      const std::vector<uint8_t> &pixels) {
  png_image image = describePng(width, height);
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr))
    return Error::success();
  return environmentError(path + ": " + image.message);
}

/// Returns the bytes of a PNG. The library is called twice: first for the size, then for the data.
static Expected<std::string> encodePng(uint32_t width, uint32_t height,
                                       const std::vector<uint8_t> &pixels) {
  png_image image = describePng(width, height);
  png_alloc_size_t size = 0;
  std::string png;
  if (png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr)) {
    png.resize(size);
    if (png_image_write_to_memory(&image, png.data(), &size, 0, pixels.data(), 0, nullptr)) {
      png.resize(size);
      return std::move(png);
    }
  }
  return environmentError(std::string("PNG: ") + image.message);
}

/// The first byte of level \p level, or the end of the level before.
static uint64_t getLevelBegin(const ImageShape &shape, TexelFormat format, uint32_t level) {
  uint64_t begin = 0;
  for (uint32_t i = 0; i < level; ++i)
    begin += getLevelBytes(shape, format, i);
  return begin;
}

/// The first bytes of the texels of a picture, row after row.
static std::vector<uint64_t> listTexels(const ImageShape &shape, TexelFormat format,
                                        const PicturePlace &place) {
  uint64_t begin = getLevelBegin(shape, format, place.level);
  uint64_t bytes = getTexelFormatInfo(format).bytes;
  uint64_t count = uint64_t(std::max(1u, shape.width >> place.level)) *
                   std::max(1u, shape.height >> place.level);
  std::vector<uint64_t> offsets;
  for (uint64_t i = 0; i < count; ++i)
    offsets.push_back(begin + ((place.layer * count + i) * shape.samples + place.sample) * bytes);
  return offsets;
}

/// Writes each layer and sample of a level of an image of \p texelFormat.
static Error writeLevel(const ImageShape &shape, TexelFormat texelFormat, const BufferState &state,
                        uint32_t level, const std::string &path) {
  const TexelFormatInfo &format = getTexelFormatInfo(texelFormat);
  if (getLevelBegin(shape, texelFormat, level + 1) > state.bytes.size())
    return invalidInput(path + ": too few bytes for the shape");
  uint32_t width = std::max(1u, shape.width >> level), height = std::max(1u, shape.height >> level);
  for (uint32_t layer = 0; layer < shape.layers; ++layer)
    for (uint32_t sample = 0; sample < shape.samples; ++sample) {
      std::vector<uint8_t> pixels;
      pixels.reserve(size_t(width) * height * 4);
      for (uint64_t at : listTexels(shape, texelFormat, {layer, level, sample}))
        addTexel(format, &state.bytes[at], pixels);
      std::string name = path;
      name += shape.layers > 1 ? ".layer" + std::to_string(layer) : "";
      name += shape.mipLevels > 1 ? ".level" + std::to_string(level) : "";
      name += shape.samples > 1 ? ".sample" + std::to_string(sample) : "";
      if (Error error = writePng(name + ".png", width, height, pixels))
        return error;
    }
  return Error::success();
}

/// True if a draw or clear of the case writes this mip level of the buffer's image.
bool assay::isDrawnInto(const Case &input, unsigned buffer, uint32_t level) {
  return listLevels(input).contains({buffer, level});
}

/// Of a picture that goes into a report.
static constexpr uint64_t MostTexels = 1 << 20;

/// Why \p image can't be shown; success if it can.
static Error checkPicture(const Buffer &image, const BufferState &state,
                          const PicturePlace &place) {
  if (!image.image || !image.texelFormat)
    return invalidInput("'" + image.name + "' is no image");
  if (getLevelBegin(*image.image, *image.texelFormat, place.level + 1) > state.bytes.size())
    return invalidInput("'" + image.name + "' has too few bytes for its shape");
  if (uint64_t(image.image->width) * image.image->height > MostTexels)
    return limitExceeded("'" + image.name + "' has more texels than a picture");
  return Error::success();
}

/// Encodes RGBA \p pixels of the level that \p place names, with its dimensions.
static Expected<std::string> encodePicture(const ImageShape &shape, const PicturePlace &place,
                                           const std::vector<uint8_t> &pixels) {
  return encodePng(std::max(1u, shape.width >> place.level),
                   std::max(1u, shape.height >> place.level), pixels);
}

/// Returns the bytes of a PNG file. Fails where the place is not in the image, or its bytes are not
/// all there.
Expected<std::string> assay::makePicture(const Buffer &image, const BufferState &state,
                                         const PicturePlace &place) {
  if (Error error = checkPicture(image, state, place))
    return std::move(error);
  std::vector<uint8_t> pixels;
  for (uint64_t at : listTexels(*image.image, *image.texelFormat, place))
    addTexel(getTexelFormatInfo(*image.texelFormat), &state.bytes[at], pixels);
  return encodePicture(*image.image, place, pixels);
}

/// The largest difference of a channel as a screen shows it.
static unsigned measureDifference(const TexelFormatInfo &format, const uint8_t *a,
                                  const uint8_t *b) {
  std::vector<uint8_t> first, second;
  addTexel(format, a, first);
  addTexel(format, b, second);
  unsigned most = 0;
  for (unsigned i = 0; i < 4; ++i)
    most = std::max<unsigned>(most, std::abs(int(first[i]) - int(second[i])));
  return most;
}

/// Returns a PNG file in which equal texels are black. The greater the difference, the brighter the
/// red, up to white; a permitted difference is blue.
Expected<std::string> assay::makeDifferencePicture(const Buffer &image,
                                                   const BufferState &reference,
                                                   const BufferState &machine,
                                                   const PicturePlace &place) {
  if (Error error = checkPicture(image, reference, place))
    return std::move(error);
  if (Error error = checkPicture(image, machine, place))
    return std::move(error);
  const TexelFormatInfo &format = getTexelFormatInfo(*image.texelFormat);
  std::vector<TexelMatch> matches = compareTexels(image, place.level, reference, machine);
  uint64_t begin = getLevelBegin(*image.image, *image.texelFormat, place.level);
  std::vector<uint8_t> pixels;
  for (uint64_t at : listTexels(*image.image, *image.texelFormat, place)) {
    TexelMatch match = matches[(at - begin) / format.bytes];
    // The least difference is seen, too.
    unsigned size = match == TexelMatch::Different
                        ? 96 + measureDifference(format, &reference.bytes[at], &machine.bytes[at])
                        : 0;
    auto red = static_cast<uint8_t>(std::min(size * 2, 255u));
    auto rest = static_cast<uint8_t>(size > 128 ? std::min((size - 128) * 255 / 223, 255u) : 0);
    uint8_t blue = match == TexelMatch::Permitted ? 128 : rest;
    pixels.insert(pixels.end(), {red, rest, blue, 255});
  }
  return encodePicture(*image.image, place, pixels);
}

/// Replaces each slash and each zero byte by a dash. Different texts can become the same name.
static std::string asFileName(StringRef text) {
  std::string name = text.str();
  for (char &c : name)
    if (c == '/' || c == '\0')
      c = '-';
  return name;
}

/// Writes one file for each checkpoint, attachment and level. File names have the case, the number
/// of the checkpoint, from 1, and the buffer.
Error assay::writePictures(const Case &input, const Outcome &outcome, StringRef caseId,
                           const std::string &folder) {
  if (std::error_code code = sys::fs::create_directories(folder))
    return environmentError(folder + ": " + code.message());
  std::set<Level> levels = listLevels(input);
  for (size_t checkpoint = 0; checkpoint < outcome.checkpoints.size(); ++checkpoint)
    for (const auto &[index, level] : levels) {
      const std::vector<BufferState> &states = outcome.checkpoints[checkpoint];
      const std::optional<ImageShape> &shape = input.buffers[index].image;
      const std::optional<TexelFormat> &format = input.buffers[index].texelFormat;
      if (index >= states.size() || !shape || !format)
        continue;
      std::string path = folder + "/" + asFileName(caseId) + "." + std::to_string(checkpoint + 1) +
                         "." + asFileName(input.buffers[index].name);
      if (Error error = writeLevel(*shape, *format, states[index], level, path))
        return error;
    }
  return Error::success();
}
