// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float arithmetic ("Arithmetic Instructions"). Exact operands without denormals take a short way.
#include "oracles/machine/spirv/Ops.h"

#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;

static float floatOf(const Scalar &value) {
  return bit_cast<float>(static_cast<uint32_t>(value.bits));
}

/// True when IEEE leaves just one answer: exact ordinary operands, an ordinary result that is not a
/// negative zero, no reduced precision.
static bool isPlain(const Scalar &a, const Scalar &b, float result, const FloatRules &rules) {
  uint32_t bits = bit_cast<uint32_t>(result);
  return !(a.flags | b.flags) && !rules.relaxed && isOrdinary(a.bits) && isOrdinary(b.bits) &&
         isOrdinary(bits) && bits != 0x80000000u;
}

static float sumOf(float a, float b) {
  return a + b;
}
static float differenceOf(float a, float b) {
  return a - b;
}

template <float (*Plain)(float, float), Interval (*Function)(Interval, Interval)>
static Status addOrSub(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    float result = Plain(floatOf(a[i]), floatOf(b[i]));
    if (isPlain(a[i], b[i], result, inst.rules)) {
      dst[i] = Scalar::exact(bit_cast<uint32_t>(result));
    } else if ((a[i].flags | b[i].flags) & Poison) {
      dst[i] = inheritPoison(a[i], b[i]);
    } else {
      // A fusable product comes in unrounded too.
      Interval sum = Function(intervalOf(a[i], inst.rules, inst.rules.contract),
                              intervalOf(b[i], inst.rules, inst.rules.contract));
      dst[i] = scalarOf(sum, inst.rules, result);
    }
  }
  return Status::Next;
}

Scalar reference::fusableProduct(const Scalar &a, const Scalar &b, const FloatRules &rules) {
  if ((a.flags | b.flags) & Poison)
    return inheritPoison(a, b);
  Interval x = intervalOf(a, rules), y = intervalOf(b, rules);
  Scalar result = scalarOf(mul(x, y), rules, floatOf(a) * floatOf(b));
  Interval exact = mulUnrounded(x, y);
  if (!rules.contract || exact.isEmpty())
    return result;
  Interval rounded = intervalOf(result, rules);
  if (rounded.isPoint() && exact.lo == rounded.lo && exact.hi == rounded.hi)
    return result;
  Interval both = hull(rounded, exact);
  result.lo = both.lo;
  result.hi = both.hi;
  result.flags = Ranged | Fusable | (both.nan ? MayNan : 0);
  return result;
}

static Status multiply(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    double product = static_cast<double>(floatOf(a[i])) * floatOf(b[i]);
    float result = static_cast<float>(product);
    bool exact = static_cast<double>(result) == product || !inst.rules.contract;
    if (exact && isPlain(a[i], b[i], result, inst.rules))
      dst[i] = Scalar::exact(bit_cast<uint32_t>(result));
    else if ((a[i].flags | b[i].flags) & Poison)
      dst[i] = inheritPoison(a[i], b[i]);
    else
      dst[i] = fusableProduct(a[i], b[i], inst.rules);
  }
  return Status::Next;
}

static Status negateFloat(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    Scalar result = a[i];
    result.bits ^= 0x80000000u;
    if (result.isPoison()) {
      result = inheritPoison(a[i], a[i]);
    } else if (a[i].flags & Ranged) {
      // A negated product can still be fused.
      result.lo = -a[i].hi;
      result.hi = -a[i].lo;
    } else if (!isOrdinary(a[i].bits) || a[i].bits == 0 || inst.rules.relaxed) {
      result = scalarOf(negate(intervalOf(a[i], inst.rules)), inst.rules, floatOf(result));
    }
    dst[i] = result;
  }
  return Status::Next;
}

static Status divideFloat(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((a[i].flags | b[i].flags) & Poison) {
      dst[i] = inheritPoison(a[i], b[i]);
      continue;
    }
    Interval quotient = divide(intervalOf(a[i], inst.rules), intervalOf(b[i], inst.rules));
    dst[i] = scalarOf(quotient, inst.rules, floatOf(a[i]) / floatOf(b[i]));
  }
  return Status::Next;
}

/// x - y * rounded(x / y), as Vulkan defines both remainders; a product may be fused.
template <Interval (*Round)(Interval)> static Interval remainderOf(Interval x, Interval y) {
  Interval whole = Round(divide(x, y));
  Interval fused = sub(x, step::mulUnrounded(y, whole)), apart = sub(x, step::mul(y, whole));
  return hull(fused, apart);
}

ArrayRef<OpRow> reference::floatOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpFNegate), prepareIds, negateFloat},
      {uint32_t(Op::OpFAdd), prepareIds, addOrSub<sumOf, add>},
      {uint32_t(Op::OpFSub), prepareIds, addOrSub<differenceOf, sub>},
      {uint32_t(Op::OpFMul), prepareIds, multiply},
      {uint32_t(Op::OpFDiv), prepareIds, divideFloat},
      {uint32_t(Op::OpFRem), prepareIds, floatBinary<remainderOf<roundToZero>>},
      {uint32_t(Op::OpFMod), prepareIds, floatBinary<remainderOf<roundDown>>},
  };
  return rows;
}
