// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL.std.450: packing floats into integers and back.
#include "oracles/machine/spirv/Ops.h"

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
    Interval scaled = mul(clampTo(intervalOf(x[i], inst.rules), Low, 1), Interval::point(Scale));
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

template <unsigned Count, bool IsSigned, int Scale>
static Status unpackNormalized(Invocation &invocation, const Inst &inst) {
  constexpr unsigned width = 32 / Count;
  Scalar *dst = invocation.at(inst.dst);
  const Scalar p = *invocation.at(inst.op[0]);
  for (unsigned i = 0; i < Count; ++i) {
    uint64_t bits = p.bits >> (i * width) & maskOf(width);
    auto value =
        static_cast<double>(IsSigned ? signExtend(bits, width) : static_cast<int64_t>(bits));
    Interval quotient = divide(Interval::point(value), Interval::point(Scale));
    dst[i] = p.isPoison() ? inheritPoison(p, p)
                          : scalarOf(clampTo(quotient, IsSigned ? -1 : 0, 1), inst.rules);
  }
  return Status::Next;
}

static Status packHalf(Invocation &invocation, const Inst &inst) {
  const Scalar *x = invocation.at(inst.op[0]);
  Scalar result = poisonOf(x, 2);
  for (unsigned i = 0; i < 2 && !result.isPoison(); ++i) {
    Interval a = intervalOf(x[i], inst.rules);
    uint16_t half = toHalf(a.lo);
    // A denormal may be flushed, and the bits of a NaN are free.
    bool isDenormal = !(half & 0x7c00) && half & 0x3ff;
    if (a.isEmpty() || a.nan || half != toHalf(a.hi) || isDenormal)
      result = Scalar::ambiguous();
    else
      result.bits |= uint64_t(half) << (16 * i);
  }
  *invocation.at(inst.dst) = result;
  return Status::Next;
}

static Status unpackHalf(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar p = *invocation.at(inst.op[0]);
  for (unsigned i = 0; i < 2; ++i) {
    double value = fromHalf(static_cast<uint16_t>(p.bits >> (16 * i)));
    Interval a = value != value ? Interval::onlyNan() : Interval::point(value);
    if (value > -0x1p-14 && value < 0x1p-14)
      a = hull(a, Interval::point(0)); // A denormal may be flushed.
    dst[i] = p.isPoison() ? inheritPoison(p, p) : scalarOf(a, inst.rules, value);
  }
  return Status::Next;
}

ArrayRef<OpRow> reference::glslPackOps() {
  static const OpRow rows[] = {
      {GLSLstd450PackSnorm4x8, prepareIds, packNormalized<4, -1, 127>},
      {GLSLstd450PackUnorm4x8, prepareIds, packNormalized<4, 0, 255>},
      {GLSLstd450PackSnorm2x16, prepareIds, packNormalized<2, -1, 32767>},
      {GLSLstd450PackUnorm2x16, prepareIds, packNormalized<2, 0, 65535>},
      {GLSLstd450PackHalf2x16, prepareIds, packHalf},
      {GLSLstd450UnpackSnorm4x8, prepareIds, unpackNormalized<4, true, 127>},
      {GLSLstd450UnpackUnorm4x8, prepareIds, unpackNormalized<4, false, 255>},
      {GLSLstd450UnpackSnorm2x16, prepareIds, unpackNormalized<2, true, 32767>},
      {GLSLstd450UnpackUnorm2x16, prepareIds, unpackNormalized<2, false, 65535>},
      {GLSLstd450UnpackHalf2x16, prepareIds, unpackHalf},
  };
  return rows;
}
