// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/image/Texel.h"
#include "oracles/machine/spirv/math/FloatMath.h"

#include <algorithm>
#include <limits>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

static constexpr double Infinity = std::numeric_limits<double>::infinity();
/// 1.0 as a 32-bit float.
static constexpr uint32_t FloatOne = 0x3f800000;
/// Vulkan asks only for "about 1 part in 10^5" outside of shaders; multiplying by a rounded 1 /
/// 65535 as drivers do is off by 3 ULP at most.
static constexpr double MostUlps = 4;

/// Returns the position of a channel in a colour. Depth is in the first one. 4 for other names.
unsigned reference::channelIndex(char channel) {
  switch (channel) {
  case 'R':
  case 'D':
    return 0;
  case 'G':
    return 1;
  case 'B':
    return 2;
  case 'A':
    return 3;
  default:
    return 4;
  }
}

/// Stencil alone and floats of 64 bits are not read.
std::string reference::whyNotReadable(const TexelFormatInfo &format) {
  // A view of depth and stencil shows the depth (VkImageSubresourceRange::aspectMask has one bit).
  if (format.find('S') && !format.find('D'))
    return "texels of stencil format " + format.name.str();
  if (format.numeric == TexelNumeric::Sfloat && format.components[0].bits == 64)
    return "texels of " + format.name.str();
  return "";
}

/// The exponent has 5 bits and a bias of 15; there is no sign.
double reference::fromSmallFloat(uint64_t bits, unsigned width) {
  unsigned mantissaBits = width - 5;
  uint64_t mantissa = bits & ((uint64_t(1) << mantissaBits) - 1);
  int exponent = static_cast<int>(bits >> mantissaBits);
  double fraction = static_cast<double>(mantissa) / static_cast<double>(1u << mantissaBits);
  if (exponent == 31)
    return mantissa ? std::numeric_limits<double>::quiet_NaN() : Infinity;
  return exponent ? (1 + fraction) * exp2Of(exponent - 15) : fraction * 0x1p-14;
}

/// Encoded values of 1 and more give 1.
double reference::linearFromSrgb(double encoded) {
  if (encoded <= 0.04045)
    return encoded / 12.92;
  return encoded >= 1 ? 1.0 : expOf(2.4 * logOf((encoded + 0.055) / 1.055));
}

/// Linear values of 1 and more give 1.
double reference::srgbFromLinear(double linear) {
  if (linear <= 0.0031308)
    return linear * 12.92;
  return linear >= 1 ? 1.0 : 1.055 * expOf(logOf(linear) / 2.4) - 0.055;
}

/// The quotient by 2^b - 1. The lowest signed number counts as -1.
static Interval decodeNormalized(const TexelField &field) {
  int64_t most = (int64_t(1) << (field.bits - field.isSigned)) - 1;
  auto valueOf = [&](int64_t number) {
    // 0 and +-1 have no way to be off.
    number = std::max(number, -most);
    Interval exact = Interval::point(static_cast<double>(number) / static_cast<double>(most));
    return number == 0 || number == most || number == -most ? exact : widenUlps(exact, MostUlps);
  };
  return {valueOf(field.lo).lo, valueOf(field.hi).hi, false};
}

/// The linear value, with half a unit of the encoding on both sides. 0 and 1 are exact.
static Interval decodeSrgb(const TexelField &field) {
  double most = static_cast<double>((int64_t(1) << field.bits) - 1);
  auto valueOf = [&](int64_t number, double error) {
    if (number == 0 || static_cast<double>(number) == most)
      return static_cast<double>(number) / most;
    return linearFromSrgb((static_cast<double>(number) + error) / most);
  };
  return {valueOf(field.lo, -0.5), valueOf(field.hi, 0.5), false};
}

/// Bits above those of infinity are NaN.
static Interval decodeSmallFloat(const TexelField &field) {
  double lo = fromSmallFloat(uint64_t(field.lo), field.bits);
  double hi = fromSmallFloat(uint64_t(field.hi), field.bits);
  if (lo != lo)
    return Interval::onlyNan();
  return {lo, hi != hi ? Infinity : hi, hi != hi};
}

/// The value of a component that is a field of bits.
static Scalar decodeField(const TexelField &field, const TexelFormatInfo &format, char channel,
                          const FloatRules &rules) {
  if (field.flags & Poison) {
    Scalar poison = Scalar::exact(0);
    poison.flags = field.flags;
    poison.cause = field.cause;
    return poison;
  }
  switch (format.numeric) {
  case TexelNumeric::Uint:
  case TexelNumeric::Sint:
    return field.lo == field.hi ? Scalar::exact(uint32_t(field.lo)) : Scalar::ambiguous();
  case TexelNumeric::Uscaled:
  case TexelNumeric::Sscaled:
    return scalarOf({double(field.lo), double(field.hi), false}, rules, double(field.nominal));
  case TexelNumeric::Ufloat:
    return scalarOf(decodeSmallFloat(field), rules,
                    fromSmallFloat(uint64_t(field.nominal), field.bits));
  default:
    break;
  }
  double most = static_cast<double>((int64_t(1) << (field.bits - field.isSigned)) - 1);
  double nominal = std::max(static_cast<double>(field.nominal) / most, -1.0);
  if (format.numeric == TexelNumeric::Srgb && channel != 'A')
    return scalarOf(decodeSrgb(field), rules, linearFromSrgb(nominal));
  return scalarOf(decodeNormalized(field), rules, nominal);
}

/// Whether components are signed integers or made of such.
static bool isSignedNumeric(TexelNumeric numeric) {
  return numeric == TexelNumeric::Snorm || numeric == TexelNumeric::Sint ||
         numeric == TexelNumeric::Sscaled;
}

/// The bits of one component, with what is open about them.
static TexelField loadComponent(const BufferMemory &memory, uint64_t offset,
                                const TexelFormatInfo &format, const TexelComponent &component) {
  TexelField field;
  field.firstBit = component.firstBit;
  field.bits = component.bits;
  field.isSigned = isSignedNumeric(format.numeric);
  memory.loadField(offset, field);
  return field;
}

/// A float of 16 or 32 bits.
static Scalar decodeFloat(const BufferMemory &memory, uint64_t offset, unsigned bytes,
                          const FloatRules &rules) {
  Scalar value = memory.load(offset, bytes, true);
  if (value.isPoison() || (bytes == 4 && !rules.relaxed))
    return value;
  if (bytes == 4)
    return scalarOf(intervalOf(value, rules), rules, fromFloat(value.bits));
  double nominal = fromHalf(static_cast<uint16_t>(value.bits));
  Interval interval = nominal != nominal ? Interval::onlyNan() : Interval::point(nominal);
  if (value.flags & Ranged)
    interval = {value.lo, value.hi, (value.flags & MayNan) != 0};
  return scalarOf(interval, rules, nominal);
}

/// E5B9G9R9: value = mantissa * 2^(exponent - 15 - 9).
static TexelValue readSharedExponent(const BufferMemory &memory, uint64_t offset,
                                     const TexelFormatInfo &format, const FloatRules &rules) {
  TexelField fields[4];
  uint8_t flags = 0;
  for (unsigned i = 0; i < 4; ++i) {
    fields[i] = loadComponent(memory, offset, format, format.components[i]);
    flags |= fields[i].flags | (fields[i].lo != fields[i].hi ? Ambiguous : 0);
  }
  TexelValue result = zeroTexel(format, 1);
  for (unsigned i = 0; i < 3; ++i) {
    Scalar &channel = result[channelIndex(format.components[i].channel)];
    if (flags) {
      channel.flags = flags;
      channel.cause = Cause::Memory;
      continue;
    }
    double value =
        static_cast<double>(fields[i].lo) * exp2Of(static_cast<double>(fields[3].lo) - 24);
    channel = scalarOf(Interval::point(value), rules, value);
  }
  return result;
}

/// Returns what a read outside of an image gives: zeros. A format without alpha gets 1 there if \p
/// alpha is not 0.
TexelValue reference::zeroTexel(const TexelFormatInfo &format, unsigned alpha) {
  TexelValue result;
  result.fill(Scalar::exact(0));
  bool hasAlpha = format.find('A') != nullptr;
  if (!hasAlpha && alpha)
    result[3] = Scalar::exact(format.isInteger() ? 1 : FloatOne);
  return result;
}

/// Components of 32 bits and more, and all floats with a sign, are loaded as scalars of their own;
/// others are fields of bits.
TexelValue reference::readTexel(const BufferMemory &memory, uint64_t offset,
                                const TexelFormatInfo &format, const FloatRules &rules) {
  if (format.find('E'))
    return readSharedExponent(memory, offset, format, rules);
  TexelValue result = zeroTexel(format, 1);
  for (unsigned i = 0; i < format.componentCount; ++i) {
    const TexelComponent &component = format.components[i];
    unsigned channel = channelIndex(component.channel);
    if (channel > 3)
      continue;
    uint64_t place = offset + component.firstBit / 8;
    if (format.numeric == TexelNumeric::Sfloat)
      result[channel] = decodeFloat(memory, place, component.bits / 8, rules);
    else if (component.bits >= 32)
      result[channel] = memory.load(place, component.bits / 8, false);
    else
      result[channel] = decodeField(loadComponent(memory, offset, format, component), format,
                                    component.channel, rules);
  }
  return result;
}
