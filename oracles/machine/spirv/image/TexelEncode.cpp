// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/image/Texel.h"
#include "oracles/machine/spirv/math/FloatMath.h"

#include <algorithm>
#include <limits>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

static constexpr double Infinity = std::numeric_limits<double>::infinity();
/// The largest finite half.
static constexpr double MaxHalf = 65504;

/// Returns the reason why the machine cannot store texels of the format; empty if it can. Formats
/// that cannot be read cannot be written either.
std::string reference::whyNotWritable(const TexelFormatInfo &format) {
  // No rule says how a float becomes a scaled integer; no implementation stores them, or depth.
  if (format.numeric == TexelNumeric::Uscaled || format.numeric == TexelNumeric::Sscaled ||
      format.find('D'))
    return "writing texels of " + format.name.str();
  return whyNotReadable(format);
}

/// Bounds of x as a half: both neighbours where it lies between two. Denormals may be flushed.
static Interval halfBounds(double x) {
  if (x > MaxHalf && x < Infinity)
    return {MaxHalf, Infinity, false};
  if (x < 0) {
    Interval mirrored = halfBounds(-x);
    return {-mirrored.hi, -mirrored.lo, false};
  }
  uint16_t bits = toHalf(x);
  double nearest = fromHalf(bits);
  Interval result = Interval::point(nearest);
  if (nearest < x)
    result.hi = fromHalf(bits + 1);
  else if (nearest > x)
    result.lo = fromHalf(bits - 1);
  if (x < 0x1p-14)
    result.lo = 0;
  return result;
}

/// A float as the bits of a half, with an interval where two halves are right.
static Scalar encodeHalf(const Scalar &value) {
  if (value.isPoison())
    return value;
  FloatRules exact;
  exact.mayFlush = false;
  Interval interval = intervalOf(value, exact);
  if (interval.isEmpty())
    return {0x7e00, {interval.lo}, interval.hi, Ranged | MayNan, Cause::Math};
  Interval lower = halfBounds(interval.lo), upper = halfBounds(interval.hi);
  uint16_t bits = toHalf(fromFloat(value.bits));
  if (lower.lo == upper.hi && !interval.nan)
    return Scalar::exact(bits);
  uint8_t flags = Ranged | (interval.nan ? MayNan : 0);
  return {bits, {lower.lo}, upper.hi, flags, Cause::Math};
}

/// The number of the largest unsigned small float that is not above \p x >= 0.
static int64_t floorSmallFloat(double x, unsigned width) {
  unsigned mantissaBits = width - 5;
  int64_t infinity = int64_t(31) << mantissaBits;
  if (x == Infinity)
    return infinity;
  int64_t lo = 0, hi = infinity - 1;
  while (lo < hi) {
    int64_t middle = (lo + hi + 1) / 2;
    if (fromSmallFloat(uint64_t(middle), width) <= x)
      lo = middle;
    else
      hi = middle - 1;
  }
  return lo;
}

/// Negative numbers become 0. Both neighbours are right; NaN is any bit pattern of NaN.
static void encodeSmallFloat(const Interval &interval, double nominal, TexelField &field) {
  int64_t infinity = int64_t(31) << (field.bits - 5);
  if (interval.isEmpty()) {
    field.lo = field.nominal = infinity + 1;
    field.hi = (int64_t(1) << field.bits) - 1;
    return;
  }
  field.lo = floorSmallFloat(std::max(interval.lo, 0.0), field.bits);
  double top = std::max(interval.hi, 0.0);
  field.hi = floorSmallFloat(top, field.bits);
  field.hi += fromSmallFloat(uint64_t(field.hi), field.bits) < top;
  field.nominal = floorSmallFloat(std::max(nominal, 0.0), field.bits);
}

/// The numbers that \p lo to \p hi, exact multiples of the unit up to an error of \p snap, may
/// become: the integer itself, or either neighbour.
static void roundToField(double lo, double hi, double nominal, double snap, TexelField &field) {
  double nearest = roundEvenOf(nominal);
  field.nominal = static_cast<int64_t>(nearest);
  if (lo >= nearest - snap && hi <= nearest + snap) {
    field.lo = field.hi = field.nominal;
    return;
  }
  field.lo = static_cast<int64_t>(floorOf(lo));
  field.hi = static_cast<int64_t>(-floorOf(-hi));
}

/// Clamps to the range of the format, applies the sRGB function if \p isSrgb, and rounds either
/// way.
static void encodeNormalized(const Interval &interval, double nominal, bool isSrgb,
                             TexelField &field) {
  double most = static_cast<double>((int64_t(1) << (field.bits - field.isSigned)) - 1);
  double least = field.isSigned ? -1 : 0;
  auto numberOf = [&](double x) {
    x = std::clamp(x, least, 1.0);
    return (isSrgb ? srgbFromLinear(x) : x) * most;
  };
  // What is off by the rounding of a float counts as the number it is near to; the transfer
  // function is a table or a polynomial in all implementations.
  double snap = isSrgb ? 0x1p-6 : most * 0x1p-20;
  roundToField(numberOf(interval.lo), numberOf(interval.hi), numberOf(nominal), snap, field);
}

/// \p valueBits: of the shader's integer. A number beyond the component leaves it open.
static void encodeInteger(const Scalar &value, unsigned valueBits, TexelField &field) {
  int64_t number = static_cast<int64_t>(value.bits);
  if (field.isSigned)
    number = number << (64 - valueBits) >> (64 - valueBits);
  int64_t most = (int64_t(1) << (field.bits - field.isSigned)) - 1;
  int64_t least = field.isSigned ? -most - 1 : 0;
  if (number < least || number > most)
    field.flags |= Ambiguous;
  field.lo = field.hi = field.nominal = number;
}

/// The field of one component; poison and NaN in fixed point leave it open.
static TexelField encodeField(const Scalar &value, const TexelFormatInfo &format,
                              const TexelComponent &component, const FloatRules &rules) {
  TexelField field;
  field.firstBit = component.firstBit;
  field.bits = component.bits;
  field.isSigned = format.numeric == TexelNumeric::Snorm || format.numeric == TexelNumeric::Sint;
  if (value.isPoison()) {
    field.flags = value.flags & Poison;
    field.cause = value.cause;
    return field;
  }
  if (format.isInteger()) {
    encodeInteger(value, 32, field);
    return field;
  }
  Interval interval = intervalOf(value, rules);
  double nominal = fromFloat(value.bits);
  if (format.numeric == TexelNumeric::Ufloat && (interval.isEmpty() || !interval.nan)) {
    encodeSmallFloat(interval, nominal, field);
    return field;
  }
  if (interval.nan) { // Fixed point has nothing for it.
    field.flags = Ambiguous;
    return field;
  }
  encodeNormalized(interval, nominal,
                   format.numeric == TexelNumeric::Srgb && component.channel != 'A', field);
  return field;
}

/// E5B9G9R9, for exact values, by the Khronos Data Format Specification ("Shared exponent format").
static void writeSharedExponent(BufferMemory &memory, uint64_t offset,
                                const TexelFormatInfo &format, const TexelValue &value) {
  constexpr double mostShared = 511.0 / 512 * 65536;
  double channels[3], largest = 0;
  uint8_t flags = 0;
  for (unsigned i = 0; i < 3; ++i) {
    flags |= value[i].flags & Poison ? value[i].flags & Poison : value[i].flags ? Ambiguous : 0;
    double x = fromFloat(value[i].bits);
    flags |= x != x ? Ambiguous : 0;
    channels[i] = x > 0 ? std::min(x, mostShared) : 0.0;
    largest = std::max(largest, channels[i]);
  }
  int exponent = 0; // Biased by 15.
  while (exponent < 31 && largest >= exp2Of(exponent - 15))
    ++exponent;
  auto mantissa = [&](double x) { return floorOf(x * exp2Of(24 - exponent) + 0.5); };
  if (mantissa(largest) == 512)
    ++exponent;
  TexelField fields[4];
  for (unsigned i = 0; i < 4; ++i) {
    const TexelComponent &component = format.components[i];
    fields[i].firstBit = component.firstBit;
    fields[i].bits = component.bits;
    fields[i].flags = flags;
    double number =
        component.channel == 'E' ? exponent : mantissa(channels[channelIndex(component.channel)]);
    fields[i].lo = fields[i].hi = fields[i].nominal = static_cast<int64_t>(number);
  }
  memory.storeFields(offset, format.bytes, fields);
}

/// Components of 32 bits and more and halves are stored as scalars, others together as fields.
void reference::writeTexel(BufferMemory &memory, uint64_t offset, const TexelFormatInfo &format,
                           const TexelValue &value, const FloatRules &rules) {
  if (format.find('E'))
    return writeSharedExponent(memory, offset, format, value);
  SmallVector<TexelField, 4> fields;
  for (unsigned i = 0; i < format.componentCount; ++i) {
    const TexelComponent &component = format.components[i];
    unsigned channel = channelIndex(component.channel);
    if (channel > 3)
      continue;
    uint64_t place = offset + component.firstBit / 8;
    bool isHalf = format.numeric == TexelNumeric::Sfloat && component.bits == 16;
    if (isHalf || component.bits >= 32)
      memory.store(place, component.bits / 8, isHalf ? encodeHalf(value[channel]) : value[channel]);
    else
      fields.push_back(encodeField(value[channel], format, component, rules));
  }
  if (!fields.empty())
    memory.storeFields(offset, format.bytes, fields);
}
