// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Format numbers: LLVM's names of buffer formats (BUF_FMT_*, which images share), AMD's register
// descriptions of GFX10 and ISA manual of RDNA3 for those of images only. Names there begin with
// the highest component. Conversions: Vulkan 1.3, "Fixed-Point Data Conversions", "Shared Exponent
// to RGB", and the Khronos Data Format Specification for sRGB and small floats.
#include "oracles/machine/gcn/image/TexelCodec.h"

#include "support/Error.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// The formats of one layout: consecutive numbers, a letter each for what they mean.
struct FormatRow {
  std::array<uint8_t, 4> bits;
  bool sharesExponent;
  uint8_t data9;          ///< Data format of GFX9; 0: none.
  uint16_t first10;       ///< GFX10.
  const char *meanings10; ///< n unorm, s snorm, u uscaled, i sscaled, U uint, I sint, F, S srgb.
  uint16_t first11;       ///< GFX11, GFX12.
  const char *meanings11;
};

/// Meanings of layouts of small, medium and 32-bit components.
constexpr const char *Integers = "nsuiUI";
constexpr const char *All = "nsuiUIF";
constexpr const char *Wide = "UIF";

constexpr FormatRow Rows[] = {
    {{8, 0, 0, 0}, false, 1, 1, Integers, 1, Integers},
    {{16, 0, 0, 0}, false, 2, 7, All, 7, All},
    {{8, 8, 0, 0}, false, 3, 14, Integers, 14, Integers},
    {{32, 0, 0, 0}, false, 4, 20, Wide, 20, Wide},
    {{16, 16, 0, 0}, false, 5, 23, All, 23, All},
    {{11, 11, 10, 0}, false, 6, 30, All, 30, "F"},
    {{10, 11, 11, 0}, false, 7, 37, All, 31, "F"},
    {{2, 10, 10, 10}, false, 8, 44, Integers, 32, "nsUI"},
    {{10, 10, 10, 2}, false, 9, 50, Integers, 36, Integers},
    {{8, 8, 8, 8}, false, 10, 56, Integers, 42, Integers},
    {{32, 32, 0, 0}, false, 11, 62, Wide, 48, Wide},
    {{16, 16, 16, 16}, false, 12, 65, All, 51, All},
    {{32, 32, 32, 0}, false, 13, 72, Wide, 58, Wide},
    {{32, 32, 32, 32}, false, 14, 75, Wide, 61, Wide},
    {{8, 0, 0, 0}, false, 1, 128, "S", 64, "S"},
    {{8, 8, 0, 0}, false, 3, 129, "S", 65, "S"},
    {{8, 8, 8, 8}, false, 10, 130, "S", 66, "S"},
    {{9, 9, 9, 5}, true, 34, 132, "F", 67, "F"},
    {{5, 6, 5, 0}, false, 16, 133, "n", 68, "n"},
    {{5, 5, 5, 1}, false, 17, 134, "n", 69, "n"},
    {{1, 5, 5, 5}, false, 18, 135, "n", 70, "n"},
    {{4, 4, 4, 4}, false, 19, 136, "n", 71, "n"},
    {{24, 8, 0, 0}, false, 20, 141, "n", 76, "n"},
};

/// In the order of TexelClass: letter, and number format of GFX9.
constexpr struct {
  char letter;
  uint8_t number9;
} Classes[] = {{'n', 0}, {'s', 1}, {'u', 2}, {'i', 3}, {'U', 4}, {'I', 5}, {'F', 7}, {'S', 9}};
} // namespace

/// A shared exponent is not a component.
unsigned HardwareFormat::components() const {
  return sharesExponent ? 3 : static_cast<unsigned>(count_if(bits, [](uint8_t n) { return n; }));
}

/// Of one texel, with the bits of a shared exponent.
unsigned HardwareFormat::bytes() const {
  return (bits[0] + bits[1] + bits[2] + bits[3]) / 8;
}

/// \p letter is one of Classes.
static TexelClass classOf(char letter) {
  const auto *row = find_if(Classes, [&](const auto &each) { return each.letter == letter; });
  return static_cast<TexelClass>(row - std::begin(Classes));
}

/// The number of an image format, or nothing when the generation has none. GFX9: the data format
/// from bit 4 on, the number format in bits 3:0.
std::optional<uint32_t> gcn::encodeFormat(const HardwareFormat &format, unsigned gfxMajor) {
  const auto &wanted = Classes[unsigned(format.kind)];
  for (const FormatRow &row : Rows) {
    if (row.bits != format.bits || row.sharesExponent != format.sharesExponent)
      continue;
    const char *meanings = gfxMajor >= 11 ? row.meanings11 : row.meanings10;
    const char *found = std::strchr(meanings, wanted.letter);
    if (!found)
      continue;
    if (gfxMajor == 9)
      return row.data9 << 4 | wanted.number9;
    return (gfxMajor >= 11 ? row.first11 : row.first10) + uint32_t(found - meanings);
  }
  return std::nullopt;
}

/// The reverse of encodeFormat().
std::optional<HardwareFormat> gcn::decodeFormat(uint32_t number, unsigned gfxMajor) {
  for (const FormatRow &row : Rows) {
    StringRef meanings = gfxMajor >= 11 ? row.meanings11 : row.meanings10;
    for (size_t i = 0; i < meanings.size(); ++i) {
      HardwareFormat format{row.bits, classOf(meanings[i]), row.sharesExponent};
      if (encodeFormat(format, gfxMajor) == number)
        return format;
    }
  }
  return std::nullopt;
}

/// Like encodeFormat(), for buffers, which lack some formats. GFX9: the number format is in bits
/// 2:0.
std::optional<uint32_t> gcn::encodeBufferFormat(const HardwareFormat &format, unsigned gfxMajor) {
  constexpr uint32_t LastOfGfx11 = 63;
  std::optional<uint32_t> number = encodeFormat(format, gfxMajor);
  if (gfxMajor >= 11 && number && *number > LastOfGfx11)
    return std::nullopt;
  if (!number || gfxMajor != 9)
    return number;
  if ((*number & 15) > 7)
    return std::nullopt;
  return (*number >> 4) << 3 | (*number & 7);
}

std::optional<HardwareFormat> gcn::decodeBufferFormat(uint32_t number, unsigned gfxMajor) {
  return decodeFormat(gfxMajor == 9 ? (number >> 3) << 4 | (number & 7) : number, gfxMajor);
}

static TexelClass classOf(TexelNumeric numeric) {
  switch (numeric) {
  case TexelNumeric::Unorm:
    return TexelClass::Unorm;
  case TexelNumeric::Snorm:
    return TexelClass::Snorm;
  case TexelNumeric::Uscaled:
    return TexelClass::Uscaled;
  case TexelNumeric::Sscaled:
    return TexelClass::Sscaled;
  case TexelNumeric::Uint:
    return TexelClass::Uint;
  case TexelNumeric::Sint:
    return TexelClass::Sint;
  case TexelNumeric::Srgb:
    return TexelClass::Srgb;
  case TexelNumeric::Ufloat:
  case TexelNumeric::Sfloat:
    return TexelClass::Float;
  }
  llvm_unreachable("a number that is no TexelNumeric");
}

/// The hardware's format and selection for a format of Vulkan. Unsupported when GFX10 has no such
/// format.
Expected<TexelView> gcn::describeTexel(TexelFormat texel) {
  const TexelFormatInfo &info = getTexelFormatInfo(texel);
  TexelView view;
  view.format.kind = classOf(info.numeric);
  view.select = {SelectZero, SelectZero, SelectZero, SelectOne};
  const bool hasDepth = info.find('D') != nullptr;
  for (unsigned i = 0; i < info.componentCount; ++i) {
    const TexelComponent &component = info.components[i];
    view.format.bits[i] = component.bits;
    view.format.sharesExponent |= component.channel == 'E';
    if (component.channel == 'S' && hasDepth) // Views of both aspects are of depth.
      continue;
    size_t place = StringRef("RGBA").find(component.channel);
    view.isStencil |= component.channel == 'S';
    if (component.channel == 'D' || component.channel == 'S')
      place = 0;
    if (place != StringRef::npos)
      view.select[place] = static_cast<uint8_t>(SelectX + i);
  }
  // 64 bits go through two registers. The fourth component is 1 in 64 bits: its low half is where a
  // third component of 32 bits would be (Mesa, radv_compose_swizzle; ACO reads w from z and w).
  if (view.format.bits == std::array<uint8_t, 4>{64, 0, 0, 0}) {
    view.format.bits = {32, 32, 0, 0};
    view.select = {SelectX, SelectX + 1, SelectOne, SelectZero};
  }
  if (!encodeFormat(view.format, 10))
    return unsupported("gcn: texel format " + info.name);
  return view;
}

// --- From memory

/// \p count bits of memory from bit \p first on, at most 64.
static uint64_t takeBits(const uint8_t *bytes, unsigned first, unsigned count) {
  uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= uint64_t(bytes[(first + i) / 8] >> ((first + i) % 8) & 1) << i;
  return value;
}

/// The bits of the nearest f32.
static uint32_t floatBits(double number) {
  return llvm::bit_cast<uint32_t>(static_cast<float>(number));
}

/// A float without sign: five bits of exponent, \p mantissa bits after them.
static double smallFloat(uint32_t value, unsigned mantissa) {
  int exponent = static_cast<int>(value >> mantissa);
  double fraction = std::ldexp(double(value & ((1u << mantissa) - 1)), -int(mantissa));
  if (exponent == 31)
    return fraction == 0 ? INFINITY : NAN;
  return exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
}

/// A float of 10, 11, 16 or 32 bits as f32. NaNs of 16 bits become quiet.
static uint32_t decodeFloat(uint64_t bits, unsigned width) {
  if (width == 32)
    return static_cast<uint32_t>(bits);
  if (width != 16)
    return floatBits(smallFloat(static_cast<uint32_t>(bits), width - 5));
  APFloat value(APFloat::IEEEhalf(), APInt(16, bits));
  bool losesInfo = false;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
}

/// sRGB to linear, in [0, 1].
static double toLinear(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

/// Component \p index, as an f32 or an integer by the format's kind.
static uint32_t decodeComponent(const HardwareFormat &format, unsigned index, uint64_t bits) {
  unsigned width = format.bits[index];
  double most = double(maskTrailingOnes<uint64_t>(width));
  double mostSigned = double(maskTrailingOnes<uint64_t>(width - 1));
  switch (format.kind) {
  case TexelClass::Unorm:
    return floatBits(double(bits) / most);
  case TexelClass::Snorm:
    return floatBits(std::max(-1.0, double(SignExtend64(bits, width)) / mostSigned));
  case TexelClass::Uscaled:
    return floatBits(double(bits));
  case TexelClass::Sscaled:
    return floatBits(double(SignExtend64(bits, width)));
  case TexelClass::Uint:
    return static_cast<uint32_t>(bits);
  case TexelClass::Sint:
    return static_cast<uint32_t>(SignExtend64(bits, width));
  case TexelClass::Float:
    return decodeFloat(bits, width);
  case TexelClass::Srgb: // W is linear.
    return floatBits(index == 3 ? double(bits) / most : toLinear(double(bits) / most));
  }
  llvm_unreachable("a number that is no TexelClass");
}

/// Components in the order of memory, without selection; those that the format lacks are 0.
TexelWords gcn::decodeTexel(const HardwareFormat &format, const uint8_t *bytes) {
  TexelWords words = {};
  int exponent = format.sharesExponent ? int(takeBits(bytes, 27, 5)) - 15 - 9 : 0;
  unsigned first = 0;
  for (unsigned i = 0; i < format.components(); ++i) {
    uint64_t bits = takeBits(bytes, first, format.bits[i]);
    words[i] = format.sharesExponent ? floatBits(std::ldexp(double(bits), exponent))
                                     : decodeComponent(format, i, bits);
    first += format.bits[i];
  }
  return words;
}

// --- To memory

/// Writes \p count bits of \p value; neighbouring bits stay.
static void putBits(uint8_t *bytes, unsigned first, unsigned count, uint64_t value) {
  for (unsigned i = 0; i < count; ++i) {
    uint8_t bit = uint8_t(1) << ((first + i) % 8);
    uint8_t &byte = bytes[(first + i) / 8];
    byte = value >> i & 1 ? byte | bit : byte & ~bit;
  }
}

/// To the nearest even; NaN is 0.
static int64_t roundToInteger(double number, double least, double most) {
  if (std::isnan(number))
    return 0;
  return static_cast<int64_t>(std::nearbyint(std::clamp(number, least, most)));
}

/// The reverse of toLinear().
static double toSrgb(double linear) {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

/// Rounded to the nearest even. Negative numbers become 0, and numbers beyond the range infinity.
static uint64_t encodeSmallFloat(double number, unsigned mantissa) {
  uint64_t infinity = 31u << mantissa;
  if (std::isnan(number))
    return infinity | 1;
  if (number <= 0)
    return 0;
  int exponent = std::max(std::ilogb(number), -14);
  // Counted in the last place; a carry moves into the exponent by itself.
  double units = std::nearbyint(std::ldexp(number, int(mantissa) - exponent));
  double base = std::ldexp(double(exponent + 14), int(mantissa));
  double whole = base + units;
  return whole >= double(infinity) ? infinity : static_cast<uint64_t>(whole);
}

/// The reverse of decodeFloat().
static uint64_t encodeFloat(uint32_t bits, unsigned width) {
  if (width == 32)
    return bits;
  float number = llvm::bit_cast<float>(bits);
  if (width != 16)
    return encodeSmallFloat(double(number), width - 5);
  APFloat value(number);
  bool losesInfo = false;
  value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

/// The reverse of decodeComponent(). Fixed-point numbers are rounded and clamped; integers are cut
/// by the caller.
static uint64_t encodeComponent(const HardwareFormat &format, unsigned index, uint32_t word) {
  unsigned width = format.bits[index];
  double number = double(llvm::bit_cast<float>(word));
  double most = double(maskTrailingOnes<uint64_t>(width));
  double mostSigned = double(maskTrailingOnes<uint64_t>(width - 1));
  switch (format.kind) {
  case TexelClass::Unorm:
    return uint64_t(roundToInteger(number * most, 0, most));
  case TexelClass::Snorm:
    return uint64_t(roundToInteger(number * mostSigned, -mostSigned, mostSigned));
  case TexelClass::Uscaled:
    return uint64_t(roundToInteger(std::trunc(number), 0, most));
  case TexelClass::Sscaled:
    return uint64_t(roundToInteger(std::trunc(number), -mostSigned - 1, mostSigned));
  case TexelClass::Uint:
  case TexelClass::Sint:
    return word;
  case TexelClass::Float:
    return encodeFloat(word, width);
  case TexelClass::Srgb: {
    double linear = std::isnan(number) ? 0 : std::clamp(number, 0.0, 1.0);
    return uint64_t(roundToInteger((index == 3 ? linear : toSrgb(linear)) * most, 0, most));
  }
  }
  llvm_unreachable("a number that is no TexelClass");
}

/// Vulkan 1.3, "RGB to Shared Exponent": nine bits each, bias 15.
static void encodeShared(const TexelWords &words, uint8_t *bytes) {
  constexpr double largest = 65408; // (2^9 - 1) / 2^9 * 2^16
  double clamped[3];
  double most = 0;
  for (unsigned i = 0; i < 3; ++i) {
    double number = double(llvm::bit_cast<float>(words[i]));
    clamped[i] = std::isnan(number) ? 0 : std::clamp(number, 0.0, largest);
    most = std::max(most, clamped[i]);
  }
  int exponent = most > 0 ? std::max(-16, std::ilogb(most)) + 16 : 0;
  if (std::floor(std::ldexp(most, 24 - exponent) + 0.5) >= 512)
    ++exponent;
  for (unsigned i = 0; i < 3; ++i)
    putBits(bytes, 9 * i, 9, uint64_t(std::floor(std::ldexp(clamped[i], 24 - exponent) + 0.5)));
  putBits(bytes, 27, 5, uint64_t(exponent));
}

/// Writes a whole texel.
void gcn::encodeTexel(const HardwareFormat &format, const TexelWords &words, uint8_t *bytes) {
  if (format.sharesExponent)
    return encodeShared(words, bytes);
  unsigned first = 0;
  for (unsigned i = 0; i < format.components(); ++i) {
    putBits(bytes, first, format.bits[i], encodeComponent(format, i, words[i]));
    first += format.bits[i];
  }
}

/// LLVM, AMDGPU subtarget features "default component zero" and "default component broadcast".
void gcn::completeStored(TexelWords &words, unsigned first, unsigned gfxMajor) {
  for (unsigned i = first; i < 4; ++i)
    words[i] = gfxMajor >= 12 ? words[0] : 0;
}

/// What a load gives, after the descriptor's selection. 1 is an integer or a float by the format.
TexelWords gcn::selectComponents(const TexelView &view, const TexelWords &texel) {
  bool isInteger = view.format.kind == TexelClass::Uint || view.format.kind == TexelClass::Sint;
  TexelWords result = {};
  for (unsigned i = 0; i < 4; ++i) {
    if (view.select[i] >= SelectX)
      result[i] = texel[view.select[i] - SelectX];
    else if (view.select[i] == SelectOne)
      result[i] = isInteger ? 1 : floatBits(1);
  }
  return result;
}

/// The reverse of selectComponents(), for stores. Of several selections of one component, the first
/// counts.
TexelWords gcn::arrangeComponents(const TexelView &view, const TexelWords &words) {
  TexelWords result = {};
  for (unsigned i = 4; i-- > 0;)
    if (view.select[i] >= SelectX)
      result[view.select[i] - SelectX] = words[i];
  return result;
}
