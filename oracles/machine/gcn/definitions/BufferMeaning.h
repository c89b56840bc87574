// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the definitions of buffer instructions share: descriptors, addresses, ranges. Sources: AMD's
// ISA manuals, "Buffer Resource Descriptor", "Buffer Addressing" and "Range Checking"; Mesa's
// ac_descriptors.c, OOB_SELECT; docs/errata-amdgpu.md, "Records of a buffer on GFX9".
#pragma once

#include "oracles/machine/gcn/definitions/World.h"

namespace assay::gcn::definitions {

/// The fields of a V#.
struct Descriptor {
  uint64_t base;
  uint32_t stride, records;
  uint32_t elementBytes; ///< Of a swizzled buffer; 0: it is not.
  uint32_t indexStride;  ///< Lanes.
  bool addsLane;         ///< The lane's number is added to the index.
  uint32_t outOfBounds;  ///< OOB_SELECT.
  uint32_t type;
  uint32_t format;
  std::array<uint32_t, 4> select; ///< DST_SEL of X, Y, Z and W.
};
/// From four SGPRs, \p first and the following ones.
Descriptor readDescriptor(const World &world, unsigned first);

/// One lane's access.
class LaneAccess {
public:
  LaneAccess(const Request &request, World &world, const Descriptor &descriptor, unsigned lane);

  /// Byte \p index of \p bytes. Null: it is out of range, or World::faults is set. \p isWhole: all
  /// are in range or none.
  uint8_t *find(unsigned index, unsigned bytes, bool isWhole);
  /// The same for an atomic, whose bytes stand side by side in swizzled buffers, too.
  uint8_t *findSideBySide(unsigned index, unsigned bytes);
  /// The same for loads and stores of bytes as they are: each dword is in range or not.
  uint8_t *findPlain(unsigned index, unsigned bytes) { return find(index, bytes, false); }

private:
  /// By the descriptor's rule; \p offset counts from the start of the element, without its index.
  bool isOutOfRange(uint64_t offset, unsigned bytes) const;
  /// From the base and the scalar offset on.
  uint64_t placeOf(uint64_t offset) const;

  World &m_world;
  const Descriptor &m_descriptor;
  bool m_isIndexed;
  uint64_t m_index;
  uint32_t m_offset;
  uint64_t m_scalar; ///< The scalar offset, in bytes.
};

} // namespace assay::gcn::definitions
