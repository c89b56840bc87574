// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/definitions/Texel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::gcn::definitions;

namespace {

/// Layouts, the highest component first, and what they may hold. Numbers go up by one from each to
/// the next, from 1 on.
constexpr StringLiteral Formats10 =
    "8:nsuiUI 16:nsuiUIF 8_8:nsuiUI 32:UIF 16_16:nsuiUIF 10_11_11:nsuiUIF 11_11_10:nsuiUIF "
    "10_10_10_2:nsuiUI 2_10_10_10:nsuiUI 8_8_8_8:nsuiUI 32_32:UIF 16_16_16_16:nsuiUIF "
    "32_32_32:UIF 32_32_32_32:UIF";
constexpr StringLiteral Formats11 =
    "8:nsuiUI 16:nsuiUIF 8_8:nsuiUI 32:UIF 16_16:nsuiUIF 10_11_11:F 11_11_10:F 10_10_10_2:nsUI "
    "2_10_10_10:nsuiUI 8_8_8_8:nsuiUI 32_32:UIF 16_16_16_16:nsuiUIF 32_32_32:UIF 32_32_32_32:UIF";
/// GFX9's number formats; a layout's data format is its place in the list.
constexpr StringLiteral Numbers9 = "nsuiUI-F";

using Wide = __int128;

/// (-1)^isNegative * significand * 2^exponent.
struct Binary {
  bool isNegative = false;
  uint64_t significand = 0;
  int exponent = 0;
};

} // namespace

unsigned BufferTexel::bytes() const {
  unsigned sum = 0;
  for (unsigned width : bits)
    sum += width;
  return sum / 8;
}

/// All buffer formats of a generation, with their numbers in descriptors.
static std::vector<BufferTexel> listTexels(unsigned gfx) {
  SmallVector<StringRef, 16> layouts;
  (gfx >= 11 ? Formats11 : Formats10).split(layouts, ' ');
  std::vector<BufferTexel> texels;
  uint32_t next = 1;
  for (auto [place, layout] : enumerate(layouts)) {
    auto [widths, letters] = layout.split(':');
    SmallVector<StringRef, 4> names;
    widths.split(names, '_');
    std::vector<unsigned> bits;
    for (StringRef width : reverse(names))
      bits.push_back(unsigned(std::stoul(width.str())));
    for (char letter : letters) {
      uint32_t number = next++;
      if (gfx == 9)
        number = uint32_t(place + 1) << 3 | uint32_t(Numbers9.find(letter));
      texels.push_back({number, bits, letter});
    }
  }
  return texels;
}

/// \p gfx is 9 to 12.
const std::vector<BufferTexel> &gcn::definitions::bufferTexels(unsigned gfx) {
  static const std::array<std::vector<BufferTexel>, 4> All = {listTexels(9), listTexels(10),
                                                              listTexels(11), listTexels(12)};
  return All[gfx - 9];
}

/// Null when no format has this number.
const BufferTexel *gcn::definitions::findBufferTexel(uint32_t number, unsigned gfx) {
  for (const BufferTexel &texel : bufferTexels(gfx))
    if (texel.number == number)
      return &texel;
  return nullptr;
}

// --- Rounding in whole numbers

/// \p numerator / \p denominator to the nearest whole number, ties to even.
static uint64_t roundedQuotient(Wide numerator, Wide denominator) {
  Wide quotient = numerator / denominator;
  Wide rest = numerator % denominator * 2;
  bool isUp = rest > denominator || (rest == denominator && quotient % 2);
  return uint64_t(quotient) + isUp;
}

/// The f32 nearest to \p numerator / \p denominator, both below 2^40: 24 binary digits.
static uint32_t ratioToSingle(bool isNegative, uint64_t numerator, uint64_t denominator) {
  if (numerator == 0)
    return isNegative ? 0x80000000 : 0;
  int exponent = 0; // Such that the quotient times 2^exponent is in [2^23, 2^24).
  while ((Wide(numerator) << std::max(exponent, 0)) <
         ((Wide(denominator) << 23) << std::max(-exponent, 0)))
    ++exponent;
  while ((Wide(numerator) << std::max(exponent, 0)) >=
         ((Wide(denominator) << 24) << std::max(-exponent, 0)))
    --exponent;
  uint64_t digits = roundedQuotient(Wide(numerator) << std::max(exponent, 0),
                                    Wide(denominator) << std::max(-exponent, 0));
  // A carry into the next binade is a carry into the exponent. All values here are normal.
  auto bits = static_cast<uint32_t>(uint64_t(127 + 23 - exponent - 1) << 23) +
              static_cast<uint32_t>(digits);
  return bits | (isNegative ? 0x80000000 : 0);
}

/// \p word is finite.
static Binary splitSingle(uint32_t word) {
  unsigned exponent = word >> 23 & 0xff;
  uint64_t fraction = word & 0x7fffff;
  return {bool(word >> 31), exponent ? fraction + 0x800000 : fraction,
          int(exponent ? exponent : 1) - 150};
}
static bool isNanSingle(uint32_t word) {
  return (word & 0x7fffffff) > 0x7f800000;
}

/// \p binary * \p factor as a whole number, to the nearest even or, with \p truncates, toward zero;
/// at most \p most.
static uint64_t scaled(const Binary &binary, uint64_t factor, uint64_t most, bool truncates) {
  Wide product = Wide(binary.significand) * factor;
  if (binary.exponent >= 0)
    return product == 0           ? 0
           : binary.exponent > 40 ? most
                                  : uint64_t(std::min<Wide>(product << binary.exponent, most));
  if (binary.exponent < -100)
    return 0; // The product has fewer than 50 digits.
  Wide divisor = Wide(1) << -binary.exponent;
  uint64_t whole = truncates ? uint64_t(std::min<Wide>(product / divisor, ~uint64_t(0)))
                             : roundedQuotient(product, divisor);
  return std::min(whole, most);
}

// --- Floats of 16, 11 and 10 bits: five bits of exponent; only the first has a sign

/// A small float as f32. NaNs of 16 bits keep their digits and become quiet, others have none.
static uint32_t smallToSingle(uint64_t bits, unsigned width) {
  unsigned mantissa = width == 16 ? 10 : width - 5;
  bool isNegative = width == 16 && bits >> 15;
  uint64_t exponent = bits >> mantissa & 31, fraction = bits & ((1u << mantissa) - 1);
  uint32_t sign = isNegative ? 0x80000000 : 0;
  if (exponent == 31 && fraction)
    return width == 16 ? sign | 0x7fc00000 | static_cast<uint32_t>(fraction << 13) : 0x7fc00000;
  if (exponent == 31)
    return sign | 0x7f800000;
  // In units of 2^-14 / 2^mantissa, shifted left by exponent - 1.
  uint64_t units = exponent ? (fraction + (uint64_t(1) << mantissa)) << (exponent - 1) : fraction;
  return ratioToSingle(isNegative, units, uint64_t(1) << (14 + mantissa));
}

/// An f32 as a small float: to the nearest even, denormals kept, beyond the range infinity. Without
/// a sign negative numbers are 0.
static uint64_t singleToSmall(uint32_t word, unsigned width) {
  unsigned mantissa = width == 16 ? 10 : width - 5;
  uint64_t sign = width == 16 ? word >> 31 << 15 : 0;
  uint64_t infinity = uint64_t(31) << mantissa;
  if (isNanSingle(word))
    return width == 16 ? sign | infinity | 0x200 | (word >> 13 & 0x3ff) : infinity | 1;
  if (width != 16 && word >> 31)
    return 0;
  if ((word & 0x7fffffff) == 0x7f800000)
    return sign | infinity;
  Binary binary = splitSingle(word);
  // Count in units of the last place of the binade that the number is in.
  int top = -1;
  for (uint64_t left = binary.significand; left; left >>= 1)
    ++top;
  int place = std::max(binary.exponent + top, -14) - int(mantissa);
  Binary inUnits = binary;
  inUnits.exponent -= place;
  uint64_t units = scaled(inUnits, 1, ~uint64_t(0) >> 1, false);
  uint64_t bits = (uint64_t(place + int(mantissa) + 14) << mantissa) + units;
  return sign | std::min(bits, infinity);
}

// --- Components

/// Letters: n unorm, s snorm, u uscaled, i sscaled, U uint, I sint, F float. The result is f32, or
/// an integer for U and I.
uint32_t gcn::definitions::componentToWord(uint64_t bits, unsigned width, char letter) {
  bool isNegative = bits >> (width - 1) & 1;
  uint64_t range = uint64_t(1) << (width - 1);
  uint64_t magnitude = isNegative ? 2 * range - bits : bits; // Of a signed number.
  switch (letter) {
  case 'n':
    return ratioToSingle(false, bits, 2 * range - 1);
  case 's':
    return ratioToSingle(isNegative, std::min(magnitude, range - 1), range - 1);
  case 'u':
    return ratioToSingle(false, bits, 1);
  case 'i':
    return ratioToSingle(isNegative, magnitude, 1);
  case 'I':
    return static_cast<uint32_t>(isNegative ? bits - 2 * range : bits);
  case 'F':
    return width == 32 ? static_cast<uint32_t>(bits) : smallToSingle(bits, width);
  default:
    return static_cast<uint32_t>(bits);
  }
}

/// The reverse of componentToWord(): rounded, and clamped to what \p width bits hold. NaN becomes 0
/// except in floats.
uint64_t gcn::definitions::wordToComponent(uint32_t word, unsigned width, char letter) {
  uint64_t range = uint64_t(1) << (width - 1);
  uint64_t mask = 2 * range - 1;
  if (letter == 'U' || letter == 'I')
    return word & mask;
  if (letter == 'F')
    return width == 32 ? word : singleToSmall(word, width);
  if (isNanSingle(word))
    return 0;
  Binary binary = splitSingle(word);
  switch (letter) {
  case 'n':
    return binary.isNegative ? 0 : scaled(binary, mask, mask, false);
  case 's': {
    uint64_t magnitude = scaled(binary, range - 1, range - 1, false);
    return (binary.isNegative ? 0 - magnitude : magnitude) & mask;
  }
  case 'u':
    return binary.isNegative ? 0 : scaled(binary, 1, mask, true);
  default: {
    uint64_t magnitude = scaled(binary, 1, binary.isNegative ? range : range - 1, true);
    return (binary.isNegative ? 0 - magnitude : magnitude) & mask;
  }
  }
}

/// Integers are cut to 16 bits; all others become half floats.
uint32_t gcn::definitions::wordToHalf(uint32_t word, char letter) {
  bool isInteger = letter == 'U' || letter == 'I';
  return isInteger ? word & 0xffff : static_cast<uint32_t>(singleToSmall(word, 16));
}

uint32_t gcn::definitions::halfToWord(uint32_t half, char letter) {
  half &= 0xffff;
  if (letter == 'U')
    return half;
  if (letter == 'I')
    return half >> 15 ? half | 0xffff0000 : half;
  return smallToSingle(half, 16);
}
