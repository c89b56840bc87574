// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How pointers come to be: access chains, variable pointers and device addresses ("Memory
// Instructions", "Conversion Instructions").
#include "oracles/machine/spirv/memory/MemoryAccess.h"

#include "support/Error.h"
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

namespace {
/// Builds the Chain of one OpAccessChain, index by index.
class ChainBuilder {
public:
  explicit ChainBuilder(Decoder &decoder) : m_decoder(decoder) {
    m_chain.firstStep = static_cast<uint32_t>(decoder.program().steps.size());
  }

  /// Indices into an array of descriptors: from \p type down to the block.
  Error selectDescriptor(spirv::Id &type, Operands &indices);
  /// The element operand of OpPtrAccessChain: objects of \p stride one after the other.
  Error selectElement(spirv::Id index, uint64_t stride);
  /// Indices into memory type \p memory.
  Error select(uint32_t memory, Operands indices);
  uint32_t finish();
  uint32_t memory() const { return m_memory; }
  /// From the base to what is selected; nothing where an index decides, or is wrong.
  std::optional<uint64_t> constantOffset() const;
  /// The descriptor may differ between invocations.
  bool choosesDescriptor() const { return m_choosesDescriptor; }

private:
  Error addIndex(spirv::Id index, uint64_t stride, uint64_t count, bool isDescriptor);

  Decoder &m_decoder;
  Chain m_chain;
  uint32_t m_memory = 0;
  bool m_choosesDescriptor = false;
};
} // namespace

/// Adds one index: constants to the offset, others as a step. \p count 0: there is no bound.
/// Descriptors are always chosen by steps.
Error ChainBuilder::addIndex(spirv::Id index, uint64_t stride, uint64_t count, bool isDescriptor) {
  const spirv::Type &type = m_decoder.module().type(m_decoder.typeOf(index));
  if (type.kind != TypeKind::Int)
    return invalidInput("index %" + Twine(index) + " is no integer");
  Expected<uint64_t> constant =
      m_decoder.isConstant(index) ? m_decoder.constantValue(index) : Expected<uint64_t>(0ull);
  m_choosesDescriptor |= isDescriptor && !m_decoder.isConstant(index);
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

/// Adds a step with a dynamic index that may be negative and has no bound. \p stride is in units of
/// the memory: bytes with an explicit layout, else scalars.
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

/// Consumes one index per dimension and moves \p type to the element. Unsupported where indices end
/// within an array of arrays.
Error ChainBuilder::selectDescriptor(spirv::Id &type, Operands &indices) {
  auto isArray = [&](spirv::Id id) {
    TypeKind kind = m_decoder.module().type(id).kind;
    return kind == TypeKind::Array || kind == TypeKind::RuntimeArray;
  };
  while (isArray(type)) {
    if (indices.empty())
      return unsupported("pointer to an array of descriptors");
    const spirv::Type &array = m_decoder.module().type(type);
    Expected<uint64_t> length = array.kind == TypeKind::RuntimeArray
                                    ? Expected<uint64_t>(runtimeDescriptorCount)
                                    : m_decoder.constantValue(array.lengthId);
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

/// Members need constant indices. InvalidInput for a member that does not exist or an index into a
/// scalar.
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

/// Nothing where an index is dynamic or a constant one is out of bounds.
std::optional<uint64_t> ChainBuilder::constantOffset() const {
  bool isConstant = !m_chain.stepCount && !m_chain.outOfBounds;
  return isConstant ? std::optional(m_chain.offset) : std::nullopt;
}

/// Adds the chain to the program and returns its index.
uint32_t ChainBuilder::finish() {
  m_decoder.program().memoryTypes.flatten(m_memory);
  m_decoder.program().chains.push_back(m_chain);
  return static_cast<uint32_t>(m_decoder.program().chains.size() - 1);
}

/// Inst::n of an access chain: everybody who gets there must choose the same descriptor.
static constexpr uint32_t NeedsUniform = 2;

/// extra: the Chain. A chain of constants into a variable of the invocation is known before the run
/// (Decoder::setOwnPlace()).
static Error prepareChain(Decoder &decoder, Operands operands, Inst &inst) {
  spirv::Id base = operands[0];
  Operands indices = operands.drop_front();
  Expected<uint32_t> memory = decoder.pointeeOf(base);
  if (!memory)
    return memory.takeError();
  ChainBuilder builder(decoder);
  const MemoryType &pointee = decoder.program().memoryTypes[*memory];
  if (pointee.isDescriptor() || pointee.kind == TypeKind::Struct) {
    // Of an array of resources, the memory type is that of one of them; see Decoder::pointeeOf.
    spirv::Id type = decoder.module().type(decoder.typeOf(base)).element;
    if (type != pointee.type)
      if (Error error = builder.selectDescriptor(type, indices))
        return error;
  }
  if (Error error = builder.select(*memory, indices))
    return error;
  if (builder.choosesDescriptor() &&
      !decoder.module().hasDecoration(inst.source->resultId, spv::Decoration::NonUniform)) {
    inst.n = NeedsUniform;
    decoder.program().tracksLoops = true;
  }
  std::optional<OwnPlace> place = decoder.findOwnPlace(base);
  std::optional<uint64_t> offset = builder.constantOffset();
  if (place && offset)
    decoder.setOwnPlace(inst.source->resultId,
                        {place->isInFrame, place->slot + static_cast<uint32_t>(*offset)});
  inst.extra = builder.finish();
  decoder.setPointee(inst.source->resultId, builder.memory());
  return decoder.refs(base, inst);
}

/// Whether the objects that \p pointer points to follow each other without an explicit layout.
static bool hasPlainLayout(const Decoder &decoder, const spirv::Type &pointer) {
  return pointer.storageClass == spv::StorageClass::Workgroup && !decoder.hasExplicitWorkgroup();
}

/// The distance of objects after one another that a pointer of type \p type can step over, in the
/// units of its memory: \p explicitStride where its layout is explicit. An Error where it can't.
static Expected<uint64_t> elementStride(Decoder &decoder, const spirv::Type &type, uint32_t memory,
                                        uint32_t explicitStride) {
  using spv::StorageClass;
  const MemoryType &pointee = decoder.program().memoryTypes[memory];
  if (type.storageClass != StorageClass::Workgroup &&
      type.storageClass != StorageClass::StorageBuffer &&
      type.storageClass != StorageClass::PhysicalStorageBuffer)
    return unsupported("pointer arithmetic in storage class " +
                       spirv::storageClassName(type.storageClass));
  uint64_t stride = hasPlainLayout(decoder, type) ? pointee.size : explicitStride;
  if (!stride)
    return invalidInput("pointer type without ArrayStride");
  return stride;
}

/// As OpAccessChain, with an element index in front of the others.
static Error preparePtrChain(Decoder &decoder, Operands operands, Inst &inst) {
  spirv::Id base = operands[0];
  Expected<uint32_t> memory = decoder.pointeeOf(base);
  if (!memory)
    return memory.takeError();
  const spirv::Type &type = decoder.module().type(decoder.typeOf(base));
  Expected<uint64_t> stride = elementStride(decoder, type, *memory, type.arrayStride);
  if (!stride)
    return stride.takeError();
  ChainBuilder builder(decoder);
  if (Error error = builder.selectElement(operands[1], *stride))
    return error;
  if (Error error = builder.select(*memory, operands.drop_front(2)))
    return error;
  inst.extra = builder.finish();
  decoder.setPointee(inst.source->resultId, builder.memory());
  return decoder.refs(base, inst);
}

/// The distance of two elements of an array that \p pointer points into. Where its layout is
/// explicit, the stride is that of the pointer's type, or else that of all arrays of its pointee;
/// Unsupported where these are not one number.
static Expected<uint64_t> differenceStride(Decoder &decoder, const spirv::Type &pointer,
                                           uint32_t memory) {
  if (hasPlainLayout(decoder, pointer) || pointer.arrayStride != 0)
    return elementStride(decoder, pointer, memory, pointer.arrayStride);
  std::set<uint32_t> strides;
  for (const spirv::Instruction &global : decoder.module().globals) {
    bool isArray =
        global.opcode == spv::Op::OpTypeArray || global.opcode == spv::Op::OpTypeRuntimeArray;
    if (isArray && global.operand(0) == pointer.element)
      if (auto stride =
              decoder.module().decorationValue(global.resultId, spv::Decoration::ArrayStride))
        strides.insert(*stride);
  }
  if (strides.size() != 1)
    return unsupported("a difference of pointers whose type has no ArrayStride");
  return elementStride(decoder, pointer, memory, *strides.begin());
}

/// extra: the distance of two elements.
static Error prepareDifference(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> memory = decoder.pointeeOf(operands[0]);
  if (!memory)
    return memory.takeError();
  const spirv::Type &type = decoder.module().type(decoder.typeOf(operands[0]));
  Expected<uint64_t> stride = differenceStride(decoder, type, *memory);
  if (!stride)
    return stride.takeError();
  if (Error error = prepareIds(decoder, operands, inst))
    return error;
  inst.extra = static_cast<uint32_t>(*stride);
  return Error::success();
}

/// Elements between two pointers into the same object.
static Status pointerDifference(Invocation &invocation, const Inst &inst) {
  const Scalar &a = *invocation.at(inst.op[0]), &b = *invocation.at(inst.op[1]);
  if ((a.flags | b.flags) & Poison) {
    *invocation.at(inst.dst) = inheritPoison(a, b);
    return Status::Next;
  }
  if (a.object != b.object)
    return invocation.execution->undefinedBehavior("UB-PTRDIFF", invocation, inst,
                                                   "pointers into different objects");
  int64_t distance = static_cast<int64_t>(a.bits - b.bits) / static_cast<int64_t>(inst.extra);
  *invocation.at(inst.dst) = Scalar::exact(static_cast<uint64_t>(distance) & maskOf(inst.width));
  return Status::Next;
}

/// A device address as a number.
static Status pointerToInt(Invocation &invocation, const Inst &inst) {
  const Scalar &pointer = *invocation.at(inst.op[0]);
  *invocation.at(inst.dst) = pointer.isPoison() ? inheritPoison(pointer, pointer)
                                                : Scalar::exact(pointer.bits & maskOf(inst.width));
  return Status::Next;
}

/// Any number is a device address; it is checked when memory is accessed.
static Status intToPointer(Invocation &invocation, const Inst &inst) {
  const Scalar &number = *invocation.at(inst.op[0]);
  Scalar result = number.isPoison() ? inheritPoison(number, number) : Scalar::exact(number.bits);
  result.object = DeviceAddress;
  *invocation.at(inst.dst) = result;
  return Status::Next;
}

/// Pointers into different objects are not equal.
template <bool IfEqual> static Status comparePointers(Invocation &invocation, const Inst &inst) {
  const Scalar &a = *invocation.at(inst.op[0]), &b = *invocation.at(inst.op[1]);
  bool equal = a.object == b.object && a.bits == b.bits;
  *invocation.at(inst.dst) =
      (a.flags | b.flags) & Poison ? inheritPoison(a, b) : Scalar::boolean(equal == IfEqual);
  return Status::Next;
}

/// An index out of range marks the pointer, and only an access through it is undefined behaviour.
static Status accessChain(Invocation &invocation, const Inst &inst) {
  const Program &program = invocation.program();
  const Chain &chain = program.chains[inst.extra];
  Scalar result = *invocation.at(inst.op[0]);
  result.bits += chain.offset;
  if (chain.outOfBounds)
    result.flags |= OutOfBounds;
  if (inst.n == NeedsUniform)
    result.flags |= ChosenDescriptor;
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

ArrayRef<OpRow> reference::pointerOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpAccessChain), prepareChain, accessChain},
      {uint32_t(Op::OpInBoundsAccessChain), prepareChain, accessChain},
      {uint32_t(Op::OpPtrAccessChain), preparePtrChain, accessChain},
      {uint32_t(Op::OpInBoundsPtrAccessChain), preparePtrChain, accessChain},
      {uint32_t(Op::OpPtrEqual), prepareIds, comparePointers<true>},
      {uint32_t(Op::OpPtrNotEqual), prepareIds, comparePointers<false>},
      {uint32_t(Op::OpPtrDiff), prepareDifference, pointerDifference},
      {uint32_t(Op::OpConvertPtrToU), prepareIds, pointerToInt},
      {uint32_t(Op::OpConvertUToPtr), prepareIds, intToPointer},
  };
  return rows;
}
