// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Atomic Instructions", on 32-bit integers; loads, stores and exchanges on floats, too.

#include "compiler/frontend/Scopes.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using RmwOp = AtomicRMWInst::BinOp;

/// The operands that all atomics begin with.
struct AtomicAccess {
  Pointer pointer;
  SyncScope::ID scope;
  AtomicOrdering order;
};

static constexpr Align AtomicAlign = Align::Constant<4>();

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
  Expected<Type *> type = t.valueType(pointer->pointee);
  if (!type)
    return type.takeError();
  if (!(*type)->isIntegerTy(32) && !(*type)->isFloatTy())
    return invalidInput("its pointee is no 32-bit integer or float");
  if (!pointer->value)
    return invalidInput("its pointer is to an Input variable");
  return AtomicAccess{*pointer, *scope, *order};
}

/// LLVM's memory model has no acquiring stores and no releasing loads.
static AtomicOrdering loadOrdering(AtomicOrdering order) {
  if (order == AtomicOrdering::Release)
    return AtomicOrdering::Monotonic;
  return order == AtomicOrdering::AcquireRelease ? AtomicOrdering::Acquire : order;
}

static AtomicOrdering storeOrdering(AtomicOrdering order) {
  if (order == AtomicOrdering::Acquire)
    return AtomicOrdering::Monotonic;
  return order == AtomicOrdering::AcquireRelease ? AtomicOrdering::Release : order;
}

static Error atomicLoad(Translator &t, const Inst &inst) {
  Expected<AtomicAccess> atomic = access(t, inst);
  if (!atomic)
    return atomic.takeError();
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  LoadInst *load = t.builder().CreateAlignedLoad(*type, atomic->pointer.value, AtomicAlign,
                                                 atomic->pointer.info.isVolatile);
  load->setAtomic(loadOrdering(atomic->order), atomic->scope);
  return t.define(inst, load);
}

static Error atomicStore(Translator &t, const Inst &inst) {
  Expected<AtomicAccess> atomic = access(t, inst);
  if (!atomic)
    return atomic.takeError();
  Expected<Value *> value = t.value(inst.operand(3));
  if (!value)
    return value.takeError();
  Expected<Type *> type = t.valueType(atomic->pointer.pointee);
  if (!type)
    return type.takeError();
  if ((*value)->getType() != *type)
    return invalidInput("the stored value has another type than the memory");
  StoreInst *store = t.builder().CreateAlignedStore(*value, atomic->pointer.value, AtomicAlign,
                                                    atomic->pointer.info.isVolatile);
  store->setAtomic(storeOrdering(atomic->order), atomic->scope);
  return Error::success();
}

/// The hardware's own read-modify-write is only right in memory that it does not share with a host
/// at a granularity below pages; Vulkan's memory is such (LLVM's AMDGPUUsage, "Metadata").
static void markCoarse(llvm::Instruction &atomic) {
  MDNode *empty = MDNode::get(atomic.getContext(), {});
  atomic.setMetadata("amdgpu.no.fine.grained.memory", empty);
}

static Error createRmw(Translator &t, const Inst &inst, RmwOp op, Value *value) {
  Expected<AtomicAccess> atomic = access(t, inst);
  if (!atomic)
    return atomic.takeError();
  Expected<Type *> type = t.valueType(atomic->pointer.pointee);
  if (!type)
    return type.takeError();
  if (value->getType() != *type || (!(*type)->isIntegerTy(32) && op != AtomicRMWInst::Xchg))
    return invalidInput("its value has another type than the memory");
  AtomicRMWInst *rmw = t.builder().CreateAtomicRMW(op, atomic->pointer.value, value, AtomicAlign,
                                                   atomic->order, atomic->scope);
  rmw->setVolatile(atomic->pointer.info.isVolatile);
  markCoarse(*rmw);
  return t.define(inst, rmw);
}

template <RmwOp Op> static Error atomicRmw(Translator &t, const Inst &inst) {
  Expected<Value *> value = t.value(inst.operand(3));
  if (!value)
    return value.takeError();
  return createRmw(t, inst, Op, *value);
}

template <RmwOp Op> static Error atomicByOne(Translator &t, const Inst &inst) {
  return createRmw(t, inst, Op, t.builder().getInt32(1));
}

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
  if (!(*value)->getType()->isIntegerTy(32) || !(*comparator)->getType()->isIntegerTy(32))
    return invalidInput("its values are no 32-bit integers");
  AtomicCmpXchgInst *exchange =
      t.builder().CreateAtomicCmpXchg(atomic->pointer.value, *comparator, *value, AtomicAlign,
                                      atomic->order, loadOrdering(*unequal), atomic->scope);
  exchange->setVolatile(atomic->pointer.info.isVolatile);
  markCoarse(*exchange);
  return t.define(inst, t.builder().CreateExtractValue(exchange, 0));
}

static constexpr OpcodeRow Rows[] = {
    {.opcode = spv::Op::OpAtomicLoad, .effect = atomicLoad},
    {.opcode = spv::Op::OpAtomicStore, .effect = atomicStore},
    {.opcode = spv::Op::OpAtomicExchange, .effect = atomicRmw<AtomicRMWInst::Xchg>},
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
};

ArrayRef<OpcodeRow> assay::atomicOpcodes() {
  return Rows;
}
