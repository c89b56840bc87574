// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/definitions/BufferMeaning.h"

#include <algorithm>

using namespace assay;
using namespace assay::gcn::definitions;

/// Reads a V# from the four SGPRs from \p first on.
Descriptor gcn::definitions::readDescriptor(const World &world, unsigned first) {
  std::array<uint32_t, 4> words{};
  for (unsigned i = 0; i < 4; ++i)
    words[i] = world.s[first + i];
  auto field = [&](unsigned word, unsigned lsb, unsigned width) {
    return words[word] >> lsb & ((1u << width) - 1);
  };
  Descriptor result{};
  result.base = words[0] + (uint64_t(field(1, 0, 16)) << 32);
  result.stride = field(1, 16, 14);
  result.records = words[2];
  uint32_t swizzle = world.gfx >= 11 ? field(1, 30, 2) : field(1, 31, 1);
  result.elementBytes = swizzle ? 2u << swizzle : 0;
  for (unsigned i = 0; i < 4; ++i)
    result.select[i] = field(3, 3 * i, 3);
  result.format = field(3, 12, world.gfx >= 11 ? 6 : 7);
  result.indexStride = 8u << field(3, 21, 2);
  result.addsLane = field(3, 23, 1);
  result.outOfBounds = field(3, 28, 2);
  result.type = field(3, 30, 2);
  if (world.gfx == 9 && result.addsLane) // The data format's place has more bits of the stride.
    result.stride += field(3, 15, 4) << 14;
  return result;
}

/// Address registers are the index, if there is one, and then the offset.
LaneAccess::LaneAccess(const Request &request, World &world, const Descriptor &descriptor,
                       unsigned lane)
    : m_world(world), m_descriptor(descriptor), m_isIndexed(request.idxen),
      m_index(descriptor.addsLane ? lane : 0), m_offset(static_cast<uint32_t>(request.offset)),
      m_scalar(request.soffset >= 0 ? world.s[request.soffset] : request.constant) {
  unsigned next = request.address;
  if (request.idxen)
    m_index = (m_index + world.v[next++][lane]) % 0x100000000;
  if (request.offen)
    m_offset += world.v[next][lane];
}

/// \p offset counts bytes from the begin of the element; the scalar offset is not in it.
bool LaneAccess::isOutOfRange(uint64_t offset, unsigned bytes) const {
  const Descriptor &d = m_descriptor;
  if (m_world.gfx == 9) { // Elements count where there is an index, or they are scattered.
    bool countsElements = d.stride && (d.elementBytes || m_isIndexed);
    return countsElements ? m_index >= d.records
                          : m_scalar + offset + m_index * d.stride + bytes > d.records;
  }
  switch (d.outOfBounds) {
  case 0:
    return m_index >= d.records || (d.stride && offset + bytes > d.stride);
  case 1:
    return m_index >= d.records;
  case 2:
    return d.records == 0;
  default:
    if (!d.elementBytes || !d.stride)
      return m_scalar + offset + bytes > d.records;
    // GFX11: like 0. GFX10: by the address that comes out.
    if (m_world.gfx == 10)
      return placeOf(offset) + bytes > d.records;
    return m_index >= d.records || offset + bytes > d.stride;
  }
}

/// Byte offset from the base, swizzled if the descriptor says so. No range check.
uint64_t LaneAccess::placeOf(uint64_t offset) const {
  const Descriptor &d = m_descriptor;
  if (!d.elementBytes)
    return offset + m_index * d.stride;
  uint64_t group = m_index / d.indexStride, member = m_index % d.indexStride;
  uint64_t element = offset / d.elementBytes, rest = offset % d.elementBytes;
  return (group * d.stride + element * d.elementBytes) * d.indexStride + member * d.elementBytes +
         rest;
}

/// A null pointer when the unit that has byte \p index is out of range, or when there is no memory,
/// which is a fault as well.
uint8_t *LaneAccess::find(unsigned index, unsigned bytes, bool isWhole) {
  unsigned unit = isWhole ? bytes : std::min(bytes, 4u);
  unsigned begin = index / unit * unit;
  if (isOutOfRange(uint64_t(m_offset) + begin, unit))
    return nullptr;
  uint64_t at = m_descriptor.base + m_scalar + placeOf(uint64_t(m_offset) + index);
  uint8_t *byte = m_world.memory.at(at);
  m_world.faults |= !byte;
  return byte;
}

/// Like find(), with one range check, and bytes that follow each other even where the buffer is
/// swizzled.
uint8_t *LaneAccess::findSideBySide(unsigned index, unsigned bytes) {
  if (isOutOfRange(m_offset, bytes))
    return nullptr;
  uint8_t *byte = m_world.memory.at(m_descriptor.base + m_scalar + placeOf(m_offset) + index);
  m_world.faults |= !byte;
  return byte;
}
