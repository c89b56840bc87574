// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions ("Conversion Instructions").
#include "oracles/machine/spirv/math/FloatBits.h"
#include "oracles/machine/spirv/ops/Ops.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <limits>
#include <optional>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

static uint64_t zeroExtend(uint64_t a, unsigned) {
  return a;
}
/// The caller masks the result to its width; a narrower one is truncated.
static uint64_t extendSign(uint64_t a, unsigned width) {
  return static_cast<uint64_t>(signExtend(a, width));
}

/// \p magnitude rounded to the width of \p rules.
static double roundInteger(uint64_t magnitude, const FloatRules &rules) {
  const FloatFormat &format = formatOf(rules.width);
  int excess = (magnitude ? 64 - countl_zero(magnitude) : 0) - format.precision;
  if (excess > 0) {
    uint64_t rest = magnitude & maskOf(static_cast<unsigned>(excess)), half = 1ull << (excess - 1);
    magnitude >>= excess;
    if (!rules.towardZero && (rest > half || (rest == half && (magnitude & 1))))
      ++magnitude;
  }
  double result = static_cast<double>(magnitude) * powerOfTwo(std::max(excess, 0));
  if (result > format.maxFinite)
    return rules.towardZero ? format.maxFinite : std::numeric_limits<double>::infinity();
  return result;
}

/// Of isIntegerRange().
template <bool IsSigned> static Scalar floatOfIntegers(const Scalar &a, const Inst &inst) {
  double limit = powerOfTwo(static_cast<int>(inst.sourceWidth) - IsSigned);
  if (a.lo < (IsSigned ? -limit : 0) || a.hi >= limit)
    return inheritPoison(a, a);
  unsigned width = inst.rules.width;
  return scalarOf({roundToWidth(a.lo, width, inst.rules.towardZero),
                   roundToWidth(a.hi, width, inst.rules.towardZero), false},
                  inst.rules);
}

/// Correctly rounded by the rules. An integer with a known range becomes an interval.
template <bool IsSigned> static Status intToFloat(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if (a[i].isPoison()) {
      dst[i] =
          isIntegerRange(a[i]) ? floatOfIntegers<IsSigned>(a[i], inst) : inheritPoison(a[i], a[i]);
      continue;
    }
    bool isNegative = IsSigned && signExtend(a[i].bits, inst.sourceWidth) < 0 &&
                      !faultPlanted(Fault::ReferenceConvert);
    uint64_t magnitude = isNegative ? (0 - a[i].bits) & maskOf(inst.sourceWidth) : a[i].bits;
    double value = roundInteger(magnitude, inst.rules);
    dst[i] = scalarOf(Interval::point(isNegative ? -value : value), inst.rules);
  }
  return Status::Next;
}

// Inst::extra of a conversion between floats: bits.
static constexpr uint32_t SourceMayFlush = 1; ///< Holds for operands of the source's width.
static constexpr uint32_t AnyRounding = 2;    ///< Up or down, as the implementation likes.

/// Between widths of floats. FPRoundingMode goes before the execution mode; where there is neither,
/// a correctly rounded result may be either neighbour, and drivers do convert to 16 bits both ways.
static Error prepareFloatConvert(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  inst.extra = decoder.rulesForWidth(inst.sourceWidth, *inst.source).mayFlush ? SourceMayFlush : 0;
  std::optional<uint32_t> mode =
      decoder.module().decorationValue(inst.source->resultId, spv::Decoration::FPRoundingMode);
  if (!mode) {
    inst.extra |= decoder.roundsAsItLikes(inst.width) ? AnyRounding : 0;
    return Error::success();
  }
  if (*mode != uint32_t(spv::FPRoundingMode::RTE) && *mode != uint32_t(spv::FPRoundingMode::RTZ))
    return unsupported("FPRoundingMode " + Twine(*mode));
  inst.rules.towardZero = *mode == uint32_t(spv::FPRoundingMode::RTZ);
  return Error::success();
}

/// The nominal value is rounded once; with AnyRounding the interval reaches to the neighbours on
/// both sides.
static Status convertFloat(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  FloatRules source = inst.rules;
  source.width = inst.sourceWidth;
  source.mayFlush = inst.extra & SourceMayFlush;
  source.relaxed = false;
  for (uint32_t i = 0; i < inst.n; ++i) {
    if (a[i].isPoison()) {
      dst[i] = inheritPoison(a[i], a[i]);
      continue;
    }
    double nominal = roundToWidth(fromBits(a[i].bits, inst.sourceWidth), inst.rules.width,
                                  inst.rules.towardZero);
    Interval operand = intervalOf(a[i], source);
    Interval result = convert(operand, inst.rules);
    if (inst.extra & AnyRounding && !operand.isEmpty())
      result = {floorToWidth(operand.lo, inst.rules.width),
                ceilToWidth(operand.hi, inst.rules.width), operand.nan};
    dst[i] = scalarOf(result, inst.rules, nominal);
  }
  return Status::Next;
}

/// One of the integers of \p whole, which are numbers of the type: chosen, or their range.
static Scalar chooseInteger(Invocation &invocation, const Interval &whole, unsigned width) {
  auto bitsOf = [&](double number) {
    return (number < 0 ? static_cast<uint64_t>(static_cast<int64_t>(number))
                       : static_cast<uint64_t>(number)) &
           maskOf(width);
  };
  double count = whole.hi - whole.lo + 1;
  if (count <= Execution::MostValues && invocation.execution)
    if (std::optional<uint32_t> chosen = invocation.execution->chooseValue(
            ValueChoice::Integer, invocation, static_cast<uint32_t>(count)))
      return Scalar::exact(bitsOf(whole.lo + *chosen));
  return Scalar::integers(whole.lo, whole.hi, bitsOf(whole.lo));
}

/// Truncates. Values entirely outside of the type are undefined, intervals that reach outside or
/// may be NaN ambiguous; of others one integer is chosen, or their range is kept.
template <bool IsSigned> static Status floatToInt(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  double limit = powerOfTwo(IsSigned ? inst.width - 1 : inst.width);
  double lowest = IsSigned ? -limit : 0;
  for (uint32_t i = 0; i < inst.n; ++i) {
    if (a[i].isPoison()) {
      dst[i] = inheritPoison(a[i], a[i]);
      continue;
    }
    Interval whole = roundToZero(intervalOf(a[i], inst.rules));
    if (whole.isEmpty() || whole.lo >= limit || whole.hi < lowest)
      dst[i] = Scalar::undefined(Cause::Convert);
    else if (whole.nan || whole.lo < lowest || whole.hi >= limit)
      dst[i] = Scalar::ambiguous();
    else if (!whole.isPoint())
      dst[i] = chooseInteger(invocation, whole, inst.width);
    else
      dst[i] = Scalar::exact((IsSigned ? static_cast<uint64_t>(static_cast<int64_t>(whole.lo))
                                       : static_cast<uint64_t>(whole.lo)) &
                             maskOf(inst.width));
  }
  return Status::Next;
}

/// Inst::op[3] of a bit cast whose result is a device address.
static constexpr uint32_t MakesPointer = 1;

/// Inst::extra: the result is a float. sourceWidth and width are those of the scalars.
static Error prepareBitcast(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  TypeKind kind = decoder.scalarType(inst.source->typeId).kind;
  if (kind != TypeKind::Int && kind != TypeKind::Float && kind != TypeKind::Pointer)
    return unsupported("result of this type");
  inst.extra = kind == TypeKind::Float;
  if (kind == TypeKind::Pointer)
    inst.op[3] = MakesPointer;
  return Error::success();
}

/// The bits of a float as an integer, which keeps its interval.
static Scalar asInteger(const Scalar &operand, unsigned width) {
  Scalar value = settle(operand, width);
  if (isFloatBits(value))
    return value;
  return value.isPoison() ? inheritPoison(value, value) : bitsOfFloat(value);
}

/// Component \p part of an integer that is cut into others of \p width bits.
static Scalar partOf(const Scalar &whole, uint32_t part, unsigned width) {
  if (isTwoHalves(whole) && width == 16)
    return bitsOfFloat(halfOf(whole, part != 0));
  if (whole.isPoison())
    return inheritPoison(whole, whole);
  return Scalar::exact(whole.bits >> (part * width) & maskOf(width));
}

/// Integers of \p width bits joined, the low ones first.
static Scalar joinParts(ArrayRef<Scalar> parts, unsigned width) {
  auto isHalf = [](const Scalar &part) { return !part.isPoison() || isFloatBits(part); };
  if (width == 16 && parts.size() == 2 && all_of(parts, isHalf))
    return joinHalves(parts[0], parts[1]);
  Scalar result = Scalar::exact(0);
  for (auto [index, part] : enumerate(parts)) {
    uint64_t bits = result.bits | part.bits << (index * width);
    if (part.isPoison() || result.isPoison())
      result = inheritPoison(result, part);
    else
      result = Scalar::exact(bits);
  }
  return result;
}

/// An integer's bits as a float.
static Scalar asFloat(const Scalar &value) {
  return isFloatBits(value) && !isTwoHalves(value) ? floatOfBits(value) : value;
}

/// Floats with intervals keep them as integers (FloatBits.h) and regain them when cast back.
static void castBits(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  if (inst.width == inst.sourceWidth) {
    for (uint32_t i = 0; i < inst.n; ++i)
      dst[i] = inst.extra ? asFloat(a[i]) : asInteger(a[i], inst.width);
    return;
  }
  // Components are cut or joined, the low ones first. n counts those of the result.
  for (uint32_t i = 0; i < inst.n; ++i) {
    if (inst.width < inst.sourceWidth) {
      uint32_t ratio = inst.sourceWidth / inst.width;
      dst[i] = partOf(asInteger(a[i / ratio], inst.sourceWidth), i % ratio, inst.width);
    } else {
      uint32_t ratio = inst.width / inst.sourceWidth;
      SmallVector<Scalar, 8> parts;
      for (uint32_t k = 0; k < ratio; ++k)
        parts.push_back(asInteger(a[i * ratio + k], inst.sourceWidth));
      dst[i] = joinParts(parts, inst.sourceWidth);
    }
    if (inst.extra)
      dst[i] = asFloat(dst[i]);
  }
}

/// Keeps the bits. A cast to a pointer makes a device address; bits of a float with an interval
/// then become poison.
static Status bitcast(Invocation &invocation, const Inst &inst) {
  castBits(invocation, inst);
  if (inst.op[3] != MakesPointer)
    return Status::Next;
  Scalar &pointer = *invocation.at(inst.dst);
  if (isFloatBits(pointer))
    pointer = inheritPoison(pointer, pointer);
  pointer.object = DeviceAddress;
  return Status::Next;
}

/// To 16 bits and back: either neighbour; what is too small for a normal float16 may become zero.
static Interval quantize(Interval a) {
  if (a.isEmpty())
    return a;
  double bounds[2] = {a.lo, a.hi};
  for (unsigned i = 0; i < 2; ++i) {
    uint16_t half = toHalf(bounds[i]);
    double nearest = fromHalf(half);
    // The neighbour beyond, where rounding went inward.
    if ((i == 0 && nearest > bounds[i]) || (i == 1 && nearest < bounds[i])) {
      bool away = (i == 0) == (half >> 15 != 0);
      if (nearest == 0)
        nearest = i == 0 ? -0x1p-24 : 0x1p-24;
      else
        nearest = fromHalf(static_cast<uint16_t>(away ? half + 1 : half - 1));
    }
    bounds[i] = nearest;
  }
  Interval result{bounds[0], bounds[1], a.nan};
  if (result.lo > 0 && result.lo < 0x1p-14)
    result.lo = 0;
  if (result.hi < 0 && result.hi > -0x1p-14)
    result.hi = 0;
  return result;
}

/// Conversions between integers only change the width: sourceWidth is where the sign is.
ArrayRef<OpRow> reference::conversionOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpConvertFToU), prepareIds, floatToInt<false>},
      {uint32_t(Op::OpConvertFToS), prepareIds, floatToInt<true>},
      {uint32_t(Op::OpConvertSToF), prepareIds, intToFloat<true>},
      {uint32_t(Op::OpConvertUToF), prepareIds, intToFloat<false>},
      {uint32_t(Op::OpFConvert), prepareFloatConvert, convertFloat},
      {uint32_t(Op::OpUConvert), prepareIds, intUnary<zeroExtend>},
      {uint32_t(Op::OpSConvert), prepareIds, intUnary<extendSign>},
      {uint32_t(Op::OpBitcast), prepareBitcast, bitcast},
      {uint32_t(Op::OpQuantizeToF16), prepareIds, floatUnary<quantize>},
  };
  return rows;
}
