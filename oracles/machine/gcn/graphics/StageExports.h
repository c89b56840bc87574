// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What waves of vertex and fragment stages leave: the values of their exports, by vertex and by
// fragment. Bits of registers.
#pragma once

#include "oracles/machine/gcn/Events.h"
#include "oracles/machine/gcn/graphics/GraphicsProgram.h"
#include "llvm/ADT/bit.h"

namespace assay::gcn {

/// What code exports for a primitive or a vertex, by the number of the parameter.
using ParameterValues = std::array<std::array<uint32_t, 4>, MaxParameters>;

/// What a run of the vertex shader exported.
struct VertexExports {
  /// POS0 to POS4; which components were written.
  std::array<std::array<uint32_t, 4>, 5> positions{};
  std::array<uint8_t, 5> positionMask{}; ///< Bit per component.
  ParameterValues parameters{};
};

/// What a run of the fragment shader exported.
struct PixelExports {
  bool isDone = false; ///< An export with DONE was executed by the wave.
  bool isKept = false; ///< This lane was active there.
  /// MRT0 to MRT7 and MRTZ, and which registers were written; \p isPacked: pairs of 16 bits.
  static constexpr unsigned Depth = 8;
  std::array<std::array<uint32_t, 4>, 9> values{};
  std::array<uint8_t, 9> mask{}; ///< Bit per register.
  std::array<bool, 9> isPacked{};
};

/// Calls \p take(lane, register, bits) for everything that \p record exports. Compressed exports
/// have two registers, each with two enable bits.
template <typename Take> void forEachValue(const ExportRecord &record, Take take) {
  unsigned bitsPerRegister = record.isCompressed ? 2 : 1;
  for (uint64_t left = record.exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(llvm::countr_zero(left));
    for (unsigned i = 0; i < 4 / bitsPerRegister; ++i)
      if (record.enabled >> i * bitsPerRegister & ((1u << bitsPerRegister) - 1))
        take(lane, i, record.values[i][lane]);
  }
}

} // namespace assay::gcn
