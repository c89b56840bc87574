// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/BufferMemory.h"

#include "oracles/machine/spirv/FloatMath.h"
#include "oracles/machine/spirv/Interval.h"
#include <cstring>
#include <limits>

using namespace assay;
using namespace assay::reference;

// States of a byte in m_open. An undefined byte keeps its cause in the high half.
static constexpr uint8_t OpenUndef = 1;
static constexpr uint8_t OpenAmbiguous = 2;
static constexpr uint8_t OpenRangeFirst = 4; ///< First of four bytes with an interval.
static constexpr uint8_t OpenRangeRest = 8;

static constexpr uint64_t GranulesPerPage = 1024;

BufferMemory::BufferMemory(const BufferState &state, uint32_t granule)
    : m_bytes(state.bytes), m_open(state.bytes.size()), m_granule(granule) {
  if (granule)
    m_accesses.resize(m_bytes.size() / granule / GranulesPerPage + 1);
  for (const auto &[offset, interval] : state.intervals)
    if (interval.bytes == 4 && offset % 4 == 0 && offset + 4 <= m_bytes.size())
      setRange(offset, {interval.lo, interval.hi, interval.mayBeNan});
  // What an earlier dispatch left open may be undefined or merely imprecise: both are noted, and
  // the milder one is reported.
  for (const auto &[offset, length] : state.indeterminate)
    for (uint64_t i = offset; i < offset + length && i < m_open.size(); ++i)
      m_open[i] = OpenUndef | OpenAmbiguous;
}

void BufferMemory::setRange(uint64_t offset, const Range &range) {
  if (m_ranges.empty())
    m_ranges.resize(m_bytes.size() / 4);
  m_ranges[offset / 4] = range;
  m_open[offset] = OpenRangeFirst;
  std::memset(&m_open[offset + 1], OpenRangeRest, 3);
}

static void addIndeterminate(BufferState &state, uint64_t offset) {
  if (!state.indeterminate.empty()) {
    auto last = std::prev(state.indeterminate.end());
    if (last->first + last->second == offset) {
      ++last->second;
      return;
    }
  }
  state.indeterminate[offset] = 1;
}

void BufferMemory::exportTo(BufferState &state) const {
  if (!m_written)
    return;
  state.bytes = m_bytes;
  state.intervals.clear();
  state.indeterminate.clear();
  for (uint64_t i = 0; i < m_open.size(); ++i) {
    if (!m_open[i])
      continue;
    if (m_open[i] & (OpenUndef | OpenAmbiguous)) {
      addIndeterminate(state, i);
    } else if (m_open[i] == OpenRangeFirst) {
      const Range &range = m_ranges[i / 4];
      state.intervals.emplace_hint(state.intervals.end(), i,
                                   FloatInterval{range.lo, range.hi, 4, range.nan});
    }
  }
}

Scalar BufferMemory::load(uint64_t offset, unsigned bytes, bool isFloat) const {
  uint64_t bits = 0, open = 0;
  std::memcpy(&bits, &m_bytes[offset], bytes);
  std::memcpy(&open, &m_open[offset], bytes);
  return open ? loadOpen(offset, bytes, isFloat) : Scalar::exact(bits);
}

Scalar BufferMemory::loadOpen(uint64_t offset, unsigned bytes, bool isFloat) const {
  if (isFloat && bytes == 4 && m_open[offset] == OpenRangeFirst) {
    const Range &range = m_ranges[offset / 4];
    Scalar result = Scalar::exact(0);
    std::memcpy(&result.bits, &m_bytes[offset], bytes);
    result.lo = range.lo;
    result.hi = range.hi;
    result.flags = Ranged | (range.nan ? MayNan : 0);
    return result;
  }
  Scalar result = Scalar::exact(0);
  for (unsigned i = 0; i < bytes; ++i) {
    uint8_t open = m_open[offset + i];
    if (open & (OpenAmbiguous | OpenRangeFirst | OpenRangeRest))
      result.flags |= Ambiguous;
    if (open & OpenUndef) {
      result.flags |= Undef;
      result.cause = static_cast<Cause>(open >> 4);
    }
  }
  return result;
}

void BufferMemory::store(uint64_t offset, unsigned bytes, const Scalar &value) {
  m_written = true;
  if (bytes != 4 || offset % 4)
    breakRanges(offset, bytes);
  std::memcpy(&m_bytes[offset], &value.bits, bytes);
  if (value.flags)
    storeOpen(offset, bytes, value);
  else
    std::memset(&m_open[offset], 0, bytes);
}

void BufferMemory::storeOpen(uint64_t offset, unsigned bytes, const Scalar &value) {
  uint8_t open = 0;
  if (value.flags & Undef)
    open = OpenUndef | static_cast<uint8_t>(static_cast<unsigned>(value.cause) << 4);
  if (value.flags & Ambiguous)
    open |= OpenAmbiguous;
  if (!open && value.flags & Ranged) {
    Interval interval = tighten({value.lo, value.hi, (value.flags & MayNan) != 0});
    constexpr double infinity = std::numeric_limits<double>::infinity();
    bool anything = interval.lo == -infinity && interval.hi == infinity;
    if (bytes != 4 || offset % 4 || anything) {
      open = OpenAmbiguous;
    } else if (!interval.isPoint() || interval.lo == 0 || interval.isEmpty()) {
      setRange(offset, {interval.lo, interval.hi, interval.nan});
      return;
    } else {
      uint32_t bits = toFloat(interval.lo);
      std::memcpy(&m_bytes[offset], &bits, 4);
    }
  }
  std::memset(&m_open[offset], open, bytes);
}

/// Intervals of which only a part gets overwritten lose their meaning.
void BufferMemory::breakRanges(uint64_t offset, unsigned bytes) {
  for (uint64_t word = offset / 4 * 4; word < offset + bytes && word + 4 <= m_open.size();
       word += 4)
    if (m_open[word] == OpenRangeFirst)
      std::memset(&m_open[word], OpenAmbiguous, 4);
}

bool BufferMemory::recordAccess(uint64_t offset, unsigned bytes, const Accessor &who,
                                AccessKind kind) {
  if (!m_granule)
    return false;
  bool race = false;
  for (uint64_t i = offset / m_granule; i <= (offset + bytes - 1) / m_granule; ++i) {
    std::unique_ptr<AccessHistory[]> &page = m_accesses[i / GranulesPerPage];
    if (!page)
      page = std::make_unique<AccessHistory[]>(GranulesPerPage);
    race |= page[i % GranulesPerPage].record(who, kind);
  }
  return race;
}
