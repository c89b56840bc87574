// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rule EXPECT.
#include "oracles/execution/Judge.h"

#include "oracles/execution/Scalar.h"
#include "oracles/execution/TexelText.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

using namespace llvm;
using namespace assay;

namespace {
/// One scalar of an expectation and what is in its place.
struct Probe {
  ScalarKind kind;
  Comparator comparator;
  uint64_t expected;
  const Tolerance *tolerance; ///< Null: exact.
};
} // namespace

/// Returns the comparator as AmberScript writes it.
static const char *comparatorName(Comparator comparator) {
  static const char *const names[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  return names[static_cast<int>(comparator)];
}

/// Compares two numbers exactly, by the rules of \p T.
template <typename T> static bool holds(Comparator comparator, T actual, T expected) {
  switch (comparator) {
  case Comparator::Eq:
    return actual == expected;
  case Comparator::Ne:
    return actual != expected;
  case Comparator::Lt:
    return actual < expected;
  case Comparator::Le:
    return actual <= expected;
  case Comparator::Gt:
    return actual > expected;
  case Comparator::Ge:
    return actual >= expected;
  }
  llvm_unreachable("a comparator that does not exist");
}

/// Returns the distance that \p tolerance permits from \p expected, in the unit of the value.
static double allowedDistance(const Tolerance &tolerance, double expected) {
  return tolerance.percent ? std::fabs(expected) * tolerance.value / 100 : tolerance.value;
}

/// Judges a float. NaN equals NaN; a tolerance counts for EQ only.
static bool floatMeets(const Probe &probe, double actual) {
  double expected = floatFromBits(probe.expected, scalarBytes(probe.kind));
  bool bothNan = std::isnan(expected) && std::isnan(actual);
  if (probe.comparator == Comparator::Ne)
    return !bothNan && actual != expected;
  if (bothNan)
    return probe.comparator != Comparator::Lt && probe.comparator != Comparator::Gt;
  if (!probe.tolerance || probe.comparator != Comparator::Eq || actual == expected)
    return holds(probe.comparator, actual, expected);
  return std::fabs(actual - expected) <= allowedDistance(*probe.tolerance, expected);
}

/// Judges the bits of an integer, signed or not by its kind. A tolerance counts for EQ only.
static bool integerMeets(const Probe &probe, uint64_t bits) {
  bool isSigned = isSignedScalar(probe.kind);
  int64_t actual = signedFromBits(probe.kind, bits);
  int64_t expected = signedFromBits(probe.kind, probe.expected);
  if (probe.tolerance && probe.comparator == Comparator::Eq) {
    bool above = isSigned ? actual > expected : uint64_t(actual) > uint64_t(expected);
    uint64_t distance =
        above ? uint64_t(actual) - uint64_t(expected) : uint64_t(expected) - uint64_t(actual);
    double magnitude = isSigned ? double(expected) : double(uint64_t(expected));
    return double(distance) <= allowedDistance(*probe.tolerance, magnitude);
  }
  return isSigned ? holds(probe.comparator, actual, expected)
                  : holds(probe.comparator, uint64_t(actual), uint64_t(expected));
}

/// True when some value of the interval meets the probe: a comparison with an ordered set is met by
/// one of its ends, by the expected value itself if that lies inside, or by NaN.
static bool intervalMeets(const Probe &probe, const FloatInterval &interval) {
  double expected = floatFromBits(probe.expected, scalarBytes(probe.kind));
  if (interval.mayBeNan && floatMeets(probe, std::nan("")))
    return true;
  if (interval.lo > interval.hi)
    return false;
  bool inside = interval.lo <= expected && expected <= interval.hi;
  return floatMeets(probe, interval.lo) || floatMeets(probe, interval.hi) ||
         (inside && floatMeets(probe, expected));
}

/// Returns true when a byte among \p size bytes at \p offset may have any value. Bit fields and
/// intervals do not count.
static bool isIndeterminate(const BufferState &state, uint64_t offset, unsigned size) {
  auto next = state.indeterminate.lower_bound(offset + size);
  if (next == state.indeterminate.begin())
    return false;
  --next;
  return next->first + next->second > offset;
}

using FieldMap = std::map<uint64_t, FieldInterval>;

/// The fields with a bit among \p size bytes at \p offset.
static std::pair<FieldMap::const_iterator, FieldMap::const_iterator>
fieldsAt(const BufferState &state, uint64_t offset, unsigned size) {
  auto first = state.fields.lower_bound(offset * 8);
  if (first != state.fields.begin()) {
    auto before = std::prev(first);
    if (before->first + before->second.bits > offset * 8)
      first = before;
  }
  return {first, state.fields.lower_bound((offset + size) * 8)};
}

/// True where a field reaches beyond the scalar that is probed: nothing can be said of its part.
static bool cutsField(const BufferState &state, uint64_t offset, unsigned size) {
  auto [first, last] = fieldsAt(state, offset, size);
  for (; first != last; ++first)
    if (first->first < offset * 8 || first->first + first->second.bits > (offset + size) * 8)
      return true;
  return false;
}

/// True when some value that the fields from \p first to \p last allow meets the probe: a whole
/// scalar by its ends or the expected value between them; several fields in a scalar one by one.
static bool fieldsMeet(const Probe &probe, const BufferState &state, uint64_t offset,
                       FieldMap::const_iterator first, FieldMap::const_iterator last) {
  unsigned size = scalarBytes(probe.kind);
  const FieldInterval &field = first->second;
  if (field.bits == size * 8) {
    int64_t inside = std::clamp(signedFromBits(probe.kind, probe.expected), field.lo, field.hi);
    auto isMet = [&](int64_t value) { return integerMeets(probe, uint64_t(value)); };
    return isMet(field.lo) || isMet(field.hi) || isMet(inside);
  }
  uint64_t nominal = loadScalarBits(state.bytes.data() + offset, size);
  if (probe.comparator != Comparator::Eq || probe.tolerance)
    return integerMeets(probe, nominal);
  std::vector<uint8_t> expected;
  for (unsigned i = 0; i < size; ++i)
    expected.push_back(uint8_t(probe.expected >> 8 * i));
  uint64_t exact = ~0ull >> (64 - 8 * size);
  for (; first != last; ++first) {
    uint64_t bit = first->first - offset * 8;
    int64_t number = loadField(expected, bit, first->second);
    if (number < first->second.lo || number > first->second.hi)
      return false;
    exact &= ~(((uint64_t(1) << first->second.bits) - 1) << bit);
  }
  return ((probe.expected ^ nominal) & exact) == 0;
}

/// Judges the scalar at \p offset by what the reference permits there: fields, an interval, or
/// exact bits. Bytes that are indeterminate are the caller's concern.
static bool meets(const Probe &probe, const BufferState &state, uint64_t offset) {
  unsigned size = scalarBytes(probe.kind);
  if (auto [first, last] = fieldsAt(state, offset, size);
      first != last && !isFloatScalar(probe.kind))
    return fieldsMeet(probe, state, offset, first, last);
  auto interval = state.intervals.find(offset);
  if (isFloatScalar(probe.kind) && interval != state.intervals.end() &&
      interval->second.bytes == size)
    return intervalMeets(probe, interval->second);
  uint64_t bits = loadScalarBits(state.bytes.data() + offset, size);
  return isFloatScalar(probe.kind) ? floatMeets(probe, floatFromBits(bits, size))
                                   : integerMeets(probe, bits);
}

using IntervalMap = std::map<uint64_t, FloatInterval>;

/// The floats with a byte among \p size bytes at \p offset.
static std::pair<IntervalMap::const_iterator, IntervalMap::const_iterator>
floatsAt(const BufferState &state, uint64_t offset, unsigned size) {
  auto first = state.intervals.lower_bound(offset);
  if (first != state.intervals.begin()) {
    auto before = std::prev(first);
    if (before->first + before->second.bytes > offset)
      first = before;
  }
  return {first, state.intervals.lower_bound(offset + size)};
}

/// True where \p probe looks at floats that have an interval, and is itself an integer or a float
/// of another size.
static bool looksAtOtherFloats(const Probe &probe, const BufferState &state, uint64_t offset) {
  unsigned size = scalarBytes(probe.kind);
  auto [first, last] = floatsAt(state, offset, size);
  return first != last && !(isFloatScalar(probe.kind) && first->first == offset &&
                            first->second.bytes == size && std::next(first) == last);
}

/// Whether the bits of \p probe, which asks for equality, are such floats within their intervals
/// and right elsewhere.
static bool bitsMeetFloats(const Probe &probe, const BufferState &state, uint64_t offset) {
  unsigned size = scalarBytes(probe.kind);
  uint64_t exact = ~0ull >> (64 - 8 * size);
  auto [first, last] = floatsAt(state, offset, size);
  for (; first != last; ++first) {
    unsigned bytes = first->second.bytes;
    if (first->first < offset || first->first + bytes > offset + size)
      return false;
    unsigned shift = static_cast<unsigned>(first->first - offset) * 8;
    uint64_t mask = ~0ull >> (64 - 8 * bytes);
    double expected = floatFromBits(probe.expected >> shift & mask, bytes);
    const FloatInterval &interval = first->second;
    bool isMet = std::isnan(expected) ? interval.mayBeNan
                                      : interval.lo <= expected && expected <= interval.hi;
    if (!isMet)
      return false;
    exact &= ~(mask << shift);
  }
  uint64_t bits = loadScalarBits(state.bytes.data() + offset, size);
  return ((probe.expected ^ bits) & exact) == 0;
}

/// Returns the tolerance of a component, null for exact comparison. One tolerance is for all
/// components.
static const Tolerance *toleranceFor(const Expectation &expectation, uint64_t component) {
  const auto &tolerances = expectation.tolerances;
  if (tolerances.empty())
    return nullptr;
  return &tolerances[tolerances.size() == 1 ? 0 : component % tolerances.size()];
}

/// The line as written, cut where a long list of values would drown the rest.
static std::string quoteLine(StringRef text) {
  constexpr size_t most = 100;
  return text.size() <= most ? text.str() : (text.take_front(most) + " ...").str();
}

/// Returns a finding of rule EXPECT with the script's line and text.
static Finding makeFinding(const Expectation &expectation, const Twine &message,
                           const Twine &signature) {
  Finding finding;
  finding.rule = "EXPECT";
  finding.message = (message + " (" + quoteLine(expectation.text) + ")").str();
  finding.location = "line " + std::to_string(expectation.line);
  finding.signature = ("EXPECT " + signature).str();
  return finding;
}

/// Byte offset of value number \p index of \p expectation.
static uint64_t valueOffset(const Expectation &expectation, uint64_t index, unsigned components) {
  const DataFormat &format = expectation.format;
  uint64_t component = index % components;
  return expectation.byteOffset + index / components * format.stride +
         format.componentOffset(unsigned(component / format.rows),
                                unsigned(component % format.rows));
}

/// Describes the wrong value at \p offset. The element is that of the buffer's format, the kind
/// that of the expectation.
static Difference describe(const Expectation &expectation, const Case &input,
                           const BufferState &state, uint64_t offset, uint64_t expected) {
  const Buffer &buffer = input.buffers[expectation.buffer];
  ScalarKind kind = expectation.format.scalar;
  ScalarPosition position = locateScalar(buffer.format, offset, state.bytes.size());
  std::string comparator = expectation.comparator == Comparator::Eq
                               ? ""
                               : comparatorName(expectation.comparator) + std::string(" ");
  uint64_t bits = loadScalarBits(state.bytes.data() + offset, scalarBytes(kind));
  return {buffer.name,
          offset,
          position.element,
          position.component,
          comparator + printScalar(kind, expected),
          printScalar(kind, bits)};
}

/// Adds a finding for judgement.firstDifference, which must be set. \p wrong counts all wrong
/// values of the expectation.
static void addValueFinding(const Expectation &expectation, const Buffer &buffer, uint64_t wrong,
                            Judgement &judgement) {
  const Difference &difference = *judgement.firstDifference;
  std::string message =
      "buffer '" + difference.buffer + "' at byte " + std::to_string(difference.byteOffset);
  if (std::optional<TexelLocation> texel = locateTexel(buffer, difference.byteOffset))
    message += ", " + printTexelLocation(*texel, *buffer.image);
  message += ": expected " + difference.expected + ", got " + difference.actual;
  Finding finding = makeFinding(expectation, message,
                                comparatorName(expectation.comparator) + Twine(" ") +
                                    scalarName(expectation.format.scalar));
  finding.evidence = {{"expected", difference.expected},
                      {"actual", difference.actual},
                      {"wrong-values", std::to_string(wrong)},
                      {"values", std::to_string(expectation.values.size())}};
  judgement.findings.push_back(std::move(finding));
}

/// Reports that an EXPECT concerns bytes that may have any value.
static void addOpenFinding(const Expectation &expectation, const std::string &buffer,
                           uint64_t firstOpen, uint64_t open, Judgement &judgement) {
  Finding finding = makeFinding(expectation,
                                "buffer '" + Twine(buffer) + "' at byte " + Twine(firstOpen) +
                                    ": a value is expected where the reference leaves any "
                                    "(undefined, schedule-dependent, or too imprecise)",
                                "of an open value");
  finding.rule = "EXPECT-OPEN";
  finding.evidence = {{"open-values", std::to_string(open)},
                      {"values", std::to_string(expectation.values.size())}};
  judgement.findings.push_back(std::move(finding));
}

namespace {
/// Open: the reference does not fix the value.
enum class Met : uint8_t { Yes, No, Open };
} // namespace

/// Judges a scalar of \p state, whose alternatives do not count.
/// A float with an interval that is compared as bits is open, unless equality can be decided.
static Met probeScalar(const Probe &probe, const BufferState &state, uint64_t offset) {
  unsigned size = scalarBytes(probe.kind);
  if (isIndeterminate(state, offset, size) || cutsField(state, offset, size))
    return Met::Open;
  if (looksAtOtherFloats(probe, state, offset))
    return probe.comparator == Comparator::Eq && bitsMeetFloats(probe, state, offset) ? Met::Yes
                                                                                      : Met::Open;
  return meets(probe, state, offset) ? Met::Yes : Met::No;
}

namespace {
/// A value of an expectation, and its first byte.
struct PlacedProbe {
  Probe probe;
  uint64_t offset = 0;

  uint64_t end() const { return offset + scalarBytes(probe.kind); }
};

using Texel = std::pair<const uint64_t, std::vector<BufferState>>;
} // namespace

/// The texel with alternatives of which \p placed looks at a part; null where there is none.
static const Texel *texelOf(const PlacedProbe &placed, const BufferState &state) {
  const Texel *texel = findAlternatives(state, placed.offset);
  return texel ? texel : findAlternatives(state, placed.end() - 1);
}

/// True when the whole probe lies in the bytes of \p texel.
static bool isInside(const PlacedProbe &placed, const Texel &texel) {
  return placed.offset >= texel.first &&
         placed.end() <= texel.first + texel.second.front().bytes.size();
}

/// Of each texel with alternatives that \p probes look at, by its first byte, the alternative that
/// meets most of them: a texel is one of them as a whole.
/// Of equally good ones, that with more open values, and then the first, is chosen.
static std::map<uint64_t, const BufferState *> chooseAlternatives(ArrayRef<PlacedProbe> probes,
                                                                  const BufferState &state) {
  // Values met, then values that the alternative leaves open.
  std::map<uint64_t, std::vector<std::pair<unsigned, unsigned>>> counts;
  for (const PlacedProbe &placed : probes) {
    const Texel *texel = texelOf(placed, state);
    if (!texel || !isInside(placed, *texel))
      continue;
    auto &of = counts[texel->first];
    of.resize(texel->second.size());
    for (size_t i = 0; i < of.size(); ++i) {
      Met met = probeScalar(placed.probe, texel->second[i], placed.offset - texel->first);
      of[i].first += met == Met::Yes;
      of[i].second += met == Met::Open;
    }
  }
  std::map<uint64_t, const BufferState *> chosen;
  for (const auto &[first, of] : counts)
    chosen[first] = &state.alternatives.at(first)[size_t(max_element(of) - of.begin())];
  return chosen;
}

/// Judges a value; one that is longer than the texel with alternatives that it looks at is open.
static Met probeState(const PlacedProbe &placed, const BufferState &state,
                      const std::map<uint64_t, const BufferState *> &chosen) {
  const Texel *texel = texelOf(placed, state);
  if (!texel)
    return probeScalar(placed.probe, state, placed.offset);
  return isInside(placed, *texel)
             ? probeScalar(placed.probe, *chosen.at(texel->first), placed.offset - texel->first)
             : Met::Open;
}

/// The values of \p expectation; fewer where \p state ends before the next.
static std::vector<PlacedProbe> placeProbes(const Expectation &expectation,
                                            const BufferState &state) {
  const unsigned components = expectation.format.rows * expectation.format.columns;
  std::vector<PlacedProbe> probes;
  for (uint64_t i = 0; i < expectation.values.size(); ++i) {
    PlacedProbe placed{{expectation.format.scalar, expectation.comparator, expectation.values[i],
                        toleranceFor(expectation, i % components)},
                       valueOffset(expectation, i, components)};
    if (placed.offset > state.bytes.size() || placed.end() > state.bytes.size())
      break;
    probes.push_back(placed);
  }
  return probes;
}

/// Judges EXPECT of values: one finding for all wrong values, and one for all open ones. Open
/// values do not count as compared. A value that ends after its buffer is a finding, and nothing
/// else is compared then.
static Judgement judgeValues(const Expectation &expectation, const Case &input,
                             const std::vector<BufferState> &buffers) {
  Judgement judgement;
  const BufferState &state = buffers[expectation.buffer];
  const std::string &name = input.buffers[expectation.buffer].name;
  std::vector<PlacedProbe> probes = placeProbes(expectation, state);
  if (probes.size() < expectation.values.size()) {
    uint64_t offset = valueOffset(expectation, probes.size(),
                                  expectation.format.rows * expectation.format.columns);
    judgement.findings.push_back(
        makeFinding(expectation,
                    "buffer '" + name + "' ends at byte " + Twine(state.bytes.size()) +
                        ", before the expected value at byte " + Twine(offset),
                    "beyond the buffer"));
    return judgement;
  }
  std::map<uint64_t, const BufferState *> chosen = chooseAlternatives(probes, state);
  uint64_t wrong = 0, open = 0, firstOpen = 0;
  for (const PlacedProbe &placed : probes) {
    Met met = probeState(placed, state, chosen);
    if (met == Met::Open) {
      firstOpen = open++ ? firstOpen : placed.offset;
      continue;
    }
    ++judgement.compared;
    if (met == Met::No && !wrong++)
      judgement.firstDifference =
          describe(expectation, input, state, placed.offset, placed.probe.expected);
  }
  if (judgement.firstDifference)
    addValueFinding(expectation, input.buffers[expectation.buffer], wrong, judgement);
  if (open)
    addOpenFinding(expectation, name, firstOpen, open, judgement);
  return judgement;
}

/// Describes the scalar that contains byte \p offset of both buffers. For padding, that is the byte
/// itself.
static Difference describeBytes(const Case &input, const Expectation &expectation,
                                const BufferState &actual, const BufferState &expected,
                                uint64_t offset) {
  const Buffer &buffer = input.buffers[expectation.buffer];
  ScalarPosition position = locateScalar(buffer.format, offset, actual.bytes.size());
  ScalarKind kind = position.padding ? ScalarKind::Uint8 : buffer.format.scalar;
  unsigned size = scalarBytes(kind);
  return {buffer.name,
          position.byteOffset,
          position.element,
          position.component,
          printScalar(kind, loadScalarBits(expected.bytes.data() + position.byteOffset, size)),
          printScalar(kind, loadScalarBits(actual.bytes.data() + position.byteOffset, size))};
}

/// A buffer that the reference leaves partly open is equal wherever it may be.
static bool openAt(const BufferState &state, uint64_t offset) {
  auto [firstField, lastField] = fieldsAt(state, offset, 1);
  if (findAlternatives(state, offset))
    return true;
  if (isIndeterminate(state, offset, 1) || firstField != lastField)
    return true;
  auto next = state.intervals.upper_bound(offset);
  return next != state.intervals.begin() &&
         std::prev(next)->first + std::prev(next)->second.bytes > offset;
}

/// \p size bytes of \p state from \p begin on, without alternatives.
/// A field that begins in front of \p begin is left out.
static BufferState slice(const BufferState &state, uint64_t begin, uint64_t size) {
  BufferState part;
  auto first = state.bytes.begin() + static_cast<ptrdiff_t>(begin);
  part.bytes.assign(first, first + static_cast<ptrdiff_t>(size));
  for (uint64_t i = 0; i < size; ++i)
    if (isIndeterminate(state, begin + i, 1))
      part.indeterminate[i] = 1;
  for (auto [at, end] = fieldsAt(state, begin, static_cast<unsigned>(size)); at != end; ++at)
    if (at->first >= begin * 8)
      part.fields[at->first - begin * 8] = at->second;
  auto interval = state.intervals.lower_bound(begin);
  for (; interval != state.intervals.end() && interval->first < begin + size; ++interval)
    part.intervals[interval->first - begin] = interval->second;
  return part;
}

/// The numbers that byte \p offset may have, if they are known to be a range.
static std::optional<std::pair<int64_t, int64_t>> byteRange(const BufferState &state,
                                                            uint64_t offset) {
  auto [first, last] = fieldsAt(state, offset, 1);
  if (first != last) {
    const FieldInterval &field = first->second;
    bool isByte = first->first == offset * 8 && field.bits == 8 && !field.isSigned;
    return isByte ? std::optional(std::pair(field.lo, field.hi)) : std::nullopt;
  }
  if (openAt(state, offset))
    return std::nullopt;
  int64_t byte = state.bytes[offset];
  return std::pair(byte, byte);
}

/// Returns true unless some byte has different ranges in \p a and \p b. Both have the same size. A
/// byte without a known range may be equal to any.
static bool mayBeEqual(const BufferState &a, const BufferState &b) {
  for (uint64_t i = 0; i < a.bytes.size(); ++i) {
    auto left = byteRange(a, i), right = byteRange(b, i);
    if (left && right && (left->first > right->second || right->first > left->second))
      return false;
  }
  return true;
}

/// A texel with alternatives in one of two buffers: where it ends, and whether one of what it may
/// be in the first is one of what it may be in the second.
struct ComparedTexel {
  uint64_t end = 0;
  bool mayBeEqual = false;
};

/// Nothing if neither buffer has alternatives for byte \p offset.
static std::optional<ComparedTexel> compareTexel(const BufferState &first,
                                                 const BufferState &second, uint64_t offset) {
  const auto *texel = findAlternatives(first, offset);
  if (!texel)
    texel = findAlternatives(second, offset);
  if (!texel)
    return std::nullopt;
  uint64_t begin = texel->first, size = texel->second.front().bytes.size();
  auto list = [&](const BufferState &state) {
    auto found = state.alternatives.find(begin);
    return found == state.alternatives.end() ? std::vector<BufferState>{slice(state, begin, size)}
                                             : found->second;
  };
  std::vector<BufferState> left = list(first), right = list(second);
  bool mayMatch = any_of(left, [&](const BufferState &a) {
    return any_of(right, [&](const BufferState &b) {
      return a.bytes.size() == b.bytes.size() && mayBeEqual(a, b);
    });
  });
  return ComparedTexel{begin + size, mayMatch};
}

/// Judges EQ_BUFFER. Bytes that differ are accepted where the reference leaves either of them open.
/// Stops at the first difference.
static Judgement judgeEqual(const Expectation &expectation, const Case &input,
                            const std::vector<BufferState> &buffers) {
  Judgement judgement;
  const BufferState &first = buffers[expectation.buffer];
  const BufferState &second = buffers[expectation.otherBuffer];
  if (first.bytes.size() != second.bytes.size()) {
    judgement.findings.push_back(makeFinding(expectation,
                                             "the buffers have " + Twine(first.bytes.size()) +
                                                 " and " + Twine(second.bytes.size()) + " bytes",
                                             "EQ_BUFFER size"));
    return judgement;
  }
  judgement.compared = first.bytes.size();
  for (uint64_t i = 0; i < first.bytes.size(); ++i) {
    if (first.bytes[i] == second.bytes[i])
      continue;
    if (std::optional<ComparedTexel> texel = compareTexel(first, second, i)) {
      if (texel->mayBeEqual) {
        i = texel->end - 1;
        continue;
      }
    } else if (openAt(first, i) || openAt(second, i)) {
      continue;
    }
    judgement.firstDifference = describeBytes(input, expectation, first, second, i);
    const Difference &difference = *judgement.firstDifference;
    judgement.findings.push_back(makeFinding(
        expectation,
        "buffers '" + input.buffers[expectation.buffer].name + "' and '" +
            input.buffers[expectation.otherBuffer].name + "' differ at byte " +
            Twine(difference.byteOffset) + ": " + difference.actual + " and " + difference.expected,
        "EQ_BUFFER"));
    break;
  }
  return judgement;
}

/// Returns the scalar of \p format at \p offset as a number. 64-bit integers are rounded to a
/// double.
static double elementValue(const DataFormat &format, const BufferState &state, uint64_t offset) {
  uint64_t bits = loadScalarBits(state.bytes.data() + offset, scalarBytes(format.scalar));
  if (isFloatScalar(format.scalar))
    return floatFromBits(bits, scalarBytes(format.scalar));
  return isSignedScalar(format.scalar) ? double(signedFromBits(format.scalar, bits)) : double(bits);
}

/// Whether some byte of [\p begin, \p end) is open.
static bool openAnywhere(const BufferState &state, uint64_t begin, uint64_t end) {
  return any_of(seq(begin, end), [&](uint64_t offset) { return openAt(state, offset); });
}

/// Root mean square of the differences, against the bound; by squares, so without a root. An open
/// scalar may be equal to the other one: it counts as a scalar without difference.
static Judgement judgeRmse(const Expectation &expectation, const Case &input,
                           const std::vector<BufferState> &buffers) {
  Judgement judgement;
  const BufferState &first = buffers[expectation.buffer];
  const BufferState &second = buffers[expectation.otherBuffer];
  const DataFormat &format = input.buffers[expectation.buffer].format;
  uint64_t size = std::min(first.bytes.size(), second.bytes.size());
  double sum = 0;
  for (uint64_t i = 0; i < size;) {
    ScalarPosition position = locateScalar(format, i, size);
    if (position.padding) {
      ++i;
      continue;
    }
    double difference = elementValue(format, first, position.byteOffset) -
                        elementValue(format, second, position.byteOffset);
    uint64_t end = position.byteOffset + scalarBytes(format.scalar);
    if (!openAnywhere(first, position.byteOffset, end) &&
        !openAnywhere(second, position.byteOffset, end))
      sum += difference * difference;
    ++judgement.compared;
    i = end;
  }
  bool sizesDiffer = first.bytes.size() != second.bytes.size();
  double bound = expectation.rmse * expectation.rmse * double(judgement.compared);
  if (sizesDiffer || !(sum <= bound)) {
    double mean = judgement.compared ? sum / double(judgement.compared) : 0;
    judgement.findings.push_back(makeFinding(
        expectation,
        sizesDiffer ? Twine("the buffers have different sizes")
                    : "root mean square difference " + Twine(printDouble(std::sqrt(mean))) +
                          " is above " + printDouble(expectation.rmse),
        "RMSE_BUFFER"));
  }
  return judgement;
}

/// The share of elements that have each value in channel \p channel of four bytes.
static std::array<double, 256> histogramOf(const BufferState &state, unsigned channel) {
  std::array<double, 256> bins{};
  const double share = 4.0 / double(state.bytes.size());
  for (uint64_t i = channel; i < state.bytes.size(); i += 4)
    bins[state.bytes[i]] += share;
  return bins;
}

/// In one dimension the earth mover's distance is the sum of the differences of the running sums.
static double earthMoversDistance(const std::array<double, 256> &first,
                                  const std::array<double, 256> &second) {
  double moved = 0;
  double carried = 0;
  for (unsigned value = 0; value < 256; ++value) {
    carried += first[value] - second[value];
    moved += std::fabs(carried);
  }
  return moved / 256;
}

/// Judges EQ_HISTOGRAM_EMD_BUFFER: the largest distance of the four channels, less what open bytes
/// may move. Buffers of different sizes never pass.
static Judgement judgeHistogram(const Expectation &expectation,
                                const std::vector<BufferState> &buffers) {
  Judgement judgement;
  const BufferState &first = buffers[expectation.buffer];
  const BufferState &second = buffers[expectation.otherBuffer];
  judgement.compared = first.bytes.size();
  double most = 0;
  for (unsigned channel = 0; channel < 4; ++channel)
    most = std::max(most,
                    earthMoversDistance(histogramOf(first, channel), histogramOf(second, channel)));
  // An open byte may move its share of a channel within the range.
  uint64_t open = 0;
  for (uint64_t i = 0; i < first.bytes.size(); ++i)
    open += openAt(first, i) || openAt(second, i);
  double slack = 4.0 * double(open) / double(std::max<size_t>(first.bytes.size(), 1));
  bool sizesDiffer = first.bytes.size() != second.bytes.size();
  if (sizesDiffer || !(most <= expectation.rmse + slack))
    judgement.findings.push_back(makeFinding(
        expectation,
        sizesDiffer ? Twine("the buffers have different sizes")
                    : "the histograms' earth mover's distance " + Twine(printDouble(most)) +
                          " is above " + printDouble(expectation.rmse),
        "EQ_HISTOGRAM_EMD_BUFFER"));
  return judgement;
}

/// Judges one expectation by its kind.
static Judgement judgeOne(const Expectation &expectation, const Case &input,
                          const std::vector<BufferState> &buffers) {
  switch (expectation.kind) {
  case ExpectationKind::Values:
    return judgeValues(expectation, input, buffers);
  case ExpectationKind::EqualBuffers:
    return judgeEqual(expectation, input, buffers);
  case ExpectationKind::RmseBuffers:
    return judgeRmse(expectation, input, buffers);
  case ExpectationKind::HistogramBuffers:
    return judgeHistogram(expectation, buffers);
  }
  llvm_unreachable("a kind of expectation that does not exist");
}

/// Consecutive expectations share a checkpoint. Environment where the outcome lacks one.
Expected<Judgement> assay::judgeExpectations(const Case &input, const Outcome &outcome) {
  Judgement judgement;
  size_t checkpoint = 0;
  bool inside = false;
  for (const Command &command : input.commands) {
    const auto *expectation = std::get_if<Expectation>(&command);
    checkpoint += !expectation && inside;
    inside = expectation != nullptr;
    if (!expectation)
      continue;
    if (checkpoint >= outcome.checkpoints.size() ||
        outcome.checkpoints[checkpoint].size() != input.buffers.size())
      return environmentError("line " + Twine(expectation->line) +
                              ": the outcome has no buffers for this checkpoint");
    judgement.merge(judgeOne(*expectation, input, outcome.checkpoints[checkpoint]));
  }
  return std::move(judgement);
}
