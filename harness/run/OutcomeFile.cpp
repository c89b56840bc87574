// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/OutcomeFile.h"

#include "support/Error.h"
#include "support/File.h"
#include <bit>

using namespace llvm;
using namespace assay;

static constexpr StringRef magic = "ASSAYOUT";
static constexpr uint64_t formatNumber = 3;

namespace {

class Writer {
public:
  void number(uint64_t value) {
    for (unsigned i = 0; i < 8; ++i)
      m_bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  void bytes(ArrayRef<uint8_t> data) {
    number(data.size());
    m_bytes.insert(m_bytes.end(), data.begin(), data.end());
  }
  void text(StringRef text) {
    bytes(ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  }
  std::vector<uint8_t> take() { return std::move(m_bytes); }

private:
  std::vector<uint8_t> m_bytes;
};

/// Reads what Writer wrote. After the first thing that is wrong everything is 0 or empty.
class Reader {
public:
  explicit Reader(ArrayRef<uint8_t> bytes) : m_rest(bytes) {}

  uint64_t number() {
    if (m_rest.size() < 8)
      return fail();
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i)
      value |= uint64_t(m_rest[i]) << (8 * i);
    m_rest = m_rest.drop_front(8);
    return value;
  }
  ArrayRef<uint8_t> bytes() {
    uint64_t size = number();
    if (size > m_rest.size()) {
      fail();
      return {};
    }
    ArrayRef<uint8_t> result = m_rest.take_front(size);
    m_rest = m_rest.drop_front(size);
    return result;
  }
  /// A count of things of at least \p bytesEach bytes.
  uint64_t count(uint64_t bytesEach) {
    uint64_t value = number();
    return value > m_rest.size() / bytesEach ? fail() : value;
  }
  std::string text() {
    ArrayRef<uint8_t> data = bytes();
    return std::string(data.begin(), data.end());
  }
  bool good() const { return m_good; }
  bool atEnd() const { return m_rest.empty(); }
  uint64_t fail() {
    m_good = false;
    m_rest = {};
    return 0;
  }

private:
  ArrayRef<uint8_t> m_rest;
  bool m_good = true;
};

} // namespace

static void writeBuffer(Writer &writer, const BufferState &state) {
  writer.bytes(state.bytes);
  writer.number(state.intervals.size());
  for (const auto &[offset, interval] : state.intervals) {
    writer.number(offset);
    writer.number(std::bit_cast<uint64_t>(interval.lo));
    writer.number(std::bit_cast<uint64_t>(interval.hi));
    writer.number(interval.bytes | (interval.mayBeNan ? 256 : 0));
  }
  writer.number(state.indeterminate.size());
  for (const auto &[offset, length] : state.indeterminate) {
    writer.number(offset);
    writer.number(length);
  }
  writer.number(state.fields.size());
  for (const auto &[offset, field] : state.fields) {
    writer.number(offset);
    writer.number(static_cast<uint64_t>(field.lo));
    writer.number(static_cast<uint64_t>(field.hi));
    writer.number(field.bits | (field.isSigned ? 256 : 0));
  }
  writer.number(state.alternatives.size());
  for (const auto &[offset, alternatives] : state.alternatives) {
    writer.number(offset);
    writer.number(alternatives.size());
    for (const BufferState &alternative : alternatives)
      writeBuffer(writer, alternative);
  }
}

std::vector<uint8_t> assay::writeOutcome(const Outcome &outcome) {
  Writer writer;
  writer.text(magic);
  writer.number(formatNumber);
  writer.number(static_cast<uint64_t>(outcome.kind));
  writer.text(outcome.reason);
  writer.number(outcome.instructions);
  writer.number(outcome.checkpoints.size());
  for (const std::vector<BufferState> &buffers : outcome.checkpoints) {
    writer.number(buffers.size());
    for (const BufferState &state : buffers)
      writeBuffer(writer, state);
  }
  return writer.take();
}

static void readFields(Reader &reader, BufferState &state) {
  for (uint64_t i = 0, count = reader.count(32); i < count; ++i) {
    uint64_t offset = reader.number();
    FieldInterval field;
    field.lo = static_cast<int64_t>(reader.number());
    field.hi = static_cast<int64_t>(reader.number());
    uint64_t flags = reader.number();
    field.bits = flags & 255;
    field.isSigned = flags & 256;
    uint64_t size = uint64_t(state.bytes.size()) * 8;
    if (field.bits == 0 || field.bits > 32 || offset > size || size - offset < field.bits)
      reader.fail();
    state.fields.emplace(offset, field);
  }
}

static BufferState readBuffer(Reader &reader, bool isAlternative = false);

/// Bytes of the smallest state: its five counts.
static constexpr uint64_t StateBytes = 40;

static void readAlternatives(Reader &reader, BufferState &state) {
  for (uint64_t i = 0, count = reader.count(16 + 2 * StateBytes); i < count; ++i) {
    uint64_t offset = reader.number();
    std::vector<BufferState> alternatives;
    for (uint64_t j = 0, size = reader.count(StateBytes); j < size && reader.good(); ++j)
      alternatives.push_back(readBuffer(reader, true));
    uint64_t texel = alternatives.empty() ? 0 : alternatives.front().bytes.size();
    bool isGood = alternatives.size() >= 2 && texel && offset <= state.bytes.size() &&
                  texel <= state.bytes.size() - offset;
    for (const BufferState &alternative : alternatives)
      isGood = isGood && alternative.bytes.size() == texel;
    if (!isGood)
      reader.fail();
    else
      state.alternatives.emplace(offset, std::move(alternatives));
  }
}

static BufferState readBuffer(Reader &reader, bool isAlternative) {
  BufferState state;
  ArrayRef<uint8_t> bytes = reader.bytes();
  state.bytes.assign(bytes.begin(), bytes.end());
  for (uint64_t i = 0, count = reader.count(32); i < count; ++i) {
    uint64_t offset = reader.number();
    FloatInterval interval;
    interval.lo = std::bit_cast<double>(reader.number());
    interval.hi = std::bit_cast<double>(reader.number());
    uint64_t flags = reader.number();
    interval.bytes = flags & 255;
    interval.mayBeNan = flags & 256;
    bool sizeIsKnown = interval.bytes == 2 || interval.bytes == 4 || interval.bytes == 8;
    if (!sizeIsKnown || offset > state.bytes.size() || state.bytes.size() - offset < interval.bytes)
      reader.fail();
    state.intervals.emplace(offset, interval);
  }
  for (uint64_t i = 0, count = reader.count(16); i < count; ++i) {
    uint64_t offset = reader.number();
    uint64_t length = reader.number();
    if (offset > state.bytes.size() || length > state.bytes.size() - offset)
      reader.fail();
    state.indeterminate.emplace(offset, length);
  }
  readFields(reader, state);
  if (!isAlternative)
    readAlternatives(reader, state);
  else if (reader.number())
    reader.fail();
  return state;
}

Expected<Outcome> assay::readOutcome(ArrayRef<uint8_t> bytes) {
  Reader reader(bytes);
  if (reader.text() != magic)
    return invalidInput("outcome file: wrong magic number");
  if (uint64_t number = reader.number(); number != formatNumber)
    return invalidInput("outcome file: format " + Twine(number) + ", this build reads " +
                        Twine(formatNumber));
  Outcome outcome;
  uint64_t kind = reader.number();
  if (kind > static_cast<uint64_t>(OutcomeKind::Invalid))
    reader.fail();
  outcome.kind = static_cast<OutcomeKind>(kind);
  outcome.reason = reader.text();
  outcome.instructions = reader.number();
  for (uint64_t i = 0, checkpoints = reader.count(8); i < checkpoints; ++i) {
    outcome.checkpoints.emplace_back();
    for (uint64_t j = 0, buffers = reader.count(StateBytes); j < buffers && reader.good(); ++j)
      outcome.checkpoints.back().push_back(readBuffer(reader));
  }
  if (!reader.good() || !reader.atEnd())
    return invalidInput("outcome file: truncated or damaged");
  return std::move(outcome);
}

Expected<Outcome> assay::readOutcomeFile(const std::string &path, uint64_t most) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(path, most);
  if (!bytes)
    return bytes.takeError();
  return readOutcome(*bytes);
}
