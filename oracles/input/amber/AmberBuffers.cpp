// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BUFFER of AmberScript, and initial contents of images too.
#include "oracles/input/amber/AmberReader.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "oracles/input/Picture.h"
#include "support/Error.h"
#include <utility>

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Reads name FORMAT ... or name DATA_TYPE ..., after BUFFER. InvalidInput for a name that is
/// declared already.
Error AmberReader::readBuffer(LineCursor &line) {
  Expected<StringRef> name = line.word("a buffer name");
  if (!name)
    return name.takeError();
  if (m_buffers.contains(*name))
    return line.error("buffer '" + *name + "' was declared before");
  if (line.tryWord("FORMAT"))
    return readFormatBuffer(line, *name);
  if (Error error = line.expect("DATA_TYPE"))
    return error;
  return readTypedBuffer(line, *name);
}

/// Declares a buffer with a format that is not read: it is opaque. Steps over the rest of the
/// statement, with the lines of DATA up to END.
Error AmberReader::readForeignBuffer(LineCursor &line, StringRef name) {
  m_buffers[name].opaque = true;
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

/// Adds a zeroed buffer of \p elements elements, and its layout at the same index in m_layouts. The
/// caller enters the name in m_buffers. Returns the index; Limit above maxBufferBytes.
Expected<unsigned> AmberReader::addBuffer(const LineCursor &line, StringRef name,
                                          const ElementLayout &layout, uint64_t elements) {
  if (elements > maxBufferBytes / layout.stride())
    return atLine(line.line(),
                  limitExceeded("a buffer of more than " + Twine(maxBufferBytes >> 20) + " MiB"));
  Expected<unsigned> index = m_case.addBuffer(name, layout.format(), elements * layout.stride());
  if (!index)
    return atLine(line.line(), index.takeError());
  m_layouts.push_back(layout);
  return index;
}

/// Reads a type and an optional layout, and returns how elements lie in memory. Sets the formats
/// that elements have as texels and as a vertex attribute, where there are such. Three components
/// are padded, as in Amber, and are no texels. InvalidInput for an unknown type.
Expected<ElementLayout> AmberReader::readElementLayout(LineCursor &line,
                                                       std::optional<TexelFormat> &texelFormat,
                                                       std::optional<TexelFormat> &vertexFormat) {
  Expected<StringRef> name = line.word("a data type");
  if (!name)
    return name.takeError();
  BlockLayout layout = line.tryWord("STD140") ? BlockLayout::Std140 : BlockLayout::Std430;
  if (layout == BlockLayout::Std430)
    line.tryWord("STD430");
  if (m_structs.contains(*name)) {
    Expected<ElementLayout> made = structLayout(line, *name, layout);
    return made;
  }
  if (std::optional<DataType> type = parseAmberType(*name)) {
    if (type->columns == 1)
      vertexFormat = vectorFormat(type->scalar, type->rows);
    return ElementLayout(amberFormat(*type, layout));
  }
  texelFormat = findTexelFormat(*name);
  if (!texelFormat)
    return line.error("unknown data type '" + name->take_front(40) + "'");
  vertexFormat = texelFormat;
  DataFormat format = dataFormatOf(*texelFormat);
  if (format.rows != 3)
    return ElementLayout(format);
  // Amber pads three components to four, which no texel buffer does.
  texelFormat = std::nullopt;
  return ElementLayout(makeDataFormat(format.scalar, 3, 1, layout));
}

/// Reads the size of a typed buffer in elements: SIZE n, or WIDTH w HEIGHT h, which also sets \p
/// shape. Returns 0 where neither is given and the data decides. InvalidInput for a size of 0.
static Expected<uint64_t> readElementCount(LineCursor &line, std::optional<ImageShape> &shape) {
  if (line.tryWord("SIZE")) {
    Expected<uint64_t> size = line.number("a size", ~0ull);
    if (size && *size == 0)
      return line.error("a buffer of this size can't be made");
    return size;
  }
  if (!line.tryWord("WIDTH"))
    return 0;
  Expected<uint64_t> width = line.number("WIDTH", maxImageExtent);
  if (!width)
    return width.takeError();
  if (Error error = line.expect("HEIGHT"))
    return std::move(error);
  Expected<uint64_t> height = line.number("HEIGHT", maxImageExtent);
  if (!height)
    return height.takeError();
  if (*width == 0 || *height == 0)
    return line.error("WIDTH and HEIGHT must be positive");
  shape.emplace();
  shape->width = static_cast<uint32_t>(*width);
  shape->height = static_cast<uint32_t>(*height);
  return *width * *height;
}

/// Reads type [size] initializer, after DATA_TYPE, and declares the buffer.
Error AmberReader::readTypedBuffer(LineCursor &line, StringRef name) {
  std::optional<TexelFormat> texelFormat, vertexFormat;
  Expected<ElementLayout> layout = readElementLayout(line, texelFormat, vertexFormat);
  if (!layout)
    return layout.takeError();
  std::optional<ImageShape> shape;
  Expected<uint64_t> elements = readElementCount(line, shape);
  if (!elements)
    return elements.takeError();
  Expected<unsigned> index = addBuffer(line, name, *layout, *elements);
  if (!index)
    return index.takeError();
  m_case.get().buffers[*index].texelFormat = texelFormat;
  AmberBuffer &declared = m_buffers[name];
  declared.index = *index;
  declared.shape = shape;
  declared.vertexFormat = vertexFormat;
  return readInitializer(line, *index, *elements != 0, shape.has_value());
}

/// Reads DATA, FILL, SERIES_FROM or FILE with what follows. \p sized: the size is known, so that
/// DATA is only for images. \p mayBeBare: without an initializer the buffer is zero.
Error AmberReader::readInitializer(LineCursor &line, unsigned index, bool sized, bool mayBeBare) {
  bool isImage = m_case.get().buffers[index].image.has_value();
  if (mayBeBare && line.atEnd())
    return Error::success();
  if (line.tryWord("FILE"))
    return readBufferFile(line, index, sized);
  if ((!sized || isImage) && line.tryWord("DATA"))
    return readData(line, index, sized);
  if (sized && line.tryWord("FILL"))
    return readFill(line, index);
  if (sized && line.tryWord("SERIES_FROM"))
    return readSeries(line, index);
  StringRef wanted = !sized    ? "expected DATA, SIZE or FILE"
                     : isImage ? "expected DATA, FILL, SERIES_FROM or FILE"
                               : "expected FILL, SERIES_FROM or FILE after the size";
  return line.error(wanted + (line.atEnd() ? Twine() : " instead of '" + line.peek() + "'"));
}

/// Returns the bits of the numbers up to END, which may be on later lines, each in the type of its
/// place in \p layout.
Expected<std::vector<uint64_t>> AmberReader::readValuesToEnd(LineCursor &line,
                                                             const ElementLayout &layout) {
  std::vector<uint64_t> values;
  unsigned firstLine = line.line();
  while (true) {
    while (!line.atEnd()) {
      if (line.tryWord("END"))
        return values;
      Expected<uint64_t> value = parseScalar(cantFail(line.word("")), layout.kindAt(values.size()));
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

/// Stores \p values from the start of buffer \p index; an unsized buffer gets the size they need.
/// An image takes those of level 0 or of all levels. InvalidInput for an incomplete element and for
/// another size than that of a sized buffer.
Error AmberReader::setData(LineCursor &line, unsigned index, ArrayRef<uint64_t> values,
                           bool sized) {
  Buffer &buffer = m_case.get().buffers[index];
  const ElementLayout &layout = m_layouts[index];
  size_t components = layout.slots().size();
  if (values.empty() || values.size() % components != 0)
    return line.error(Twine(values.size()) + " values are no whole number of elements of " +
                      Twine(components) + " components");
  uint64_t bytes = values.size() / components * layout.stride();
  bool isLevel = buffer.image && bytes == getLevelBytes(*buffer.image, *buffer.texelFormat, 0);
  if (sized && bytes != buffer.bytes.size() && !isLevel)
    return line.error("the data takes " + Twine(bytes) + " bytes, the buffer " +
                      Twine(buffer.bytes.size()));
  if (!sized)
    if (Error error = m_case.resizeBuffer(index, bytes))
      return atLine(line.line(), std::move(error));
  for (size_t i = 0; i < values.size(); ++i)
    storeScalar(buffer.bytes, layout.offsetAt(i), layout.kindAt(i), values[i]);
  return Error::success();
}

/// Reads the values after DATA and stores them.
Error AmberReader::readData(LineCursor &line, unsigned index, bool sized) {
  Expected<std::vector<uint64_t>> values = readValuesToEnd(line, m_layouts[index]);
  if (!values)
    return values.takeError();
  return setData(line, index, *values, sized);
}

/// Returns the number of scalars in buffer \p index; padding does not count.
uint64_t AmberReader::countScalars(unsigned index) const {
  const ElementLayout &layout = m_layouts[index];
  return m_case.get().buffers[index].bytes.size() / layout.stride() * layout.slots().size();
}

/// Parses a value after FILL, SERIES_FROM or INC_BY and returns its bits. Amber takes "0.0" for an
/// integer there. It takes "1.0", too, but stores 0; this is InvalidInput here, because it
/// is surely a mistake.
static Expected<uint64_t> parseRepeated(StringRef text, ScalarKind kind) {
  Expected<uint64_t> value = parseScalar(text, kind);
  if (value && *value != 0 && !isFloat(kind) && text.contains('.'))
    return invalidInput("'" + text.take_front(40) + "' must be written as an integer (" +
                        scalarName(kind) + ") here: Amber reads 0");
  return value;
}

/// Stores one value in every scalar; each member of a structure converts the text to its type.
Error AmberReader::readFill(LineCursor &line, unsigned index) {
  Expected<StringRef> text = line.word("a value");
  if (!text)
    return text.takeError();
  const ElementLayout &layout = m_layouts[index];
  std::vector<uint64_t> element;
  for (const ScalarSlot &slot : layout.slots()) {
    Expected<uint64_t> value = parseRepeated(*text, slot.kind);
    if (!value)
      return atLine(line.line(), value.takeError());
    element.push_back(*value);
  }
  if (all_of(element, [](uint64_t value) { return value == 0; }))
    return Error::success();
  Buffer &buffer = m_case.get().buffers[index];
  for (uint64_t i = 0, count = countScalars(index); i < count; ++i)
    storeScalar(buffer.bytes, layout.offsetAt(i), layout.kindAt(i), element[i % element.size()]);
  return Error::success();
}

namespace {
/// A series in the type of its buffer. Integers wrap around; floats are summed in double and
/// rounded when stored, as Amber does.
class Series {
public:
  Series(ScalarKind kind, double start, double step)
      : m_kind(kind), m_real(start), m_realStep(step) {}
  Series(ScalarKind kind, uint64_t start, uint64_t step)
      : m_kind(kind), m_integer(start), m_integerStep(step) {}

  /// Returns the bits of the next value. InvalidInput for a float that does not fit the type.
  Expected<uint64_t> next() {
    if (isFloat(m_kind)) {
      Expected<uint64_t> bits = bitsOfReal(m_real, m_kind);
      m_real += m_realStep;
      return bits;
    }
    return std::exchange(m_integer, m_integer + m_integerStep);
  }

private:
  ScalarKind m_kind;
  double m_real = 0;
  double m_realStep = 0;
  uint64_t m_integer = 0; ///< Stored without what the type can't hold.
  uint64_t m_integerStep = 0;
};
} // namespace

/// Parses the start and the increment of a series of \p kind. Integers are read as 64 bits.
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
  Expected<uint64_t> first = parseRepeated(start, ScalarKind::Int64);
  if (!first)
    return first.takeError();
  Expected<uint64_t> second = parseRepeated(step, ScalarKind::Int64);
  if (!second)
    return second.takeError();
  return Series(kind, *first, *second);
}

/// Reads start INC_BY step and stores the series. It runs over all scalars of the buffer,
/// components of vectors included. InvalidInput for a buffer of structures.
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
  const ElementLayout &layout = m_layouts[index];
  if (layout.isStruct())
    return line.error("a series of structures");
  Expected<Series> series = makeSeries(buffer.format.scalar, *start, *step);
  if (!series)
    return atLine(line.line(), series.takeError());
  for (uint64_t i = 0, count = countScalars(index); i < count; ++i) {
    Expected<uint64_t> bits = series->next();
    if (!bits)
      return atLine(line.line(), bits.takeError());
    storeScalar(buffer.bytes, layout.offsetAt(i), buffer.format.scalar, *bits);
  }
  return Error::success();
}

/// Stores the values of a text file, written as after DATA, up to END if there is one. Errors name
/// the line of the file.
Error AmberReader::readTextFile(LineCursor &line, unsigned index, StringRef content, bool sized) {
  const ElementLayout &layout = m_layouts[index];
  ScriptLines lines(content);
  std::vector<uint64_t> values;
  bool ended = false;
  while (std::optional<StringRef> text = ended ? std::nullopt : lines.nextPhysical())
    for (StringRef word : splitWords(*text)) {
      ended = word == "END";
      if (ended)
        break;
      Expected<uint64_t> value = parseScalar(word, layout.kindAt(values.size()));
      if (!value)
        return line.error("line " + Twine(lines.line()) +
                          " of the file: " + assay::takeError(value.takeError()).message);
      values.push_back(*value);
    }
  return setData(line, index, values, sized);
}

/// Stores a PNG as 8-bit RGBA in an image, or in a buffer with elements of four bytes. An image
/// without a size gets that of the picture. InvalidInput for another size or other elements; a PNG
/// that is not read may make the case unsupported.
Error AmberReader::readPicture(LineCursor &line, unsigned index, StringRef content, bool sized) {
  Buffer &buffer = m_case.get().buffers[index];
  Expected<Picture> picture = readPng(content);
  if (!picture)
    return m_case.noteUnsupported(atLine(line.line(), picture.takeError()), line.line());
  const DataFormat &format = m_layouts[index].format();
  if (m_layouts[index].isStruct() || scalarBytes(format.scalar) != 1 || format.rows != 4 ||
      format.columns != 1)
    return line.error("a picture has texels of four bytes, the buffer has not");
  AmberBuffer &declared = m_buffers[buffer.name];
  ImageShape shape = buffer.image ? *buffer.image : declared.shape.value_or(ImageShape());
  bool hasShape = buffer.image || (declared.shape && !declared.unsized);
  if (hasShape && (shape.width != picture->width || shape.height != picture->height))
    return line.error("the picture has " + Twine(picture->width) + " x " + Twine(picture->height) +
                      " pixels");
  if (declared.unsized) {
    shape.width = picture->width;
    shape.height = picture->height;
    if (Error error = makeImage(line, declared, shape))
      return error;
  } else if (!sized) {
    if (Error error = m_case.resizeBuffer(index, picture->texels.size()))
      return atLine(line.line(), std::move(error));
  }
  if (picture->texels.size() > buffer.bytes.size())
    return line.error("the picture is larger than the image");
  copy(picture->texels, buffer.bytes.begin());
  return Error::success();
}

/// Reads FILE BINARY (raw bytes), FILE TEXT (values as after DATA), or FILE [PNG] (a picture), and
/// stores the contents. As in Amber, the size of the file takes precedence over SIZE, except for
/// images. InvalidInput for bytes that are no whole number of elements.
Error AmberReader::readBufferFile(LineCursor &line, unsigned index, bool sized) {
  bool isText = line.tryWord("TEXT");
  bool isBinary = !isText && line.tryWord("BINARY");
  if (!isText && !isBinary)
    line.tryWord("PNG");
  // As in Amber, the size of the file goes before SIZE; an image keeps its own.
  sized &= m_case.get().buffers[index].image.has_value();
  Expected<std::string> name = line.fileName();
  if (!name)
    return name.takeError();
  Expected<std::string> content = m_files.load(*name);
  if (!content)
    return atLine(line.line(), content.takeError());
  if (m_buffers[m_case.get().buffers[index].name].unsized && (isText || isBinary))
    return line.error("an image without a size takes a picture only");
  if (isText)
    return readTextFile(line, index, *content, sized);
  if (!isBinary)
    return readPicture(line, index, *content, sized);
  if (!sized)
    if (Error error = m_case.resizeBuffer(index, content->size()))
      return atLine(line.line(), std::move(error));
  Buffer &buffer = m_case.get().buffers[index];
  if (content->empty() || content->size() > buffer.bytes.size() ||
      content->size() % m_layouts[index].stride() != 0)
    return line.error("file '" + *name + "' has " + Twine(content->size()) +
                      " bytes: not a whole number of elements that fits the buffer");
  copy(*content, buffer.bytes.begin());
  return Error::success();
}
