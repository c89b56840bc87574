// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources and results of the kernels of arithmetic: rows of lanes, changed by the widest
// instruction set that the host has. A row has a word for each lane; it may be changed in place.
#pragma once

#include "oracles/machine/adreno/Lanes.h"

namespace assay::adreno {

/// All functions work on \p lanes lanes, rounded up to a multiple of LaneUnit.
struct RowHelpers {
  /// to[i] = value.
  void (*fill)(uint32_t *to, uint32_t value, unsigned lanes);
  /// to[i] = from[i] in active lanes.
  void (*blend)(uint32_t *to, const uint32_t *from, LaneMask active, unsigned lanes);
  /// to[i] = (from[i] & kept) ^ flipped: (abs) and (neg) of floats.
  void (*sign)(uint32_t *to, const uint32_t *from, uint32_t kept, uint32_t flipped, unsigned lanes);
  /// The upper or lower half of each word, with zeros above.
  void (*readHalves)(uint32_t *to, const uint32_t *from, bool upper, unsigned lanes);
  /// The lower half of from[i] becomes a half of to[i], in active lanes.
  void (*writeHalves)(uint32_t *to, const uint32_t *from, bool upper, LaneMask active,
                      unsigned lanes);
  /// The lower half of each word becomes a word, with zeros above or copies of its sign.
  void (*widen)(uint32_t *row, bool isSigned, unsigned lanes);
  /// The lanes whose word is not 0.
  LaneMask (*pack)(const uint32_t *row, unsigned lanes);
};

/// Those for this host.
const RowHelpers &rowHelpers();

} // namespace assay::adreno
