// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/memory/BufferMemory.h"

#include "oracles/machine/spirv/math/FloatBits.h"
#include "oracles/machine/spirv/math/FloatMath.h"
#include "oracles/machine/spirv/math/Interval.h"
#include "oracles/machine/spirv/memory/BufferOpen.h"
#include <cstring>
#include <limits>

using namespace assay;
using namespace assay::reference;

/// Few: a history is as large as forty words, and most buffers are small.
static constexpr uint64_t GranulesPerPage = 128;

/// Takes over what earlier commands left open in the buffer. \p granule is the number of bytes that
/// race detection treats as one; 0 detects no races.
BufferMemory::BufferMemory(const BufferState &state, uint32_t granule)
    : m_bytes(state.bytes), m_open(state.bytes.size()), m_granule(granule) {
  if (granule)
    m_accesses.resize(m_bytes.size() / granule / GranulesPerPage + 1);
  for (const auto &[offset, interval] : state.intervals)
    if (offset + interval.bytes <= m_bytes.size())
      setRange(offset,
               {interval.lo, interval.hi, static_cast<uint8_t>(interval.bytes), interval.mayBeNan});
  // What an earlier dispatch left open may be undefined or merely imprecise: both are noted, and
  // the milder one is reported.
  for (const auto &[offset, length] : state.indeterminate)
    for (uint64_t i = offset; i < offset + length && i < m_open.size(); ++i)
      m_open[i] = OpenUndef | OpenAmbiguous;
  // Which of its alternatives a texel is, is not followed through a shader.
  for (const auto &[offset, alternatives] : state.alternatives)
    for (uint64_t i = offset, end = offset + alternatives.front().bytes.size(); i < end; ++i)
      m_open[i] = OpenAmbiguous;
  importFields(state);
}

/// Marks the bytes from \p offset on as one float with an interval.
void BufferMemory::setRange(uint64_t offset, const Range &range) {
  m_ranges[offset] = range;
  m_open[offset] = OpenRangeFirst;
  std::memset(&m_open[offset + 1], OpenRangeRest, range.bytes - 1u);
}

/// Adds one byte; offsets come in rising order, so that runs grow at their end.
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

/// After lose() all bytes are indeterminate.
void BufferMemory::exportTo(BufferState &state) const {
  if (!m_written)
    return;
  state.bytes = m_bytes;
  state.intervals.clear();
  state.indeterminate.clear();
  state.alternatives.clear(); // Bytes of such texels are marked as open.
  if (m_lost && !m_bytes.empty()) {
    state.fields.clear();
    state.indeterminate[0] = m_bytes.size();
    return;
  }
  exportFields(state);
  for (uint64_t i = 0; i < m_open.size(); ++i) {
    if (!m_open[i])
      continue;
    if (m_open[i] & (OpenUndef | OpenAmbiguous)) {
      addIndeterminate(state, i);
    } else if (m_open[i] == OpenRangeFirst) {
      const Range &range = m_ranges.find(i)->second;
      state.intervals.emplace_hint(state.intervals.end(), i,
                                   FloatInterval{range.lo, range.hi, range.bytes, range.nan});
    }
  }
}

/// The caller has checked the bounds.
Scalar BufferMemory::load(uint64_t offset, unsigned bytes, bool isFloat) const {
  if (m_lost)
    return Scalar::ambiguous();
  uint64_t bits = 0, open = 0;
  if (bytes == 4) { // The usual width, as one instruction instead of a call.
    std::memcpy(&bits, &m_bytes[offset], 4);
    std::memcpy(&open, &m_open[offset], 4);
  } else {
    std::memcpy(&bits, &m_bytes[offset], bytes);
    std::memcpy(&open, &m_open[offset], bytes);
  }
  return open ? loadOpen(offset, bytes, isFloat) : Scalar::exact(bits);
}

/// A float that was stored as a whole has its interval again; of an integer it becomes float bits.
/// Parts of it are ambiguous.
Scalar BufferMemory::loadOpen(uint64_t offset, unsigned bytes, bool isFloat) const {
  const Range *found = m_open[offset] == OpenRangeFirst ? &m_ranges.find(offset)->second : nullptr;
  if (found && found->bytes == bytes) {
    const Range &range = *found;
    Scalar result = Scalar::exact(0);
    std::memcpy(&result.bits, &m_bytes[offset], bytes);
    result.lo = range.lo;
    result.hi = range.hi;
    result.flags = Ranged | (range.nan ? MayNan : 0);
    return isFloat ? result : bitsOfFloat(result);
  }
  Scalar result = Scalar::exact(0);
  for (unsigned i = 0; i < bytes; ++i) {
    uint8_t open = m_open[offset + i];
    if (open & (OpenAmbiguous | OpenRangeFirst | OpenRangeRest | OpenField))
      result.flags |= Ambiguous;
    if (open & OpenUndef) {
      result.flags |= Undef;
      result.cause = causeOfByte(open);
    }
  }
  return result;
}

/// Writes the low bytes of the value. Intervals of floats and fields that overlap are lost. The
/// range must be inside of the buffer.
void BufferMemory::store(uint64_t offset, unsigned bytes, const Scalar &value) {
  m_written = true;
  if (!m_ranges.empty())
    breakRanges(offset, bytes);
  if (!m_fields.empty())
    breakFields(offset, bytes);
  std::memcpy(&m_bytes[offset], &value.bits, bytes);
  if (value.flags)
    storeOpen(offset, bytes, value);
  else
    std::memset(&m_open[offset], 0, bytes);
}

/// Stores the floats whose bits \p value has.
void BufferMemory::storeFloatBits(uint64_t offset, unsigned bytes, const Scalar &value) {
  if (!isTwoHalves(value))
    return store(offset, bytes, floatOfBits(value));
  store(offset, 2, halfOf(value, false));
  store(offset + 2, 2, halfOf(value, true));
}

/// Notes per byte what is open. An interval that holds everything, or of one byte, becomes
/// ambiguous; a single number becomes exact.
void BufferMemory::storeOpen(uint64_t offset, unsigned bytes, const Scalar &value) {
  if (isFloatBits(value))
    return storeFloatBits(offset, bytes, value);
  uint8_t open = 0;
  if (value.flags & Undef)
    open = openByCause(value.cause);
  if (value.flags & Ambiguous)
    open |= OpenAmbiguous;
  if (!open && value.flags & Ranged) {
    Scalar settled = settle(value, bytes * 8);
    Interval interval = tighten({settled.lo, settled.hi, (settled.flags & MayNan) != 0}, bytes * 8);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    bool anything = interval.lo == -infinity && interval.hi == infinity;
    if (bytes == 1 || (anything && settled.flags)) {
      open = OpenAmbiguous;
    } else if (settled.flags && (!interval.isPoint() || interval.lo == 0)) {
      setRange(offset, {interval.lo, interval.hi, static_cast<uint8_t>(bytes), interval.nan});
      return;
    } else {
      uint64_t bits = settled.flags ? toBits(interval.lo, bytes * 8) : settled.bits;
      std::memcpy(&m_bytes[offset], &bits, bytes);
    }
  }
  std::memset(&m_open[offset], open, bytes);
}

/// Marks the bytes as ambiguous: they are written, and it is not known with what.
void BufferMemory::loseBytes(uint64_t offset, unsigned bytes) {
  m_written = true;
  breakRanges(offset, bytes);
  breakFields(offset, bytes);
  std::memset(&m_open[offset], OpenAmbiguous, bytes);
}

/// For workgroup memory without an initializer.
void BufferMemory::markUninitialized() {
  std::fill(m_open.begin(), m_open.end(), openByCause(Cause::Memory));
}

/// Intervals of which only a part gets overwritten lose their meaning.
void BufferMemory::breakRanges(uint64_t offset, unsigned bytes) {
  auto breakAt = [&](uint64_t inside) {
    if (inside >= m_open.size() || m_open[inside] != OpenRangeRest)
      return;
    do
      --inside;
    while (m_open[inside] != OpenRangeFirst);
    std::memset(&m_open[inside], OpenAmbiguous, m_ranges.find(inside)->second.bytes);
  };
  breakAt(offset);
  breakAt(offset + bytes);
}

/// An access counts in each granule that it touches.
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

/// Notes which shader variable accesses the bytes, by a number other than 0. True if another
/// variable wrote one of them, or, for a write, accessed one of them.
bool BufferMemory::recordVariable(uint64_t offset, unsigned bytes, uint32_t variable,
                                  bool isWrite) {
  m_variables.resize(m_bytes.size());
  bool isAlias = false;
  for (uint64_t i = offset; i < offset + bytes; ++i) {
    Variables &byte = m_variables[i];
    isAlias |= byte.writer && byte.writer != variable;
    if (isWrite) {
      isAlias |= byte.hasReaders || (byte.reader && byte.reader != variable);
      byte.writer = variable;
    } else {
      byte.hasReaders |= byte.reader && byte.reader != variable;
      byte.reader = variable;
    }
  }
  return isAlias;
}
