// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/PixelProbe.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Literals.h"
#include "oracles/input/ScriptLines.h"
#include "support/Error.h"
#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {
/// The stored values that a component may have, as bits of the scalar; empty when lo > hi.
struct StoredRange {
  uint64_t lo = 0, hi = 0;
  bool empty = false;
};
} // namespace

/// By multiplication, so that the result is the same with every math library.
static double power(double base, unsigned exponent) {
  double result = 1;
  for (; exponent > 0; --exponent)
    result *= base;
  return result;
}

/// The sign of what a stored integer of sRGB represents, minus \p bound. Beyond its linear part the
/// transfer function (Khronos Data Format Specification, 13.3) is a power of 12/5, so that both
/// sides are compared by their fifth powers: no root whose last bit depends on a library.
static int compareSrgb(double stored, double bound) {
  constexpr double linearEnd = 0.04045;
  if (bound < 0)
    return 1;
  double left = stored <= linearEnd ? stored / 12.92 : power((stored + 0.055) / 1.055, 12);
  double right = stored <= linearEnd ? bound : power(bound, 5);
  return left < right ? -1 : left > right;
}

/// The sign of what a stored integer represents, minus \p bound.
static int compareStored(const TexelFormatInfo &info, const TexelComponent &component,
                         double stored, double bound) {
  double top = std::ldexp(1.0, component.bits) - 1;
  if (info.numeric == TexelNumeric::Srgb && component.channel != 'A')
    return compareSrgb(stored / top, bound);
  if (info.numeric == TexelNumeric::Unorm || info.numeric == TexelNumeric::Srgb)
    stored /= top;
  else if (info.numeric == TexelNumeric::Snorm)
    stored /= std::ldexp(1.0, component.bits - 1) - 1;
  return stored < bound ? -1 : stored > bound;
}

/// All integers whose meaning lies within [lo, hi]: they are neighbours, for the meaning rises.
static StoredRange integerRange(const TexelFormatInfo &info, const TexelComponent &component,
                                ScalarKind kind, double lo, double hi) {
  double first = isSignedInt(kind) ? -std::ldexp(1.0, component.bits - 1) : 0;
  double last = std::ldexp(1.0, isSignedInt(kind) ? component.bits - 1 : component.bits) - 1;
  // Bisection for the first stored value that is at least, or above, a bound.
  auto find = [&](double bound, bool above) {
    double low = first;
    double high = last + 1;
    while (low < high) {
      double middle = std::floor((low + high) / 2);
      int sign = compareStored(info, component, middle, bound);
      if (above ? sign > 0 : sign >= 0)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  double from = find(lo, false);
  double to = find(hi, true) - 1;
  uint64_t mask = component.bits == 64 ? ~0ull : (1ull << component.bits) - 1;
  auto bitsOf = [&](double value) {
    return (value < 0 ? 0 - static_cast<uint64_t>(-value) : static_cast<uint64_t>(value)) & mask;
  };
  if (from > to)
    return {0, 0, true};
  return {bitsOf(from), bitsOf(to), false};
}

/// The floats nearest to the bounds inside them.
static StoredRange floatRange(ScalarKind kind, double lo, double hi) {
  auto convert = [kind](double value, APFloat::roundingMode rounding) {
    APFloat number(value);
    bool losesInfo = false;
    number.convert(kind == ScalarKind::Float16   ? APFloat::IEEEhalf()
                   : kind == ScalarKind::Float32 ? APFloat::IEEEsingle()
                                                 : APFloat::IEEEdouble(),
                   rounding, &losesInfo);
    return number;
  };
  APFloat low = convert(lo, APFloat::rmTowardPositive);
  APFloat high = convert(hi, APFloat::rmTowardNegative);
  return {low.bitcastToAPInt().getZExtValue(), high.bitcastToAPInt().getZExtValue(), low > high};
}

/// How the components of texels lie in memory: as \p format says, or in packed words the bytes of
/// which are components, low ones first.
static DataFormat componentFormat(TexelFormat texels, DataFormat format) {
  const TexelFormatInfo &info = getTexelFormatInfo(texels);
  bool isBytes = format.rows == 1 && info.componentCount * 8 == info.bytes * 8 &&
                 all_of(ArrayRef(info.components).take_front(info.componentCount),
                        [](const TexelComponent &each) { return each.bits == 8; });
  if (isBytes)
    format = {info.numeric == TexelNumeric::Snorm || info.numeric == TexelNumeric::Sint ||
                      info.numeric == TexelNumeric::Sscaled
                  ? ScalarKind::Int8
                  : ScalarKind::Uint8,
              info.componentCount, 1, info.bytes, info.bytes};
  return format;
}

/// What each stored component of a pixel may be; nothing for a format without colours that can be
/// looked at alone.
static std::optional<std::vector<StoredRange>> rangesOf(const PixelProbe &probe, TexelFormat format,
                                                        ScalarKind kind) {
  const TexelFormatInfo &info = getTexelFormatInfo(format);
  std::vector<StoredRange> ranges;
  if (scalarBytes(kind) * 8 != info.components[0].bits)
    return std::nullopt;
  for (unsigned i = 0; i < info.componentCount; ++i) {
    size_t channel = StringRef("RGBA").find(info.components[i].channel);
    if (channel == StringRef::npos)
      return std::nullopt;
    // Alpha is the last in every format that isn't packed.
    if (channel >= probe.channels)
      break;
    const Tolerance &tolerance = probe.tolerances[channel];
    double color = probe.color[channel];
    double distance = tolerance.percent ? color * tolerance.value / 100 : tolerance.value;
    ranges.push_back(isFloat(kind) ? floatRange(kind, color - distance, color + distance)
                                   : integerRange(info, info.components[i], kind, color - distance,
                                                  color + distance));
  }
  return ranges;
}

/// Adds two expectations for each row of pixels: a lower and an upper bound on the stored
/// components. \p declared is the shape of a buffer that is not an image itself. Multisampled
/// images and formats without bounds become requirements that Assay lacks. InvalidInput for pixels
/// outside of the image.
Error input::addPixels(CaseBuilder &builder, unsigned buffer,
                       const std::optional<ImageShape> &declared, const PixelProbe &probe) {
  const Buffer &image = builder.get().buffers[buffer];
  std::optional<ImageShape> shape = image.image ? image.image : declared;
  std::optional<TexelFormat> format =
      image.texelFormat ? image.texelFormat : texelFormatOf(image.format);
  if (!shape || !format)
    return errorAt(probe.line, "buffer '" + image.name + "' has no pixels");
  if (shape->samples != 1) {
    // Amber does not copy them back, and compares what the host had at the start.
    builder.addUnsupported("EXPECT of pixels of a multisampled image", probe.line);
    return Error::success();
  }
  if (probe.x >= shape->width || probe.width > shape->width - probe.x || probe.y >= shape->height ||
      probe.height > shape->height - probe.y)
    return errorAt(probe.line, "the pixels leave the image, which has " + Twine(shape->width) +
                                   " x " + Twine(shape->height));
  DataFormat data = componentFormat(*format, image.format);
  std::optional<std::vector<StoredRange>> ranges = rangesOf(probe, *format, data.scalar);
  if (!ranges) {
    builder.addUnsupported("EXPECT of pixels of " + getTexelFormatInfo(*format).name, probe.line);
    return Error::success();
  }
  Expectation expectation;
  expectation.buffer = buffer;
  expectation.format = data;
  expectation.line = probe.line;
  expectation.text = probe.text;
  unsigned texelBytes = getTexelFormatInfo(*format).bytes;
  for (uint64_t row = 0; row < probe.height; ++row)
    for (bool isLow : {true, false}) {
      Expectation bound = expectation;
      bound.byteOffset = ((probe.y + row) * shape->width + probe.x) * texelBytes;
      bound.format.rows = static_cast<unsigned>(ranges->size());
      bound.comparator = isLow ? Comparator::Ge : Comparator::Le;
      for (uint64_t column = 0; column < probe.width; ++column)
        for (const StoredRange &range : *ranges)
          bound.values.push_back(isLow ? range.lo : range.hi);
      if (Error error = builder.addValues(std::move(bound)))
        return error;
    }
  return Error::success();
}
