// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Field places: AMD's ISA manuals ("Buffer Resource Descriptor") and Mesa's register descriptions.
// GFX12: docs/errata-amdgpu.md, "The buffer descriptor of GFX12".
#include "oracles/machine/gcn/memory/BufferDescriptor.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Where a field is in a V#, on generations \c minGfx to \c maxGfx.
struct FieldRow {
  uint32_t BufferDescriptor::*field;
  unsigned word;
  unsigned shift;
  unsigned width;
  unsigned minGfx;
  unsigned maxGfx;
};

constexpr FieldRow Fields[] = {
    {&BufferDescriptor::stride, 1, 16, 14, 9, 12},
    {&BufferDescriptor::swizzle, 1, 31, 1, 9, 10},
    {&BufferDescriptor::swizzle, 1, 30, 2, 11, 12},
    {&BufferDescriptor::records, 2, 0, 32, 9, 12},
    {&BufferDescriptor::dstSelect, 3, 0, 12, 9, 12},
    {&BufferDescriptor::format, 3, 12, 7, 9, 10},
    {&BufferDescriptor::format, 3, 12, 6, 11, 12},
    {&BufferDescriptor::indexStride, 3, 21, 2, 9, 12},
    {&BufferDescriptor::addTid, 3, 23, 1, 9, 12},
    {&BufferDescriptor::oobSelect, 3, 28, 2, 10, 12},
    {&BufferDescriptor::type, 3, 30, 2, 9, 12},
};

constexpr uint32_t ResourceLevelBit = 1u << 24; ///< GFX10: must be one.
/// With ADD_TID, GFX9 has four more bits of the stride where the data format stands (LLVM,
/// getScratchRsrcWords23).
constexpr unsigned StrideHighShift = 15;
constexpr uint32_t StrideHighMask = 15u << StrideHighShift;
constexpr uint32_t SelectXyzw = 4 | 5 << 3 | 6 << 6 | 7 << 9;
/// OOB_SELECT from GFX10 on; 0 checks index and offset.
constexpr uint32_t OobStructured = 1;
constexpr uint32_t OobDisabled = 2;
constexpr uint32_t OobRaw = 3;
constexpr uint32_t Format32FloatGfx9 = 4 << 3 | 7; ///< Data format 32, number format float.
constexpr uint32_t Format32FloatGfx10 = 22;

} // namespace

/// A mask of the field's width, at bit 0.
static uint32_t fieldMask(const FieldRow &row) {
  return row.width == 32 ? ~0u : (1u << row.width) - 1;
}

/// Fields that the generation does not have stay 0. The type is not checked.
BufferDescriptor gcn::decodeBufferDescriptor(ArrayRef<uint32_t> words, unsigned gfxMajor) {
  BufferDescriptor result;
  result.base = words[0] | uint64_t(words[1] & 0xffff) << 32;
  for (const FieldRow &row : Fields)
    if (gfxMajor >= row.minGfx && gfxMajor <= row.maxGfx)
      result.*row.field = (words[row.word] >> row.shift) & fieldMask(row);
  if (gfxMajor == 9 && result.addTid)
    result.stride |= (words[3] & StrideHighMask) >> StrideHighShift << 14;
  return result;
}

/// Bits beyond the width of a field are dropped.
std::array<uint32_t, 4> gcn::encodeBufferDescriptor(const BufferDescriptor &descriptor,
                                                    unsigned gfxMajor) {
  std::array<uint32_t, 4> words = {uint32_t(descriptor.base),
                                   uint32_t(descriptor.base >> 32) & 0xffff, 0,
                                   gfxMajor == 10 ? ResourceLevelBit : 0};
  for (const FieldRow &row : Fields)
    if (gfxMajor >= row.minGfx && gfxMajor <= row.maxGfx)
      words[row.word] |= (descriptor.*row.field & fieldMask(row)) << row.shift;
  if (gfxMajor == 9 && descriptor.addTid)
    words[3] = (words[3] & ~StrideHighMask) | (descriptor.stride >> 14 & 15) << StrideHighShift;
  return words;
}

/// A buffer of \p bytes without a stride.
BufferDescriptor gcn::makeRawBuffer(uint64_t base, uint32_t bytes, unsigned gfxMajor) {
  BufferDescriptor result;
  result.base = base;
  result.records = bytes;
  result.dstSelect = SelectXyzw;
  result.format = gfxMajor == 9 ? Format32FloatGfx9 : Format32FloatGfx10;
  result.oobSelect = gfxMajor == 9 ? 0 : OobRaw;
  return result;
}

/// GFX9 counts elements where the instruction has an index and the buffer a stride, else bytes.
static bool isOutOfRangeGfx9(const BufferDescriptor &d, const BufferAddress &a, unsigned bytes) {
  if (d.stride == 0 || !(d.swizzle || a.isIndexed))
    return uint64_t(a.scalar) + a.offset + uint64_t(a.index) * d.stride + bytes > d.records;
  return a.index >= d.records;
}

/// Raw and swizzled: GFX10 looks at the address that comes out, later generations as for
/// structures.
static bool isOutOfSwizzledRange(const BufferDescriptor &d, const BufferAddress &a, unsigned bytes,
                                 unsigned gfxMajor) {
  if (gfxMajor == 10)
    return resolveAddress(d, a) - d.base - a.scalar + bytes > d.records;
  return a.index >= d.records || a.offset + bytes > d.stride;
}

/// Sources: AMD's RDNA manuals, "Range Checking"; Mesa, ac_descriptors.c, OOB_SELECT.
bool gcn::isOutOfRange(const BufferDescriptor &d, const BufferAddress &a, unsigned bytes,
                       unsigned gfxMajor) {
  if (gfxMajor == 9)
    return isOutOfRangeGfx9(d, a, bytes);
  switch (d.oobSelect) {
  case OobDisabled:
    return d.records == 0;
  case OobRaw:
    if (d.swizzle && d.stride)
      return isOutOfSwizzledRange(d, a, bytes, gfxMajor);
    return uint64_t(a.scalar) + a.offset + bytes > d.records;
  case OobStructured:
    return a.index >= d.records;
  default:
    return a.index >= d.records || (d.stride && a.offset + bytes > d.stride);
  }
}

/// Byte address of an access, swizzled if the descriptor says so. Ranges are not checked.
uint64_t gcn::resolveAddress(const BufferDescriptor &d, const BufferAddress &a) {
  uint64_t base = d.base + a.scalar;
  if (!d.swizzle)
    return base + uint64_t(a.index) * d.stride + a.offset;
  uint64_t lanes = 8u << d.indexStride;
  uint64_t element = d.elementBytes();
  uint64_t row = uint64_t(a.index / lanes) * d.stride + a.offset / element * element;
  return base + row * lanes + a.index % lanes * element + a.offset % element;
}
