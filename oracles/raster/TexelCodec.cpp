// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/TexelCodec.h"

#include "support/Fault.h"
#include "llvm/ADT/bit.h"
#include <cassert>
#include <cstring>
#include <limits>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

static constexpr double Infinity = std::numeric_limits<double>::infinity();
static constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

unsigned raster::getColorIndex(char channel) {
  switch (channel) {
  case 'R':
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

double raster::getMaxCode(unsigned bits, bool isSigned) {
  return double((uint64_t(1) << (bits - isSigned)) - 1);
}

bool raster::hasSignedFields(const TexelFormatInfo &format) {
  return format.numeric == TexelNumeric::Snorm || format.numeric == TexelNumeric::Sint;
}

bool raster::isNormalized(const TexelFormatInfo &format) {
  return format.numeric == TexelNumeric::Unorm || format.numeric == TexelNumeric::Snorm ||
         format.numeric == TexelNumeric::Srgb;
}

/// The number x with x^n = a > 0, n > 1: Newton's method from above, where it only decreases.
static double takeRoot(double a, int n) {
  double x = std::ldexp(1.0, std::ilogb(a) / n + 1);
  for (int i = 0; i < 200; ++i) {
    double power = 1;
    for (int k = 1; k < n; ++k)
      power *= x;
    double next = x - (x - a / power) / n;
    if (next >= x)
      break;
    x = next;
  }
  return x;
}

double raster::decodeSrgb(double encoded) {
  if (encoded <= 0.04045)
    return encoded / 12.92;
  double y = (encoded + 0.055) / 1.055; // y^2.4 = y^2 (y^2)^(1/5)
  return encoded >= 1 ? 1.0 : y * y * takeRoot(y * y, 5);
}

double raster::encodeSrgb(double linear) {
  if (linear <= 0.0031308)
    return std::max(linear, 0.0) * 12.92;
  if (linear >= 1)
    return 1;
  double fifth = linear * linear * linear * linear * linear; // x^(5/12)
  return 1.055 * std::sqrt(std::sqrt(takeRoot(fifth, 3))) - 0.055;
}

/// Floats of 16, 11 and 10 bits: 5 bits of exponent, the rest mantissa; here without a sign.
static double fromSmallFloat(int64_t code, unsigned mantissaBits) {
  int64_t exponent = code >> mantissaBits;
  double fraction = double(code & ((int64_t(1) << mantissaBits) - 1));
  if (exponent == 31)
    return fraction != 0 ? NaN : Infinity;
  double mantissa = std::ldexp(fraction, -int(mantissaBits)) + (exponent ? 1 : 0);
  return std::ldexp(mantissa, int(std::max<int64_t>(exponent, 1)) - 15);
}

/// The code of the largest such float that is not above x >= 0.
static int64_t floorSmallFloat(double x, unsigned mantissaBits) {
  int64_t infinity = int64_t(31) << mantissaBits;
  if (x == Infinity)
    return infinity;
  int exponent = x < 0x1p-14 ? -14 : std::ilogb(x);
  if (exponent > 15)
    return infinity - 1;
  double units = std::floor(std::ldexp(x, int(mantissaBits) - exponent));
  return int64_t(units) + (int64_t(exponent + 14) << mantissaBits);
}

/// The code of the smallest such float that is not below \p x.
static int64_t ceilSmallFloat(double x, unsigned mantissaBits) {
  int64_t code = floorSmallFloat(x, mantissaBits);
  return code + (fromSmallFloat(code, mantissaBits) < x);
}

/// Bounds of x as a half; denormal ones may be flushed to zero.
static Range toHalfBounds(double x) {
  if (x < 0) {
    Range mirrored = toHalfBounds(-x);
    return {-mirrored.hi, -mirrored.lo};
  }
  Range result{fromSmallFloat(floorSmallFloat(x, 10), 10),
               fromSmallFloat(ceilSmallFloat(x, 10), 10)};
  if (x < 0x1p-14)
    result.lo = 0;
  return result;
}

/// Encodes an unsigned float of \p bits bits; negative numbers become 0. Fields are codes, which
/// rise with the number; a NaN is a code above that of infinity.
static Field encodeSmallFloat(const Component &value, unsigned bits) {
  unsigned mantissaBits = bits - 5;
  int64_t infinity = int64_t(31) << mantissaBits;
  if (value.range.lo > value.range.hi)
    return {{double(infinity + 1), getMaxCode(bits, false)}};
  Range range = maximum(value.range, Range::point(0));
  Field field{{double(floorSmallFloat(range.lo, mantissaBits)),
               double(ceilSmallFloat(range.hi, mantissaBits))}};
  if (value.mayBeNan)
    field.range.hi = getMaxCode(bits, false);
  return field;
}

/// The codes that the numbers of \p codes may become: the integer itself where they are one up to
/// an error of \p snap, or both neighbours.
static Field roundToCodes(Range codes, double snap) {
  double nearest = std::floor(codes.middle() + 0.5);
  if (codes.lo >= nearest - snap && codes.hi <= nearest + snap)
    return Field::point(nearest);
  return {{std::floor(codes.lo), std::ceil(codes.hi)}, false, false, codes.middle()};
}

/// Encodes a normalized component, clamped to its range. Open where the value may be NaN.
static Field encodeNormalized(const Component &value, unsigned bits, bool isSigned, bool isSrgb) {
  if (value.mayBeNan) // Fixed point has nothing for it.
    return Field::open();
  double most = getMaxCode(bits, isSigned);
  Range range = clampTo(value.range, isSigned ? -1 : 0, 1);
  if (isSrgb && !faultPlanted(Fault::RasterSrgbLinear))
    range = {encodeSrgb(range.lo), encodeSrgb(range.hi)};
  // What is this near to a number becomes that number: nobody rounds it away. Implementations
  // approximate the transfer function of sRGB by a table or a polynomial.
  double snap = isSrgb ? 0x1p-6 : std::max(0x1p-8, most * 0x1p-20);
  if (faultPlanted(Fault::RasterUnormTruncates) && range.isPoint())
    return Field::point(std::floor(range.lo * most));
  return roundToCodes({range.lo * most, range.hi * most}, snap);
}

/// Encodes one component by the numeric type of \p format. An integer that does not fit is open.
static Field encodeComponent(const TexelFormatInfo &format, const TexelComponent &component,
                             const Component &value) {
  if (value.isOpen)
    return Field::open();
  bool isSigned = hasSignedFields(format);
  switch (format.numeric) {
  case TexelNumeric::Uint:
  case TexelNumeric::Sint: {
    double most = getMaxCode(component.bits, isSigned);
    double least = isSigned ? -most - 1 : 0;
    bool fits = value.range.lo >= least && value.range.hi <= most;
    return fits ? Field{value.range} : Field::open();
  }
  case TexelNumeric::Sfloat:
    if (component.bits != 16 || value.range.lo > value.range.hi)
      return value;
    return {{toHalfBounds(value.range.lo).lo, toHalfBounds(value.range.hi).hi}, value.mayBeNan};
  case TexelNumeric::Ufloat:
    return encodeSmallFloat(value, component.bits);
  default:
    return encodeNormalized(value, component.bits, isSigned,
                            format.numeric == TexelNumeric::Srgb && component.channel != 'A');
  }
}

TexelFields raster::encodeColor(const TexelFormatInfo &format, const Color &color) {
  TexelFields fields = {};
  for (unsigned i = 0; i < format.componentCount; ++i) {
    unsigned index = getColorIndex(format.components[i].channel);
    if (index < 4)
      fields[i] = encodeComponent(format, format.components[i], color[index]);
  }
  return fields;
}

/// The reverse of encodeComponent().
static Component decodeComponent(const TexelFormatInfo &format, const TexelComponent &component,
                                 const Field &field) {
  if (field.isOpen)
    return field;
  switch (format.numeric) {
  case TexelNumeric::Uint:
  case TexelNumeric::Sint:
  case TexelNumeric::Sfloat:
    return field;
  case TexelNumeric::Ufloat: {
    unsigned mantissaBits = component.bits - 5u;
    double lo = fromSmallFloat(int64_t(field.range.lo), mantissaBits);
    double hi = fromSmallFloat(int64_t(field.range.hi), mantissaBits);
    if (std::isnan(lo))
      return {{1, -1}, true};
    return {{lo, std::isnan(hi) ? Infinity : hi}, std::isnan(hi)};
  }
  default:
    break;
  }
  double most = getMaxCode(component.bits, hasSignedFields(format));
  bool isSrgb = format.numeric == TexelNumeric::Srgb && component.channel != 'A';
  if (isSrgb) {
    // The transfer function is a table or a polynomial; its ends are exact.
    auto decode = [&](double code, double error) {
      return decodeSrgb(code == 0 || code == most ? code / most : (code + error) / most);
    };
    return {{decode(field.range.lo, -0.5), decode(field.range.hi, 0.5)}};
  }
  auto getNumber = [&](double code) { return std::max(code / most, -1.0); };
  return {{getNumber(field.range.lo), getNumber(field.range.hi)}};
}

Color raster::decodeColor(const TexelFormatInfo &format, const TexelFields &fields) {
  Color color = {};
  color[3] = Component::point(1);
  for (unsigned i = 0; i < format.componentCount; ++i) {
    unsigned index = getColorIndex(format.components[i].channel);
    if (index < 4)
      color[index] = decodeComponent(format, format.components[i], fields[i]);
  }
  return color;
}

Field raster::encodeDepth(Range depth, unsigned bits) {
  if (bits == 32)
    return {depth, false, false, depth.middle()};
  double most = getMaxCode(bits, false);
  depth = clampTo(depth, 0, 1);
  Range codes = depth * Range::point(most);
  // The product with 2^24 - 1 rounds to a float of 24 bits; only that with 0 and 1 is exact.
  bool isEnd = depth == Range::point(0) || depth == Range::point(1);
  return roundToCodes(bits > 16 && !isEnd ? widen(codes, 0.5) : codes, 0x1p-8);
}

Range raster::decodeDepth(const Field &field, unsigned bits) {
  double most = bits == 32 ? 1 : getMaxCode(bits, false);
  if (field.isOpen)
    return {0, 1};
  return {field.range.lo / most, field.range.hi / most};
}

/// Reads the bits of a component from a little-endian texel. A component has at most 32 bits.
static uint64_t loadBits(const uint8_t *bytes, const TexelComponent &component) {
  uint64_t result = 0;
  unsigned first = component.firstBit / 8, last = (component.firstBit + component.bits - 1) / 8;
  for (unsigned i = last + 1; i-- > first;)
    result = result << 8 | bytes[i];
  return result >> component.firstBit % 8 & ((uint64_t(1) << component.bits) - 1);
}

/// Writes the low bits of \p value into a component whose bits are 0.
static void storeBits(uint8_t *bytes, const TexelComponent &component, uint64_t value) {
  value = (value & ((uint64_t(1) << component.bits) - 1)) << component.firstBit % 8;
  for (unsigned i = component.firstBit / 8; value; ++i, value >>= 8)
    bytes[i] |= uint8_t(value);
}

/// The number that represents a field in the bytes of a target: the nominal one if it is possible.
static double getShown(const Field &field) {
  return field.range.contains(field.nominal) ? field.nominal : field.range.middle();
}

/// Returns the float of 16 or 32 bits with the given bits.
static double getFloat(uint64_t bits, unsigned width) {
  if (width == 32)
    return double(llvm::bit_cast<float>(uint32_t(bits)));
  double magnitude = fromSmallFloat(int64_t(bits & 0x7fff), 10);
  return bits >> 15 ? -magnitude : magnitude;
}

/// Returns the bits of the middle of a float field, a NaN for one that is only NaN.
static uint64_t getFloatBits(const Field &field, unsigned width) {
  double x = field.range.middle();
  bool isNan = field.range.lo > field.range.hi || std::isnan(x);
  if (width == 32)
    return llvm::bit_cast<uint32_t>(isNan ? std::numeric_limits<float>::quiet_NaN() : float(x));
  if (isNan)
    return 0x7e00;
  uint64_t sign = std::signbit(x) ? 0x8000 : 0;
  return sign | uint64_t(floorSmallFloat(std::fabs(x), 10));
}

/// Returns true for components that are kept as floats rather than as integer codes.
static bool isFloatField(const TexelFormatInfo &format, const TexelComponent &component) {
  return (format.numeric == TexelNumeric::Sfloat && component.channel != 'S') ||
         (component.channel == 'D' && component.bits == 32);
}

TexelFields raster::loadFields(const TexelFormatInfo &format, const uint8_t *bytes) {
  TexelFields fields = {};
  for (unsigned i = 0; i < format.componentCount; ++i) {
    const TexelComponent &component = format.components[i];
    if (component.channel == 'X')
      continue;
    uint64_t bits = loadBits(bytes, component);
    if (isFloatField(format, component)) {
      double x = getFloat(bits, component.bits);
      fields[i] = std::isnan(x) ? Field{{1, -1}, true} : Field::point(x);
    } else if (hasSignedFields(format)) {
      unsigned shift = 64u - component.bits;
      fields[i] = Field::point(double(int64_t(bits << shift) >> shift));
    } else {
      fields[i] = Field::point(double(bits));
    }
  }
  return fields;
}

void raster::storeFields(const TexelFormatInfo &format, const TexelFields &fields, uint8_t *bytes) {
  std::memset(bytes, 0, format.bytes);
  for (unsigned i = 0; i < format.componentCount; ++i) {
    const TexelComponent &component = format.components[i];
    if (component.channel == 'X' || fields[i].isOpen)
      continue;
    if (isFloatField(format, component))
      storeBits(bytes, component, getFloatBits(fields[i], component.bits));
    else
      storeBits(bytes, component, uint64_t(int64_t(std::floor(getShown(fields[i]) + 0.5))));
  }
}
