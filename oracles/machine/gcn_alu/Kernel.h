// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of the tables over all lanes of a wave: what a kernel is given, and which one a host runs.
// Lifting kernels from the rows' functions is Lift.h's; this is all that users see.
#pragma once

#include "oracles/machine/gcn_alu/Alu.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>

namespace assay::gcn {

/// The instruction sets that kernels are compiled for. Portable is what the whole program is.
enum class VectorWidth : uint8_t { Portable, Avx2, Avx512 };
constexpr unsigned VectorWidthCount = 3;

/// The widest one that this host has.
VectorWidth hostVectorWidth();
/// All that it has, Portable first.
llvm::ArrayRef<VectorWidth> hostVectorWidths();

/// Operands of a kernel: rows of 32-bit lanes. A source that the row of the table does not have is
/// not read; any but dst may be the same. Lanes that are not active are computed, too.
struct LaneRows {
  const uint32_t *src[3]; ///< Each with \ref lanes values.
  uint32_t *dst;          ///< Not written by compares.
  uint64_t carryIn = 0;   ///< Bit per lane.
  unsigned lanes = 32;    ///< 32 or 64.
  bool clamp = false;     ///< The clamp bit of the instruction.
};

/// Returns the mask of carries or of a compare's results (0: neither is a result).
using AluKernel = uint64_t (*)(const LaneRows &rows, const AluMode &mode);

/// What is fixed of AluMode in a kernel: rounding to the nearest even, and denormals of f32.
enum class KernelMode : uint8_t { KeepsDenormals, FlushesDenormals, Other };
constexpr unsigned KernelModeCount = 2; ///< Modes that have kernels: all but Other.

/// Other for another rounding than to the nearest even, and where f32 denormals are treated
/// differently in sources and results.
inline KernelMode kernelModeOf(const AluMode &mode) {
  if (mode.f32Round != 0 || mode.f32DenormIn != mode.f32DenormOut)
    return KernelMode::Other;
  return mode.f32DenormIn ? KernelMode::KeepsDenormals : KernelMode::FlushesDenormals;
}

/// The kernels of a row, by KernelMode. In mode Other, and where a row has none, lanes are computed
/// one by one by the row's function, which means the same.
using KernelModes = std::array<AluKernel, KernelModeCount>;
/// The kernels of one row. Null where the row has none for a width and mode.
struct KernelTable {
  std::array<KernelModes, VectorWidthCount> byWidth;
  const KernelModes &at(VectorWidth width) const { return byWidth[unsigned(width)]; }
};

/// Sources and results of kernels, for one width: \p lanes is a multiple of 32, of blend at
/// most 64.
struct LaneHelpers {
  /// to[i] = value in all lanes.
  void (*fill)(uint32_t *to, uint32_t value, unsigned lanes);
  /// to[i] = from[i] where bit i of \p active is set. \p to may be \p from.
  void (*blend)(uint32_t *to, const uint32_t *from, uint64_t active, unsigned lanes);
  /// to[i] = (from[i] & keep) ^ flip: the modifiers neg and abs.
  void (*sign)(uint32_t *to, const uint32_t *from, uint32_t keep, uint32_t flip, unsigned lanes);
};
/// \p width must be one that the host has.
const LaneHelpers &laneHelpers(VectorWidth width);

} // namespace assay::gcn
