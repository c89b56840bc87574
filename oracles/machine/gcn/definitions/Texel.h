// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texels of buffers, in whole numbers: which formats there are, and what their bits are worth.
// Sources: LLVM's BUF_FMT_*, BUF_DATA_FORMAT_* and BUF_NUM_FORMAT_* in the order of their numbers;
// Vulkan 1.3, "Fixed-Point Data Conversions" and "Unsigned 11-Bit Floating-Point Numbers".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::gcn::definitions {

/// A format of buffers. \p letter: n unorm, s snorm, u uscaled, i sscaled, U uint, I sint, F float.
struct BufferTexel {
  uint32_t number = 0;        ///< In a V#, from bit 12 of its last dword on.
  std::vector<unsigned> bits; ///< Of each component, from X on.
  char letter = 'U';

  unsigned bytes() const;
  bool isInteger() const { return letter == 'U' || letter == 'I'; }
};

/// All formats of a generation, in the order of their numbers.
const std::vector<BufferTexel> &bufferTexels(unsigned gfx);
/// Null: there is none with that number.
const BufferTexel *findBufferTexel(uint32_t number, unsigned gfx);

/// Bits of a register, for a component of \p width bits.
uint32_t componentToWord(uint64_t bits, unsigned width, char letter);
/// And back: numbers beyond the range are clamped, integers cut off.
uint64_t wordToComponent(uint32_t word, unsigned width, char letter);

/// Between whole registers and halves (d16): floats are rounded, integers cut off or extended.
uint32_t wordToHalf(uint32_t word, char letter);
uint32_t halfToWord(uint32_t half, char letter);

} // namespace assay::gcn::definitions
