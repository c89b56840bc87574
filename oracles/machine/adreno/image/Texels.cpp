// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/image/Texels.h"

#include "oracles/machine/gcn_alu/Transcendental.h"
#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

static constexpr auto Unorm = TexelKind::Unorm, Snorm = TexelKind::Snorm, Uint = TexelKind::Uint,
                      Sint = TexelKind::Sint, Float = TexelKind::Float;

/// Formats of one plane that are not compressed (Mesa 25.0, a6xx_enums.xml, a6xx_format).
/// Components are in the order x, y, z, w whatever the name begins with.
static constexpr TexelRow Rows[] = {
    {0x02, "A8_UNORM", {0, 0, 0, 8}, Unorm},
    {0x03, "8_UNORM", {8, 0, 0, 0}, Unorm},
    {0x04, "8_SNORM", {8, 0, 0, 0}, Snorm},
    {0x05, "8_UINT", {8, 0, 0, 0}, Uint},
    {0x06, "8_SINT", {8, 0, 0, 0}, Sint},
    {0x08, "4_4_4_4_UNORM", {4, 4, 4, 4}, Unorm},
    {0x0a, "5_5_5_1_UNORM", {5, 5, 5, 1}, Unorm},
    {0x0c, "1_5_5_5_UNORM", {5, 5, 5, 1}, Unorm},
    {0x0e, "5_6_5_UNORM", {5, 6, 5, 0}, Unorm},
    {0x0f, "8_8_UNORM", {8, 8, 0, 0}, Unorm},
    {0x10, "8_8_SNORM", {8, 8, 0, 0}, Snorm},
    {0x11, "8_8_UINT", {8, 8, 0, 0}, Uint},
    {0x12, "8_8_SINT", {8, 8, 0, 0}, Sint},
    {0x15, "16_UNORM", {16, 0, 0, 0}, Unorm},
    {0x16, "16_SNORM", {16, 0, 0, 0}, Snorm},
    {0x17, "16_FLOAT", {16, 0, 0, 0}, Float},
    {0x18, "16_UINT", {16, 0, 0, 0}, Uint},
    {0x19, "16_SINT", {16, 0, 0, 0}, Sint},
    {0x30, "8_8_8_8_UNORM", {8, 8, 8, 8}, Unorm},
    {0x32, "8_8_8_8_SNORM", {8, 8, 8, 8}, Snorm},
    {0x33, "8_8_8_8_UINT", {8, 8, 8, 8}, Uint},
    {0x34, "8_8_8_8_SINT", {8, 8, 8, 8}, Sint},
    {0x35, "9_9_9_E5_FLOAT", {9, 9, 9, 5}, Float, true},
    {0x36, "10_10_10_2_UNORM", {10, 10, 10, 2}, Unorm},
    {0x37, "10_10_10_2_UNORM_DEST", {10, 10, 10, 2}, Unorm},
    {0x39, "10_10_10_2_SNORM", {10, 10, 10, 2}, Snorm},
    {0x3a, "10_10_10_2_UINT", {10, 10, 10, 2}, Uint},
    {0x3b, "10_10_10_2_SINT", {10, 10, 10, 2}, Sint},
    {0x42, "11_11_10_FLOAT", {11, 11, 10, 0}, Float},
    {0x43, "16_16_UNORM", {16, 16, 0, 0}, Unorm},
    {0x44, "16_16_SNORM", {16, 16, 0, 0}, Snorm},
    {0x45, "16_16_FLOAT", {16, 16, 0, 0}, Float},
    {0x46, "16_16_UINT", {16, 16, 0, 0}, Uint},
    {0x47, "16_16_SINT", {16, 16, 0, 0}, Sint},
    {0x4a, "32_FLOAT", {32, 0, 0, 0}, Float},
    {0x4b, "32_UINT", {32, 0, 0, 0}, Uint},
    {0x4c, "32_SINT", {32, 0, 0, 0}, Sint},
    {0x60, "16_16_16_16_UNORM", {16, 16, 16, 16}, Unorm},
    {0x61, "16_16_16_16_SNORM", {16, 16, 16, 16}, Snorm},
    {0x62, "16_16_16_16_FLOAT", {16, 16, 16, 16}, Float},
    {0x63, "16_16_16_16_UINT", {16, 16, 16, 16}, Uint},
    {0x64, "16_16_16_16_SINT", {16, 16, 16, 16}, Sint},
    {0x67, "32_32_FLOAT", {32, 32, 0, 0}, Float},
    {0x68, "32_32_UINT", {32, 32, 0, 0}, Uint},
    {0x69, "32_32_SINT", {32, 32, 0, 0}, Sint},
    {0x72, "32_32_32_UINT", {32, 32, 32, 0}, Uint},
    {0x73, "32_32_32_SINT", {32, 32, 32, 0}, Sint},
    {0x74, "32_32_32_FLOAT", {32, 32, 32, 0}, Float},
    {0x82, "32_32_32_32_FLOAT", {32, 32, 32, 32}, Float},
    {0x83, "32_32_32_32_UINT", {32, 32, 32, 32}, Uint},
    {0x84, "32_32_32_32_SINT", {32, 32, 32, 32}, Sint},
};

const TexelRow *adreno::findTexelRow(unsigned number) {
  for (const TexelRow &row : Rows)
    if (row.number == number)
      return &row;
  return nullptr;
}

/// The components from the lowest bit up, by field SWAP (Mesa 25.0, adreno_common.xml,
/// a3xx_color_swap, whose names begin with the highest).
static constexpr uint8_t Orders[4][4] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {3, 0, 1, 2}, {3, 2, 1, 0}};

/// Calls \p each with the number of each component that the format has, its first bit and bits.
template <typename Each> static void forComponents(const TexelCode &code, Each each) {
  unsigned first = 0;
  for (unsigned index : Orders[hasDefect(Defect::SwapIgnored) ? 0 : code.swap & 3]) {
    unsigned bits = code.row->bits[index];
    if (bits)
      each(index, first, bits);
    first += bits;
  }
}

/// \p count bits from bit \p first on; bit 0 is the lowest of the first byte. At most 32.
static uint32_t takeBits(const uint8_t *bytes, unsigned first, unsigned count) {
  uint64_t value = 0;
  unsigned begin = first / 8, end = (first + count + 7) / 8;
  for (unsigned i = begin; i < end; ++i)
    value |= uint64_t(bytes[i]) << 8 * (i - begin);
  return uint32_t(value >> first % 8 & maskTrailingOnes<uint64_t>(count));
}

/// Sets \p count bits from bit \p first on; all others stay.
static void putBits(uint8_t *bytes, unsigned first, unsigned count, uint32_t value) {
  for (unsigned i = 0; i < count; ++i) {
    uint8_t bit = uint8_t(1U << (first + i) % 8);
    uint8_t &byte = bytes[(first + i) / 8];
    byte = uint8_t(value >> i & 1 ? byte | bit : byte & ~bit);
  }
}

/// A number as a float of 32 bits, rounded to the nearest even.
static uint32_t floatBits(double number) {
  return bit_cast<uint32_t>(float(number));
}

// A float of \p width bits: of 16 with a sign, else without one; five bits of exponent.

/// The number that the bits are, exactly.
static double numberOfFloat(uint32_t bits, unsigned width) {
  unsigned fraction = width == 16 ? 10 : width - 5;
  double sign = width == 16 && bits >> 15 ? -1 : 1;
  int exponent = int(bits >> fraction & 31);
  double part = std::ldexp(double(bits & maskTrailingOnes<uint32_t>(fraction)), -int(fraction));
  if (exponent == 31)
    return part == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(part, -14) : std::ldexp(1 + part, exponent - 15));
}

/// To nearest even. Negative numbers without a sign are 0.
static uint32_t bitsOfFloat(double number, unsigned width) {
  unsigned fraction = width == 16 ? 10 : width - 5;
  uint32_t infinity = 31U << fraction;
  if (std::isnan(number))
    return infinity | 1U << (fraction - 1);
  bool isNegative = std::signbit(number);
  if (isNegative && width != 16)
    return 0;
  uint32_t sign = isNegative ? 0x8000 : 0;
  number = std::abs(number);
  if (number == 0)
    return sign;
  if (std::isinf(number))
    return sign | infinity;
  int exponent = std::max(std::ilogb(number), -14);
  // In units of the last place; a carry moves into the exponent by itself.
  double units = gcn::nearestEven(std::ldexp(number, int(fraction) - exponent));
  double whole = std::ldexp(double(exponent + 14), int(fraction)) + units;
  return sign | (whole >= double(infinity) ? infinity : uint32_t(whole));
}

// sRGB: Khronos Data Format Specification, "sRGB transfer functions".

/// Both on numbers from 0 to 1.
static double toLinear(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}
static double toSrgb(double linear) {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

/// One component as the word of a register, without the swizzle.
static uint32_t decodeComponent(const TexelCode &code, unsigned index, uint32_t bits,
                                unsigned width) {
  switch (code.row->kind) {
  case TexelKind::Unorm: {
    double number = double(bits) / double(maskTrailingOnes<uint32_t>(width));
    return floatBits(code.isSrgb && index < 3 ? toLinear(number) : number);
  }
  case TexelKind::Snorm:
    return floatBits(std::max(-1.0, double(SignExtend64(bits, width)) /
                                        double(maskTrailingOnes<uint32_t>(width - 1))));
  case TexelKind::Uint:
    return bits;
  case TexelKind::Sint:
    return uint32_t(SignExtend64(bits, width));
  case TexelKind::Float:
    return width == 32 ? bits : floatBits(numberOfFloat(bits, width));
  }
  return 0;
}

TexelWords adreno::decodeTexel(const TexelCode &code, const uint8_t *bytes) {
  TexelWords words = {0, 0, 0, code.row->isInteger() ? 1U : 0x3f800000U};
  if (code.row->sharesExponent) {
    int exponent = int(takeBits(bytes, 27, 5)) - 15 - 9;
    for (unsigned i = 0; i < 3; ++i)
      words[i] = floatBits(std::ldexp(double(takeBits(bytes, 9 * i, 9)), exponent));
    return words;
  }
  forComponents(code, [&](unsigned index, unsigned first, unsigned bits) {
    words[index] = decodeComponent(code, index, takeBits(bytes, first, bits), bits);
  });
  return words;
}

/// To the nearest even; NaN is 0.
static uint32_t clampRound(double number, double least, double most) {
  return std::isnan(number) ? 0
                            : uint32_t(int64_t(gcn::nearestEven(std::clamp(number, least, most))));
}

/// The reverse, clamped to what the format can hold; integers are truncated later.
static uint32_t encodeComponent(const TexelCode &code, unsigned index, uint32_t word,
                                unsigned width) {
  double number = double(bit_cast<float>(word));
  switch (code.row->kind) {
  case TexelKind::Unorm: {
    if (code.isSrgb && index < 3)
      number = toSrgb(std::isnan(number) ? 0 : std::clamp(number, 0.0, 1.0));
    double most = double(maskTrailingOnes<uint32_t>(width));
    return clampRound(number * most, 0, most);
  }
  case TexelKind::Snorm: {
    double most = double(maskTrailingOnes<uint32_t>(width - 1));
    return clampRound(number * most, -most, most);
  }
  case TexelKind::Uint:
  case TexelKind::Sint:
    return word;
  case TexelKind::Float:
    return width == 32 ? word : bitsOfFloat(number, width);
  }
  return 0;
}

/// Vulkan 1.3, "RGB to Shared Exponent Conversion".
static void encodeShared(const TexelWords &words, uint8_t *bytes) {
  constexpr double Largest = 65408;
  double numbers[3], most = 0;
  for (unsigned i = 0; i < 3; ++i) {
    double number = double(bit_cast<float>(words[i]));
    numbers[i] = std::isnan(number) ? 0 : std::clamp(number, 0.0, Largest);
    most = std::max(most, numbers[i]);
  }
  int exponent = most > 0 ? std::max(-16, std::ilogb(most)) + 16 : 0;
  if (std::floor(std::ldexp(most, 24 - exponent) + 0.5) >= 512)
    ++exponent;
  for (unsigned i = 0; i < 3; ++i)
    putBits(bytes, 9 * i, 9, uint32_t(std::floor(std::ldexp(numbers[i], 24 - exponent) + 0.5)));
  putBits(bytes, 27, 5, uint32_t(exponent));
}

void adreno::encodeTexel(const TexelCode &code, const TexelWords &words, uint8_t *bytes) {
  if (code.row->sharesExponent)
    return encodeShared(words, bytes);
  forComponents(code, [&](unsigned index, unsigned first, unsigned bits) {
    putBits(bytes, first, bits, encodeComponent(code, index, words[index], bits));
  });
}
