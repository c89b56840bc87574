// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EXPECT of AmberScript.
#include "oracles/input/Literals.h"
#include "oracles/input/PixelProbe.h"
#include "oracles/input/amber/AmberNames.h"
#include "oracles/input/amber/AmberReader.h"
#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Returns the comparator called \p name, or nothing for other words.
std::optional<Comparator> input::parseAmberComparator(StringRef name) {
  for (const NamedValue<Comparator> &row : comparators)
    if (row.name == name)
      return row.value;
  return std::nullopt;
}

/// Reads buffer IDX ..., or buffer COMPARISON other. InvalidInput for an image that has no size
/// yet.
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

/// Reads one to four tolerances, up to a comparator or the end of the line. A percent sign may be a
/// word of its own. InvalidInput for another number of them.
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

/// Reads offset [TOLERANCE t...] comparator values..., or x y SIZE ..., after IDX. The offset
/// counts bytes. InvalidInput for tolerances with another comparator than EQ and for no values.
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

/// Reads the channels, each from 0 to 255, and TOLERANCE with one value or one for each channel.
static Error readColor(LineCursor &line, PixelProbe &probe) {
  for (unsigned i = 0; i < probe.channels; ++i) {
    Expected<uint64_t> value = line.number("a channel", 255);
    if (!value)
      return value.takeError();
    // Amber divides in single precision.
    probe.color[i] = static_cast<double>(static_cast<float>(*value) / 255.0f);
  }
  if (!line.tryWord("TOLERANCE"))
    return Error::success();
  Expected<std::vector<Tolerance>> written = readAmberTolerances(line);
  if (!written)
    return written.takeError();
  for (unsigned i = 0; i < probe.channels; ++i)
    probe.tolerances[i] = (*written)[written->size() == probe.channels ? i : 0];
  return Error::success();
}

/// Reads SIZE w h and then EQ_RGB or EQ_RGBA with a colour, which follow the place of the pixels.
/// InvalidInput for an empty area.
static Expected<PixelProbe> readProbe(LineCursor &line, uint64_t x, uint64_t y) {
  PixelProbe probe;
  probe.x = x;
  probe.y = y;
  probe.line = line.line();
  probe.text = line.text();
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

/// Reads SIZE w h EQ_RGB ... and adds an expectation of the pixels at \p x and \p y.
Error AmberReader::readExpectedPixels(LineCursor &line, const AmberBuffer &buffer, uint64_t x,
                                      uint64_t y) {
  Expected<PixelProbe> probe = readProbe(line, x, y);
  if (!probe)
    return probe.takeError();
  if (buffer.opaque)
    return Error::success();
  return addPixels(m_case, buffer.index, buffer.shape, *probe);
}

/// Returns the comparison of whole buffers that \p name says, nullopt for another word.
static std::optional<ExpectationKind> parseComparison(StringRef name) {
  for (const NamedValue<ExpectationKind> &row : bufferComparisons)
    if (row.name == name)
      return row.value;
  return std::nullopt;
}

/// Reads TOLERANCE t of a comparison of buffers. InvalidInput for a percentage.
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

/// EQ_BUFFER other, or RMSE_BUFFER or EQ_HISTOGRAM_EMD_BUFFER other TOLERANCE t. Both buffers have
/// the same size and element layout; a root mean square needs elements without members, a histogram
/// four unsigned bytes.
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
