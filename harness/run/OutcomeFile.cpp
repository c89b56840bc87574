// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/OutcomeFile.h"

#include "support/ByteCursor.h"
#include "support/Error.h"
#include "support/File.h"
#include <bit>

using namespace llvm;
using namespace assay;

/// The first bytes of a file.
static constexpr StringRef magic = "ASSAYOUT";
/// Changes with every change of the layout.
static constexpr uint64_t formatNumber = 3;

/// Writes the bytes, then a count and the entries of each map, with offsets first.
static void writeBuffer(ByteWriter &writer, const BufferState &state) {
  writer.bytes(state.bytes);
  writer.wide(state.intervals.size());
  for (const auto &[offset, interval] : state.intervals) {
    writer.wide(offset);
    writer.wide(std::bit_cast<uint64_t>(interval.lo));
    writer.wide(std::bit_cast<uint64_t>(interval.hi));
    writer.wide(interval.bytes | (interval.mayBeNan ? 256 : 0));
  }
  writer.wide(state.indeterminate.size());
  for (const auto &[offset, length] : state.indeterminate) {
    writer.wide(offset);
    writer.wide(length);
  }
  writer.wide(state.fields.size());
  for (const auto &[offset, field] : state.fields) {
    writer.wide(offset);
    writer.wide(static_cast<uint64_t>(field.lo));
    writer.wide(static_cast<uint64_t>(field.hi));
    writer.wide(field.bits | (field.isSigned ? 256 : 0));
  }
  writer.wide(state.alternatives.size());
  for (const auto &[offset, alternatives] : state.alternatives) {
    writer.wide(offset);
    writer.wide(alternatives.size());
    for (const BufferState &alternative : alternatives)
      writeBuffer(writer, alternative);
  }
}

/// Findings are not written: a reference that completed has none.
std::vector<uint8_t> assay::writeOutcome(const Outcome &outcome) {
  ByteWriter writer(CountSize::Wide);
  writer.text(magic);
  writer.wide(formatNumber);
  writer.wide(static_cast<uint64_t>(outcome.kind));
  writer.text(outcome.reason);
  writer.wide(outcome.instructions);
  writer.wide(outcome.checkpoints.size());
  for (const std::vector<BufferState> &buffers : outcome.checkpoints) {
    writer.wide(buffers.size());
    for (const BufferState &state : buffers)
      writeBuffer(writer, state);
  }
  return writer.take();
}

/// Reads fields of texels; offsets are in bits.
static void readFields(ByteReader &reader, BufferState &state) {
  for (uint64_t i = 0, count = reader.count(32); i < count; ++i) {
    uint64_t offset = reader.wide();
    FieldInterval field;
    field.lo = static_cast<int64_t>(reader.wide());
    field.hi = static_cast<int64_t>(reader.wide());
    uint64_t flags = reader.wide();
    field.bits = flags & 255;
    field.isSigned = flags & 256;
    uint64_t size = uint64_t(state.bytes.size()) * 8;
    if (field.bits == 0 || field.bits > 32 || offset > size || size - offset < field.bits)
      reader.fail();
    state.fields.emplace(offset, field);
  }
}

/// The reverse of writeBuffer(). Entries outside of the buffer make the reader fail. An alternative
/// must have none itself.
static BufferState readBuffer(ByteReader &reader, bool isAlternative = false);

/// Bytes of the smallest state: its five counts.
static constexpr uint64_t StateBytes = 40;

/// Each offset has at least two alternatives, all of the size of one texel.
static void readAlternatives(ByteReader &reader, BufferState &state) {
  for (uint64_t i = 0, count = reader.count(16 + 2 * StateBytes); i < count; ++i) {
    uint64_t offset = reader.wide();
    std::vector<BufferState> alternatives;
    for (uint64_t j = 0, size = reader.count(StateBytes); j < size && reader.isGood(); ++j)
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

static BufferState readBuffer(ByteReader &reader, bool isAlternative) {
  BufferState state;
  std::span<const uint8_t> bytes = reader.bytes();
  state.bytes.assign(bytes.begin(), bytes.end());
  for (uint64_t i = 0, count = reader.count(32); i < count; ++i) {
    uint64_t offset = reader.wide();
    FloatInterval interval;
    interval.lo = std::bit_cast<double>(reader.wide());
    interval.hi = std::bit_cast<double>(reader.wide());
    uint64_t flags = reader.wide();
    interval.bytes = flags & 255;
    interval.mayBeNan = flags & 256;
    bool sizeIsKnown = interval.bytes == 2 || interval.bytes == 4 || interval.bytes == 8;
    if (!sizeIsKnown || offset > state.bytes.size() || state.bytes.size() - offset < interval.bytes)
      reader.fail();
    state.intervals.emplace(offset, interval);
  }
  for (uint64_t i = 0, count = reader.count(16); i < count; ++i) {
    uint64_t offset = reader.wide();
    uint64_t length = reader.wide();
    if (offset > state.bytes.size() || length > state.bytes.size() - offset)
      reader.fail();
    state.indeterminate.emplace(offset, length);
  }
  readFields(reader, state);
  if (!isAlternative)
    readAlternatives(reader, state);
  else if (reader.wide())
    reader.fail();
  return state;
}

/// Safe on any bytes. InvalidInput for another format, and for truncated or damaged files.
Expected<Outcome> assay::readOutcome(ArrayRef<uint8_t> bytes) {
  ByteReader reader(bytes, CountSize::Wide);
  if (reader.text() != magic)
    return invalidInput("outcome file: wrong magic number");
  if (uint64_t number = reader.wide(); number != formatNumber)
    return invalidInput("outcome file: format " + Twine(number) + ", this build reads " +
                        Twine(formatNumber));
  Outcome outcome;
  uint64_t kind = reader.wide();
  if (kind > static_cast<uint64_t>(OutcomeKind::Invalid))
    reader.fail();
  outcome.kind = static_cast<OutcomeKind>(kind);
  outcome.reason = reader.text();
  outcome.instructions = reader.wide();
  for (uint64_t i = 0, checkpoints = reader.count(8); i < checkpoints; ++i) {
    outcome.checkpoints.emplace_back();
    for (uint64_t j = 0, buffers = reader.count(StateBytes); j < buffers && reader.isGood(); ++j)
      outcome.checkpoints.back().push_back(readBuffer(reader));
  }
  if (!reader.isGood() || !reader.atEnd())
    return invalidInput("outcome file: truncated or damaged");
  return std::move(outcome);
}

/// \p most is the greatest size in bytes that is read.
Expected<Outcome> assay::readOutcomeFile(const std::string &path, uint64_t most) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(path, most);
  if (!bytes)
    return bytes.takeError();
  return readOutcome(*bytes);
}
