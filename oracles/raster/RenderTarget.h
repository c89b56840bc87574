// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a draw reads and writes: one level of an image as an attachment. A texel here is one sample.
// Most texels are exact bytes; the others hold the values that the specification allows.
#pragma once

#include "oracles/api/TexelFormat.h"
#include "oracles/raster/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay::raster {

/// A component of a colour as a shader writes it: a float, or an integer of at most 32 bits.
struct Component {
  Range range;           ///< Of the numbers that it may be; lo > hi: only NaN.
  bool mayBeNan = false; ///< NaN too.
  bool isOpen = false;   ///< Anything (an undefined value); \p range has no meaning.
  /// The most likely number, not rounded: what bytes() show if it is in the range, else the middle.
  /// Depths with the same range and nominal are the same number: a triangle drawn again.
  double nominal = 0;

  static Component point(double x) { return {Range::point(x)}; }
  static Component open() { return {{}, false, true}; }
  bool isExact() const { return !isOpen && !mayBeNan && range.isPoint(); }
  bool operator==(const Component &other) const {
    return range == other.range && mayBeNan == other.mayBeNan && isOpen == other.isOpen;
  }
};
using Color = std::array<Component, 4>; ///< R, G, B, A.

/// A component as a texel holds it. The number of a fixed-point, integer or small unsigned float
/// component is that of its bits, sign included; that of a float of 16 or 32 bits is its value.
using Field = Component;
/// In the order of TexelFormatInfo::components. Fields of unused bits are 0.
using TexelFields = std::array<Field, 4>;
/// All that a texel may hold: one of them, and in it any number of each range.
using TexelAlternatives = llvm::SmallVector<TexelFields, 1>;

/// Why no target can have \p format; empty if one can.
std::string whyNotRenderable(TexelFormat format);

class RenderTarget {
public:
  /// All bytes are zero. \p format is renderable, \p samples 1, 2, 4, 8 or 16.
  RenderTarget(TexelFormat format, uint32_t width, uint32_t height, uint32_t layers,
               uint32_t samples);

  const TexelFormatInfo &format() const { return *m_format; }
  uint32_t width() const { return m_width; }
  uint32_t height() const { return m_height; }
  uint32_t layers() const { return m_layers; }
  uint32_t samples() const { return m_samples; }

  /// The number of a texel; texels are in the order of their numbers in bytes(), as ImageShape
  /// orders those of a level.
  uint64_t indexOf(uint32_t x, uint32_t y, uint32_t layer, uint32_t sample) const;
  /// Of one texel.
  unsigned texelBytes() const { return m_format->bytes; }

  /// Takes over the bytes of a whole level; all texels are exact then.
  void load(llvm::ArrayRef<uint8_t> bytes);
  /// The bytes of the level; of a texel that is not exact, one of the allowed values.
  llvm::ArrayRef<uint8_t> bytes() const { return m_bytes; }
  /// Texels that are not exact, by number: with an interval, an open component or alternatives.
  /// Stencil bits of a depth and stencil format are fields as all others.
  const std::map<uint64_t, TexelAlternatives> &openTexels() const { return m_open; }

  /// Notes that rounding decides what texel \p index holds: whether it is covered, which way its
  /// fragment took. Not so the choice of a nearest filter.
  void noteRounding(uint64_t index) { m_rounded.insert(index); }
  const std::set<uint64_t> &roundedTexels() const { return m_rounded; }

  /// How many texels have more than one alternative, or an open component. Those with ranges alone
  /// are not counted: these come from rounding.
  uint64_t countUncertain() const;

  /// What a texel may hold, at least one.
  TexelAlternatives getTexel(uint64_t index) const;
  /// Replaces a texel. Alternatives that others contain are dropped, and too many of them become
  /// one that contains all.
  void setTexel(uint64_t index, TexelAlternatives alternatives);

private:
  const TexelFormatInfo *m_format;
  uint32_t m_width, m_height, m_layers, m_samples;
  std::vector<uint8_t> m_bytes;
  std::map<uint64_t, TexelAlternatives> m_open;
  std::set<uint64_t> m_rounded;
};

/// Values of all texels become \p color (of a colour format).
void clearColor(RenderTarget &target, const Color &color);
/// Each aspect that the format has.
void clearDepthStencil(RenderTarget &target, double depth, uint8_t stencil);
/// Resolves all texels of \p from into \p to, which has one sample and the same format and extent:
/// the average of normalized and float colours, sample 0 of integers, depth and stencil.
void resolve(const RenderTarget &from, RenderTarget &to);

} // namespace assay::raster
