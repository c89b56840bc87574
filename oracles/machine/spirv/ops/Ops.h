// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the families of opcodes (Ops*.cpp, Glsl*.cpp) share: shapes of handlers.
#pragma once

#include "oracles/machine/spirv/Decoder.h"
#include "oracles/machine/spirv/Execution.h"
#include "oracles/machine/spirv/math/FloatMath.h"
#include "oracles/machine/spirv/math/Interval.h"
#include <type_traits>

namespace assay::reference {

inline uint64_t maskOf(unsigned width) {
  return width >= 64 ? ~0ull : (1ull << width) - 1;
}
inline int64_t signExtend(uint64_t bits, unsigned width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

/// Component-wise integer operations: Function(a, width) and Function(a, b, width), unmasked.
template <uint64_t (*Function)(uint64_t, unsigned)>
Status intUnary(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  uint64_t mask = maskOf(inst.width);
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = a[i].isPoison() ? inheritPoison(a[i], a[i])
                             : Scalar::exact(Function(a[i].bits, inst.sourceWidth) & mask);
  return Status::Next;
}
template <uint64_t (*Function)(uint64_t, uint64_t, unsigned)>
Status intBinary(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  uint64_t mask = maskOf(inst.width);
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = (a[i].flags | b[i].flags) & Poison
                 ? inheritPoison(a[i], b[i])
                 : Scalar::exact(Function(a[i].bits, b[i].bits, inst.sourceWidth) & mask);
  return Status::Next;
}

/// Component-wise float operations on intervals, with or without a need for the rules.
template <auto Function, typename... Intervals>
Interval apply(const FloatRules &rules, Intervals... operands) {
  if constexpr (std::is_invocable_v<decltype(Function), Intervals..., const FloatRules &>)
    return Function(operands..., rules);
  else
    return Function(operands...);
}
template <auto Function> Status floatUnary(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]);
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = a[i].isPoison()
                 ? inheritPoison(a[i], a[i])
                 : scalarOf(apply<Function>(inst.rules, intervalOf(a[i], inst.rules)), inst.rules);
  return Status::Next;
}
template <auto Function> Status floatBinary(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]);
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = (a[i].flags | b[i].flags) & Poison
                 ? inheritPoison(a[i], b[i])
                 : scalarOf(apply<Function>(inst.rules, intervalOf(a[i], inst.rules),
                                            intervalOf(b[i], inst.rules)),
                            inst.rules);
  return Status::Next;
}
template <auto Function> Status floatTernary(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *a = invocation.at(inst.op[0]), *b = invocation.at(inst.op[1]),
               *c = invocation.at(inst.op[2]);
  const FloatRules &rules = inst.rules;
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((a[i].flags | b[i].flags | c[i].flags) & Poison)
      dst[i] = inheritPoison(inheritPoison(a[i], b[i]), c[i]);
    else
      dst[i] = scalarOf(apply<Function>(rules, intervalOf(a[i], rules), intervalOf(b[i], rules),
                                        intervalOf(c[i], rules)),
                        rules);
  }
  return Status::Next;
}

/// Steps of an expression that a function inherits its precision from: each may be flushed.
namespace step {
inline Interval add(Interval a, Interval b, const FloatRules &rules) {
  return flush(reference::add(a, b, stepsOf(rules)), rules);
}
inline Interval sub(Interval a, Interval b, const FloatRules &rules) {
  return flush(reference::sub(a, b, stepsOf(rules)), rules);
}
inline Interval mul(Interval a, Interval b, const FloatRules &rules) {
  return flush(reference::mul(a, b, stepsOf(rules)), rules);
}
/// Fused with what follows, or not.
inline Interval mulUnrounded(Interval a, Interval b, const FloatRules &rules) {
  if (rules.isIeee)
    return step::mul(a, b, rules);
  return flush(reference::mulUnrounded(a, b, stepsOf(rules)), rules);
}
} // namespace step

/// The poison of \p count scalars from \p first, as one scalar without flags if there is none.
inline Scalar poisonOf(const Scalar *first, uint32_t count) {
  Scalar result = Scalar::exact(0);
  for (uint32_t i = 0; i < count; ++i)
    if (first[i].isPoison())
      result = inheritPoison(result, first[i]);
  return result;
}

/// The product, and its exact value where a following addition may be fused with it.
Scalar fusableProduct(const Scalar &a, const Scalar &b, const FloatRules &rules);

/// Follows an edge: copies the phis and jumps.
Status takeEdge(Invocation &invocation, uint32_t edge);

} // namespace assay::reference
