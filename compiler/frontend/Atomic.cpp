// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Atomic Instructions": 32- and 64-bit integers, floats of 16 to 64 bits. What a target
// has no instruction for becomes a loop of compare-and-swaps in LLVM's AtomicExpand.

#include "compiler/frontend/Scopes.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using RmwOp = AtomicRMWInst::BinOp;

/// The operands that all atomics begin with.
struct AtomicAccess {
  Pointer pointer;
  Type *type; ///< Of the pointee.
  Align align;
  SyncScope::ID scope;
  AtomicOrdering order;
};

/// Returns whether LLVM has atomics for \p type here: i32, i64, f16, f32 or f64.
static bool isNumber(Type *type) {
  return type->isIntegerTy(32) || type->isIntegerTy(64) || type->isHalfTy() || type->isFloatTy() ||
         type->isDoubleTy();
}

/// Reads pointer, scope and semantics, the operands 0 to 2 of \p inst. The alignment is the natural
/// one of the type. InvalidInput where the pointee is not a number (isNumber) or the pointer has no
/// address.
static Expected<AtomicAccess> access(Translator &t, const Inst &inst) {
  Expected<Pointer> pointer = t.pointer(inst.operand(0));
  if (!pointer)
    return pointer.takeError();
  Expected<SyncScope::ID> scope = syncScope(t, inst.operand(1));
  if (!scope)
    return scope.takeError();
  Expected<AtomicOrdering> order = ordering(t, inst.operand(2));
  if (!order)
    return order.takeError();
  Expected<bool> isVolatile = hasVolatileSemantics(t, inst.operand(2));
  if (!isVolatile)
    return isVolatile.takeError();
  Expected<Type *> type = t.valueType(pointer->pointee);
  if (!type)
    return type.takeError();
  if (!isNumber(*type))
    return invalidInput("its pointee is not a number of a size for atomics");
  if (!pointer->value)
    return invalidInput("its pointer has no address");
  pointer->info.isVolatile |= *isVolatile;
  return AtomicAccess{*pointer, *type, Align((*type)->getPrimitiveSizeInBits() / 8), *scope,
                      *order};
}

/// LLVM's memory model has no acquiring stores and no releasing loads.
static AtomicOrdering loadOrdering(AtomicOrdering order) {
  if (order == AtomicOrdering::Release)
    return AtomicOrdering::Monotonic;
  return order == AtomicOrdering::AcquireRelease ? AtomicOrdering::Acquire : order;
}

/// Returns the part of \p order that a store can have; see loadOrdering.
static AtomicOrdering storeOrdering(AtomicOrdering order) {
  if (order == AtomicOrdering::Acquire)
    return AtomicOrdering::Monotonic;
  return order == AtomicOrdering::AcquireRelease ? AtomicOrdering::Release : order;
}

/// Emits an atomic load with the acquiring part of the ordering.
static Error atomicLoad(Translator &t, const Inst &inst) {
  Expected<AtomicAccess> atomic = access(t, inst);
  if (!atomic)
    return atomic.takeError();
  LoadInst *load = t.builder().CreateAlignedLoad(atomic->type, atomic->pointer.value, atomic->align,
                                                 atomic->pointer.info.isVolatile);
  load->setAtomic(loadOrdering(atomic->order), atomic->scope);
  return t.define(inst, load);
}

/// Emits an atomic store with the releasing part of the ordering. InvalidInput where the value,
/// operand 3, has another type than the memory.
static Error atomicStore(Translator &t, const Inst &inst) {
  Expected<AtomicAccess> atomic = access(t, inst);
  if (!atomic)
    return atomic.takeError();
  Expected<Value *> value = t.value(inst.operand(3));
  if (!value)
    return value.takeError();
  if ((*value)->getType() != atomic->type)
    return invalidInput("the stored value has another type than the memory");
  StoreInst *store = t.builder().CreateAlignedStore(*value, atomic->pointer.value, atomic->align,
                                                    atomic->pointer.info.isVolatile);
  store->setAtomic(storeOrdering(atomic->order), atomic->scope);
  return Error::success();
}

/// Emits an atomicrmw \p op and binds the old value to the result of \p inst. InvalidInput where \p
/// value has another type than the memory, or \p op is a float operation on integers or the
/// reverse.
static Error createRmw(Translator &t, const Inst &inst, RmwOp op, const AtomicAccess &atomic,
                       Value *value) {
  bool fits = atomic.type->isFloatingPointTy() == AtomicRMWInst::isFPOperation(op);
  if (value->getType() != atomic.type || !fits)
    return invalidInput("its value has another type than the memory, or none for this operation");
  AtomicRMWInst *rmw = t.builder().CreateAtomicRMW(op, atomic.pointer.value, value, atomic.align,
                                                   atomic.order, atomic.scope);
  rmw->setVolatile(atomic.pointer.info.isVolatile);
  if (op == RmwOp::Add && faultPlanted(Fault::AtomicResult))
    return t.define(inst, t.builder().CreateAdd(rmw, value));
  return t.define(inst, rmw);
}

/// As an integer of its bits: LLVM can't select an exchange of f64 (bugs/README.md).
static Error atomicExchange(Translator &t, const Inst &inst) {
  Expected<AtomicAccess> atomic = access(t, inst);
  if (!atomic)
    return atomic.takeError();
  Expected<Value *> value = t.value(inst.operand(3));
  if (!value)
    return value.takeError();
  if ((*value)->getType() != atomic->type)
    return invalidInput("its value has another type than the memory");
  Builder &builder = t.builder();
  Type *bits = builder.getIntNTy(atomic->type->getPrimitiveSizeInBits());
  AtomicRMWInst *rmw = builder.CreateAtomicRMW(RmwOp::Xchg, atomic->pointer.value,
                                               builder.CreateBitCast(*value, bits), atomic->align,
                                               atomic->order, atomic->scope);
  rmw->setVolatile(atomic->pointer.info.isVolatile);
  return t.define(inst, builder.CreateBitCast(rmw, atomic->type));
}

/// Handles a read-modify-write whose value is operand 3.
template <RmwOp Op> static Error atomicRmw(Translator &t, const Inst &inst) {
  Expected<AtomicAccess> atomic = access(t, inst);
  if (!atomic)
    return atomic.takeError();
  Expected<Value *> value = t.value(inst.operand(3));
  if (!value)
    return value.takeError();
  return createRmw(t, inst, Op, *atomic, *value);
}

/// Handles increment and decrement: the value is the constant 1, and the pointee must be an
/// integer.
template <RmwOp Op> static Error atomicByOne(Translator &t, const Inst &inst) {
  Expected<AtomicAccess> atomic = access(t, inst);
  if (!atomic)
    return atomic.takeError();
  if (!atomic->type->isIntegerTy())
    return invalidInput("its pointee is no integer");
  return createRmw(t, inst, Op, *atomic, ConstantInt::get(atomic->type, 1));
}

/// Emits a strong cmpxchg and returns the old value. Operand 3 has the semantics for the unequal
/// case, reduced to what a load can have; the value (4) precedes the comparator (5). Integers only.
static Error compareExchange(Translator &t, const Inst &inst) {
  Expected<AtomicAccess> atomic = access(t, inst);
  if (!atomic)
    return atomic.takeError();
  Expected<AtomicOrdering> unequal = ordering(t, inst.operand(3));
  if (!unequal)
    return unequal.takeError();
  Expected<Value *> value = t.value(inst.operand(4));
  if (!value)
    return value.takeError();
  Expected<Value *> comparator = t.value(inst.operand(5));
  if (!comparator)
    return comparator.takeError();
  if (!atomic->type->isIntegerTy() || (*value)->getType() != atomic->type ||
      (*comparator)->getType() != atomic->type)
    return invalidInput("its values are no integers like the memory");
  AtomicCmpXchgInst *exchange =
      t.builder().CreateAtomicCmpXchg(atomic->pointer.value, *comparator, *value, atomic->align,
                                      atomic->order, loadOrdering(*unequal), atomic->scope);
  exchange->setVolatile(atomic->pointer.info.isVolatile);
  return t.define(inst, t.builder().CreateExtractValue(exchange, 0));
}

/// Effects only: each handler reads its pointer, scope and semantics itself.
static constexpr OpcodeRow AtomicRows[] = {
    {.opcode = spv::Op::OpAtomicLoad, .effect = atomicLoad},
    {.opcode = spv::Op::OpAtomicStore, .effect = atomicStore},
    {.opcode = spv::Op::OpAtomicExchange, .effect = atomicExchange},
    {.opcode = spv::Op::OpAtomicCompareExchange, .effect = compareExchange},
    {.opcode = spv::Op::OpAtomicIIncrement, .effect = atomicByOne<AtomicRMWInst::Add>},
    {.opcode = spv::Op::OpAtomicIDecrement, .effect = atomicByOne<AtomicRMWInst::Sub>},
    {.opcode = spv::Op::OpAtomicIAdd, .effect = atomicRmw<AtomicRMWInst::Add>},
    {.opcode = spv::Op::OpAtomicISub, .effect = atomicRmw<AtomicRMWInst::Sub>},
    {.opcode = spv::Op::OpAtomicSMin, .effect = atomicRmw<AtomicRMWInst::Min>},
    {.opcode = spv::Op::OpAtomicUMin, .effect = atomicRmw<AtomicRMWInst::UMin>},
    {.opcode = spv::Op::OpAtomicSMax, .effect = atomicRmw<AtomicRMWInst::Max>},
    {.opcode = spv::Op::OpAtomicUMax, .effect = atomicRmw<AtomicRMWInst::UMax>},
    {.opcode = spv::Op::OpAtomicAnd, .effect = atomicRmw<AtomicRMWInst::And>},
    {.opcode = spv::Op::OpAtomicOr, .effect = atomicRmw<AtomicRMWInst::Or>},
    {.opcode = spv::Op::OpAtomicXor, .effect = atomicRmw<AtomicRMWInst::Xor>},
    {.opcode = spv::Op::OpAtomicFAddEXT, .effect = atomicRmw<AtomicRMWInst::FAdd>},
    {.opcode = spv::Op::OpAtomicFMinEXT, .effect = atomicRmw<AtomicRMWInst::FMin>},
    {.opcode = spv::Op::OpAtomicFMaxEXT, .effect = atomicRmw<AtomicRMWInst::FMax>},
};

ArrayRef<OpcodeRow> assay::atomicOpcodes() {
  return AtomicRows;
}
