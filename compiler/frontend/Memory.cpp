// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Memory Instructions": variables, loads, stores, copies, access chains.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::TypeKind;

/// Aggregates with more scalars and vectors than this stay in memory when they are loaded.
static constexpr uint64_t MaxLeavesInValues = 64;

/// Folds the Memory Operands at operand \p first into \p pointer. Availability and visibility are
/// stronger here than asked for: LLVM keeps volatile accesses coherent for the whole system.
static void applyMemoryOperands(const Inst &inst, size_t first, Pointer &pointer) {
  constexpr auto Strong = static_cast<uint32_t>(spv::MemoryAccessMask::Volatile) |
                          static_cast<uint32_t>(spv::MemoryAccessMask::MakePointerAvailable) |
                          static_cast<uint32_t>(spv::MemoryAccessMask::MakePointerVisible);
  if (inst.size() > first && (inst.operand(first) & Strong))
    pointer.info.isVolatile = true;
}

Error Translator::translateGlobalVariable(const Inst &inst) {
  const spirv::Type &pointerType = m_spirv.type(inst.typeId);
  Expected<unsigned> space = addressSpace(pointerType.storageClass);
  if (!space)
    return space.takeError();
  bool isShared = pointerType.storageClass == spv::StorageClass::Workgroup;
  if (!isShared && pointerType.storageClass != spv::StorageClass::Private)
    return Error::success(); // Resources and inputs have no memory of their own.

  Expected<TypeRecord> record = type(pointerType.element);
  if (!record)
    return record.takeError();
  Constant *initial = PoisonValue::get(record->memory);
  if (!inst.operands.empty() && inst.size() > 1) {
    Expected<Value *> value = this->value(inst.operand(1));
    if (!value)
      return value.takeError();
    if ((*value)->getType() != record->value)
      return invalidInput("its initializer has another type");
    Expected<Constant *> memory = toMemory(cast<Constant>(*value), pointerType.element);
    if (!memory)
      return memory.takeError();
    initial = *memory;
  }
  // LDS can't be initialized by the loader: the entry point does that.
  bool isZeroed = isShared && !isa<PoisonValue>(initial);
  if (isZeroed && !initial->isNullValue())
    return unsupported("a Workgroup variable initialized with other than zero");
  auto *variable =
      new GlobalVariable(*m_module, record->memory, false, GlobalValue::InternalLinkage,
                         isShared ? PoisonValue::get(record->memory) : initial,
                         m_spirv.name(inst.resultId), nullptr, GlobalValue::NotThreadLocal, *space);
  if (isZeroed)
    m_zeroedShared.push_back(variable);
  m_constants[inst.resultId] = variable;
  return Error::success();
}

static Error variable(Translator &t, const Inst &inst) {
  const spirv::Type &pointerType = t.spirv().type(inst.typeId);
  if (pointerType.storageClass != spv::StorageClass::Function)
    return invalidInput("a local variable of another storage class");
  Expected<TypeRecord> record = t.type(pointerType.element);
  if (!record)
    return record.takeError();
  Value *local = t.createLocal(record->memory, t.spirv().name(inst.resultId));
  if (Error error = t.definePointer(inst, local, {}))
    return error;
  if (inst.size() < 2)
    return Error::success();
  Expected<Value *> initial = t.value(inst.operand(1));
  if (!initial)
    return initial.takeError();
  return t.store({local, pointerType.element, pointerType.storageClass, {}}, *initial);
}

static Error load(Translator &t, const Inst &inst) {
  Expected<Pointer> pointer = t.pointer(inst.operand(0));
  if (!pointer)
    return pointer.takeError();
  applyMemoryOperands(inst, 1, *pointer);
  Expected<TypeRecord> record = t.type(pointer->pointee);
  if (!record)
    return record.takeError();
  if (record->leaves > MaxLeavesInValues && !pointer->info.input)
    return t.defineInMemory(inst, *pointer);
  Expected<Value *> value = t.load(*pointer);
  if (!value)
    return value.takeError();
  return t.define(inst, *value);
}

static Error store(Translator &t, const Inst &inst) {
  Expected<Pointer> pointer = t.pointer(inst.operand(0));
  if (!pointer)
    return pointer.takeError();
  applyMemoryOperands(inst, 2, *pointer);
  if (std::optional<Pointer> place = t.findInMemory(inst.operand(1)))
    return t.copy(*pointer, *place);
  Expected<Value *> value = t.value(inst.operand(1));
  if (!value)
    return value.takeError();
  return t.store(*pointer, *value);
}

static Error copyMemory(Translator &t, const Inst &inst) {
  Expected<Pointer> target = t.pointer(inst.operand(0));
  if (!target)
    return target.takeError();
  Expected<Pointer> source = t.pointer(inst.operand(1));
  if (!source)
    return source.takeError();
  // One set of memory operands is for both sides. From SPIR-V 1.4 on there may be two, with the
  // source's last; taking the first for both at most strengthens, but the second must not be lost.
  applyMemoryOperands(inst, 2, *target);
  applyMemoryOperands(inst, 2, *source);
  if (inst.size() > 3)
    source->info.isVolatile = target->info.isVolatile = true;
  return t.copy(*target, *source);
}

static Error walk(Translator &t, const Inst &inst, Pointer pointer, size_t firstIndex) {
  for (size_t i = firstIndex; i < inst.size(); ++i) {
    Expected<Value *> index = t.value(inst.operand(i));
    if (!index)
      return index.takeError();
    Expected<Pointer> next = t.step(pointer, *index);
    if (!next)
      return next.takeError();
    pointer = *next;
  }
  const spirv::Type *type = t.spirv().findType(inst.typeId);
  if (!type || type->kind != TypeKind::Pointer || type->element != pointer.pointee)
    return invalidInput("its indices do not lead to its result type");
  return t.definePointer(inst, pointer.value, pointer.info);
}

static Error accessChain(Translator &t, const Inst &inst) {
  Expected<Pointer> base = t.pointer(inst.operand(0));
  if (!base)
    return base.takeError();
  return walk(t, inst, *base, 1);
}

/// The first index counts in elements of the array that the base points into.
static Error ptrAccessChain(Translator &t, const Inst &inst) {
  Expected<Pointer> base = t.pointer(inst.operand(0));
  if (!base)
    return base.takeError();
  Expected<Value *> element = t.value(inst.operand(1));
  if (!element)
    return element.takeError();
  if (!base->value || !(*element)->getType()->isIntegerTy(32))
    return unsupported("such a base or element index");
  Builder &builder = t.builder();
  uint32_t stride = t.spirv().type(t.typeOf(inst.operand(0))).arrayStride;
  if (Translator::hasExplicitLayout(base->storage)) {
    if (stride == 0)
      return invalidInput("its base's pointer type lacks ArrayStride");
    base->value =
        builder.CreatePtrAdd(base->value, builder.CreateMul(*element, builder.getInt32(stride)));
  } else {
    Expected<TypeRecord> record = t.type(base->pointee);
    if (!record)
      return record.takeError();
    base->value = builder.CreateGEP(record->memory, base->value, *element);
  }
  base->info.buffer.reset();
  return walk(t, inst, *base, 2);
}

static Error arrayLength(Translator &t, const Inst &inst) {
  Expected<Pointer> block = t.pointer(inst.operand(0));
  if (!block)
    return block.takeError();
  std::optional<BufferReference> buffer = block->info.buffer;
  if (!buffer || !buffer->index)
    return unsupported("the length of a buffer that is not known here");
  const spirv::Type &type = t.spirv().type(block->pointee);
  uint32_t member = inst.operand(1);
  if (type.kind != TypeKind::Struct || member + 1 != type.members.size())
    return invalidInput("its array is not the last member of the block");
  const spirv::Type &array = t.spirv().type(type.members[member]);
  auto offset = t.spirv().memberLayout(type.id, member).offset;
  if (array.kind != TypeKind::RuntimeArray || !array.arrayStride || !offset)
    return invalidInput("its array lacks Offset or ArrayStride");

  Builder &builder = t.builder();
  Value *bytes = builder.createBufferLength(buffer->set, buffer->binding, buffer->index);
  Value *rest =
      builder.CreateBinaryIntrinsic(Intrinsic::usub_sat, bytes, builder.getInt32(*offset));
  return t.define(inst, builder.CreateUDiv(rest, builder.getInt32(array.arrayStride)));
}

static Expected<Value *> comparePointers(Translator &t, const Inst &inst, ArrayRef<Value *> args) {
  if (!args[0]->getType()->isPointerTy() || args[0]->getType() != args[1]->getType())
    return invalidInput("its operands are no pointers of one storage class");
  bool isEqual = inst.opcode == spv::Op::OpPtrEqual;
  return t.builder().CreateICmp(isEqual ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE, args[0], args[1]);
}

static constexpr OpcodeRow Rows[] = {
    {.opcode = spv::Op::OpVariable, .effect = variable},
    {.opcode = spv::Op::OpLoad, .effect = load},
    {.opcode = spv::Op::OpStore, .effect = store},
    {.opcode = spv::Op::OpCopyMemory, .effect = copyMemory},
    {.opcode = spv::Op::OpAccessChain, .effect = accessChain},
    {.opcode = spv::Op::OpInBoundsAccessChain, .effect = accessChain},
    {.opcode = spv::Op::OpPtrAccessChain, .effect = ptrAccessChain},
    {.opcode = spv::Op::OpArrayLength, .effect = arrayLength},
    {.opcode = spv::Op::OpPtrEqual, .values = 2, .value = comparePointers},
    {.opcode = spv::Op::OpPtrNotEqual, .values = 2, .value = comparePointers},
};

ArrayRef<OpcodeRow> assay::memoryOpcodes() {
  return Rows;
}
