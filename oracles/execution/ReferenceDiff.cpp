// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rule REF-DIFF.
#include "oracles/execution/Judge.h"

#include "oracles/execution/Scalar.h"
#include "oracles/execution/TexelText.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace assay;

namespace {

/// Walks one buffer: the next byte that differs from what the reference allows.
class BufferComparison {
public:
  BufferComparison(const Buffer &buffer, const BufferState &reference, const BufferState &machine)
      : m_buffer(buffer), m_reference(reference), m_machine(machine) {}

  /// Of the bytes from \p from on, the first of a texel or of a scalar, up to \p to.
  std::optional<Difference> findFirst(uint64_t from = 0, uint64_t to = ~uint64_t(0)) const;
  /// Bytes that the reference fixes, wholly or by an interval.
  uint64_t countFixed() const;

private:
  /// The first byte in [from, to) with different values, whatever the reference permits.
  std::optional<uint64_t> firstUnequal(uint64_t from, uint64_t to) const;
  /// The difference at byte \p offset: in the scalar that it belongs to, or in a byte of padding.
  Difference describe(uint64_t offset) const;
  /// The difference of a float that is outside of \p interval.
  Difference describe(uint64_t offset, const FloatInterval &interval) const;
  /// The difference of the number in a bit field; \p firstBit counts from the buffer's start.
  Difference describeField(uint64_t firstBit, const FieldInterval &field) const;
  /// The difference of a whole texel that is none of \p alternatives.
  Difference describeTexel(uint64_t offset, ArrayRef<BufferState> alternatives) const;
  /// True when the machine's texel at \p offset is permitted by one of \p alternatives.
  bool meetsOneOf(uint64_t offset, ArrayRef<BufferState> alternatives) const;
  std::optional<Difference> compareFields(uint64_t from, uint64_t to) const;
  uint64_t endOfFields(uint64_t from) const;

  const Buffer &m_buffer;
  const BufferState &m_reference;
  const BufferState &m_machine;
};

} // namespace

/// Returns the offset of the first byte in [from, to) that differs, without regard to what is open.
std::optional<uint64_t> BufferComparison::firstUnequal(uint64_t from, uint64_t to) const {
  const uint8_t *expected = m_reference.bytes.data();
  const uint8_t *actual = m_machine.bytes.data();
  if (from >= to || !std::memcmp(expected + from, actual + from, to - from))
    return std::nullopt;
  return std::mismatch(expected + from, expected + to, actual + from).first - expected;
}

/// Prints both values of the scalar at a byte. Padding is printed as a byte and marked.
Difference BufferComparison::describe(uint64_t offset) const {
  const DataFormat &format = m_buffer.format;
  ScalarPosition position = locateScalar(format, offset, m_machine.bytes.size());
  ScalarKind kind = position.padding ? ScalarKind::Uint8 : format.scalar;
  unsigned size = scalarBytes(kind);
  auto text = [&](const BufferState &state) {
    std::string value =
        printScalar(kind, loadScalarBits(state.bytes.data() + position.byteOffset, size));
    return position.padding ? value + " (padding byte)" : value;
  };
  return {m_buffer.name,      position.byteOffset, position.element,
          position.component, text(m_reference),   text(m_machine)};
}

/// Prints the interval as what was expected.
Difference BufferComparison::describe(uint64_t offset, const FloatInterval &interval) const {
  ScalarPosition position = locateScalar(m_buffer.format, offset, m_machine.bytes.size());
  ScalarKind kind = interval.bytes == 2   ? ScalarKind::Float16
                    : interval.bytes == 4 ? ScalarKind::Float32
                                          : ScalarKind::Float64;
  std::string expected = interval.lo == interval.hi ? printDouble(interval.lo)
                                                    : "from " + printDouble(interval.lo) + " to " +
                                                          printDouble(interval.hi);
  if (interval.mayBeNan)
    expected += " or nan";
  std::string actual =
      printScalar(kind, loadScalarBits(m_machine.bytes.data() + offset, interval.bytes));
  return {m_buffer.name, offset, position.element, position.component, expected, actual};
}

/// Bits beyond the buffer read as 0.
int64_t assay::loadField(ArrayRef<uint8_t> bytes, uint64_t firstBit, const FieldInterval &field) {
  uint64_t number = 0;
  for (unsigned i = 0; i < field.bits; ++i) {
    uint64_t bit = firstBit + i;
    if (bit / 8 < bytes.size())
      number |= uint64_t(bytes[bit / 8] >> bit % 8 & 1) << i;
  }
  bool isNegative = field.isSigned && number >> (field.bits - 1);
  return isNegative ? int64_t(number) - (int64_t(1) << field.bits) : int64_t(number);
}

/// \p firstBit counts from the beginning of the buffer. The bits are printed where the field is not
/// whole bytes.
Difference BufferComparison::describeField(uint64_t firstBit, const FieldInterval &field) const {
  uint64_t offset = firstBit / 8;
  ScalarPosition position = locateScalar(m_buffer.format, offset, m_machine.bytes.size());
  std::string expected = std::to_string(field.lo);
  if (field.lo != field.hi)
    expected = "from " + expected + " to " + std::to_string(field.hi);
  if (firstBit % 8 || field.bits % 8)
    expected += " (bits " + std::to_string(firstBit) + " to " +
                std::to_string(firstBit + field.bits - 1) + ")";
  return {m_buffer.name,    offset,
          position.element, position.component,
          expected,         std::to_string(loadField(m_machine.bytes, firstBit, field))};
}

/// Lists all alternatives as what was expected, those with open parts as "about".
Difference BufferComparison::describeTexel(uint64_t offset,
                                           ArrayRef<BufferState> alternatives) const {
  ScalarPosition position = locateScalar(m_buffer.format, offset, m_machine.bytes.size());
  ArrayRef<uint8_t> actual =
      ArrayRef(m_machine.bytes).slice(offset, alternatives.front().bytes.size());
  auto print = [&](ArrayRef<uint8_t> texel) {
    if (m_buffer.texelFormat)
      return printTexel(getTexelFormatInfo(*m_buffer.texelFormat), texel);
    std::string text;
    for (uint8_t byte : texel)
      text += (text.empty() ? "" : ", ") + std::to_string(byte);
    return "(" + text + ")";
  };
  std::string expected;
  for (const BufferState &alternative : alternatives) {
    bool isRange = !alternative.intervals.empty() || !alternative.fields.empty() ||
                   !alternative.indeterminate.empty();
    expected += (expected.empty() ? "" : " or ") + std::string(isRange ? "about " : "") +
                print(alternative.bytes);
  }
  return {m_buffer.name, offset, position.element, position.component, expected, print(actual)};
}

/// True if the texel is one of the alternatives, with what is open in it.
bool BufferComparison::meetsOneOf(uint64_t offset, ArrayRef<BufferState> alternatives) const {
  auto first = m_machine.bytes.begin() + static_cast<ptrdiff_t>(offset);
  BufferState texel{{first, first + static_cast<ptrdiff_t>(alternatives.front().bytes.size())}};
  return any_of(alternatives, [&](const BufferState &alternative) {
    return !BufferComparison(m_buffer, alternative, texel).findFirst();
  });
}

/// The end of the bytes from \p from on whose bits belong to fields together; \p from itself where
/// no field begins in that byte.
uint64_t BufferComparison::endOfFields(uint64_t from) const {
  uint64_t end = from;
  auto next = m_reference.fields.lower_bound(from * 8);
  for (; next != m_reference.fields.end() && next->first / 8 < std::max(end, from + 1); ++next)
    end = std::max(end, (next->first + next->second.bits + 7) / 8);
  return std::min<uint64_t>(end, m_reference.bytes.size());
}

/// Judges bytes [from, to), each of which has a bit of a field.
std::optional<Difference> BufferComparison::compareFields(uint64_t from, uint64_t to) const {
  std::vector<uint8_t> exact(to - from, 0xff); // Bits that are in no field.
  auto field = m_reference.fields.lower_bound(from * 8);
  for (; field != m_reference.fields.end() && field->first < to * 8; ++field) {
    const auto &[bit, interval] = *field;
    int64_t actual = loadField(m_machine.bytes, bit, interval);
    if (actual < interval.lo || actual > interval.hi)
      return describeField(bit, interval);
    for (uint64_t i = bit; i < bit + interval.bits && i < to * 8; ++i)
      exact[i / 8 - from] &= ~(1u << i % 8);
  }
  for (uint64_t i = from; i < to; ++i)
    if ((m_reference.bytes[i] ^ m_machine.bytes[i]) & exact[i - from])
      return describe(i);
  return std::nullopt;
}

/// The entry of a map from offsets to lengths that may contain \p offset, or the next one.
static auto findRange(const std::map<uint64_t, uint64_t> &ranges, uint64_t offset) {
  auto next = ranges.upper_bound(offset);
  return next == ranges.begin() ? next : std::prev(next);
}

/// Judges bytes in [from, to) in ascending order: alternatives of texels, open bytes, intervals,
/// and the rest byte by byte.
std::optional<Difference> BufferComparison::findFirst(uint64_t from, uint64_t to) const {
  uint64_t size = std::min<uint64_t>(m_reference.bytes.size(), to);
  uint64_t done = from; // Everything before is judged.
  auto open = findRange(m_reference.indeterminate, from);
  auto interval = m_reference.intervals.lower_bound(from);
  auto texel = m_reference.alternatives.lower_bound(from);
  while (done < size) {
    while (texel != m_reference.alternatives.end() && texel->first < done)
      ++texel;
    uint64_t texelAt = texel == m_reference.alternatives.end() ? size : texel->first;
    if (texelAt == done) {
      uint64_t bytes = texel->second.front().bytes.size();
      if (bytes <= size - done && !meetsOneOf(done, texel->second))
        return describeTexel(done, texel->second);
      done += bytes;
      continue;
    }
    while (open != m_reference.indeterminate.end() && open->first + open->second <= done)
      ++open;
    if (open != m_reference.indeterminate.end() && open->first <= done) {
      done = open->first + open->second;
      continue;
    }
    while (interval != m_reference.intervals.end() && interval->first < done)
      ++interval;
    uint64_t openAt = open == m_reference.indeterminate.end() ? size : open->first;
    uint64_t intervalAt = interval == m_reference.intervals.end() ? size : interval->first;
    if (intervalAt == done && done + interval->second.bytes <= size) {
      unsigned bytes = interval->second.bytes;
      uint64_t bits = loadScalarBits(m_machine.bytes.data() + done, bytes);
      if (!intervalContains(interval->second, floatFromBits(bits, bytes)))
        return describe(done, interval->second);
      done += bytes;
      continue;
    }
    if (uint64_t end = endOfFields(done); end > done) {
      if (std::optional<Difference> difference = compareFields(done, end))
        return difference;
      done = end;
      continue;
    }
    auto field = m_reference.fields.lower_bound(done * 8);
    uint64_t fieldAt = field == m_reference.fields.end() ? size : field->first / 8;
    uint64_t end =
        std::min({size, openAt, texelAt, intervalAt > done ? intervalAt : size, fieldAt});
    if (std::optional<uint64_t> offset = firstUnequal(done, end))
      return describe(*offset);
    done = end;
  }
  return std::nullopt;
}

/// Returns the number of bytes that the reference determines. Ranges that overlap are counted once.
uint64_t BufferComparison::countFixed() const {
  uint64_t size = m_reference.bytes.size();
  uint64_t open = 0;
  uint64_t done = 0;
  for (auto [offset, length] : m_reference.indeterminate) {
    uint64_t from = std::max(done, std::min(offset, size));
    uint64_t to = std::min(offset + length, size);
    open += to > from ? to - from : 0;
    done = std::max(done, to);
  }
  return size - open;
}

/// Buffers that the reference run changed, or left open, at any checkpoint.
static std::vector<bool> changedBuffers(const Case &input, const Outcome &reference) {
  std::vector<bool> changed(input.buffers.size());
  for (const std::vector<BufferState> &states : reference.checkpoints)
    for (size_t i = 0; i < states.size(); ++i)
      if (!states[i].intervals.empty() || !states[i].indeterminate.empty() ||
          !states[i].fields.empty() || !states[i].alternatives.empty() ||
          states[i].bytes != input.buffers[i].bytes)
        changed[i] = true;
  // Nothing changed: that nothing changes is what there is to compare.
  if (std::find(changed.begin(), changed.end(), true) == changed.end())
    changed.assign(changed.size(), true);
  return changed;
}

/// Environment error unless \p states has all buffers of the case in their sizes. \p who is named
/// in messages.
static Error verifyShape(const Case &input, const std::vector<BufferState> &states, StringRef who) {
  if (states.size() != input.buffers.size())
    return environmentError(who + ": " + Twine(states.size()) + " buffers, expected " +
                            Twine(input.buffers.size()));
  for (size_t i = 0; i < states.size(); ++i)
    if (states[i].bytes.size() != input.buffers[i].bytes.size())
      return environmentError(who + ": buffer '" + input.buffers[i].name + "' has " +
                              Twine(states[i].bytes.size()) + " bytes, expected " +
                              Twine(input.buffers[i].bytes.size()));
  return Error::success();
}

/// The same for each checkpoint of \p outcome, and for their number.
static Error verifyShape(const Case &input, const Outcome &outcome, StringRef who) {
  if (outcome.checkpoints.size() != countCheckpoints(input))
    return environmentError(who + ": " + Twine(outcome.checkpoints.size()) +
                            " checkpoints, expected " + Twine(countCheckpoints(input)));
  for (const std::vector<BufferState> &states : outcome.checkpoints)
    if (Error error = verifyShape(input, states, who))
      return error;
  return Error::success();
}

/// "element 3 component 1", or the texel of an image.
static std::string describePlace(const Difference &difference, const Buffer &buffer,
                                 const BufferState &reference) {
  std::optional<TexelLocation> texel = locateTexel(buffer, difference.byteOffset);
  if (texel && buffer.image && buffer.texelFormat) {
    const TexelFormatInfo &format = getTexelFormatInfo(*buffer.texelFormat);
    std::string text = printTexelLocation(*texel, *buffer.image);
    if (findAlternatives(reference, difference.byteOffset))
      return text; // The values are those of all channels.
    uint64_t bit = (difference.byteOffset - texel->byteOffset) * 8;
    for (unsigned i = 0; i < format.componentCount; ++i)
      if (format.components[i].firstBit == bit)
        text += std::string(" channel ") + format.components[i].channel;
    return text;
  }
  return "element " + std::to_string(difference.element) + " component " +
         std::to_string(difference.component);
}

/// Returns a finding of rule REF-DIFF. \p checkpoint counts from 0, in the message from 1.
static Finding makeFinding(const Difference &difference, const Buffer &buffer,
                           const BufferState &reference, size_t checkpoint, size_t checkpoints) {
  Finding finding;
  finding.rule = "REF-DIFF";
  finding.message = "buffer '" + difference.buffer + "' " +
                    describePlace(difference, buffer, reference) + " (byte " +
                    std::to_string(difference.byteOffset) + "): the reference has " +
                    difference.expected + ", the machine " + difference.actual;
  finding.location =
      "checkpoint " + std::to_string(checkpoint + 1) + " of " + std::to_string(checkpoints);
  finding.signature = std::string("REF-DIFF ") + scalarName(buffer.format.scalar);
  finding.evidence = {{"expected", difference.expected}, {"actual", difference.actual}};
  return finding;
}

/// Returns the index from 0 of a REF-DIFF finding's checkpoint, which its location counts from 1.
std::optional<size_t> assay::getCheckpoint(const Finding &finding) {
  StringRef text = finding.location;
  size_t number = 0;
  if (finding.rule != "REF-DIFF" || !text.consume_front("checkpoint ") ||
      text.consumeInteger(10, number) || !number)
    return std::nullopt;
  return number - 1;
}

/// Returns one entry for each texel of a mip level, all layers and samples included, in the order
/// of memory. The buffer must be an image.
std::vector<TexelMatch> assay::compareTexels(const Buffer &buffer, uint32_t level,
                                             const BufferState &reference,
                                             const BufferState &machine) {
  assert(buffer.image && buffer.texelFormat && "an image");
  uint64_t begin = 0, bytes = getTexelFormatInfo(*buffer.texelFormat).bytes;
  for (uint32_t i = 0; i < level; ++i)
    begin += getLevelBytes(*buffer.image, *buffer.texelFormat, i);
  uint64_t end = begin + getLevelBytes(*buffer.image, *buffer.texelFormat, level);
  BufferComparison comparison(buffer, reference, machine);
  std::vector<TexelMatch> result;
  for (uint64_t at = begin; at < end; at += bytes) {
    bool isSame = !std::memcmp(&reference.bytes[at], &machine.bytes[at], bytes);
    result.push_back(isSame                                 ? TexelMatch::Same
                     : comparison.findFirst(at, at + bytes) ? TexelMatch::Different
                                                            : TexelMatch::Permitted);
  }
  return result;
}

/// Reports each buffer once, at its first checkpoint with a difference. Only buffers that the
/// reference changes count as compared bytes.
Expected<Judgement> assay::compareWithReference(const Case &input, const Outcome &reference,
                                                const Outcome &machine) {
  if (Error error = verifyShape(input, reference, "reference"))
    return std::move(error);
  if (Error error = verifyShape(input, machine, "machine"))
    return std::move(error);
  std::vector<bool> changed = changedBuffers(input, reference);
  std::vector<bool> reported(input.buffers.size());
  Judgement judgement;
  for (size_t checkpoint = 0; checkpoint < reference.checkpoints.size(); ++checkpoint) {
    for (size_t i = 0; i < input.buffers.size(); ++i) {
      const Buffer &buffer = input.buffers[i];
      BufferComparison comparison(buffer, reference.checkpoints[checkpoint][i],
                                  machine.checkpoints[checkpoint][i]);
      if (changed[i])
        judgement.compared += comparison.countFixed();
      std::optional<Difference> difference = comparison.findFirst();
      if (!difference || reported[i] || faultPlanted(Fault::SilentComparison))
        continue;
      reported[i] = true;
      judgement.findings.push_back(makeFinding(*difference, buffer,
                                               reference.checkpoints[checkpoint][i], checkpoint,
                                               reference.checkpoints.size()));
      if (!judgement.firstDifference)
        judgement.firstDifference = std::move(*difference);
    }
  }
  return std::move(judgement);
}

/// Where the machine stopped early, bytes that still have their initial value are not judged.
/// isOpen says that the reference leaves some bytes open.
Expected<Judgement> assay::compareBufferAtEnd(const Case &input, size_t buffer,
                                              const Outcome &reference, const Outcome &machine) {
  bool isEarly = !machine.atEnd.empty();
  if (!isEarly && machine.checkpoints.empty())
    return environmentError("machine: no buffers");
  const std::vector<BufferState> &end = isEarly ? machine.atEnd : machine.checkpoints.back();
  if (Error error = verifyShape(input, reference, "reference"))
    return std::move(error);
  if (Error error = verifyShape(input, end, "machine"))
    return std::move(error);
  const BufferState &expected = reference.checkpoints.back()[buffer];
  BufferState actual = end[buffer];
  const std::vector<uint8_t> &initial = input.buffers[buffer].bytes;
  for (size_t i = 0; isEarly && i < initial.size(); ++i)
    if (actual.bytes[i] == initial[i])
      actual.bytes[i] = expected.bytes[i];
  BufferComparison comparison(input.buffers[buffer], expected, actual);
  Judgement judgement;
  judgement.compared = comparison.countFixed();
  judgement.isOpen = judgement.compared < expected.bytes.size();
  if (std::optional<Difference> difference = comparison.findFirst()) {
    size_t last = reference.checkpoints.size();
    judgement.findings.push_back(
        makeFinding(*difference, input.buffers[buffer], expected, last - 1, last));
    judgement.firstDifference = std::move(*difference);
  }
  return std::move(judgement);
}
