// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpReadClockKHR (SPV_KHR_shader_clock).

#include "compiler/frontend/Translator.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;

/// The result is one 64-bit integer, or its two halves, the low one first.
static Error readClock(Translator &t, const Inst &inst) {
  Expected<uint32_t> scope = t.constantInt(inst.operand(0));
  if (!scope)
    return scope.takeError();
  bool isDevice = *scope == static_cast<uint32_t>(spv::Scope::Device);
  if (!isDevice && *scope != static_cast<uint32_t>(spv::Scope::Subgroup))
    return unsupported("a clock of scope " + Twine(*scope));
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  bool isPair = *type == FixedVectorType::get(t.builder().getInt32Ty(), 2);
  if (!isPair && !(*type)->isIntegerTy(64))
    return invalidInput("its result is neither 64 bits nor two times 32");
  Value *clock = t.builder().createReadClock(isDevice);
  return t.define(inst, t.builder().CreateBitCast(clock, *type));
}

static constexpr OpcodeRow ClockRows[] = {
    {.opcode = spv::Op::OpReadClockKHR, .effect = readClock},
};

ArrayRef<OpcodeRow> assay::clockOpcodes() {
  return ClockRows;
}
