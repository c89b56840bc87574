// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of BufferMemory that knows texels: fields of bits with intervals of numbers.
#include "oracles/machine/spirv/memory/BufferMemory.h"

#include "oracles/machine/spirv/memory/BufferOpen.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// The bit after the last one of a field.
static uint64_t endOf(const std::pair<const uint64_t, FieldInterval> &entry) {
  return entry.first + entry.second.bits;
}

/// The first entry that ends after bit \p bit.
template <typename Map> static auto firstEndingAfter(Map &fields, uint64_t bit) {
  auto next = fields.lower_bound(bit);
  if (next != fields.begin() && endOf(*std::prev(next)) > bit)
    --next;
  return next;
}

/// Fields beyond the end of the buffer are dropped.
void BufferMemory::importFields(const BufferState &state) {
  for (const auto &[bit, interval] : state.fields) {
    uint64_t first = bit / 8, end = (bit + interval.bits + 7) / 8;
    if (end > m_open.size())
      continue;
    m_fields.emplace(bit, interval);
    std::memset(&m_open[first], OpenField, end - first);
  }
}

void BufferMemory::exportFields(BufferState &state) const {
  state.fields = m_fields;
}

/// Fields in bytes that get overwritten lose their meaning, and so do those that share a byte with
/// one of them.
void BufferMemory::breakFields(uint64_t offset, unsigned bytes) {
  uint64_t begin = offset, end = offset + bytes;
  for (bool isWider = true; isWider;) {
    isWider = false;
    auto field = firstEndingAfter(m_fields, begin * 8);
    while (field != m_fields.end() && field->first < end * 8) {
      uint64_t first = field->first / 8, last = (endOf(*field) + 7) / 8;
      std::memset(&m_open[first], OpenAmbiguous, last - first);
      begin = std::min(begin, first);
      end = std::max(end, last);
      isWider = true;
      field = m_fields.erase(field);
    }
  }
}

/// A field that was stored with other bits or signedness is ambiguous.
void BufferMemory::loadField(uint64_t offset, TexelField &field) const {
  uint64_t bit = offset * 8 + field.firstBit, end = bit + field.bits;
  uint64_t bits = 0;
  uint8_t open = 0;
  for (uint64_t i = bit / 8; i < (end + 7) / 8; ++i) {
    bits |= uint64_t(m_bytes[i]) << 8 * (i - bit / 8);
    open |= m_open[i];
    if (m_open[i] & OpenUndef)
      field.cause = causeOfByte(m_open[i]);
  }
  bits = bits >> bit % 8 & ((uint64_t(1) << field.bits) - 1);
  bool isNegative = field.isSigned && bits >> (field.bits - 1);
  field.nominal = field.lo = field.hi =
      isNegative ? int64_t(bits) - (int64_t(1) << field.bits) : int64_t(bits);
  field.flags = (open & OpenUndef ? Undef : 0) |
                (open & (OpenAmbiguous | OpenRangeFirst | OpenRangeRest) ? Ambiguous : 0);
  if (field.flags || !(open & OpenField))
    return;
  auto found = firstEndingAfter(m_fields, bit);
  if (found == m_fields.end() || found->first >= end)
    return; // The bits of a neighbour are open.
  const FieldInterval &interval = found->second;
  if (found->first != bit || interval.bits != field.bits || interval.isSigned != field.isSigned) {
    field.flags = Ambiguous;
    return;
  }
  field.lo = interval.lo;
  field.hi = interval.hi;
}

/// Intervals are kept per field. What is undefined or ambiguous is noted per byte, and for the
/// whole texel where fields share bytes.
void BufferMemory::storeFields(uint64_t offset, unsigned bytes, ArrayRef<TexelField> fields) {
  m_written = true;
  breakRanges(offset, bytes);
  breakFields(offset, bytes);
  std::memset(&m_bytes[offset], 0, bytes);
  std::memset(&m_open[offset], 0, bytes);
  for (const TexelField &field : fields) {
    uint64_t first = field.firstBit / 8, end = (field.firstBit + field.bits + 7) / 8;
    uint64_t number = uint64_t(field.nominal) & ((uint64_t(1) << field.bits) - 1);
    for (uint64_t i = first; i < end; ++i) {
      int64_t shift = int64_t(8 * i) - field.firstBit;
      m_bytes[offset + i] |= uint8_t(shift < 0 ? number << -shift : number >> shift);
    }
  }
  // Fields of whole bytes are open one by one; of others, all of the texel is when one is.
  bool isPacked =
      any_of(fields, [](const TexelField &field) { return field.firstBit % 8 || field.bits % 8; });
  for (const TexelField &field : fields) {
    uint64_t first = isPacked ? 0 : field.firstBit / 8, size = isPacked ? bytes : field.bits / 8;
    uint8_t open = (field.flags & Undef ? openByCause(field.cause) : 0) |
                   (field.flags & Ambiguous ? OpenAmbiguous : 0);
    if (open)
      std::memset(&m_open[offset + first], open, size);
  }
  for (const TexelField &field : fields) {
    uint64_t first = offset + field.firstBit / 8;
    uint64_t end = offset + (field.firstBit + field.bits + 7) / 8;
    if (field.lo == field.hi || m_open[first] & (OpenUndef | OpenAmbiguous))
      continue;
    std::memset(&m_open[first], OpenField, end - first);
    m_fields[offset * 8 + field.firstBit] = {field.lo, field.hi, uint8_t(field.bits),
                                             field.isSigned};
  }
}
