// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables, pointers, loads and stores ("Memory Instructions"), with the checks of every access.
#include "oracles/machine/spirv/Ops.h"

#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

/// Refuses a pointer that can't be followed. Next = go on.
static Status checkPointer(Invocation &invocation, const Inst &inst, const Scalar &pointer) {
  Execution &execution = *invocation.execution;
  if (pointer.isPoison())
    return execution.poisonUsed(pointer, "an address", invocation, inst);
  if (pointer.flags & OutOfBounds)
    return execution.undefinedBehavior("UB-OOB", invocation, inst, "an index leaves its array");
  if (pointer.object == NullObject)
    return execution.undefinedBehavior("UB-NULLDESC", invocation, inst, "null pointer");
  return Status::Next;
}

/// \p memory: the one accessed.
static Accessor accessorOf(const Invocation &invocation, BarrierMemory memory) {
  const Workgroup &group = *invocation.group;
  Accessor who;
  who.group = group.index;
  who.phase = memory == OrdersBuffers ? group.bufferPhase : group.memoryPhase;
  who.invocation = invocation.localIndex;
  who.groupSize = invocation.program().getInvocationsPerGroup();
  who.subgroup = invocation.localIndex / invocation.execution->subgroupSize();
  who.subgroupPhase = invocation.execution->subgroupOf(invocation).phases[memory == OrdersBuffers];
  if (const InvocationOrder *order = invocation.order.get()) {
    who.epoch = order->epoch;
    who.known = &order->known[memory == OrdersBuffers];
  }
  return who;
}

/// Scalars [offset, offset + count) of workgroup memory, or null after a race or an overrun.
static Scalar *sharedScalars(Invocation &invocation, const Inst &inst, uint64_t offset,
                             uint32_t count, AccessKind kind) {
  Workgroup &group = *invocation.group;
  Execution &execution = *invocation.execution;
  if (offset + count > group.memory.size()) {
    execution.undefinedBehavior("UB-OOB", invocation, inst, "outside of workgroup memory");
    return nullptr;
  }
  if (execution.tracksRaces()) {
    Accessor who = accessorOf(invocation, OrdersWorkgroup);
    bool race = false;
    for (uint32_t i = 0; i < count; ++i)
      race |= group.accesses[offset + i].record(who, kind);
    if (race) {
      execution.race(invocation, inst, "workgroup memory");
      return nullptr;
    }
  }
  return group.memory.data() + offset;
}

/// The buffer behind a pointer and the offset in it, checked for an access of \p type.
static BufferMemory *bufferOf(Invocation &invocation, const Inst &inst, const Scalar &pointer,
                              uint64_t size, uint64_t &offset) {
  Execution &execution = *invocation.execution;
  if (pointer.object - FirstDescriptor >= execution.viewCount()) {
    execution.undefinedBehavior("UB-OOB", invocation, inst, "outside of the descriptor array");
    return nullptr;
  }
  View &view = execution.view(pointer.object);
  if (!view.buffer) {
    const DescriptorSlot &slot = invocation.program().descriptors[pointer.object - FirstDescriptor];
    execution.undefinedBehavior("UB-NULLDESC", invocation, inst,
                                slot.pushConstant
                                    ? std::string("no push constants are set")
                                    : "nothing is bound to set " + std::to_string(slot.set) +
                                          ", binding " + std::to_string(slot.binding));
    return nullptr;
  }
  // The offset may be "negative", that is, huge.
  if (pointer.bits > view.range || size > view.range - pointer.bits) {
    execution.undefinedBehavior("UB-OOB", invocation, inst,
                                "bytes [" + std::to_string(pointer.bits) + ", " +
                                    std::to_string(pointer.bits + size) + ") of a buffer of " +
                                    std::to_string(view.range));
    return nullptr;
  }
  offset = view.offset + pointer.bits;
  return view.buffer;
}

/// Notes an access of a buffer; false after a race.
static bool notePlainAccess(Invocation &invocation, const Inst &inst, BufferMemory &buffer,
                            uint64_t offset, unsigned bytes, AccessKind kind) {
  if (!invocation.execution->tracksRaces())
    return true;
  if (!buffer.recordAccess(offset, bytes, accessorOf(invocation, OrdersBuffers), kind))
    return true;
  invocation.execution->race(invocation, inst, "a buffer");
  return false;
}

Status reference::loadValue(Invocation &invocation, const Inst &inst, const Scalar &pointer,
                            uint32_t memoryType, Scalar *result) {
  if (Status status = checkPointer(invocation, inst, pointer); status != Status::Next)
    return status;
  const MemoryType &type = invocation.program().memoryTypes[memoryType];
  if (pointer.object == OwnMemory) {
    std::copy_n(invocation.stack + pointer.bits, type.scalars, result);
    return Status::Next;
  }
  if (pointer.object == WorkgroupMemory) {
    const Scalar *source =
        sharedScalars(invocation, inst, pointer.bits, type.scalars, AccessKind::Read);
    if (!source)
      return Status::Stop;
    std::copy_n(source, type.scalars, result);
    return Status::Next;
  }
  uint64_t offset;
  BufferMemory *buffer = bufferOf(invocation, inst, pointer, type.size, offset);
  if (!buffer)
    return Status::Stop;
  for (const FlatScalar &scalar : type.flat) {
    if (!notePlainAccess(invocation, inst, *buffer, offset + scalar.offset, scalar.bytes,
                         AccessKind::Read))
      return Status::Stop;
    *result++ = buffer->load(offset + scalar.offset, scalar.bytes, scalar.isFloat);
  }
  return Status::Next;
}

Status reference::storeValue(Invocation &invocation, const Inst &inst, const Scalar &pointer,
                             uint32_t memoryType, const Scalar *value) {
  if (Status status = checkPointer(invocation, inst, pointer); status != Status::Next)
    return status;
  const MemoryType &type = invocation.program().memoryTypes[memoryType];
  if (pointer.object == OwnMemory) {
    std::copy_n(value, type.scalars, invocation.stack + pointer.bits);
    return Status::Next;
  }
  if (pointer.object == WorkgroupMemory) {
    Scalar *target = sharedScalars(invocation, inst, pointer.bits, type.scalars, AccessKind::Write);
    if (!target)
      return Status::Stop;
    std::copy_n(value, type.scalars, target);
    return Status::Next;
  }
  uint64_t offset;
  BufferMemory *buffer = bufferOf(invocation, inst, pointer, type.size, offset);
  if (!buffer)
    return Status::Stop;
  for (const FlatScalar &scalar : type.flat) {
    if (!notePlainAccess(invocation, inst, *buffer, offset + scalar.offset, scalar.bytes,
                         AccessKind::Write))
      return Status::Stop;
    buffer->store(offset + scalar.offset, scalar.bytes, *value++);
  }
  return Status::Next;
}

Expected<AtomicTarget> reference::atomicTarget(Invocation &invocation, const Inst &inst,
                                               const Scalar &pointer, AccessKind kind) {
  AtomicTarget target;
  auto stopped = [] { return unsupported("stopped"); };
  if (checkPointer(invocation, inst, pointer) != Status::Next)
    return stopped();
  if (pointer.object == OwnMemory) {
    target.scalar = invocation.stack + pointer.bits;
    return target;
  }
  if (pointer.object == WorkgroupMemory) {
    target.scalar = sharedScalars(invocation, inst, pointer.bits, 1, kind);
    if (!target.scalar)
      return stopped();
    return target;
  }
  unsigned bytes = inst.width / 8;
  target.buffer = bufferOf(invocation, inst, pointer, bytes, target.offset);
  if (!target.buffer ||
      !notePlainAccess(invocation, inst, *target.buffer, target.offset, bytes, kind))
    return stopped();
  return target;
}

/// dst the pointer, op[0] the first slot of the storage in the frame, op[1] the initial value if
/// extra is set, n the scalars.
static Error prepareVariable(Decoder &decoder, Operands operands, Inst &inst) {
  const spirv::Type &pointer = decoder.module().type(inst.source->typeId);
  Expected<uint32_t> memory = decoder.memoryType(pointer.element, false);
  if (!memory)
    return memory.takeError();
  inst.n = decoder.program().memoryTypes[*memory].scalars;
  inst.op[0] = decoder.newSlots(inst.n);
  inst.extra = operands.size() > 1;
  decoder.setPointee(inst.source->resultId, *memory);
  return inst.extra ? decoder.refs(operands.slice(1, 1), inst, 1) : Error::success();
}

static Status makeVariable(Invocation &invocation, const Inst &inst) {
  Scalar *storage = invocation.at(inst.op[0]);
  if (inst.extra)
    std::copy_n(invocation.at(inst.op[1]), inst.n, storage);
  else
    std::fill_n(storage, inst.n, Scalar::undefined(Cause::Uninitialized));
  *invocation.at(inst.dst) =
      Scalar::pointer(OwnMemory, static_cast<uint64_t>(storage - invocation.stack));
  return Status::Next;
}

/// A whole access needs a type of known size.
static Expected<uint32_t> accessedType(Decoder &decoder, spirv::Id pointer) {
  Expected<uint32_t> memory = decoder.pointeeOf(pointer);
  if (memory && !decoder.program().memoryTypes[*memory].scalars)
    return unsupported("access of a type without a size");
  return memory;
}

static Error prepareLoad(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> memory = accessedType(decoder, operands[0]);
  if (!memory)
    return memory.takeError();
  inst.extra = *memory;
  return decoder.refs(operands.take_front(), inst);
}

static Status load(Invocation &invocation, const Inst &inst) {
  return loadValue(invocation, inst, *invocation.at(inst.op[0]), inst.extra,
                   invocation.at(inst.dst));
}

static Error prepareStore(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> memory = accessedType(decoder, operands[0]);
  if (!memory)
    return memory.takeError();
  inst.extra = *memory;
  return decoder.refs(operands.take_front(2), inst);
}

static Status store(Invocation &invocation, const Inst &inst) {
  return storeValue(invocation, inst, *invocation.at(inst.op[0]), inst.extra,
                    invocation.at(inst.op[1]));
}

/// op[2]: the source's memory type; dst: room for the value.
static Error prepareCopyMemory(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> target = accessedType(decoder, operands[0]);
  Expected<uint32_t> source = accessedType(decoder, operands[1]);
  if (!target || !source)
    return joinErrors(target.takeError(), source.takeError());
  inst.extra = *target;
  inst.op[2] = *source;
  inst.dst = decoder.newSlots(decoder.program().memoryTypes[*source].scalars);
  return decoder.refs(operands.take_front(2), inst);
}

static Status copyMemory(Invocation &invocation, const Inst &inst) {
  Scalar *value = invocation.at(inst.dst);
  Status status = loadValue(invocation, inst, *invocation.at(inst.op[1]), inst.op[2], value);
  if (status != Status::Next)
    return status;
  return storeValue(invocation, inst, *invocation.at(inst.op[0]), inst.extra, value);
}

namespace {
/// Builds the Chain of one OpAccessChain, index by index.
class ChainBuilder {
public:
  explicit ChainBuilder(Decoder &decoder) : m_decoder(decoder) {
    m_chain.firstStep = static_cast<uint32_t>(decoder.program().steps.size());
  }

  /// Indices into an array of descriptors: from \p type down to the block.
  Error selectDescriptor(spirv::Id &type, Operands &indices);
  /// The element operand of OpPtrAccessChain: objects of \p stride one behind the other.
  Error selectElement(spirv::Id index, uint64_t stride);
  /// Indices into memory type \p memory.
  Error select(uint32_t memory, Operands indices);
  uint32_t finish();
  uint32_t memory() const { return m_memory; }

private:
  Error addIndex(spirv::Id index, uint64_t stride, uint64_t count, bool isDescriptor);

  Decoder &m_decoder;
  Chain m_chain;
  uint32_t m_memory = 0;
};
} // namespace

Error ChainBuilder::addIndex(spirv::Id index, uint64_t stride, uint64_t count, bool isDescriptor) {
  const spirv::Type &type = m_decoder.module().type(m_decoder.typeOf(index));
  if (type.kind != TypeKind::Int)
    return invalidInput("index %" + Twine(index) + " is no integer");
  Expected<uint64_t> constant =
      m_decoder.isConstant(index) ? m_decoder.constantValue(index) : Expected<uint64_t>(0ull);
  if (constant && m_decoder.isConstant(index) && !isDescriptor) {
    int64_t value = signExtend(*constant, type.width);
    if (value < 0 || (count && uint64_t(value) >= count))
      m_chain.outOfBounds = true;
    m_chain.offset += static_cast<uint64_t>(value) * stride;
    return Error::success();
  }
  consumeError(constant.takeError()); // An undefined constant is treated as any other index.
  Expected<uint32_t> reference = m_decoder.ref(index);
  if (!reference)
    return reference.takeError();
  ++m_chain.stepCount;
  m_decoder.program().steps.push_back(
      {*reference, static_cast<uint8_t>(type.width), isDescriptor, false, stride, count});
  return Error::success();
}

Error ChainBuilder::selectElement(spirv::Id index, uint64_t stride) {
  const spirv::Type &type = m_decoder.module().type(m_decoder.typeOf(index));
  Expected<uint32_t> reference = m_decoder.ref(index);
  if (!reference)
    return reference.takeError();
  ChainStep step;
  step.index = *reference;
  step.width = static_cast<uint8_t>(type.width);
  step.mayBeNegative = true;
  step.stride = stride;
  ++m_chain.stepCount;
  m_decoder.program().steps.push_back(step);
  return Error::success();
}

Error ChainBuilder::selectDescriptor(spirv::Id &type, Operands &indices) {
  while (m_decoder.module().type(type).kind == TypeKind::Array) {
    if (indices.empty())
      return unsupported("pointer to an array of descriptors");
    const spirv::Type &array = m_decoder.module().type(type);
    Expected<uint64_t> length = m_decoder.constantValue(array.lengthId);
    if (!length)
      return length.takeError();
    uint64_t stride = 1;
    type = array.element;
    for (spirv::Id inner = type; m_decoder.module().type(inner).kind == TypeKind::Array;
         inner = m_decoder.module().type(inner).element) {
      Expected<uint64_t> innerLength =
          m_decoder.constantValue(m_decoder.module().type(inner).lengthId);
      if (!innerLength)
        return innerLength.takeError();
      stride *= *innerLength;
    }
    if (Error error = addIndex(indices[0], stride, *length, true))
      return error;
    indices = indices.drop_front();
  }
  return Error::success();
}

Error ChainBuilder::select(uint32_t memory, Operands indices) {
  for (spirv::Id index : indices) {
    const MemoryType type = m_decoder.program().memoryTypes[memory];
    if (type.kind == TypeKind::Struct) {
      Expected<uint64_t> member = m_decoder.constantValue(index);
      if (!member)
        return member.takeError();
      if (*member >= type.memberTypes.size())
        return invalidInput("member " + Twine(*member) + " does not exist");
      m_chain.offset += type.memberOffsets[*member];
      memory = type.memberTypes[*member];
      continue;
    }
    if (!type.stride)
      return invalidInput("index into a scalar");
    if (Error error = addIndex(index, type.stride, type.count, false))
      return error;
    memory = type.element;
  }
  m_memory = memory;
  return Error::success();
}

uint32_t ChainBuilder::finish() {
  m_decoder.program().memoryTypes.flatten(m_memory);
  m_decoder.program().chains.push_back(m_chain);
  return static_cast<uint32_t>(m_decoder.program().chains.size() - 1);
}

static Error prepareChain(Decoder &decoder, Operands operands, Inst &inst) {
  spirv::Id base = operands[0];
  Operands indices = operands.drop_front();
  Expected<uint32_t> memory = decoder.pointeeOf(base);
  if (!memory)
    return memory.takeError();
  ChainBuilder builder(decoder);
  const spirv::Instruction *variable = decoder.module().findGlobal(base);
  if (variable && decoder.program().memoryTypes[*memory].kind == TypeKind::Struct) {
    // Of a resource variable, the memory type is that of one block; see Decoder::readResource.
    spirv::Id type = decoder.module().type(variable->typeId).element;
    if (type != decoder.program().memoryTypes[*memory].type)
      if (Error error = builder.selectDescriptor(type, indices))
        return error;
  }
  if (Error error = builder.select(*memory, indices))
    return error;
  inst.extra = builder.finish();
  decoder.setPointee(inst.source->resultId, builder.memory());
  return decoder.refs(base, inst);
}

/// As OpAccessChain, with an element index in front of the others.
static Error preparePtrChain(Decoder &decoder, Operands operands, Inst &inst) {
  spirv::Id base = operands[0];
  Expected<uint32_t> memory = decoder.pointeeOf(base);
  if (!memory)
    return memory.takeError();
  const spirv::Type &pointer = decoder.module().type(decoder.typeOf(base));
  bool isShared = pointer.storageClass == spv::StorageClass::Workgroup;
  if (!isShared && pointer.storageClass != spv::StorageClass::StorageBuffer)
    return unsupported("pointer arithmetic in this storage class");
  uint64_t stride = isShared ? decoder.program().memoryTypes[*memory].size : pointer.arrayStride;
  if (!stride)
    return invalidInput("pointer type without ArrayStride");
  ChainBuilder builder(decoder);
  if (Error error = builder.selectElement(operands[1], stride))
    return error;
  if (Error error = builder.select(*memory, operands.drop_front(2)))
    return error;
  inst.extra = builder.finish();
  decoder.setPointee(inst.source->resultId, builder.memory());
  return decoder.refs(base, inst);
}

template <bool IfEqual> static Status comparePointers(Invocation &invocation, const Inst &inst) {
  const Scalar &a = *invocation.at(inst.op[0]), &b = *invocation.at(inst.op[1]);
  bool equal = a.object == b.object && a.bits == b.bits;
  *invocation.at(inst.dst) =
      (a.flags | b.flags) & Poison ? inheritPoison(a, b) : Scalar::boolean(equal == IfEqual);
  return Status::Next;
}

static Status accessChain(Invocation &invocation, const Inst &inst) {
  const Program &program = invocation.program();
  const Chain &chain = program.chains[inst.extra];
  Scalar result = *invocation.at(inst.op[0]);
  result.bits += chain.offset;
  if (chain.outOfBounds)
    result.flags |= OutOfBounds;
  for (uint32_t i = 0; i < chain.stepCount; ++i) {
    const ChainStep &step = program.steps[chain.firstStep + i];
    const Scalar &index = *invocation.at(step.index);
    if (index.isPoison())
      return invocation.execution->poisonUsed(index, "an address", invocation, inst);
    int64_t value = signExtend(index.bits, step.width);
    bool isOutside = value < 0 || (step.count && static_cast<uint64_t>(value) >= step.count);
    if (isOutside && !step.mayBeNegative) {
      result.flags |= OutOfBounds;
      continue;
    }
    if (step.selectsDescriptor)
      result.object += static_cast<uint32_t>(value * step.stride);
    else
      result.bits += static_cast<uint64_t>(value) * step.stride;
  }
  *invocation.at(inst.dst) = result;
  return Status::Next;
}

/// op[0] the structure, op[2] the offset of the array, extra its stride.
static Error prepareLength(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> memory = decoder.pointeeOf(operands[0]);
  if (!memory)
    return memory.takeError();
  const MemoryType &block = decoder.program().memoryTypes[*memory];
  if (block.kind != TypeKind::Struct || operands[1] >= block.memberTypes.size())
    return invalidInput("no member " + Twine(operands[1]));
  inst.op[2] = static_cast<uint32_t>(block.memberOffsets[operands[1]]);
  inst.extra =
      static_cast<uint32_t>(decoder.program().memoryTypes[block.memberTypes[operands[1]]].stride);
  if (!inst.extra)
    return invalidInput("member is no array");
  return decoder.refs(operands.take_front(), inst);
}

static Status arrayLength(Invocation &invocation, const Inst &inst) {
  const Scalar &pointer = *invocation.at(inst.op[0]);
  if (Status status = checkPointer(invocation, inst, pointer); status != Status::Next)
    return status;
  uint64_t offset;
  if (!bufferOf(invocation, inst, pointer, 0, offset))
    return Status::Stop;
  uint64_t range = invocation.execution->view(pointer.object).range, start = inst.op[2];
  *invocation.at(inst.dst) = Scalar::exact(range < start ? 0 : (range - start) / inst.extra);
  return Status::Next;
}

ArrayRef<OpRow> reference::memoryOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpVariable), prepareVariable, makeVariable},
      {uint32_t(Op::OpLoad), prepareLoad, load},
      {uint32_t(Op::OpStore), prepareStore, store},
      {uint32_t(Op::OpCopyMemory), prepareCopyMemory, copyMemory},
      {uint32_t(Op::OpAccessChain), prepareChain, accessChain},
      {uint32_t(Op::OpInBoundsAccessChain), prepareChain, accessChain},
      {uint32_t(Op::OpPtrAccessChain), preparePtrChain, accessChain},
      {uint32_t(Op::OpPtrEqual), prepareIds, comparePointers<true>},
      {uint32_t(Op::OpPtrNotEqual), prepareIds, comparePointers<false>},
      {uint32_t(Op::OpArrayLength), prepareLength, arrayLength},
  };
  return rows;
}
