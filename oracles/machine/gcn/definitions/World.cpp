// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/definitions/World.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn::definitions;

/// Little-endian, at most eight bytes. The range must be inside the region.
uint64_t Region::get(uint64_t offset, unsigned count) const {
  uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value += uint64_t(bytes[offset + i]) << (8 * i);
  return value;
}

/// The reverse of get().
void Region::put(uint64_t offset, unsigned count, uint64_t value) {
  for (unsigned i = 0; i < count; ++i)
    bytes[offset + i] = static_cast<uint8_t>(value >> (8 * i));
}

/// 0 when no lane is active.
unsigned World::firstLane() const {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (isActive(lane))
      return lane;
  return 0;
}

/// Visits the active lanes in ascending order.
void World::forLanes(function_ref<void(unsigned lane)> visit) const {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (isActive(lane))
      visit(lane);
}
