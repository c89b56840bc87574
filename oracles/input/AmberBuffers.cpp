// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BUFFER and IMAGE of AmberScript.
#include "oracles/input/AmberReader.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "support/Error.h"
#include "llvm/ADT/APInt.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

Error AmberReader::readBuffer(LineCursor &line) {
  Expected<StringRef> name = line.word("a buffer name");
  if (!name)
    return name.takeError();
  if (m_buffers.contains(*name))
    return line.error("buffer '" + *name + "' was declared before");
  if (line.tryWord("FORMAT"))
    return readForeignBuffer(line, *name, "image buffers");
  if (Error error = line.expect("DATA_TYPE"))
    return error;
  return readTypedBuffer(line, *name);
}

/// IMAGE and BUFFER with a format: only the name is kept, and a list of data stepped over.
Error AmberReader::readForeignBuffer(LineCursor &line, StringRef name, const Twine &why) {
  m_buffers[name] = {0, true};
  m_case.addUnsupported(why, line.line());
  bool hasData = false;
  while (!line.atEnd() && !hasData)
    hasData = cantFail(line.word("")) == "DATA";
  while (hasData) {
    while (!line.atEnd())
      if (cantFail(line.word("")) == "END")
        return line.expectEnd();
    std::optional<LineCursor> next = m_lines.nextLogical();
    if (!next)
      return line.error("DATA has no END");
    line = std::move(*next);
  }
  return Error::success();
}

Error AmberReader::readImage(LineCursor &line) {
  Expected<StringRef> name = line.word("an image name");
  if (!name)
    return name.takeError();
  if (m_buffers.contains(*name))
    return line.error("image '" + *name + "' was declared before");
  return readForeignBuffer(line, *name, "images");
}

Error AmberReader::readTypedBuffer(LineCursor &line, StringRef name) {
  Expected<StringRef> typeName = line.word("a data type");
  if (!typeName)
    return typeName.takeError();
  std::optional<DataType> type = parseAmberType(*typeName);
  if (!type) {
    if (isForeignAmberType(*typeName))
      return readForeignBuffer(line, name, "data type " + *typeName);
    if (m_foreignNames.contains(*typeName))
      return readForeignBuffer(line, name, "structure types");
    return line.error("unknown data type '" + typeName->take_front(40) + "'");
  }
  BlockLayout layout = BlockLayout::Std430;
  if (line.tryWord("STD140"))
    layout = BlockLayout::Std140;
  else
    line.tryWord("STD430");
  DataFormat format = makeDataFormat(type->scalar, type->rows, type->columns, layout);
  std::optional<uint64_t> elements;
  // WIDTH and HEIGHT are for buffers that stand for images; a compute buffer may have them too.
  if (line.tryWord("SIZE")) {
    Expected<uint64_t> size = line.number("a size", ~0ull);
    if (!size)
      return size.takeError();
    elements = *size;
  } else if (line.peek() == "WIDTH") {
    return readForeignBuffer(line, name, "buffers with WIDTH and HEIGHT");
  }
  std::optional<uint64_t> bytes = arrayBytes(format, elements.value_or(0));
  if (!bytes || (elements && *elements == 0))
    return line.error("a buffer of this size can't be made");
  Expected<unsigned> index = m_case.addBuffer(name, format, *bytes);
  if (!index)
    return atLine(line.line(), index.takeError());
  m_buffers[name] = {*index, false};
  return readInitializer(line, *index, elements.value_or(0));
}

Error AmberReader::readInitializer(LineCursor &line, unsigned index, uint64_t elements) {
  if (elements == 0) {
    if (line.tryWord("DATA"))
      return readData(line, index);
    if (line.tryWord("FILE"))
      return readBufferFile(line, index, false);
    return line.error("expected DATA, SIZE or FILE" +
                      (line.atEnd() ? Twine() : " instead of '" + line.peek() + "'"));
  }
  if (line.tryWord("FILL"))
    return readFill(line, index);
  if (line.tryWord("SERIES_FROM"))
    return readSeries(line, index);
  if (line.tryWord("FILE"))
    return readBufferFile(line, index, true);
  return line.error("expected FILL, SERIES_FROM or FILE after the size");
}

Expected<std::vector<uint64_t>> AmberReader::readValuesToEnd(LineCursor &line, ScalarKind kind) {
  std::vector<uint64_t> values;
  unsigned firstLine = line.line();
  while (true) {
    while (!line.atEnd()) {
      if (line.tryWord("END"))
        return values;
      Expected<uint64_t> value = parseScalar(cantFail(line.word("")), kind);
      if (!value)
        return atLine(line.line(), value.takeError());
      values.push_back(*value);
    }
    std::optional<LineCursor> next = m_lines.nextLogical();
    if (!next)
      return errorAt(firstLine, "DATA has no END");
    line = std::move(*next);
  }
}

/// Stores \p values; an unsized buffer gets the size they need.
Error AmberReader::setData(LineCursor &line, unsigned index, ArrayRef<uint64_t> values,
                           bool sized) {
  Buffer &buffer = m_case.get().buffers[index];
  unsigned components = componentsOf(buffer.format);
  if (values.empty() || values.size() % components != 0)
    return line.error(Twine(values.size()) + " values are no whole number of elements of " +
                      Twine(components) + " components");
  uint64_t bytes = values.size() / components * buffer.format.stride;
  if (sized && bytes != buffer.bytes.size())
    return line.error("the data takes " + Twine(bytes) + " bytes, the buffer " +
                      Twine(buffer.bytes.size()));
  if (!sized)
    if (Error error = m_case.resizeBuffer(index, bytes))
      return atLine(line.line(), std::move(error));
  for (size_t i = 0; i < values.size(); ++i)
    storeScalar(buffer.bytes, valueOffset(buffer.format, i), buffer.format.scalar, values[i]);
  return Error::success();
}

Error AmberReader::readData(LineCursor &line, unsigned index) {
  Expected<std::vector<uint64_t>> values =
      readValuesToEnd(line, m_case.get().buffers[index].format.scalar);
  if (!values)
    return values.takeError();
  return setData(line, index, *values, false);
}

Error AmberReader::readFill(LineCursor &line, unsigned index) {
  Expected<StringRef> text = line.word("a value");
  if (!text)
    return text.takeError();
  Buffer &buffer = m_case.get().buffers[index];
  Expected<uint64_t> value = parseScalar(*text, buffer.format.scalar);
  if (!value)
    return atLine(line.line(), value.takeError());
  uint64_t count = buffer.bytes.size() / buffer.format.stride * componentsOf(buffer.format);
  for (uint64_t i = 0; *value != 0 && i < count; ++i)
    storeScalar(buffer.bytes, valueOffset(buffer.format, i), buffer.format.scalar, *value);
  return Error::success();
}

namespace {
/// A series in the type of its buffer: integers wrap nowhere, floats are summed in double and
/// rounded when stored, as Amber does.
class Series {
public:
  Series(ScalarKind kind, double start, double step)
      : m_kind(kind), m_real(start), m_realStep(step) {}
  Series(ScalarKind kind, APInt start, APInt step)
      : m_kind(kind), m_integer(std::move(start)), m_integerStep(std::move(step)) {}

  Expected<uint64_t> next() {
    if (isFloat(m_kind)) {
      Expected<uint64_t> bits = bitsOfReal(m_real, m_kind);
      m_real += m_realStep;
      return bits;
    }
    unsigned width = scalarBytes(m_kind) * 8;
    bool fits = isSignedInt(m_kind) ? m_integer.isSignedIntN(width)
                                    : m_integer.isNonNegative() && m_integer.isIntN(width);
    if (!fits)
      return invalidInput(Twine("the series leaves the range of ") + scalarName(m_kind));
    uint64_t bits = m_integer.trunc(width).getZExtValue();
    m_integer += m_integerStep;
    return bits;
  }

private:
  ScalarKind m_kind;
  double m_real = 0;
  double m_realStep = 0;
  // 128 bits: no buffer is long enough to leave them.
  APInt m_integer{128, 0};
  APInt m_integerStep{128, 0};
};
} // namespace

static Expected<Series> makeSeries(ScalarKind kind, StringRef start, StringRef step) {
  if (isFloat(kind)) {
    Expected<double> first = parseReal(start, "the start");
    if (!first)
      return first.takeError();
    Expected<double> second = parseReal(step, "the increment");
    if (!second)
      return second.takeError();
    return Series(kind, *first, *second);
  }
  Expected<uint64_t> first = parseScalar(start, kind);
  if (!first)
    return first.takeError();
  // An unsigned series may go down.
  ScalarKind stepKind = step.starts_with("-") ? ScalarKind::Int64 : kind;
  Expected<uint64_t> second = parseScalar(step, stepKind);
  if (!second)
    return second.takeError();
  auto widen = [](uint64_t bits, ScalarKind from) {
    APInt value(scalarBytes(from) * 8, bits);
    return isSignedInt(from) ? value.sext(128) : value.zext(128);
  };
  return Series(kind, widen(*first, kind), widen(*second, stepKind));
}

Error AmberReader::readSeries(LineCursor &line, unsigned index) {
  Expected<StringRef> start = line.word("a start value");
  if (!start)
    return start.takeError();
  if (Error error = line.expect("INC_BY"))
    return error;
  Expected<StringRef> step = line.word("an increment");
  if (!step)
    return step.takeError();
  Buffer &buffer = m_case.get().buffers[index];
  Expected<Series> series = makeSeries(buffer.format.scalar, *start, *step);
  if (!series)
    return atLine(line.line(), series.takeError());
  uint64_t count = buffer.bytes.size() / buffer.format.stride * componentsOf(buffer.format);
  for (uint64_t i = 0; i < count; ++i) {
    Expected<uint64_t> bits = series->next();
    if (!bits)
      return atLine(line.line(), bits.takeError());
    storeScalar(buffer.bytes, valueOffset(buffer.format, i), buffer.format.scalar, *bits);
  }
  return Error::success();
}

/// FILE BINARY: raw bytes; FILE TEXT: values as in DATA. Without a kind Amber means a picture.
Error AmberReader::readBufferFile(LineCursor &line, unsigned index, bool sized) {
  bool isText = line.tryWord("TEXT");
  bool isBinary = !isText && line.tryWord("BINARY");
  if (!isText && !isBinary)
    line.tryWord("PNG");
  Expected<StringRef> name = line.fileName();
  if (!name)
    return name.takeError();
  if (!isText && !isBinary) {
    m_case.addUnsupported("buffers from pictures", line.line());
    m_buffers[m_case.get().buffers[index].name].opaque = true;
    return Error::success();
  }
  Expected<std::string> content = m_files.load(*name);
  if (!content)
    return atLine(line.line(), content.takeError());
  Buffer &buffer = m_case.get().buffers[index];
  if (isText) {
    ScriptLines lines(*content);
    std::vector<uint64_t> values;
    while (std::optional<StringRef> text = lines.nextPhysical())
      for (StringRef word : splitWords(*text)) {
        Expected<uint64_t> value = parseScalar(word, buffer.format.scalar);
        if (!value)
          return line.error("file '" + *name + "', line " + Twine(lines.line()) + ": " +
                            assay::takeError(value.takeError()).message);
        values.push_back(*value);
      }
    return setData(line, index, values, sized);
  }
  if (!sized)
    if (Error error = m_case.resizeBuffer(index, content->size()))
      return atLine(line.line(), std::move(error));
  if (content->empty() || content->size() > buffer.bytes.size() ||
      content->size() % buffer.format.stride != 0)
    return line.error("file '" + *name + "' has " + Twine(content->size()) +
                      " bytes: not a whole number of elements that fits the buffer");
  copy(*content, buffer.bytes.begin());
  return Error::success();
}
