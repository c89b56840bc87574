// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of the lanes of a wave, and a word for each of them.
#pragma once

#include "oracles/machine/adreno/Alu.h"
#include <array>
#include <cstdint>

namespace assay::adreno {

/// Bit n is lane n.
using LaneMask = unsigned __int128;

/// A mask of the first \p count lanes.
constexpr LaneMask firstLanes(unsigned count) {
  return count >= 128 ? ~LaneMask(0) : (LaneMask(1) << count) - 1;
}
constexpr bool hasLane(LaneMask mask, unsigned lane) {
  return mask >> lane & 1;
}
/// How many lanes \p mask has.
unsigned countLanes(LaneMask mask);
/// Of a mask that is not empty.
unsigned firstLane(LaneMask mask);

/// A word for each lane, where vector instructions reach it best.
struct alignas(64) LaneWords : std::array<uint32_t, MaxLanes> {};
/// The words of so many lanes as rows have a multiple of.
struct alignas(64) UnitWords : std::array<uint32_t, LaneUnit> {};

} // namespace assay::adreno
