// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texels in memory as the hardware knows them: numbers of formats (Mesa 25.0, a6xx_enums.xml,
// a6xx_format) and the conversion between bits in memory and registers of 32 bits.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>

namespace assay::adreno {

/// What the bits of a component mean.
enum class TexelKind : uint8_t { Unorm, Snorm, Uint, Sint, Float };

/// A format.
struct TexelRow {
  uint8_t number; ///< Field FMT.
  llvm::StringLiteral name;
  std::array<uint8_t, 4> bits; ///< Of the components x, y, z and w; 0: there is none.
  TexelKind kind;
  bool sharesExponent = false; ///< 9_9_9_E5: w is the exponent.

  unsigned bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8U; }
  bool isInteger() const { return kind == TexelKind::Uint || kind == TexelKind::Sint; }
};
/// Null for a format that this machine does not know: compressed ones, and those of several planes.
const TexelRow *findTexelRow(unsigned number);

/// A format as a descriptor uses it.
struct TexelCode {
  const TexelRow *row = nullptr;
  uint8_t swap = 0;    ///< Field SWAP: the order of the components in memory.
  bool isSrgb = false; ///< x, y and z are encoded as sRGB.
};

/// Four components: floats or integers, as the format says.
using TexelWords = std::array<uint32_t, 4>;

/// The texel at \p bytes. Components that the format lacks are 0, w is 1.
TexelWords decodeTexel(const TexelCode &code, const uint8_t *bytes);
/// Writes the components that the format has. Numbers that do not fit are clamped, integers
/// truncated.
void encodeTexel(const TexelCode &code, const TexelWords &words, uint8_t *bytes);

} // namespace assay::adreno
