// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer descriptors (V#): their fields in each generation, and which accesses are out of range.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>

namespace assay::gcn {

/// The meaning of a V#, the same for all generations.
struct BufferDescriptor {
  uint64_t base = 0;
  uint32_t stride = 0;
  uint32_t records = 0;     ///< Bytes when stride is 0.
  uint32_t swizzle = 0;     ///< 0: off. GFX11+: 1, 2, 3 are elements of 4, 8, 16 bytes.
  uint32_t indexStride = 0; ///< Encoded: 8 << indexStride lanes.
  uint32_t addTid = 0;      ///< The lane number is added to the index.
  uint32_t oobSelect = 0;   ///< GFX10+: 3 is raw.
  uint32_t type = 0;        ///< 0: a buffer.
  uint32_t dstSelect = 0;
  uint32_t format = 0; ///< GFX9: data format << 3 | number format.

  unsigned elementBytes() const { return swizzle <= 1 ? 4 : 4u << (swizzle - 1); }
};

BufferDescriptor decodeBufferDescriptor(llvm::ArrayRef<uint32_t> words, unsigned gfxMajor);
std::array<uint32_t, 4> encodeBufferDescriptor(const BufferDescriptor &descriptor,
                                               unsigned gfxMajor);

/// A descriptor of \p bytes raw bytes at \p base, as a driver makes it for a storage buffer.
BufferDescriptor makeRawBuffer(uint64_t base, uint32_t bytes, unsigned gfxMajor);

/// Where one lane's access goes.
struct BufferAddress {
  uint32_t index = 0;     ///< vgpr index plus lane, where asked for.
  uint64_t offset = 0;    ///< vgpr offset + instruction offset, of 32 bits, and on to a dword.
  uint32_t scalar = 0;    ///< soffset.
  bool isIndexed = false; ///< The instruction has an index.
};

/// True when \p bytes at \p address are outside of the buffer, be it in part: loads give 0, stores
/// are dropped. Untyped loads and stores ask for each dword.
bool isOutOfRange(const BufferDescriptor &descriptor, const BufferAddress &address, unsigned bytes,
                  unsigned gfxMajor);

/// The address of the byte \p address names.
uint64_t resolveAddress(const BufferDescriptor &descriptor, const BufferAddress &address);

} // namespace assay::gcn
