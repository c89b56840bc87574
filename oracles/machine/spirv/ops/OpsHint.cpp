// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tells the compiler something, or tells of the machine: assumptions, expectations, clocks.
#include "oracles/machine/spirv/ops/Ops.h"

#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// A false assumption is undefined behaviour.
static Status assumeTrue(Invocation &invocation, const Inst &inst) {
  const Scalar &condition = *invocation.at(inst.op[0]);
  if (condition.isPoison())
    return invocation.execution->poisonUsed(condition, "an assumption", invocation, inst);
  if (!condition.bits)
    return invocation.execution->undefinedBehavior("UB-ASSUME", invocation, inst,
                                                   "what is assumed is false");
  return Status::Next;
}

/// op[0] the condition; there is no result.
static Error prepareAssume(Decoder &decoder, Operands operands, Inst &inst) {
  return decoder.refs(operands, inst);
}

/// The value; what is expected of it means nothing.
static Status expect(Invocation &invocation, const Inst &inst) {
  copyScalars(invocation.at(inst.op[0]), inst.n, invocation.at(inst.dst));
  return Status::Next;
}

/// The scope does not matter: every reading is open.
static Error prepareClock(Decoder &decoder, Operands, Inst &inst) {
  return prepareIds(decoder, {}, inst);
}

/// Time is what it is: nothing follows from it but that it does not run backwards, which is not
/// followed.
static Status readClock(Invocation &invocation, const Inst &inst) {
  std::fill_n(invocation.at(inst.dst), inst.n, Scalar::ambiguous());
  return Status::Next;
}

/// Assumptions, expectations and clocks.
ArrayRef<OpRow> reference::hintOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpAssumeTrueKHR), prepareAssume, assumeTrue},
      {uint32_t(Op::OpExpectKHR), prepareIds, expect},
      {uint32_t(Op::OpReadClockKHR), prepareClock, readClock},
  };
  return rows;
}
