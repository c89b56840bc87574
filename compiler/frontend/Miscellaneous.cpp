// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hints to the compiler, from chapter "Miscellaneous Instructions".

#include "compiler/frontend/Translator.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// LLVM has this hint for scalars alone.
static Expected<Value *> expect(Translator &t, const Inst &, Args args) {
  Type *type = args[0]->getType();
  if (args[1]->getType() != type || !type->isIntOrIntVectorTy())
    return invalidInput("its operands are no integers or bools of one type");
  if (type->isVectorTy())
    return args[0];
  return t.builder().CreateIntrinsic(Intrinsic::expect, {type}, {args[0], args[1]});
}

/// Emits llvm.assume of a bool.
static Error assumeTrue(Translator &t, const Inst &inst) {
  Expected<Value *> condition = t.value(inst.operand(0));
  if (!condition)
    return condition.takeError();
  if (!(*condition)->getType()->isIntegerTy(1))
    return invalidInput("its condition is no bool");
  t.builder().CreateAssumption(*condition);
  return Error::success();
}

static constexpr OpcodeRow MiscellaneousRows[] = {
    {.opcode = spv::Op::OpExpectKHR, .values = 2, .value = expect},
    {.opcode = spv::Op::OpAssumeTrueKHR, .effect = assumeTrue},
};

ArrayRef<OpcodeRow> assay::miscellaneousOpcodes() {
  return MiscellaneousRows;
}
