// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/TargetState.h"

#include "oracles/raster/TexelCodec.h"
#include <algorithm>
#include <cassert>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// Whether \p component is a float that FloatInterval can hold.
static bool isFloatComponent(const TexelFormatInfo &format, const TexelComponent &component) {
  if (component.channel == 'D')
    return component.bits == 32;
  return format.numeric == TexelNumeric::Sfloat && component.channel != 'S' &&
         (component.bits == 16 || component.bits == 32);
}

/// Returns true for components that are stored as signed integers.
static bool isSignedComponent(const TexelFormatInfo &format, const TexelComponent &component) {
  return hasSignedFields(format) && component.channel != 'D' && component.channel != 'S';
}

/// Returns true when a byte in [begin, end) is indeterminate.
static bool hasOpenByte(const BufferState &state, uint64_t begin, uint64_t end) {
  auto next = state.indeterminate.lower_bound(end);
  return next != state.indeterminate.begin() &&
         std::prev(next)->first + std::prev(next)->second > begin;
}

/// The first entry of a map by offsets that ends after \p begin, if it begins before \p end.
template <typename Map, typename SizeOf>
static Map::const_iterator findOverlap(const Map &map, uint64_t begin, uint64_t end,
                                       SizeOf sizeOf) {
  auto found = map.lower_bound(begin);
  if (found != map.begin() && std::prev(found)->first + sizeOf(std::prev(found)->second) > begin)
    return std::prev(found);
  return found != map.end() && found->first < end ? found : map.end();
}

/// What \p state says of the component in bits [bit, bit + component.bits); \p exact is what the
/// bytes have.
static Field loadField(const TexelFormatInfo &format, const TexelComponent &component,
                       const BufferState &state, uint64_t bit, const Field &exact) {
  uint64_t begin = bit / 8, end = (bit + component.bits + 7) / 8;
  if (hasOpenByte(state, begin, end))
    return Field::open();
  auto interval = findOverlap(state.intervals, begin, end,
                              [](const FloatInterval &each) { return uint64_t(each.bytes); });
  if (interval != state.intervals.end()) {
    const FloatInterval &range = interval->second;
    bool isIts = isFloatComponent(format, component) && interval->first == begin &&
                 range.bytes * 8 == component.bits;
    return isIts ? Field{{range.lo, range.hi}, range.mayBeNan} : Field::open();
  }
  auto field = findOverlap(state.fields, bit, bit + component.bits,
                           [](const FieldInterval &each) { return uint64_t(each.bits); });
  if (field == state.fields.end())
    return exact;
  const FieldInterval &range = field->second;
  bool isIts = field->first == bit && range.bits == component.bits &&
               range.isSigned == isSignedComponent(format, component);
  return isIts ? Field{{double(range.lo), double(range.hi)}} : Field::open();
}

/// Returns the texel at byte \p offset with what \p state leaves open of each component. Components
/// X keep the field of the bytes.
static TexelFields loadTexel(const TexelFormatInfo &format, const BufferState &state,
                             uint64_t offset) {
  TexelFields fields = loadFields(format, &state.bytes[offset]);
  for (unsigned i = 0; i < format.componentCount; ++i)
    if (const TexelComponent &component = format.components[i]; component.channel != 'X')
      fields[i] = loadField(format, component, state, offset * 8 + component.firstBit, fields[i]);
  return fields;
}

void raster::loadTarget(RenderTarget &target, const BufferState &state, uint64_t firstByte) {
  uint64_t size = target.bytes().size(), texelBytes = target.texelBytes();
  assert(firstByte + size <= state.bytes.size() && "not the bytes of the image");
  target.load(ArrayRef(state.bytes).slice(firstByte, size));
  std::set<uint64_t> open; // Numbers of texels of which a map says something.
  auto add = [&](uint64_t begin, uint64_t end) {
    begin = std::max(begin, firstByte);
    end = std::min(end, firstByte + size);
    for (uint64_t at = begin; at < end; at += texelBytes - (at - firstByte) % texelBytes)
      open.insert((at - firstByte) / texelBytes);
  };
  for (const auto &[offset, length] : state.indeterminate)
    add(offset, offset + length);
  for (const auto &[offset, interval] : state.intervals)
    add(offset, offset + interval.bytes);
  for (const auto &[bit, field] : state.fields)
    add(bit / 8, (bit + field.bits + 7) / 8);
  for (uint64_t texel : open)
    target.setTexel(texel, {loadTexel(target.format(), state, firstByte + texel * texelBytes)});
  for (const auto &[offset, alternatives] : state.alternatives) {
    if (offset < firstByte || offset >= firstByte + size)
      continue;
    TexelAlternatives texel;
    bool isIts =
        (offset - firstByte) % texelBytes == 0 && alternatives.front().bytes.size() == texelBytes;
    if (isIts)
      for (const BufferState &alternative : alternatives)
        texel.push_back(loadTexel(target.format(), alternative, 0));
    else
      texel.push_back({Field::open(), Field::open(), Field::open(), Field::open()});
    target.setTexel((offset - firstByte) / texelBytes, std::move(texel));
  }
}

/// Forgets what \p state says of bytes [begin, end). An open run that reaches beyond them is cut.
static void forget(BufferState &state, uint64_t begin, uint64_t end) {
  auto erase = [](auto &map, uint64_t from, uint64_t to) {
    map.erase(map.lower_bound(from), map.lower_bound(to));
  };
  erase(state.intervals, begin, end);
  erase(state.fields, begin * 8, end * 8);
  erase(state.alternatives, begin, end);
  std::map<uint64_t, uint64_t> kept;
  for (const auto &[offset, length] : state.indeterminate) {
    if (offset < begin)
      kept[offset] = std::min(length, begin - offset);
    if (offset + length > end)
      kept[std::max(offset, end)] = offset + length - std::max(offset, end);
  }
  state.indeterminate = std::move(kept);
}

/// Records in \p state what is open about a component; \p bit is its first bit in the buffer. An
/// exact field needs no record.
static void storeField(const TexelFormatInfo &format, const TexelComponent &component,
                       const Field &field, uint64_t bit, BufferState &state) {
  if (field.isExact())
    return;
  bool isBytes = bit % 8 == 0 && component.bits % 8 == 0;
  if (field.isOpen && isBytes) {
    state.indeterminate[bit / 8] = component.bits / 8;
    return;
  }
  if (isFloatComponent(format, component)) {
    state.intervals[bit / 8] = {field.range.lo, field.range.hi, component.bits / 8u,
                                field.mayBeNan};
    return;
  }
  // A small float may be NaN only by its number, and so is in the range.
  bool isSigned = isSignedComponent(format, component);
  int64_t top = int64_t(1) << (component.bits - isSigned);
  FieldInterval interval{isSigned ? -top : 0, top - 1, component.bits, isSigned};
  if (!field.isOpen && field.range.lo <= field.range.hi) {
    interval.lo = std::max(interval.lo, int64_t(field.range.lo));
    interval.hi = std::min(interval.hi, int64_t(field.range.hi));
  }
  state.fields[bit] = interval;
}

/// Records what is open about all components of a texel. The bytes are written by the caller. \p
/// offset is the first byte of the texel in the buffer.
static void storeTexel(const TexelFormatInfo &format, const TexelFields &fields, uint64_t offset,
                       BufferState &state) {
  for (unsigned i = 0; i < format.componentCount; ++i)
    if (const TexelComponent &component = format.components[i]; component.channel != 'X')
      storeField(format, component, fields[i], offset * 8 + component.firstBit, state);
}

void raster::storeTarget(const RenderTarget &target, BufferState &state, uint64_t firstByte) {
  ArrayRef<uint8_t> bytes = target.bytes();
  assert(firstByte + bytes.size() <= state.bytes.size() && "not the bytes of the image");
  forget(state, firstByte, firstByte + bytes.size());
  std::copy(bytes.begin(), bytes.end(), state.bytes.begin() + static_cast<ptrdiff_t>(firstByte));
  const TexelFormatInfo &format = target.format();
  for (const auto &[index, alternatives] : target.openTexels()) {
    uint64_t offset = firstByte + index * target.texelBytes();
    if (alternatives.size() == 1) {
      storeTexel(format, alternatives[0], offset, state);
      continue;
    }
    std::vector<BufferState> &states = state.alternatives[offset];
    for (const TexelFields &fields : alternatives) {
      BufferState &alternative = states.emplace_back();
      alternative.bytes.resize(target.texelBytes());
      storeFields(format, fields, alternative.bytes.data());
      storeTexel(format, fields, 0, alternative);
    }
  }
}
