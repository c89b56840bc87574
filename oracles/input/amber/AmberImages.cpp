// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IMAGE, BUFFER FORMAT and SAMPLER of AmberScript.
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "oracles/input/amber/AmberNames.h"
#include "oracles/input/amber/AmberReader.h"
#include "support/Error.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Reads the name of a format or type, after FORMAT or DATA_TYPE. Returns nothing, and makes the
/// case unsupported, for one that is known but has no texels here. InvalidInput for an unknown
/// name.
Expected<std::optional<TexelFormat>> AmberReader::readTexelFormat(LineCursor &line) {
  Expected<StringRef> name = line.word("a format");
  if (!name)
    return name.takeError();
  std::optional<TexelFormat> format = findTexelFormat(*name);
  std::optional<DataType> type = parseAmberType(*name);
  if (!format && type && !type->isArray)
    format = texelFormatOf(amberFormat(*type, BlockLayout::Std430));
  if (!format && !type)
    return line.error("unknown data type '" + name->take_front(40) + "'");
  if (format && dataFormatOf(*format).rows != 3)
    return format;
  // Amber pads them in memory and not in images.
  m_case.addUnsupported("images of " + *name, line.line());
  return std::optional<TexelFormat>();
}

namespace {
/// The words of an IMAGE before its initializer. Numbers that are not given are empty.
struct ImageOptions {
  std::optional<StringRef> dimension; ///< "DIM_2D".
  std::optional<uint64_t> width, height, depth, layers, mipLevels, samples;
  bool hasFormat = false;

  /// Returns the number that option \p name sets, null for another word.
  std::optional<uint64_t> *find(StringRef name) {
    if (name == "WIDTH")
      return &width;
    if (name == "HEIGHT")
      return &height;
    if (name == "DEPTH")
      return &depth;
    if (name == "ARRAY_LAYERS")
      return &layers;
    if (name == "MIP_LEVELS")
      return &mipLevels;
    return name == "SAMPLES" ? &samples : nullptr;
  }
  /// Reads the value of option \p name, which find() knows: from 1 to maxImageExtent, once.
  Error readNumber(LineCursor &line, StringRef name) {
    std::optional<uint64_t> &place = *find(name);
    if (place)
      return line.error(name + " is given twice");
    Expected<uint64_t> number = line.number(name, maxImageExtent);
    if (!number)
      return number.takeError();
    if (*number == 0)
      return line.error(name + " must be positive");
    place = *number;
    return Error::success();
  }
};
} // namespace

/// InvalidInput for a number of samples that no image has.
static Error checkSamples(const LineCursor &line, uint32_t samples) {
  if (samples > 64 || !isPowerOf2_32(samples))
    return line.error("SAMPLES must be 1, 2, 4, 8, 16, 32 or 64");
  return Error::success();
}

/// InvalidInput for a number of samples or levels that no image of this shape has.
static Error checkShape(const LineCursor &line, const ImageShape &shape) {
  if (Error error = checkSamples(line, shape.samples))
    return error;
  uint32_t largest = std::max({shape.width, shape.height, shape.depth});
  if (shape.mipLevels > Log2_32(largest) + 1)
    return line.error("an image of this size has at most " + Twine(Log2_32(largest) + 1) +
                      " mip levels");
  if (shape.samples > 1 && (shape.mipLevels > 1 || shape.dimension != ImageDimension::Dim2D))
    return line.error("a multisampled image has two dimensions and one level");
  if (shape.layers > 1 && shape.dimension == ImageDimension::Dim3D)
    return line.error("an image of three dimensions has no layers");
  return Error::success();
}

/// Returns the shape that \p options describe, before checkShape(); extents that are not said
/// are 1. InvalidInput where extents and dimension do not agree.
static Expected<ImageShape> shapeOf(const LineCursor &line, const ImageOptions &options) {
  ImageShape shape;
  StringRef dimension = options.dimension.value_or("DIM_2D"); // Amber's default.
  unsigned extents = dimension[4] - '0';
  shape.dimension = static_cast<ImageDimension>(extents - 1);
  if (!options.hasFormat)
    return line.error("expected FORMAT or DATA_TYPE");
  bool hasHeight = options.height || !options.dimension;
  if (!options.width || (extents >= 2 && !hasHeight) || (extents == 3 && !options.depth))
    return line.error("expected WIDTH, HEIGHT and DEPTH, those that the image has");
  if ((options.height && extents < 2) || (options.depth && extents < 3))
    return line.error("HEIGHT or DEPTH of an image without it");
  auto number = [](std::optional<uint64_t> value) {
    return static_cast<uint32_t>(value.value_or(1));
  };
  shape.width = number(options.width);
  shape.height = number(options.height);
  shape.depth = number(options.depth);
  shape.layers = number(options.layers);
  shape.mipLevels = number(options.mipLevels);
  shape.samples = number(options.samples);
  return shape;
}

/// True for the words that begin the contents of an image.
static bool isInitializer(StringRef word) {
  return word == "DATA" || word == "FILL" || word == "SERIES_FROM" || word == "FILE";
}

/// Reads name options [initializer], after IMAGE, and declares the image. One with a format that is
/// not read becomes opaque. InvalidInput for a name that is declared already, and for contents of a
/// multisampled image other than FILL.
Error AmberReader::readImage(LineCursor &line) {
  Expected<StringRef> name = line.word("an image name");
  if (!name)
    return name.takeError();
  if (m_buffers.contains(*name))
    return line.error("image '" + *name + "' was declared before");
  ImageOptions options;
  std::optional<TexelFormat> format;
  while (!line.atEnd() && !isInitializer(line.peek())) {
    StringRef word = cantFail(line.word(""));
    if (word == "FORMAT" || word == "DATA_TYPE") {
      if (options.hasFormat)
        return line.error("the format is given twice");
      options.hasFormat = true;
      Expected<std::optional<TexelFormat>> read = readTexelFormat(line);
      if (!read)
        return read.takeError();
      format = *read;
    } else if (word == "DIM_1D" || word == "DIM_2D" || word == "DIM_3D") {
      if (options.dimension)
        return line.error("the dimension is given twice");
      options.dimension = word;
    } else if (options.find(word)) {
      if (Error error = options.readNumber(line, word))
        return error;
    } else {
      return line.error("unknown option '" + word.take_front(40) + "' of an image");
    }
  }
  Expected<ImageShape> shape = shapeOf(line, options);
  if (!shape)
    return shape.takeError();
  if (!format)
    return readForeignBuffer(line, *name);
  Expected<unsigned> index = addBuffer(line, *name, layoutOfTexels(*format), 0);
  if (!index)
    return index.takeError();
  m_case.get().buffers[*index].texelFormat = format;
  AmberBuffer &declared = m_buffers[*name];
  declared.index = *index;
  if (Error error = makeImage(line, declared, *shape))
    return error;
  if (shape->samples > 1 && !line.atEnd() && line.peek() != "FILL")
    return line.error("a multisampled image can be filled only");
  return readInitializer(line, *index, true, true);
}

/// Gives \p buffer, which has a texel format, the shape and the bytes of an image. It is no longer
/// without a size then. InvalidInput for a shape that no image has, Limit above maxBufferBytes.
Error AmberReader::makeImage(const LineCursor &line, AmberBuffer &buffer, const ImageShape &shape) {
  if (Error error = checkShape(line, shape))
    return error;
  Buffer &image = m_case.get().buffers[buffer.index];
  image.image = shape;
  buffer.unsized = false;
  buffer.shape = std::nullopt;
  // The extents are small enough for one level without overflow; the layers come on top.
  uint64_t texels = uint64_t(shape.width) * shape.height * shape.samples;
  if (texels > maxBufferBytes || texels * shape.depth > maxBufferBytes ||
      texels * shape.depth * shape.layers > maxBufferBytes)
    return atLine(line.line(),
                  limitExceeded("an image of more than " + Twine(maxBufferBytes >> 20) + " MiB"));
  if (Error error = m_case.resizeBuffer(buffer.index, getImageBytes(shape, *image.texelFormat)))
    return atLine(line.line(), std::move(error));
  return Error::success();
}

/// Reads [MIP_LEVELS n] [SAMPLES n] [FILE [PNG] name] after BUFFER name FORMAT f. The size follows
/// from the pipelines that bind the image, unless a file gives it. Only then it is known whether
/// the image has so many levels.
Error AmberReader::readFormatBuffer(LineCursor &line, StringRef name) {
  Expected<std::optional<TexelFormat>> format = readTexelFormat(line);
  if (!format)
    return format.takeError();
  if (!*format)
    return readForeignBuffer(line, name);
  Expected<unsigned> index = addBuffer(line, name, layoutOfTexels(**format), 0);
  if (!index)
    return index.takeError();
  Buffer &buffer = m_case.get().buffers[*index];
  buffer.texelFormat = *format;
  AmberBuffer &declared = m_buffers[name];
  declared.index = *index;
  declared.unsized = true;
  ImageOptions options;
  while (line.peek() == "MIP_LEVELS" || line.peek() == "SAMPLES")
    if (Error error = options.readNumber(line, cantFail(line.word(""))))
      return error;
  ImageShape shape;
  shape.mipLevels = static_cast<uint32_t>(options.mipLevels.value_or(1));
  shape.samples = static_cast<uint32_t>(options.samples.value_or(1));
  if (Error error = checkSamples(line, shape.samples))
    return error;
  declared.shape = shape;
  if (line.tryWord("FILE"))
    return readBufferFile(line, *index, false);
  return Error::success();
}

/// Reads a level of detail from -1000 to 1000. InvalidInput outside of this range and for NaN.
static Error readLod(LineCursor &line, StringRef option, float &value) {
  Expected<StringRef> word = line.word("a value of " + option);
  if (!word)
    return word.takeError();
  Expected<double> number = parseReal(*word, option);
  if (!number)
    return atLine(line.line(), number.takeError());
  if (!std::isfinite(*number) || std::fabs(*number) > 1000)
    return line.error(option + " must lie between -1000 and 1000");
  value = static_cast<float>(*number);
  return Error::success();
}

namespace {
/// A sampler, with COMPARE and COMPARE_OP apart: only both together make it compare.
struct SamplerOptions {
  Sampler sampler;
  bool compares = false;
  CompareOp compareOp = CompareOp::Never;
};
} // namespace

/// Reads the value of option \p name. UNNORMALIZED_COORDS sets both levels of detail to 0.
static Error readSamplerOption(LineCursor &line, StringRef name, SamplerOptions &options) {
  Sampler &sampler = options.sampler;
  if (name == "MAG_FILTER")
    return readNamed(line, name, filters, sampler.magFilter);
  if (name == "MIN_FILTER")
    return readNamed(line, name, filters, sampler.minFilter);
  if (name == "MIP_FILTER")
    return readNamed(line, name, filters, sampler.mipFilter);
  if (name.starts_with("ADDRESS_MODE_") && name.size() == 14 && name[13] >= 'U' && name[13] <= 'W')
    return readNamed(line, name, addressModes, sampler.address[name[13] - 'U']);
  if (name == "BORDER_COLOR")
    return readNamed(line, name, borderColors, sampler.border);
  if (name == "MIN_LOD")
    return readLod(line, name, sampler.minLod);
  if (name == "MAX_LOD")
    return readLod(line, name, sampler.maxLod);
  if (name == "LOD_BIAS")
    return readLod(line, name, sampler.lodBias);
  if (name == "COMPARE")
    return readNamed(line, name, switches, options.compares);
  if (name == "COMPARE_OP")
    return readNamed(line, name, compareOps, options.compareOp);
  if (name != "NORMALIZED_COORDS" && name != "UNNORMALIZED_COORDS")
    return line.error("unknown option '" + name.take_front(40) + "' of a sampler");
  sampler.normalized = name == "NORMALIZED_COORDS";
  if (!sampler.normalized)
    sampler.minLod = sampler.maxLod = 0;
  return Error::success();
}

/// Reads name options, after SAMPLER, and declares the sampler. COMPARE_OP has an effect with
/// COMPARE on only. The highest level of detail is 1 by default. InvalidInput for a highest level
/// below the lowest one.
Error AmberReader::readSampler(LineCursor &line) {
  Expected<StringRef> name = line.word("a sampler's name");
  if (!name)
    return name.takeError();
  SamplerOptions options;
  options.sampler.name = name->str();
  options.sampler.maxLod = 1; // Amber's default.
  while (!line.atEnd())
    if (Error error = readSamplerOption(line, cantFail(line.word("")), options))
      return error;
  if (options.sampler.maxLod < options.sampler.minLod)
    return line.error("MAX_LOD is below MIN_LOD");
  if (options.compares)
    options.sampler.compare = options.compareOp;
  std::vector<Sampler> &samplers = m_case.get().samplers;
  if (!m_samplers.try_emplace(*name, static_cast<unsigned>(samplers.size())).second)
    return line.error("sampler '" + *name + "' was declared before");
  samplers.push_back(std::move(options.sampler));
  return Error::success();
}
