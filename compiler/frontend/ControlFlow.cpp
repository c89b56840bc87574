// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Control-Flow Instructions". Structure is not looked at: LLVM finds it again itself.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/SmallSet.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;

/// InvalidInput for other labels; unreachable blocks have no LLVM block.
Expected<BasicBlock *> Translator::block(spirv::Id label) {
  if (BasicBlock *block = m_blocks.lookup(label))
    return block;
  return invalidInput("%" + Twine(label) + " is no block of this function");
}

/// What the pointers say must be known before the phi is used: it is taken from the first whose
/// definition is before; one that comes around a loop must lie like it, which is checked when
/// all are there.
static Error phiPointer(Translator &t, const Inst &inst, PHINode *phi) {
  PointerInfo common = t.unknownPointer();
  for (size_t i = 0; i < inst.size(); i += 2) {
    Expected<Pointer> pointer = t.pointer(inst.operand(i));
    if (!pointer) {
      consumeError(pointer.takeError());
      continue;
    }
    if (pointer->info.input || !pointer->value)
      return unsupported("a choice between such pointers");
    common.matrix = pointer->info.matrix;
    common.componentStride = pointer->info.componentStride;
    break;
  }
  return t.definePointer(inst, phi, common);
}

/// Creates the phi without incoming values, which completePhis adds when all blocks of the function
/// are translated.
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

/// The merge instruction of the block, if any, is not needed.
static Error branch(Translator &t, const Inst &inst) {
  Expected<BasicBlock *> target = t.block(inst.operand(0));
  if (!target)
    return target.takeError();
  t.builder().CreateBr(*target);
  return Error::success();
}

/// Operands: condition, true label, false label. Branch weights are ignored.
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

/// Literals have one word for selectors of up to 32 bits, otherwise two. InvalidInput where the
/// selector is no integer or two cases have the same literal.
static Error switchOp(Translator &t, const Inst &inst) {
  Expected<Value *> selector = t.value(inst.operand(0));
  if (!selector)
    return selector.takeError();
  auto *type = dyn_cast<IntegerType>((*selector)->getType());
  if (!type || type->getBitWidth() == 1)
    return invalidInput("its selector is no integer");
  Expected<BasicBlock *> fallback = t.block(inst.operand(1));
  if (!fallback)
    return fallback.takeError();
  auto *result =
      t.builder().CreateSwitch(*selector, *fallback, static_cast<unsigned>(inst.size() / 2 - 1));
  SmallSet<uint64_t, 16> seen;
  bool isWide = type->getBitWidth() > 32;
  size_t words = isWide ? 2 : 1; // Of a literal; narrow ones stand sign- or zero-extended.
  for (size_t i = 2; i + words < inst.size(); i += words + 1) {
    uint64_t literal = inst.operand(i) | (isWide ? uint64_t(inst.operand(i + 1)) << 32 : 0);
    literal &= maskTrailingOnes<uint64_t>(type->getBitWidth());
    Expected<BasicBlock *> target = t.block(inst.operand(i + words));
    if (!target)
      return target.takeError();
    if (!seen.insert(literal).second)
      return invalidInput("case " + Twine(literal) + " stands twice");
    result->addCase(ConstantInt::get(type, literal), *target);
  }
  // The edge stays, for a number that nobody means.
  if (result->getNumCases() > 0 && faultPlanted(Fault::SwitchDefault)) {
    uint64_t unused = maskTrailingOnes<uint64_t>(type->getBitWidth() - 1);
    while (seen.contains(unused))
      --unused;
    std::prev(result->case_end())->setValue(ConstantInt::get(type, unused));
  }
  return Error::success();
}

/// InvalidInput where the function returns a value.
static Error returnVoid(Translator &t, const Inst &) {
  if (!t.builder().GetInsertBlock()->getParent()->getReturnType()->isVoidTy())
    return invalidInput("a return without a value");
  t.builder().CreateRetVoid();
  return Error::success();
}

/// InvalidInput where the value has another type than the function returns.
static Error returnValue(Translator &t, const Inst &inst) {
  Expected<Value *> value = t.value(inst.operand(0));
  if (!value)
    return value.takeError();
  if ((*value)->getType() != t.builder().GetInsertBlock()->getParent()->getReturnType())
    return invalidInput("the returned value has another type");
  t.builder().CreateRet(*value);
  return Error::success();
}

/// Control does not get here by SPIR-V's rules, so that LLVM may remove the block and the branches
/// to it.
static Error unreachable(Translator &t, const Inst &) {
  t.builder().CreateUnreachable();
  return Error::success();
}

/// Handles OpNop.
static Error nothing(Translator &, const Inst &) {
  return Error::success();
}

/// Labels and merge instructions get to no handler: spirv::Module has them apart.
static constexpr OpcodeRow ControlFlowRows[] = {
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
  return ControlFlowRows;
}
