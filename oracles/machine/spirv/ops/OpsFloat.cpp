// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float arithmetic ("Arithmetic Instructions"). Exact operands without denormals take a short way.
#include "oracles/machine/spirv/math/OrdinaryRange.h"
#include "oracles/machine/spirv/ops/Ops.h"

#include "llvm/ADT/bit.h"
#include <utility>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// The 32-bit float in the bits of \p value, without its interval.
static float floatOf(const Scalar &value) {
  return bit_cast<float>(static_cast<uint32_t>(value.bits));
}
/// The float of the rules' width in the bits of \p value, without its interval.
static double valueOf(const Scalar &value, const FloatRules &rules) {
  return fromBits(value.bits, rules.width);
}

/// True for the width and rounding that the processor's own floats have.
static bool isNative(const FloatRules &rules) {
  return rules.width == 32 && !rules.towardZero && !rules.relaxed;
}

/// True when IEEE leaves just one answer: exact ordinary operands and a normal result, of native
/// rules.
static bool isPlain(const Scalar &a, const Scalar &b, float result) {
  uint32_t bits = bit_cast<uint32_t>(result);
  return !(a.flags | b.flags) && isOrdinary(a.bits) && isOrdinary(b.bits) && isOrdinary(bits) &&
         bits << 1;
}

template <typename T> static T sumOf(T a, T b) {
  return a + b;
}
template <typename T> static T differenceOf(T a, T b) {
  return a - b;
}

/// An exact number or a range with the other sign.
static Scalar negated(Scalar value) {
  value.bits ^= 0x80000000u;
  if (value.flags & Ranged)
    value.lo = -std::exchange(value.hi, -value.lo);
  return value;
}

template <float (*Plain)(float, float), double (*Nominal)(double, double), bool isNegated,
          Interval (*Function)(Interval, Interval, const FloatRules &)>
/// \p Plain computes exact operands of 32 bits, \p Function intervals, \p Nominal the bits of the
/// result. Operands that are fusable products are taken unrounded where the rules permit
/// contraction.
static Status addOrSub(Invocation &invocation, const Inst &inst) {
  const FloatRules &rules = inst.rules;
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  bool native = isNative(rules), isOrdinary = hasOrdinaryRules(rules);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if (native) {
      float result = Plain(floatOf(a[i]), floatOf(b[i]));
      if (isPlain(a[i], b[i], result)) {
        dst[i] = Scalar::exact(bit_cast<uint32_t>(result));
        continue;
      }
    }
    if (isOrdinary && addOrdinary(a[i], isNegated ? negated(b[i]) : b[i], rules.contract, dst[i]))
      continue;
    if ((a[i].flags | b[i].flags) & Poison) {
      dst[i] = inheritPoison(a[i], b[i]);
      continue;
    }
    // A fusable product comes in unrounded too.
    Interval sum = Function(intervalOf(a[i], rules, rules.contract),
                            intervalOf(b[i], rules, rules.contract), rules);
    double nominal = Nominal(valueOf(a[i], rules), valueOf(b[i], rules));
    dst[i] = scalarOf(sum, rules, roundToWidth(nominal, rules.width, rules.towardZero));
  }
  return Status::Next;
}

/// Where the rounded and the exact product are the same, the result is a plain scalar.
Scalar reference::fusableProduct(const Scalar &a, const Scalar &b, const FloatRules &rules) {
  if ((a.flags | b.flags) & Poison)
    return inheritPoison(a, b);
  Scalar ordinary;
  if (hasOrdinaryRules(rules) && multiplyOrdinary(a, b, rules.contract, ordinary))
    return ordinary;
  Interval x = intervalOf(a, rules), y = intervalOf(b, rules);
  double nominal = valueOf(a, rules) * valueOf(b, rules);
  Scalar result =
      scalarOf(mul(x, y, rules), rules, roundToWidth(nominal, rules.width, rules.towardZero));
  Interval exact = mulUnrounded(x, y, rules);
  if (!rules.contract || exact.isEmpty())
    return result;
  Interval rounded = intervalOf(result, rules);
  if (rounded.isPoint() && exact.lo == rounded.lo && exact.hi == rounded.hi)
    return result;
  // A scalar can't hold the bounds of the rounded product next to those of the exact one. Of 16 and
  // 32 bits, the former are found by rounding the latter; of 64 bits they are not.
  bool isRoundedPoint = rounded.isPoint();
  uint8_t fusable = isRoundedPoint ? Fusable | RoundedBits : rules.width < 64 ? Fusable : 0;
  Interval both = hull(rounded, exact);
  result.lo = both.lo;
  result.hi = both.hi;
  result.flags = Ranged | fusable | (both.nan ? MayNan : 0);
  return result;
}

/// A product that is exact, or may not be fused, takes the short path; others are fusableProduct().
static Status multiply(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  bool native = isNative(inst.rules);
  for (uint32_t i = 0; i < inst.n; ++i) {
    double product = static_cast<double>(floatOf(a[i])) * floatOf(b[i]);
    float result = static_cast<float>(product);
    bool exact = static_cast<double>(result) == product || !inst.rules.contract;
    if (native && exact && isPlain(a[i], b[i], result))
      dst[i] = Scalar::exact(bit_cast<uint32_t>(result));
    else
      dst[i] = fusableProduct(a[i], b[i], inst.rules);
  }
  return Status::Next;
}

/// Flips the sign bit and mirrors the interval. The product in a fusable operand stays fusable.
static Status negateFloat(Invocation &invocation, const Inst &inst) {
  const FloatRules &rules = inst.rules;
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    Scalar result = a[i];
    result.bits ^= uint64_t(1) << (rules.width - 1);
    if (result.isPoison()) {
      result = inheritPoison(a[i], a[i]);
    } else if (a[i].flags & Ranged) {
      // A negated product can still be fused.
      result.lo = -a[i].hi;
      result.hi = -a[i].lo;
    } else if (!isOrdinaryBits(a[i].bits, rules.width) || a[i].bits == 0 || rules.relaxed) {
      result = scalarOf(negate(intervalOf(a[i], rules)), rules, valueOf(result, rules));
    }
    dst[i] = result;
  }
  return Status::Next;
}

/// Component-wise, with the freedom that divide() gives.
static Status divideFloat(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((a[i].flags | b[i].flags) & Poison) {
      dst[i] = inheritPoison(a[i], b[i]);
      continue;
    }
    const FloatRules &rules = inst.rules;
    Interval quotient = divide(intervalOf(a[i], rules), intervalOf(b[i], rules), rules);
    double nominal = valueOf(a[i], rules) / valueOf(b[i], rules);
    dst[i] = scalarOf(quotient, rules, roundToWidth(nominal, rules.width));
  }
  return Status::Next;
}

/// x - y * rounded(x / y), as Vulkan defines both remainders; a product may be fused.
template <Interval (*Round)(Interval)>
static Interval remainderOf(Interval x, Interval y, const FloatRules &rules) {
  Interval whole = Round(divide(x, y, rules));
  Interval fused = sub(x, step::mulUnrounded(y, whole, rules), rules);
  Interval apart = sub(x, step::mul(y, whole, rules), rules);
  return hull(fused, apart);
}

/// Float arithmetic of scalars and vectors. Matrices are in OpsMatrix.cpp.
ArrayRef<OpRow> reference::floatOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpFNegate), prepareIds, negateFloat},
      {uint32_t(Op::OpFAdd), prepareIds, addOrSub<sumOf<float>, sumOf<double>, false, add>},
      {uint32_t(Op::OpFSub), prepareIds,
       addOrSub<differenceOf<float>, differenceOf<double>, true, sub>},
      {uint32_t(Op::OpFMul), prepareIds, multiply},
      {uint32_t(Op::OpFDiv), prepareIds, divideFloat},
      {uint32_t(Op::OpFRem), prepareIds, floatBinary<remainderOf<roundToZero>>},
      {uint32_t(Op::OpFMod), prepareIds, floatBinary<remainderOf<roundDown>>},
  };
  return rows;
}
