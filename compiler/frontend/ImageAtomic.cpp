// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic instructions on texels: those of the chapter "Atomic Instructions" whose pointer comes
// from OpImageTexelPointer.

#include "compiler/frontend/Images.h"
#include "compiler/frontend/Scopes.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;

namespace {
/// The operands that all atomics begin with.
struct TexelAtomic {
  const TexelPointer &texel;
  Type *type;
  SyncScope::ID scope;
  AtomicOrdering order;
};
} // namespace

/// Reads pointer, scope and semantics, the operands 0 to 2 of \p inst, which findTexelAtomic has
/// accepted. InvalidInput where the texel is a vector; Unsupported for 16 bits.
static Expected<TexelAtomic> readAtomic(Translator &t, const Inst &inst) {
  constexpr size_t Scope = 1, Semantics = 2;
  Expected<SyncScope::ID> scope = syncScope(t, inst.operand(Scope));
  if (!scope)
    return scope.takeError();
  Expected<AtomicOrdering> order = ordering(t, inst.operand(Semantics));
  if (!order)
    return order.takeError();
  const TexelPointer *texel = t.findTexel(inst.operand(0));
  Expected<Type *> type = t.valueType(texel->pointee);
  if (!type)
    return type.takeError();
  if ((*type)->isVectorTy())
    return invalidInput("its texel is no scalar");
  if (Error error = checkTexelType(*type))
    return std::move(error);
  return TexelAtomic{*texel, *type, *scope, *order};
}

/// Makes the operation by \p make, between the fences that its ordering asks for: image
/// instructions have no ordering of their own.
static Value *ordered(Translator &t, const TexelAtomic &atomic, function_ref<Value *()> make) {
  if (isReleaseOrStronger(atomic.order))
    t.builder().CreateFence(AtomicOrdering::Release, atomic.scope);
  Value *result = make();
  if (isAcquireOrStronger(atomic.order))
    t.builder().CreateFence(AtomicOrdering::Acquire, atomic.scope);
  return result;
}

/// Emits a volatile image load between the fences of the ordering.
static Error atomicLoad(Translator &t, const Inst &inst) {
  Expected<TexelAtomic> atomic = readAtomic(t, inst);
  if (!atomic)
    return atomic.takeError();
  ImageAccess access = atomic->texel.access;
  access.flags |= ImageVolatile;
  return t.define(
      inst, ordered(t, *atomic, [&] { return t.builder().createImageLoad(atomic->type, access); }));
}

/// Returns the value of operand \p index; InvalidInput where it has another type than the texel.
static Expected<Value *> operand(Translator &t, const Inst &inst, size_t index,
                                 const TexelAtomic &atomic) {
  Expected<Value *> value = t.value(inst.operand(index));
  if (value && (*value)->getType() != atomic.type)
    return invalidInput("its value has another type than the texel");
  return value;
}

/// Emits a volatile image store between the fences of the ordering.
static Error atomicStore(Translator &t, const Inst &inst) {
  Expected<TexelAtomic> atomic = readAtomic(t, inst);
  if (!atomic)
    return atomic.takeError();
  Expected<Value *> value = operand(t, inst, 3, *atomic);
  if (!value)
    return value.takeError();
  ImageAccess access = atomic->texel.access;
  access.flags |= ImageVolatile;
  ordered(t, *atomic, [&]() -> Value * {
    t.builder().createImageStore(access, *value);
    return nullptr;
  });
  return Error::success();
}

/// Emits \p operation between its fences and binds the old texel. Swap is for all types; the other
/// operations are for integers, those from FAdd on for f32. \p comparator is for CompareSwap.
static Error exchange(Translator &t, const Inst &inst, ImageAtomic operation,
                      const TexelAtomic &atomic, Value *value, Value *comparator = nullptr) {
  bool isFloat = atomic.type->isFloatTy();
  bool takesFloats = operation >= ImageAtomic::FAdd;
  bool fits = operation == ImageAtomic::Swap || isFloat == takesFloats;
  if (!fits)
    return invalidInput("its texel is of a type that it does not work on");
  return t.define(inst, ordered(t, atomic, [&] {
                    return t.builder().createImageAtomic(operation, atomic.texel.access, value,
                                                         comparator);
                  }));
}

/// Handles an operation whose value is operand 3.
template <ImageAtomic Operation> static Error atomicRmw(Translator &t, const Inst &inst) {
  Expected<TexelAtomic> atomic = readAtomic(t, inst);
  if (!atomic)
    return atomic.takeError();
  Expected<Value *> value = operand(t, inst, 3, *atomic);
  if (!value)
    return value.takeError();
  return exchange(t, inst, Operation, *atomic, *value);
}

/// Handles increment and decrement: the value is the constant 1, and the texel must be an integer.
template <ImageAtomic Operation> static Error atomicByOne(Translator &t, const Inst &inst) {
  Expected<TexelAtomic> atomic = readAtomic(t, inst);
  if (!atomic)
    return atomic.takeError();
  if (!atomic->type->isIntegerTy())
    return invalidInput("its texel is no integer");
  return exchange(t, inst, Operation, *atomic, ConstantInt::get(atomic->type, 1));
}

/// The semantics for the unequal case, operand 3, are not read: the fences are those of the equal
/// case, which may not be weaker.
static Error compareExchange(Translator &t, const Inst &inst) {
  constexpr size_t Value_ = 4, Comparator = 5;
  Expected<TexelAtomic> atomic = readAtomic(t, inst);
  if (!atomic)
    return atomic.takeError();
  Expected<Value *> value = operand(t, inst, Value_, *atomic);
  if (!value)
    return value.takeError();
  Expected<Value *> comparator = operand(t, inst, Comparator, *atomic);
  if (!comparator)
    return comparator.takeError();
  return exchange(t, inst, ImageAtomic::CompareSwap, *atomic, *value, *comparator);
}

/// The opcodes of Atomic.cpp; findTexelAtomic decides which table counts.
static constexpr OpcodeRow ImageAtomicRows[] = {
    {.opcode = spv::Op::OpAtomicLoad, .effect = atomicLoad},
    {.opcode = spv::Op::OpAtomicStore, .effect = atomicStore},
    {.opcode = spv::Op::OpAtomicExchange, .effect = atomicRmw<ImageAtomic::Swap>},
    {.opcode = spv::Op::OpAtomicCompareExchange, .effect = compareExchange},
    {.opcode = spv::Op::OpAtomicIIncrement, .effect = atomicByOne<ImageAtomic::Add>},
    {.opcode = spv::Op::OpAtomicIDecrement, .effect = atomicByOne<ImageAtomic::Sub>},
    {.opcode = spv::Op::OpAtomicIAdd, .effect = atomicRmw<ImageAtomic::Add>},
    {.opcode = spv::Op::OpAtomicISub, .effect = atomicRmw<ImageAtomic::Sub>},
    {.opcode = spv::Op::OpAtomicSMin, .effect = atomicRmw<ImageAtomic::SMin>},
    {.opcode = spv::Op::OpAtomicUMin, .effect = atomicRmw<ImageAtomic::UMin>},
    {.opcode = spv::Op::OpAtomicSMax, .effect = atomicRmw<ImageAtomic::SMax>},
    {.opcode = spv::Op::OpAtomicUMax, .effect = atomicRmw<ImageAtomic::UMax>},
    {.opcode = spv::Op::OpAtomicAnd, .effect = atomicRmw<ImageAtomic::And>},
    {.opcode = spv::Op::OpAtomicOr, .effect = atomicRmw<ImageAtomic::Or>},
    {.opcode = spv::Op::OpAtomicXor, .effect = atomicRmw<ImageAtomic::Xor>},
    {.opcode = spv::Op::OpAtomicFAddEXT, .effect = atomicRmw<ImageAtomic::FAdd>},
    {.opcode = spv::Op::OpAtomicFMinEXT, .effect = atomicRmw<ImageAtomic::FMin>},
    {.opcode = spv::Op::OpAtomicFMaxEXT, .effect = atomicRmw<ImageAtomic::FMax>},
};

/// The pointer is operand 0 of every atomic.
const OpcodeRow *assay::findTexelAtomic(const Translator &t, const Inst &inst) {
  if (inst.operands.empty() || !t.findTexel(inst.operand(0)))
    return nullptr;
  const auto *row =
      find_if(ImageAtomicRows, [&](const OpcodeRow &r) { return r.opcode == inst.opcode; });
  return row == std::end(ImageAtomicRows) ? nullptr : row;
}

ArrayRef<OpcodeRow> assay::texelAtomicOpcodes() {
  return ImageAtomicRows;
}
