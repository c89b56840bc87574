// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/StateCopy.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <type_traits>

using namespace llvm;
using namespace assay;

namespace {
/// Bytes [begin, end); empty where end <= begin.
struct ByteRange {
  uint64_t begin = 0, end = 0;

  bool overlaps(const ByteRange &other) const { return begin < other.end && other.begin < end; }
  bool contains(const ByteRange &other) const { return begin <= other.begin && other.end <= end; }
};

/// Entries of the maps of a BufferState. Keys are byte offsets, except those of fields, which are
/// bit offsets.
using OpenEntry = std::pair<const uint64_t, uint64_t>;
using IntervalEntry = std::pair<const uint64_t, FloatInterval>;
using FieldEntry = std::pair<const uint64_t, FieldInterval>;
using TexelEntry = std::pair<const uint64_t, std::vector<BufferState>>;
} // namespace

/// The bytes that an entry is about, whole or in part.
static ByteRange extentOf(const OpenEntry &entry) {
  return {entry.first, entry.first + entry.second};
}
static ByteRange extentOf(const IntervalEntry &entry) {
  return {entry.first, entry.first + entry.second.bytes};
}
static ByteRange extentOf(const FieldEntry &entry) {
  return {entry.first / 8, divideCeil(entry.first + entry.second.bits, 8)};
}
static ByteRange extentOf(const TexelEntry &entry) {
  return {entry.first, entry.first + entry.second.front().bytes.size()};
}

/// How many keys of a map are in a byte.
template <typename MapT> static constexpr uint64_t keysOfByte() {
  return std::is_same_v<typename MapT::mapped_type, FieldInterval> ? 8 : 1;
}

/// Joins \p added with the open bytes of \p state that it overlaps or is next to.
static void openBytes(BufferState &state, ByteRange added) {
  if (added.end <= added.begin)
    return;
  for (auto at = state.indeterminate.begin(); at != state.indeterminate.end();) {
    ByteRange extent = extentOf(*at);
    if (extent.end < added.begin || added.end < extent.begin) {
      ++at;
      continue;
    }
    added = {std::min(added.begin, extent.begin), std::max(added.end, extent.end)};
    at = state.indeterminate.erase(at);
  }
  state.indeterminate[added.begin] = added.end - added.begin;
}

/// Removes the entries of \p map that overlap \p range, and adds what is outside of it to \p rest.
template <typename MapT>
static void cutEntries(MapT &map, ByteRange range, std::vector<ByteRange> &rest) {
  for (auto at = map.begin(); at != map.end();) {
    ByteRange extent = extentOf(*at);
    if (!extent.overlaps(range)) {
      ++at;
      continue;
    }
    rest.push_back({extent.begin, range.begin});
    rest.push_back({range.end, extent.end});
    at = map.erase(at);
  }
}

/// Adds the entries of \p map inside of \p range to \p result, which begins at range.begin, and
/// what entries have of it in part to \p parts.
template <typename MapT>
static void takeEntries(const MapT &map, ByteRange range, MapT &result,
                        std::vector<ByteRange> &parts) {
  for (const auto &entry : map) {
    ByteRange extent = extentOf(entry);
    if (!extent.overlaps(range))
      continue;
    if (range.contains(extent))
      result.emplace(entry.first - range.begin * keysOfByte<MapT>(), entry.second);
    else
      parts.push_back({std::max(extent.begin, range.begin) - range.begin,
                       std::min(extent.end, range.end) - range.begin});
  }
}

/// Adds the entries of \p map, moved by \p offset bytes. Existing entries with the same keys are
/// replaced.
template <typename MapT> static void addEntries(const MapT &map, uint64_t offset, MapT &result) {
  for (const auto &[key, value] : map)
    result.insert_or_assign(key + offset * keysOfByte<MapT>(), value);
}

BufferState assay::takeBytes(const BufferState &state, uint64_t offset, uint64_t length) {
  ByteRange range = {offset, offset + length};
  BufferState result;
  auto first = state.bytes.begin() + static_cast<ptrdiff_t>(offset);
  result.bytes.assign(first, first + static_cast<ptrdiff_t>(length));
  std::vector<ByteRange> parts;
  takeEntries(state.intervals, range, result.intervals, parts);
  takeEntries(state.indeterminate, range, result.indeterminate, parts);
  takeEntries(state.fields, range, result.fields, parts);
  takeEntries(state.alternatives, range, result.alternatives, parts);
  for (const ByteRange &part : parts)
    openBytes(result, part);
  return result;
}

void assay::pasteBytes(const BufferState &part, uint64_t offset, BufferState &state) {
  ByteRange range = {offset, offset + part.bytes.size()};
  std::vector<ByteRange> rest;
  cutEntries(state.intervals, range, rest);
  cutEntries(state.indeterminate, range, rest);
  cutEntries(state.fields, range, rest);
  cutEntries(state.alternatives, range, rest);
  for (const ByteRange &open : rest)
    openBytes(state, open);
  std::copy(part.bytes.begin(), part.bytes.end(),
            state.bytes.begin() + static_cast<ptrdiff_t>(offset));
  addEntries(part.intervals, offset, state.intervals);
  addEntries(part.fields, offset, state.fields);
  addEntries(part.alternatives, offset, state.alternatives);
  for (const OpenEntry &entry : part.indeterminate) {
    ByteRange extent = extentOf(entry);
    openBytes(state, {extent.begin + offset, extent.end + offset});
  }
}
