// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN, COPY and EXPECT of AmberScript.
#include "oracles/input/AmberReader.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Literals.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

std::optional<Comparator> input::parseAmberComparator(StringRef name) {
  static constexpr std::pair<StringRef, Comparator> rows[] = {
      {"EQ", Comparator::Eq}, {"NE", Comparator::Ne}, {"LT", Comparator::Lt},
      {"LE", Comparator::Le}, {"GT", Comparator::Gt}, {"GE", Comparator::Ge}};
  for (const auto &[text, comparator] : rows)
    if (text == name)
      return comparator;
  return std::nullopt;
}

Expected<AmberBuffer> AmberReader::bufferNamed(LineCursor &line) {
  Expected<StringRef> name = line.word("a buffer name");
  if (!name)
    return name.takeError();
  auto found = m_buffers.find(*name);
  if (found == m_buffers.end())
    return line.error("unknown buffer '" + *name + "'");
  return found->second;
}

Expected<AmberPipeline *> AmberReader::pipelineNamed(LineCursor &line) {
  Expected<StringRef> name = line.word("a pipeline name");
  if (!name)
    return name.takeError();
  auto found = m_pipelines.find(*name);
  if (found == m_pipelines.end())
    return line.error("unknown pipeline '" + *name + "'");
  return &found->second;
}

Error AmberReader::readRun(LineCursor &line) {
  // How long a run takes is not measured on a model.
  line.tryWord("TIMED_EXECUTION");
  Expected<AmberPipeline *> pipeline = pipelineNamed(line);
  if (!pipeline)
    return pipeline.takeError();
  if ((*pipeline)->opaque) {
    // The case is unsupported already, for the pipeline.
    if (line.atEnd())
      return line.error("expected what to run at the end of the line");
    line.skipRest();
    return Error::success();
  }
  uint64_t groups[3];
  for (uint64_t &count : groups) {
    Expected<uint64_t> number = line.number("a number of workgroups", ~0u);
    if (!number)
      return number.takeError();
    count = *number;
  }
  return m_case.addDispatch((*pipeline)->index, groups, line.line());
}

Error AmberReader::readCopy(LineCursor &line) {
  Expected<AmberBuffer> source = bufferNamed(line);
  if (!source)
    return source.takeError();
  if (Error error = line.expect("TO"))
    return error;
  Expected<AmberBuffer> destination = bufferNamed(line);
  if (!destination)
    return destination.takeError();
  if (source->opaque || destination->opaque)
    return Error::success();
  if (source->index == destination->index)
    return line.error("a buffer can't be copied to itself");
  const std::vector<Buffer> &buffers = m_case.get().buffers;
  if (buffers[source->index].bytes.size() != buffers[destination->index].bytes.size())
    return line.error("COPY needs buffers of one size");
  return m_case.addCommand(BufferCopy{source->index, destination->index, line.line()});
}

Error AmberReader::readExpect(LineCursor &line) {
  Expected<AmberBuffer> buffer = bufferNamed(line);
  if (!buffer)
    return buffer.takeError();
  if (line.tryWord("IDX"))
    return readExpectedValues(line, *buffer);
  return readBufferComparison(line, *buffer);
}

/// IDX offset ... The offset counts bytes.
Error AmberReader::readExpectedValues(LineCursor &line, const AmberBuffer &buffer) {
  Expected<uint64_t> offset = line.number("an offset in bytes", ~0ull >> 1);
  if (!offset)
    return offset.takeError();
  std::vector<Tolerance> tolerances;
  bool hasTolerance = line.tryWord("TOLERANCE");
  while (hasTolerance && !line.atEnd() && !parseAmberComparator(line.peek())) {
    Expected<Tolerance> tolerance = parseTolerance(cantFail(line.word("")));
    if (!tolerance)
      return atLine(line.line(), tolerance.takeError());
    tolerances.push_back(*tolerance);
  }
  if (hasTolerance && (tolerances.empty() || tolerances.size() > 4))
    return line.error("expected one to four tolerances");
  Expected<StringRef> name = line.word("a comparator");
  if (!name)
    return name.takeError();
  std::optional<Comparator> comparator = parseAmberComparator(*name);
  if (!comparator) {
    // IDX x y SIZE w h EQ_RGB(A) looks at an image.
    uint64_t y = 0;
    if (hasTolerance || name->getAsInteger(10, y) || line.peek() != "SIZE")
      return line.error("expected a comparator instead of '" + name->take_front(40) + "'");
    m_case.addUnsupported("EXPECT of pixels", line.line());
    line.skipRest();
    return Error::success();
  }
  if (hasTolerance && *comparator != Comparator::Eq)
    return line.error("TOLERANCE goes with EQ only");
  if (line.atEnd())
    return line.error("expected values at the end of the line");
  if (buffer.opaque) {
    line.skipRest();
    return Error::success();
  }
  Expectation expectation;
  expectation.buffer = buffer.index;
  expectation.byteOffset = *offset;
  expectation.format = m_case.get().buffers[buffer.index].format;
  expectation.comparator = *comparator;
  expectation.line = line.line();
  expectation.text = line.text();
  while (!line.atEnd()) {
    Expected<uint64_t> value = parseScalar(cantFail(line.word("")), expectation.format.scalar);
    if (!value)
      return atLine(line.line(), value.takeError());
    expectation.values.push_back(*value);
  }
  Expected<std::vector<Tolerance>> spread = spreadTolerances(tolerances, expectation.format);
  if (!spread)
    return atLine(line.line(), spread.takeError());
  expectation.tolerances = std::move(*spread);
  return m_case.addValues(std::move(expectation));
}

Error AmberReader::readBufferComparison(LineCursor &line, const AmberBuffer &buffer) {
  bool isEqual = line.tryWord("EQ_BUFFER");
  bool isRmse = !isEqual && line.tryWord("RMSE_BUFFER");
  bool isHistogram = !isEqual && !isRmse && line.tryWord("EQ_HISTOGRAM_EMD_BUFFER");
  if (!isEqual && !isRmse && !isHistogram)
    return line.error("expected IDX, EQ_BUFFER, RMSE_BUFFER or EQ_HISTOGRAM_EMD_BUFFER");
  Expected<AmberBuffer> other = bufferNamed(line);
  if (!other)
    return other.takeError();
  double bound = 0;
  if (!isEqual) {
    if (Error error = line.expect("TOLERANCE"))
      return error;
    Expected<StringRef> text = line.word("a tolerance");
    if (!text)
      return text.takeError();
    Expected<Tolerance> tolerance = parseTolerance(*text);
    if (!tolerance)
      return atLine(line.line(), tolerance.takeError());
    if (tolerance->percent)
      return line.error("the tolerance must be a plain number");
    bound = tolerance->value;
  }
  if (isHistogram) {
    m_case.addUnsupported("EXPECT of histograms", line.line());
    return Error::success();
  }
  if (buffer.opaque || other->opaque)
    return Error::success();
  const Buffer &first = m_case.get().buffers[buffer.index];
  const Buffer &second = m_case.get().buffers[other->index];
  if (first.bytes.size() != second.bytes.size() || first.format.scalar != second.format.scalar ||
      first.format.rows != second.format.rows || first.format.columns != second.format.columns ||
      first.format.stride != second.format.stride)
    return line.error("buffers " + first.name + " and " + second.name + " differ in size or type");
  Expectation expectation;
  expectation.kind = isEqual ? ExpectationKind::EqualBuffers : ExpectationKind::RmseBuffers;
  expectation.buffer = buffer.index;
  expectation.otherBuffer = other->index;
  expectation.format = first.format;
  expectation.rmse = bound;
  expectation.line = line.line();
  expectation.text = line.text();
  return m_case.addCommand(std::move(expectation));
}
