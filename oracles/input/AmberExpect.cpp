// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EXPECT of AmberScript.
#include "oracles/input/AmberNames.h"
#include "oracles/input/AmberReader.h"
#include "oracles/input/Literals.h"
#include "support/Error.h"
#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::input;

std::optional<Comparator> input::parseAmberComparator(StringRef name) {
  for (const NamedValue<Comparator> &row : comparators)
    if (row.name == name)
      return row.value;
  return std::nullopt;
}

Error AmberReader::readExpect(LineCursor &line) {
  Expected<AmberBuffer> buffer = bufferNamed(line);
  if (!buffer)
    return buffer.takeError();
  if (buffer->unsized && !buffer->opaque)
    return line.error("image '" + m_case.get().buffers[buffer->index].name + "' has no size yet");
  if (line.tryWord("IDX"))
    return readExpectedValues(line, *buffer);
  return readBufferComparison(line, *buffer);
}

Expected<std::vector<Tolerance>> input::readAmberTolerances(LineCursor &line) {
  std::vector<Tolerance> tolerances;
  while (!line.atEnd() && !parseAmberComparator(line.peek())) {
    Expected<Tolerance> tolerance = parseTolerance(cantFail(line.word("")));
    if (!tolerance)
      return atLine(line.line(), tolerance.takeError());
    tolerances.push_back(*tolerance);
    if (line.tryWord("%"))
      tolerances.back().percent = true;
  }
  if (tolerances.empty() || tolerances.size() > 4)
    return line.error("expected one to four tolerances");
  return tolerances;
}

/// IDX offset [TOLERANCE t...] comparator values..., or IDX x y SIZE ... The offset counts bytes.
Error AmberReader::readExpectedValues(LineCursor &line, const AmberBuffer &buffer) {
  Expected<uint64_t> offset = line.number("an offset in bytes", ~0ull >> 1);
  if (!offset)
    return offset.takeError();
  uint64_t y = 0;
  if (!line.peek().getAsInteger(10, y)) {
    line.tryWord(line.peek());
    return readExpectedPixels(line, buffer, *offset, y);
  }
  std::vector<Tolerance> tolerances;
  if (line.tryWord("TOLERANCE")) {
    Expected<std::vector<Tolerance>> read = readAmberTolerances(line);
    if (!read)
      return read.takeError();
    tolerances = std::move(*read);
  }
  Expected<StringRef> name = line.word("a comparator");
  if (!name)
    return name.takeError();
  std::optional<Comparator> comparator = parseAmberComparator(*name);
  if (!comparator)
    return line.error("expected a comparator instead of '" + name->take_front(40) + "'");
  if (!tolerances.empty() && *comparator != Comparator::Eq)
    return line.error("TOLERANCE goes with EQ only");
  if (line.atEnd())
    return line.error("expected values at the end of the line");
  if (buffer.opaque) {
    line.skipRest();
    return Error::success();
  }
  const ElementLayout &layout = m_layouts[buffer.index];
  Expectation expectation;
  expectation.buffer = buffer.index;
  expectation.byteOffset = *offset;
  expectation.comparator = *comparator;
  expectation.line = line.line();
  expectation.text = line.text();
  while (!line.atEnd()) {
    Expected<uint64_t> value =
        parseScalar(cantFail(line.word("")), layout.kindAt(expectation.values.size()));
    if (!value)
      return atLine(line.line(), value.takeError());
    expectation.values.push_back(*value);
  }
  return addExpectedValues(std::move(expectation), tolerances, layout);
}

/// Adds \p expectation, whose values are in the order of \p layout. Those of a structure become one
/// expectation for each of its scalars, element after element.
Error AmberReader::addExpectedValues(Expectation expectation, ArrayRef<Tolerance> written,
                                     const ElementLayout &layout) {
  if (!layout.isStruct()) {
    expectation.format = layout.format();
    expectation.tolerances = written.empty()
                                 ? impliedTolerances(expectation.format, expectation.comparator)
                                 : spreadTolerances(written, expectation.format);
    return m_case.addValues(std::move(expectation));
  }
  std::vector<uint64_t> values = std::move(expectation.values);
  size_t count = layout.slots().size();
  for (size_t slot = 0; slot < std::min(count, values.size()); ++slot) {
    Expectation one = expectation;
    one.format.scalar = layout.slots()[slot].kind;
    one.format.columnStride = scalarBytes(one.format.scalar);
    one.format.stride = static_cast<unsigned>(layout.stride());
    one.byteOffset += layout.slots()[slot].offset;
    one.tolerances = written.empty() ? impliedTolerances(one.format, one.comparator)
                                     : written.take_front(1).vec();
    one.values.clear();
    for (size_t i = slot; i < values.size(); i += count)
      one.values.push_back(values[i]);
    if (Error error = m_case.addValues(std::move(one)))
      return error;
  }
  return Error::success();
}

namespace {

/// Pixels of one colour: what EQ_RGB and EQ_RGBA say.
struct PixelProbe {
  uint64_t x = 0, y = 0, width = 0, height = 0;
  unsigned channels = 3;
  double color[4] = {}; ///< From 0 to 1.
  Tolerance tolerances[4];
};

/// The stored values that a component may have, as bits of the scalar; empty when lo > hi.
struct StoredRange {
  uint64_t lo = 0, hi = 0;
  bool empty = false;
};

} // namespace

/// What a texel may differ from the colour where no TOLERANCE is written, as in Amber.
static constexpr double defaultPixelTolerance = 0.002;

static Error readColor(LineCursor &line, PixelProbe &probe) {
  for (unsigned i = 0; i < probe.channels; ++i) {
    Expected<uint64_t> value = line.number("a channel", 255);
    if (!value)
      return value.takeError();
    // Amber divides in single precision.
    probe.color[i] = static_cast<double>(static_cast<float>(*value) / 255.0f);
  }
  std::fill(std::begin(probe.tolerances), std::end(probe.tolerances),
            Tolerance{defaultPixelTolerance, false});
  if (!line.tryWord("TOLERANCE"))
    return Error::success();
  Expected<std::vector<Tolerance>> written = readAmberTolerances(line);
  if (!written)
    return written.takeError();
  for (unsigned i = 0; i < probe.channels; ++i)
    probe.tolerances[i] = (*written)[written->size() == probe.channels ? i : 0];
  return Error::success();
}

static Expected<PixelProbe> readProbe(LineCursor &line, uint64_t x, uint64_t y) {
  PixelProbe probe;
  probe.x = x;
  probe.y = y;
  if (Error error = line.expect("SIZE"))
    return std::move(error);
  for (uint64_t *extent : {&probe.width, &probe.height}) {
    Expected<uint64_t> number = line.number("a number of pixels", ~0u);
    if (!number)
      return number.takeError();
    if (*number == 0)
      return line.error("expected at least one pixel");
    *extent = *number;
  }
  Expected<StringRef> name = line.word("EQ_RGB or EQ_RGBA");
  if (!name)
    return name.takeError();
  if (*name != "EQ_RGB" && *name != "EQ_RGBA")
    return line.error("expected EQ_RGB or EQ_RGBA instead of '" + name->take_front(40) + "'");
  probe.channels = *name == "EQ_RGBA" ? 4 : 3;
  if (Error error = readColor(line, probe))
    return std::move(error);
  return probe;
}

static double power(double base, unsigned exponent) {
  double result = 1;
  for (; exponent > 0; --exponent)
    result *= base;
  return result;
}

/// The sign of what a stored integer of sRGB stands for, minus \p bound. Beyond its linear part the
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

/// The sign of what a stored integer stands for, minus \p bound.
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

/// What each stored component of a pixel may be; nothing for a format without colours that can be
/// looked at alone.
static std::optional<std::vector<StoredRange>> rangesOf(const PixelProbe &probe, TexelFormat format,
                                                        ScalarKind kind) {
  const TexelFormatInfo &info = getTexelFormatInfo(format);
  std::vector<StoredRange> ranges;
  if (info.name.contains("_PACK"))
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

Error AmberReader::readExpectedPixels(LineCursor &line, const AmberBuffer &buffer, uint64_t x,
                                      uint64_t y) {
  Expected<PixelProbe> probe = readProbe(line, x, y);
  if (!probe)
    return probe.takeError();
  if (buffer.opaque)
    return Error::success();
  const Buffer &image = m_case.get().buffers[buffer.index];
  std::optional<ImageShape> shape = image.image ? image.image : buffer.shape;
  std::optional<TexelFormat> format =
      image.texelFormat ? image.texelFormat : texelFormatOf(image.format);
  if (!shape || !format)
    return line.error("buffer '" + image.name + "' has no pixels");
  if (shape->samples != 1) {
    // Amber does not copy them back, and compares what the host had at the start.
    m_case.addUnsupported("EXPECT of pixels of a multisampled image", line.line());
    return Error::success();
  }
  if (x >= shape->width || probe->width > shape->width - x || y >= shape->height ||
      probe->height > shape->height - y)
    return line.error("the pixels leave the image, which has " + Twine(shape->width) + " x " +
                      Twine(shape->height));
  std::optional<std::vector<StoredRange>> ranges = rangesOf(*probe, *format, image.format.scalar);
  if (!ranges) {
    m_case.addUnsupported("EXPECT of pixels of " + getTexelFormatInfo(*format).name, line.line());
    return Error::success();
  }
  unsigned texelBytes = getTexelFormatInfo(*format).bytes;
  for (uint64_t row = 0; row < probe->height; ++row)
    for (bool isLow : {true, false}) {
      Expectation expectation;
      expectation.buffer = buffer.index;
      expectation.byteOffset = ((y + row) * shape->width + x) * texelBytes;
      expectation.format = image.format;
      expectation.format.rows = static_cast<unsigned>(ranges->size());
      expectation.comparator = isLow ? Comparator::Ge : Comparator::Le;
      expectation.line = line.line();
      expectation.text = line.text();
      for (uint64_t column = 0; column < probe->width; ++column)
        for (const StoredRange &range : *ranges)
          expectation.values.push_back(isLow ? range.lo : range.hi);
      if (Error error = m_case.addValues(std::move(expectation)))
        return error;
    }
  return Error::success();
}

static std::optional<ExpectationKind> parseComparison(StringRef name) {
  for (const NamedValue<ExpectationKind> &row : bufferComparisons)
    if (row.name == name)
      return row.value;
  return std::nullopt;
}

/// TOLERANCE t of a comparison of buffers.
static Expected<double> readBound(LineCursor &line) {
  if (Error error = line.expect("TOLERANCE"))
    return std::move(error);
  Expected<StringRef> text = line.word("a tolerance");
  if (!text)
    return text.takeError();
  Expected<Tolerance> tolerance = parseTolerance(*text);
  if (!tolerance)
    return atLine(line.line(), tolerance.takeError());
  if (tolerance->percent)
    return line.error("the tolerance must be a plain number");
  return tolerance->value;
}

Error AmberReader::readBufferComparison(LineCursor &line, const AmberBuffer &buffer) {
  std::optional<ExpectationKind> kind = parseComparison(line.peek());
  if (!kind || !line.tryWord(line.peek()))
    return line.error("expected IDX, EQ_BUFFER, RMSE_BUFFER or EQ_HISTOGRAM_EMD_BUFFER");
  Expected<AmberBuffer> other = bufferNamed(line);
  if (!other)
    return other.takeError();
  Expectation expectation;
  expectation.kind = *kind;
  if (*kind != ExpectationKind::EqualBuffers) {
    Expected<double> bound = readBound(line);
    if (!bound)
      return bound.takeError();
    expectation.rmse = *bound;
  }
  if (buffer.opaque || other->opaque)
    return Error::success();
  const Buffer &first = m_case.get().buffers[buffer.index];
  const Buffer &second = m_case.get().buffers[other->index];
  const ElementLayout &layout = m_layouts[buffer.index];
  if (first.bytes.size() != second.bytes.size() || !layout.sameAs(m_layouts[other->index]))
    return line.error("buffers " + first.name + " and " + second.name + " differ in size or type");
  if (*kind == ExpectationKind::RmseBuffers && layout.isStruct())
    return line.error("RMSE_BUFFER of structures");
  bool isBytes = !layout.isStruct() && first.format.scalar == ScalarKind::Uint8 &&
                 first.format.rows == 4 && first.format.columns == 1;
  if (*kind == ExpectationKind::HistogramBuffers && !isBytes)
    return line.error("a histogram needs elements of four unsigned bytes");
  expectation.buffer = buffer.index;
  expectation.otherBuffer = other->index;
  expectation.format = first.format;
  expectation.line = line.line();
  expectation.text = line.text();
  return m_case.addCommand(std::move(expectation));
}
