// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions ("Conversion Instructions").
#include "oracles/machine/spirv/Ops.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

static uint64_t zeroExtend(uint64_t a, unsigned) {
  return a;
}
static uint64_t extendSign(uint64_t a, unsigned width) {
  return static_cast<uint64_t>(signExtend(a, width));
}

static uint64_t unsignedToFloat(uint64_t a, unsigned) {
  return bit_cast<uint32_t>(static_cast<float>(a));
}
static uint64_t signedToFloat(uint64_t a, unsigned width) {
  return bit_cast<uint32_t>(static_cast<float>(signExtend(a, width)));
}

/// 2^k.
static double power(unsigned k) {
  double result = 1;
  while (k--)
    result *= 2;
  return result;
}

template <bool IsSigned> static Status floatToInt(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  double limit = power(IsSigned ? inst.width - 1 : inst.width), lowest = IsSigned ? -limit : 0;
  for (uint32_t i = 0; i < inst.n; ++i) {
    if (a[i].isPoison()) {
      dst[i] = inheritPoison(a[i], a[i]);
      continue;
    }
    Interval whole = roundToZero(intervalOf(a[i], inst.rules));
    if (whole.isEmpty() || whole.lo >= limit || whole.hi < lowest)
      dst[i] = Scalar::undefined(Cause::Convert);
    else if (!whole.isPoint() || whole.lo < lowest)
      dst[i] = Scalar::ambiguous();
    else
      dst[i] = Scalar::exact((IsSigned ? static_cast<uint64_t>(static_cast<int64_t>(whole.lo))
                                       : static_cast<uint64_t>(whole.lo)) &
                             maskOf(inst.width));
  }
  return Status::Next;
}

/// Inst::extra: the result is a float. sourceWidth and width are those of the scalars.
static Error prepareBitcast(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  TypeKind kind = decoder.scalarType(inst.source->typeId).kind;
  if (kind != TypeKind::Int && kind != TypeKind::Float)
    return unsupported("result of this type");
  inst.extra = kind == TypeKind::Float;
  return Error::success();
}

/// The bits of a float as an integer: known only where the value is.
static Scalar asInteger(const Scalar &value) {
  if (value.isPoison())
    return inheritPoison(value, value);
  return value.flags & Ranged ? Scalar::ambiguous() : Scalar::exact(value.bits);
}

static Status bitcast(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  if (inst.width == inst.sourceWidth) {
    for (uint32_t i = 0; i < inst.n; ++i)
      dst[i] = inst.extra ? a[i] : asInteger(a[i]);
    return Status::Next;
  }
  // Components are cut or joined, the low ones first. n counts those of the result.
  for (uint32_t i = 0; i < inst.n; ++i) {
    if (inst.width < inst.sourceWidth) {
      uint32_t ratio = inst.sourceWidth / inst.width;
      dst[i] = asInteger(a[i / ratio]);
      dst[i].bits = dst[i].bits >> (i % ratio * inst.width) & maskOf(inst.width);
      continue;
    }
    uint32_t ratio = inst.width / inst.sourceWidth;
    Scalar result = Scalar::exact(0);
    for (uint32_t k = 0; k < ratio; ++k) {
      Scalar part = asInteger(a[i * ratio + k]);
      uint64_t bits = result.bits | part.bits << (k * inst.sourceWidth);
      if (part.isPoison() || result.isPoison())
        result = inheritPoison(result, part);
      else
        result = Scalar::exact(bits);
    }
    dst[i] = result;
  }
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

/// FConvert between equal widths does not exist; other widths of floats are refused with their
/// type.
ArrayRef<OpRow> reference::conversionOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpConvertFToU), prepareIds, floatToInt<false>},
      {uint32_t(Op::OpConvertFToS), prepareIds, floatToInt<true>},
      {uint32_t(Op::OpConvertSToF), prepareIds, intUnary<signedToFloat>},
      {uint32_t(Op::OpConvertUToF), prepareIds, intUnary<unsignedToFloat>},
      {uint32_t(Op::OpUConvert), prepareIds, intUnary<zeroExtend>},
      {uint32_t(Op::OpSConvert), prepareIds, intUnary<extendSign>},
      {uint32_t(Op::OpBitcast), prepareBitcast, bitcast},
      {uint32_t(Op::OpQuantizeToF16), prepareIds, floatUnary<quantize>},
  };
  return rows;
}
