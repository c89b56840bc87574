// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Memory Instructions": variables, loads, stores, copies, access chains.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::TypeKind;

/// Aggregates with more scalars and vectors than this stay in memory when they are loaded.
static constexpr uint64_t MaxLeavesInValues = 64;

/// One set of Memory Operands, and where the next begins.
struct MemoryOperands {
  uint32_t mask = 0;
  uint32_t alignment = 1;
  size_t end = 0;

  bool has(spv::MemoryAccessMask bit) const { return (mask & static_cast<uint32_t>(bit)) != 0; }
};

/// Reads the Memory Operands at operand \p first; none if the instruction ends there. Scopes are
/// skipped. InvalidInput where the alignment is no power of two.
static Expected<MemoryOperands> readMemoryOperands(const Inst &inst, size_t first) {
  MemoryOperands operands;
  operands.end = first;
  if (inst.size() <= first)
    return operands;
  operands.mask = inst.operand(operands.end++);
  if (operands.has(spv::MemoryAccessMask::Aligned) && inst.size() > operands.end)
    operands.alignment = inst.operand(operands.end++);
  operands.end += operands.has(spv::MemoryAccessMask::MakePointerAvailable); // Scopes.
  operands.end += operands.has(spv::MemoryAccessMask::MakePointerVisible);
  if (!isPowerOf2_32(operands.alignment))
    return invalidInput("an alignment that is no power of two");
  return operands;
}

/// Folds \p operands into \p pointer. Availability and visibility are stronger here than asked for:
/// LLVM keeps volatile accesses coherent for the whole system. NonPrivatePointer asks for nothing
/// more: fences order every access.
static void apply(const MemoryOperands &operands, Pointer &pointer) {
  if (operands.has(spv::MemoryAccessMask::Volatile) ||
      operands.has(spv::MemoryAccessMask::MakePointerAvailable) ||
      operands.has(spv::MemoryAccessMask::MakePointerVisible))
    pointer.info.isVolatile = true;
  pointer.info.alignment = std::max(pointer.info.alignment, operands.alignment);
}

/// The pointer in operand \p index with the Memory Operands that begin at \p first.
static Expected<Pointer> accessedPointer(Translator &t, const Inst &inst, size_t index,
                                         size_t first) {
  Expected<Pointer> pointer = t.pointer(inst.operand(index));
  if (!pointer)
    return pointer;
  Expected<MemoryOperands> operands = readMemoryOperands(inst, first);
  if (!operands)
    return operands.takeError();
  apply(*operands, *pointer);
  return pointer;
}

/// Creates an LLVM global for Private, Workgroup and interface variables. Resources get their
/// address in each function (resourceValue). InvalidInput where an initializer has another type;
/// Unsupported for one of a Workgroup variable that is not zero.
Error Translator::translateGlobalVariable(const Inst &inst) {
  const spirv::Type &pointerType = m_spirv.type(inst.typeId);
  Expected<unsigned> space = addressSpace(pointerType.storageClass);
  if (!space)
    return space.takeError();
  bool isShared = pointerType.storageClass == spv::StorageClass::Workgroup;
  if (!isShared && pointerType.storageClass != spv::StorageClass::Private &&
      !isInterfaceVariable(inst))
    return Error::success(); // Resources and compute's inputs have no memory of their own.

  Expected<TypeRecord> record = type(pointerType.element);
  if (!record)
    return record.takeError();
  if (isShared && m_hasSharedBlocks)
    return Error::success(); // createSharedBlocks() places them.
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
  if (isZeroed) {
    constexpr Align DwordAlign = Align::Constant<4>(); // Zeroed by dwords.
    variable->setAlignment(
        std::max(DwordAlign, m_module->getDataLayout().getPreferredAlign(variable)));
    m_zeroedShared.push_back(variable);
  }
  m_constants[inst.resultId] = variable;
  return Error::success();
}

/// Creates an alloca in the prologue. An initializer is stored where the OpVariable is, so that it
/// is stored again in each call.
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

/// Loads a value; large aggregates stay in memory (defineInMemory). For descriptors the flags of
/// the image are noted.
static Error load(Translator &t, const Inst &inst) {
  Expected<Pointer> pointer = accessedPointer(t, inst, 0, 1);
  if (!pointer)
    return pointer.takeError();
  Expected<TypeRecord> record = t.type(pointer->pointee);
  if (!record)
    return record.takeError();
  if (record->leaves > MaxLeavesInValues && !pointer->info.input)
    return t.defineInMemory(inst, *pointer);
  Expected<Value *> value = t.load(*pointer);
  if (!value)
    return value.takeError();
  if (Translator::isDescriptor(t.spirv().type(pointer->pointee)))
    t.noteImageLoad(inst, *pointer);
  return t.define(inst, *value);
}

/// Stores a value, or copies an aggregate that lies in memory.
static Error store(Translator &t, const Inst &inst) {
  Expected<Pointer> pointer = accessedPointer(t, inst, 0, 2);
  if (!pointer)
    return pointer.takeError();
  if (std::optional<Pointer> place = t.findInMemory(inst.operand(1)))
    return t.copy(*pointer, *place);
  Expected<Value *> value = t.value(inst.operand(1));
  if (!value)
    return value.takeError();
  return t.store(*pointer, *value);
}

/// One set of memory operands is for both sides; of two (SPIR-V 1.4) the second is for the source.
static Error copyMemory(Translator &t, const Inst &inst) {
  constexpr size_t FirstOperands = 2;
  Expected<MemoryOperands> both = readMemoryOperands(inst, FirstOperands);
  if (!both)
    return both.takeError();
  size_t second = inst.size() > both->end ? both->end : FirstOperands;
  Expected<Pointer> target = accessedPointer(t, inst, 0, FirstOperands);
  if (!target)
    return target.takeError();
  Expected<Pointer> source = accessedPointer(t, inst, 1, second);
  if (!source)
    return source.takeError();
  return t.copy(*target, *source);
}

/// Steps from \p pointer along the indices from operand \p firstIndex on and binds the result.
/// InvalidInput where they do not end at the pointee of its type.
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

/// Handles OpAccessChain and OpInBoundsAccessChain, which are treated alike.
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
  Expected<Pointer> moved = t.moveByElements(*base, t.typeOf(inst.operand(0)), *element);
  if (!moved)
    return moved.takeError();
  return walk(t, inst, *moved, 2);
}

/// Returns (bytes of the buffer - offset of the array) / ArrayStride, and 0 for a buffer that ends
/// sooner. The array must be the last member of a block with a known descriptor.
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

/// Effects only: pointers are no plain values.
static constexpr OpcodeRow MemoryRows[] = {
    {.opcode = spv::Op::OpVariable, .effect = variable},
    {.opcode = spv::Op::OpLoad, .effect = load},
    {.opcode = spv::Op::OpStore, .effect = store},
    {.opcode = spv::Op::OpCopyMemory, .effect = copyMemory},
    {.opcode = spv::Op::OpAccessChain, .effect = accessChain},
    {.opcode = spv::Op::OpInBoundsAccessChain, .effect = accessChain},
    {.opcode = spv::Op::OpPtrAccessChain, .effect = ptrAccessChain},
    {.opcode = spv::Op::OpArrayLength, .effect = arrayLength},
};

ArrayRef<OpcodeRow> assay::memoryOpcodes() {
  return MemoryRows;
}
