// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Control-Flow Instructions". Structure is not looked at: LLVM finds it again itself.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "llvm/ADT/SmallSet.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;

Expected<BasicBlock *> Translator::block(spirv::Id label) {
  if (BasicBlock *block = m_blocks.lookup(label))
    return block;
  return invalidInput("%" + Twine(label) + " is no block of this function");
}

/// What an incoming pointer says must be known before the phi is used, so one that comes around a
/// loop must be like the first; addPhi's caller checks that when all are there.
static Error phiPointer(Translator &t, const Inst &inst, PHINode *phi) {
  for (size_t i = 0; i < inst.size(); i += 2) {
    Expected<Pointer> pointer = t.pointer(inst.operand(i));
    if (!pointer) {
      consumeError(pointer.takeError());
      continue;
    }
    PointerInfo info = pointer->info;
    if (info.input || !pointer->value)
      return unsupported("a choice between such pointers");
    info.buffer.reset();
    info.isInvariant = false;
    return t.definePointer(inst, phi, info);
  }
  return unsupported("a phi of pointers all of which come around a loop");
}

static Error phi(Translator &t, const Inst &inst) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  PHINode *phi = t.builder().CreatePHI(*type, static_cast<unsigned>(inst.size() / 2));
  if (Error error = t.addPhi(inst, phi))
    return error;
  if ((*type)->isPointerTy())
    return phiPointer(t, inst, phi);
  return t.define(inst, phi);
}

static Error branch(Translator &t, const Inst &inst) {
  Expected<BasicBlock *> target = t.block(inst.operand(0));
  if (!target)
    return target.takeError();
  t.builder().CreateBr(*target);
  return Error::success();
}

static Error branchConditional(Translator &t, const Inst &inst) {
  Expected<Value *> condition = t.value(inst.operand(0));
  if (!condition)
    return condition.takeError();
  Expected<BasicBlock *> yes = t.block(inst.operand(1));
  if (!yes)
    return yes.takeError();
  Expected<BasicBlock *> no = t.block(inst.operand(2));
  if (!no)
    return no.takeError();
  if (!(*condition)->getType()->isIntegerTy(1))
    return invalidInput("its condition is no bool");
  t.builder().CreateCondBr(*condition, *yes, *no);
  return Error::success();
}

static Error switchOp(Translator &t, const Inst &inst) {
  Expected<Value *> selector = t.value(inst.operand(0));
  if (!selector)
    return selector.takeError();
  if (!(*selector)->getType()->isIntegerTy(32))
    return invalidInput("its selector is no 32-bit integer");
  Expected<BasicBlock *> fallback = t.block(inst.operand(1));
  if (!fallback)
    return fallback.takeError();
  auto *result =
      t.builder().CreateSwitch(*selector, *fallback, static_cast<unsigned>(inst.size() / 2 - 1));
  SmallSet<uint32_t, 16> seen;
  for (size_t i = 2; i + 1 < inst.size(); i += 2) {
    Expected<BasicBlock *> target = t.block(inst.operand(i + 1));
    if (!target)
      return target.takeError();
    if (!seen.insert(inst.operand(i)).second)
      return invalidInput("case " + Twine(inst.operand(i)) + " stands twice");
    result->addCase(t.builder().getInt32(inst.operand(i)), *target);
  }
  return Error::success();
}

static Error returnVoid(Translator &t, const Inst &) {
  if (!t.builder().GetInsertBlock()->getParent()->getReturnType()->isVoidTy())
    return invalidInput("a return without a value");
  t.builder().CreateRetVoid();
  return Error::success();
}

static Error returnValue(Translator &t, const Inst &inst) {
  Expected<Value *> value = t.value(inst.operand(0));
  if (!value)
    return value.takeError();
  if ((*value)->getType() != t.builder().GetInsertBlock()->getParent()->getReturnType())
    return invalidInput("the returned value has another type");
  if ((*value)->getType()->isPointerTy())
    return unsupported("a function that returns a pointer");
  t.builder().CreateRet(*value);
  return Error::success();
}

static Error unreachable(Translator &t, const Inst &) {
  t.builder().CreateUnreachable();
  return Error::success();
}

static Error nothing(Translator &, const Inst &) {
  return Error::success();
}

static constexpr OpcodeRow Rows[] = {
    {.opcode = spv::Op::OpPhi, .effect = phi},
    {.opcode = spv::Op::OpBranch, .effect = branch},
    {.opcode = spv::Op::OpBranchConditional, .effect = branchConditional},
    {.opcode = spv::Op::OpSwitch, .effect = switchOp},
    {.opcode = spv::Op::OpReturn, .effect = returnVoid},
    {.opcode = spv::Op::OpReturnValue, .effect = returnValue},
    {.opcode = spv::Op::OpUnreachable, .effect = unreachable},
    {.opcode = spv::Op::OpNop, .effect = nothing},
};

ArrayRef<OpcodeRow> assay::controlFlowOpcodes() {
  return Rows;
}
