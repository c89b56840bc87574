// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, logic and selection ("Relational and Logical Instructions"). A comparison of
// intervals may have no single answer; the result is then ambiguous.
#include "oracles/machine/spirv/ops/Ops.h"

#include <functional>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
/// The result of a comparison of intervals; Either where it depends on the values in them.
enum class Answer : uint8_t { No, Yes, Either };
} // namespace

/// Either is an ambiguous boolean.
static Scalar booleanOf(Answer answer) {
  return answer == Answer::Either ? Scalar::ambiguous() : Scalar::boolean(answer == Answer::Yes);
}
/// Either where neither is certain.
static Answer answerOf(bool certainlyYes, bool certainlyNo) {
  return certainlyYes ? Answer::Yes : certainlyNo ? Answer::No : Answer::Either;
}
/// Either stays Either.
static Answer invert(Answer answer) {
  return answer == Answer::Either ? answer : answer == Answer::Yes ? Answer::No : Answer::Yes;
}

// Comparisons of intervals without regard to NaN.
static Answer isEqual(Interval a, Interval b) {
  return answerOf(a.lo == a.hi && b.lo == b.hi && a.lo == b.lo, a.hi < b.lo || b.hi < a.lo);
}
static Answer isNotEqual(Interval a, Interval b) {
  return invert(isEqual(a, b));
}
/// Yes if every number of \p a is below every number of \p b, No if none is. NaN is the caller's
/// matter.
static Answer isLess(Interval a, Interval b) {
  return answerOf(a.hi < b.lo, a.lo >= b.hi);
}
static Answer isGreater(Interval a, Interval b) {
  return isLess(b, a);
}
static Answer isLessEqual(Interval a, Interval b) {
  return invert(isLess(b, a));
}
static Answer isGreaterEqual(Interval a, Interval b) {
  return invert(isLess(a, b));
}

/// \p Unordered: the answer where an operand is NaN is yes.
template <Answer (*Function)(Interval, Interval), bool Unordered>
static Status compareFloats(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((a[i].flags | b[i].flags) & Poison) {
      dst[i] = inheritPoison(a[i], b[i]);
      continue;
    }
    Interval x = intervalOf(a[i], inst.rules), y = intervalOf(b[i], inst.rules);
    Answer withNan = Unordered ? Answer::Yes : Answer::No;
    Answer answer = withNan;
    if (!x.isEmpty() && !y.isEmpty()) {
      answer = Function(x, y);
      if ((x.nan || y.nan) && answer != withNan)
        answer = Answer::Either;
    }
    dst[i] = booleanOf(answer);
  }
  return Status::Next;
}

/// An empty interval is NaN alone.
static Answer isNanAnswer(Interval a, const FloatRules &) {
  return answerOf(a.isEmpty(), !a.nan);
}
/// Numbers beyond the largest finite one are infinite.
static Answer isInfAnswer(Interval a, const FloatRules &rules) {
  double largest = formatOf(rules.width).maxFinite;
  bool possible = !a.isEmpty() && (a.lo < -largest || a.hi > largest);
  bool certain = possible && !a.nan && (a.hi < -largest || a.lo > largest);
  return answerOf(certain, !possible);
}

/// Applies a predicate to the interval of each component.
template <Answer (*Function)(Interval, const FloatRules &)>
static Status classify(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = a[i].isPoison() ? inheritPoison(a[i], a[i])
                             : booleanOf(Function(intervalOf(a[i], inst.rules), inst.rules));
  return Status::Next;
}

template <typename Compare> static uint64_t compareUnsigned(uint64_t a, uint64_t b, unsigned) {
  return Compare()(a, b);
}
template <typename Compare> static uint64_t compareSigned(uint64_t a, uint64_t b, unsigned width) {
  return Compare()(signExtend(a, width), signExtend(b, width));
}

static uint64_t logicalNot(uint64_t a, unsigned) {
  return !a;
}

/// And (\p Decides = false) or or: one operand of that value decides, whatever the other is.
template <bool Decides> static Status logical(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    bool decided = (!a[i].isPoison() && (a[i].bits != 0) == Decides) ||
                   (!b[i].isPoison() && (b[i].bits != 0) == Decides);
    if (decided)
      dst[i] = Scalar::boolean(Decides);
    else if ((a[i].flags | b[i].flags) & Poison)
      dst[i] = inheritPoison(a[i], b[i]);
    else
      dst[i] = Scalar::boolean(!Decides);
  }
  return Status::Next;
}

/// Any (\p Decides = true) and all.
template <bool Decides> static Status reduce(Invocation &invocation, const Inst &inst) {
  const Scalar *a = invocation.at(inst.op[0]);
  Scalar result = poisonOf(a, inst.n);
  if (!result.isPoison())
    result = Scalar::boolean(!Decides);
  for (uint32_t i = 0; i < inst.n; ++i)
    if (!a[i].isPoison() && (a[i].bits != 0) == Decides)
      result = Scalar::boolean(Decides);
  *invocation.at(inst.dst) = result;
  return Status::Next;
}

/// Inst::extra: 1 = a condition per component, 2 = the values are floats.
static Error prepareSelect(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  const spirv::Type &condition = decoder.module().type(decoder.typeOf(operands[0]));
  bool isFloat = decoder.scalarType(inst.source->typeId).kind == spirv::TypeKind::Float;
  inst.extra = (condition.kind == spirv::TypeKind::Vector) | (isFloat ? 2 : 0);
  return Error::success();
}

/// The result of a selection that nobody can make: both values, if they say anything together.
static Scalar selectEither(const Scalar &condition, const Scalar &a, const Scalar &b,
                           const Inst &inst) {
  if (!a.flags && !b.flags && a.bits == b.bits)
    return a;
  bool imprecise = !(condition.flags & Undef) && !a.isPoison() && !b.isPoison();
  if (imprecise && inst.extra & 2)
    return scalarOf(hull(intervalOf(a, inst.rules), intervalOf(b, inst.rules)), inst.rules);
  return inheritPoison(condition, inheritPoison(a, b));
}

/// Component-wise. With a poison condition both values are joined (selectEither()).
static Status select(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *condition = invocation.at(inst.op[0]);
  const Scalar *a = invocation.at(inst.op[1]), *b = invocation.at(inst.op[2]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    const Scalar &c = condition[inst.extra & 1 ? i : 0];
    dst[i] = c.isPoison() ? selectEither(c, a[i], b[i], inst) : c.bits ? a[i] : b[i];
  }
  return Status::Next;
}

/// Comparisons of integers are exact; those of floats compare intervals.
ArrayRef<OpRow> reference::relationalOps() {
  using spv::Op;
  using U = uint64_t;
  using S = int64_t;
  static const OpRow rows[] = {
      {uint32_t(Op::OpAny), prepareWhole, reduce<true>},
      {uint32_t(Op::OpAll), prepareWhole, reduce<false>},
      {uint32_t(Op::OpIsNan), prepareIds, classify<isNanAnswer>},
      {uint32_t(Op::OpIsInf), prepareIds, classify<isInfAnswer>},
      {uint32_t(Op::OpLogicalEqual), prepareIds, intBinary<compareUnsigned<std::equal_to<U>>>},
      {uint32_t(Op::OpLogicalNotEqual), prepareIds,
       intBinary<compareUnsigned<std::not_equal_to<U>>>},
      {uint32_t(Op::OpLogicalOr), prepareIds, logical<true>},
      {uint32_t(Op::OpLogicalAnd), prepareIds, logical<false>},
      {uint32_t(Op::OpLogicalNot), prepareIds, intUnary<logicalNot>},
      {uint32_t(Op::OpSelect), prepareSelect, select},
      {uint32_t(Op::OpIEqual), prepareIds, intBinary<compareUnsigned<std::equal_to<U>>>},
      {uint32_t(Op::OpINotEqual), prepareIds, intBinary<compareUnsigned<std::not_equal_to<U>>>},
      {uint32_t(Op::OpUGreaterThan), prepareIds, intBinary<compareUnsigned<std::greater<U>>>},
      {uint32_t(Op::OpSGreaterThan), prepareIds, intBinary<compareSigned<std::greater<S>>>},
      {uint32_t(Op::OpUGreaterThanEqual), prepareIds,
       intBinary<compareUnsigned<std::greater_equal<U>>>},
      {uint32_t(Op::OpSGreaterThanEqual), prepareIds,
       intBinary<compareSigned<std::greater_equal<S>>>},
      {uint32_t(Op::OpULessThan), prepareIds, intBinary<compareUnsigned<std::less<U>>>},
      {uint32_t(Op::OpSLessThan), prepareIds, intBinary<compareSigned<std::less<S>>>},
      {uint32_t(Op::OpULessThanEqual), prepareIds, intBinary<compareUnsigned<std::less_equal<U>>>},
      {uint32_t(Op::OpSLessThanEqual), prepareIds, intBinary<compareSigned<std::less_equal<S>>>},
      {uint32_t(Op::OpFOrdEqual), prepareIds, compareFloats<isEqual, false>},
      {uint32_t(Op::OpFUnordEqual), prepareIds, compareFloats<isEqual, true>},
      {uint32_t(Op::OpFOrdNotEqual), prepareIds, compareFloats<isNotEqual, false>},
      {uint32_t(Op::OpFUnordNotEqual), prepareIds, compareFloats<isNotEqual, true>},
      {uint32_t(Op::OpFOrdLessThan), prepareIds, compareFloats<isLess, false>},
      {uint32_t(Op::OpFUnordLessThan), prepareIds, compareFloats<isLess, true>},
      {uint32_t(Op::OpFOrdGreaterThan), prepareIds, compareFloats<isGreater, false>},
      {uint32_t(Op::OpFUnordGreaterThan), prepareIds, compareFloats<isGreater, true>},
      {uint32_t(Op::OpFOrdLessThanEqual), prepareIds, compareFloats<isLessEqual, false>},
      {uint32_t(Op::OpFUnordLessThanEqual), prepareIds, compareFloats<isLessEqual, true>},
      {uint32_t(Op::OpFOrdGreaterThanEqual), prepareIds, compareFloats<isGreaterEqual, false>},
      {uint32_t(Op::OpFUnordGreaterThanEqual), prepareIds, compareFloats<isGreaterEqual, true>},
  };
  return rows;
}
