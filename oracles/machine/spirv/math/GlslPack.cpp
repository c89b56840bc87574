// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL.std.450: packing floats into integers and back.
#include "oracles/machine/spirv/math/FloatBits.h"
#include "oracles/machine/spirv/ops/Ops.h"

#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Packs \p Count values of 32 / Count bits: round(clamp(x, Low, 1) * Scale); halves may go either
/// way.
template <unsigned Count, int Low, int Scale>
static Status packNormalized(Invocation &invocation, const Inst &inst) {
  constexpr unsigned width = 32 / Count;
  const Scalar *x = invocation.at(inst.op[0]);
  Scalar result = poisonOf(x, Count);
  for (unsigned i = 0; i < Count && !result.isPoison(); ++i) {
    Interval scaled =
        mul(clampTo(intervalOf(x[i], inst.rules), Low, 1), Interval::point(Scale), inst.rules);
    double lo = -floorOf(-scaled.lo + 0.5), hi = floorOf(scaled.hi + 0.5);
    if (scaled.nan || lo != hi)
      result = Scalar::ambiguous();
    else
      result.bits |= (static_cast<uint64_t>(static_cast<int64_t>(lo)) & maskOf(width))
                     << (i * width);
  }
  *invocation.at(inst.dst) = result;
  return Status::Next;
}

/// Unpacks \p Count components of 32 / Count bits, lowest bits first, divides each by \p Scale, and
/// clamps it to the normalized range.
template <unsigned Count, bool IsSigned, int Scale>
static Status unpackNormalized(Invocation &invocation, const Inst &inst) {
  constexpr unsigned width = 32 / Count;
  Scalar *dst = invocation.at(inst.dst);
  const Scalar p = *invocation.at(inst.op[0]);
  for (unsigned i = 0; i < Count; ++i) {
    uint64_t bits = p.bits >> (i * width) & maskOf(width);
    auto value =
        static_cast<double>(IsSigned ? signExtend(bits, width) : static_cast<int64_t>(bits));
    Interval quotient = divide(Interval::point(value), Interval::point(Scale), inst.rules);
    dst[i] = p.isPoison() ? inheritPoison(p, p)
                          : scalarOf(clampTo(quotient, IsSigned ? -1 : 0, 1), inst.rules);
  }
  return Status::Next;
}

/// Conversions between 32 and 16 bits follow the modes of denormals of 16 bits; how packing rounds
/// is the implementation's choice whatever the mode (VK_KHR_shader_float_controls, issue 5).
static Error prepareHalf(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  FloatRules halves = decoder.rulesForWidth(16, *inst.source);
  inst.rules.mayFlush = halves.mayFlush;
  inst.rules.mustFlush = halves.mustFlush;
  return Error::success();
}

/// Each half may be either neighbour of the exact value. A zero that was not computed keeps its
/// sign.
static Status packHalf(Invocation &invocation, const Inst &inst) {
  const Scalar *x = invocation.at(inst.op[0]);
  Scalar result = poisonOf(x, 2), half[2];
  FloatRules source = inst.rules, halves = inst.rules;
  source.mayFlush = true;
  halves.width = 16;
  for (unsigned i = 0; i < 2 && !result.isPoison(); ++i) {
    Interval a = intervalOf(x[i], source), converted = convert(a, halves);
    if (!a.isEmpty())
      converted = {floorToWidth(a.lo, 16), ceilToWidth(a.hi, 16), a.nan};
    // The sign of a zero is only free where it was computed.
    bool isZero = !x[i].flags && converted.isPoint() && converted.lo == 0;
    half[i] = isZero ? Scalar::exact(toBits(converted.lo, 16)) : scalarOf(converted, halves);
    if (half[i].isPoison())
      result = inheritPoison(half[i], half[i]);
  }
  *invocation.at(inst.dst) = result.isPoison() ? result : joinHalves(half[0], half[1]);
  return Status::Next;
}

/// Exact, apart from denormals that are flushed. Intervals of the halves are kept.
static Status unpackHalf(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar p = *invocation.at(inst.op[0]);
  FloatRules halves = inst.rules;
  halves.width = 16;
  for (unsigned i = 0; i < 2; ++i) {
    bool isOpen = p.isPoison() && !isTwoHalves(p);
    Scalar half = isTwoHalves(p) ? halfOf(p, i != 0) : Scalar::exact(p.bits >> (16 * i) & 0xffff);
    double value = fromBits(half.bits, 16);
    Interval a = intervalOf(half, halves);
    bool isDenormal = value != 0 && value > -0x1p-14 && value < 0x1p-14;
    if (halves.mustFlush && isDenormal && !half.flags)
      a = Interval::point(value < 0 ? -0.0 : 0.0);
    dst[i] = isOpen ? inheritPoison(p, p) : scalarOf(a, inst.rules, value);
  }
  return Status::Next;
}

/// Two words, the low one first, and a float of 64 bits.
static Status packDouble(Invocation &invocation, const Inst &inst) {
  const Scalar *words = invocation.at(inst.op[0]);
  Scalar result = poisonOf(words, 2);
  if (!result.isPoison())
    result = Scalar::exact(words[0].bits | words[1].bits << 32);
  *invocation.at(inst.dst) = result;
  return Status::Next;
}

/// The reverse of packDouble(). The words of a float with an interval are ambiguous.
static Status unpackDouble(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  Scalar value = settle(*invocation.at(inst.op[0]), 64);
  for (unsigned i = 0; i < 2; ++i) {
    if (value.isPoison())
      dst[i] = inheritPoison(value, value);
    else
      dst[i] = value.flags & Ranged ? Scalar::ambiguous()
                                    : Scalar::exact(value.bits >> (32 * i) & 0xffffffff);
  }
  return Status::Next;
}

/// Template arguments: number of components, lowest value (or signedness), scale.
ArrayRef<OpRow> reference::glslPackOps() {
  static const OpRow rows[] = {
      {GLSLstd450PackSnorm4x8, prepareIds, packNormalized<4, -1, 127>},
      {GLSLstd450PackUnorm4x8, prepareIds, packNormalized<4, 0, 255>},
      {GLSLstd450PackSnorm2x16, prepareIds, packNormalized<2, -1, 32767>},
      {GLSLstd450PackUnorm2x16, prepareIds, packNormalized<2, 0, 65535>},
      {GLSLstd450PackHalf2x16, prepareHalf, packHalf},
      {GLSLstd450UnpackSnorm4x8, prepareIds, unpackNormalized<4, true, 127>},
      {GLSLstd450UnpackUnorm4x8, prepareIds, unpackNormalized<4, false, 255>},
      {GLSLstd450UnpackSnorm2x16, prepareIds, unpackNormalized<2, true, 32767>},
      {GLSLstd450UnpackUnorm2x16, prepareIds, unpackNormalized<2, false, 65535>},
      {GLSLstd450UnpackHalf2x16, prepareHalf, unpackHalf},
      {GLSLstd450PackDouble2x32, prepareIds, packDouble},
      {GLSLstd450UnpackDouble2x32, prepareIds, unpackDouble},
  };
  return rows;
}
