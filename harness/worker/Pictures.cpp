// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Pictures.h"

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

static Error writePng(const std::string &path, uint32_t width, uint32_t height,
                      const std::vector<uint8_t> &pixels) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr))
    return Error::success();
  return environmentError(path + ": " + image.message);
}

/// Writes each layer and sample of a level of an image of \p texelFormat.
static Error writeLevel(const ImageShape &shape, TexelFormat texelFormat, const BufferState &state,
                        uint32_t level, const std::string &path) {
  const TexelFormatInfo &format = getTexelFormatInfo(texelFormat);
  uint64_t begin = 0;
  for (uint32_t i = 0; i < level; ++i)
    begin += getLevelBytes(shape, texelFormat, i);
  uint32_t width = std::max(1u, shape.width >> level), height = std::max(1u, shape.height >> level);
  if (begin + getLevelBytes(shape, texelFormat, level) > state.bytes.size())
    return invalidInput(path + ": too few bytes for the shape");
  for (uint32_t layer = 0; layer < shape.layers; ++layer)
    for (uint32_t sample = 0; sample < shape.samples; ++sample) {
      std::vector<uint8_t> pixels;
      pixels.reserve(size_t(width) * height * 4);
      for (uint64_t i = 0; i < uint64_t(width) * height; ++i) {
        uint64_t texel = (uint64_t(layer) * width * height + i) * shape.samples + sample;
        addTexel(format, &state.bytes[begin + texel * format.bytes], pixels);
      }
      std::string name = path;
      name += shape.layers > 1 ? ".layer" + std::to_string(layer) : "";
      name += shape.mipLevels > 1 ? ".level" + std::to_string(level) : "";
      name += shape.samples > 1 ? ".sample" + std::to_string(sample) : "";
      if (Error error = writePng(name + ".png", width, height, pixels))
        return error;
    }
  return Error::success();
}

static std::string asFileName(StringRef text) {
  std::string name = text.str();
  for (char &c : name)
    if (c == '/' || c == '\0')
      c = '-';
  return name;
}

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
