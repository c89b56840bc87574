// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables, loads and stores ("Memory Instructions").
#include "oracles/machine/spirv/memory/MemoryAccess.h"

#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

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
  decoder.setOwnPlace(inst.source->resultId, {true, inst.op[0]});
  return inst.extra ? decoder.refs(operands.slice(1, 1), inst, 1) : Error::success();
}

/// Initializes the storage on each call of the function.
static Status makeVariable(Invocation &invocation, const Inst &inst) {
  Scalar *storage = invocation.at(inst.op[0]);
  if (inst.extra)
    copyScalars(invocation.at(inst.op[1]), inst.n, storage);
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

/// What an access under the memory model of the module lacks to be seen by others.
static uint8_t accessFlagsOf(Decoder &decoder, Operands memoryOperands) {
  using Mask = spv::MemoryAccessMask;
  if (decoder.module().memoryModel != spv::MemoryModel::Vulkan)
    return 0;
  auto lacks = [&](Mask mask) {
    return memoryOperands.empty() || !(memoryOperands[0] & uint32_t(mask));
  };
  return (lacks(Mask::NonPrivatePointer) ? PrivateAccess : 0) |
         (lacks(Mask::MakePointerAvailable) ? LacksAvailable : 0) |
         (lacks(Mask::MakePointerVisible) ? LacksVisible : 0);
}

/// The alignment that memory operands promise, or 0. Their other parts mean something to races.
static uint32_t alignmentOf(Operands memoryOperands) {
  bool isAligned = !memoryOperands.empty() &&
                   memoryOperands[0] & uint32_t(spv::MemoryAccessMask::Aligned) &&
                   memoryOperands.size() > 1;
  return isAligned ? memoryOperands[1] : 0;
}

/// The value of a descriptor is where it stands; a sampled image has it for both of its halves.
static Status loadDescriptor(Invocation &invocation, const Inst &inst) {
  Scalar descriptor = *invocation.at(inst.op[0]);
  bool needsUniform = descriptor.flags & ChosenDescriptor && !inst.isNonUniform;
  descriptor.flags &= ~ChosenDescriptor;
  std::fill_n(invocation.at(inst.dst), inst.n, descriptor);
  return needsUniform ? checkUniform(invocation, inst, descriptor) : Status::Next;
}

/// op[0]: the slot. No pointer is followed: there is nothing to check.
static Status loadFrame(Invocation &invocation, const Inst &inst) {
  copyScalars(invocation.base[0] + inst.op[0], inst.n, invocation.at(inst.dst));
  return Status::Next;
}
/// op[0]: the slot, from the start of the invocation's memory.
static Status loadPrivate(Invocation &invocation, const Inst &inst) {
  copyScalars(invocation.stack + inst.op[0], inst.n, invocation.at(inst.dst));
  return Status::Next;
}
/// op[1]: the value.
static Status storeFrame(Invocation &invocation, const Inst &inst) {
  copyScalars(invocation.at(inst.op[1]), inst.n, invocation.base[0] + inst.op[0]);
  return Status::Next;
}
/// As storeFrame(), from the start of the invocation's memory.
static Status storePrivate(Invocation &invocation, const Inst &inst) {
  copyScalars(invocation.at(inst.op[1]), inst.n, invocation.stack + inst.op[0]);
  return Status::Next;
}

/// Makes \p inst an access of \p place. Its type has \p scalars.
static void accessOwnPlace(Inst &inst, OwnPlace place, uint32_t scalars, Handler inFrame,
                           Handler isPrivate) {
  bool isLoad = inst.kind == InstKind::Load;
  inst.run = place.isInFrame ? inFrame : isPrivate;
  inst.kind = place.isInFrame ? (isLoad ? InstKind::LoadFrame : InstKind::StoreFrame)
                              : (isLoad ? InstKind::LoadPrivate : InstKind::StorePrivate);
  inst.op[0] = place.slot;
  inst.n = scalars;
}

/// op[3]: the promised alignment.
static Error prepareLoad(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> memory = accessedType(decoder, operands[0]);
  if (!memory)
    return memory.takeError();
  const MemoryType &type = decoder.program().memoryTypes[*memory];
  if (std::optional<OwnPlace> place = decoder.findOwnPlace(operands[0])) {
    accessOwnPlace(inst, *place, type.scalars, loadFrame, loadPrivate);
    return Error::success();
  }
  if (type.isDescriptor()) {
    inst.run = loadDescriptor;
    inst.kind = InstKind::Descriptor;
    inst.n = type.scalars;
  }
  inst.extra = *memory;
  inst.op[3] = alignmentOf(operands.drop_front());
  inst.access = accessFlagsOf(decoder, operands.drop_front());
  return decoder.refs(operands.take_front(), inst);
}

/// extra: the memory type.
static Status load(Invocation &invocation, const Inst &inst) {
  return loadValue(invocation, inst, *invocation.at(inst.op[0]), inst.extra,
                   invocation.at(inst.dst), inst.op[3]);
}

/// op[0] the pointer, op[1] the value, op[3] the promised alignment, extra the memory type.
static Error prepareStore(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> memory = accessedType(decoder, operands[0]);
  if (!memory)
    return memory.takeError();
  if (std::optional<OwnPlace> place = decoder.findOwnPlace(operands[0])) {
    accessOwnPlace(inst, *place, decoder.program().memoryTypes[*memory].scalars, storeFrame,
                   storePrivate);
    return decoder.refs(operands.slice(1, 1), inst, 1);
  }
  inst.extra = *memory;
  inst.op[3] = alignmentOf(operands.drop_front(2));
  inst.access = accessFlagsOf(decoder, operands.drop_front(2));
  return decoder.refs(operands.take_front(2), inst);
}

/// extra: the memory type.
static Status store(Invocation &invocation, const Inst &inst) {
  return storeValue(invocation, inst, *invocation.at(inst.op[0]), inst.extra,
                    invocation.at(inst.op[1]), inst.op[3]);
}

/// Words of memory operands in front of a second set.
static size_t wordsOf(Operands memoryOperands) {
  using Mask = spv::MemoryAccessMask;
  if (memoryOperands.empty())
    return 0;
  size_t words = 1;
  for (Mask mask : {Mask::Aligned, Mask::MakePointerAvailable, Mask::MakePointerVisible})
    words += (memoryOperands[0] & uint32_t(mask)) != 0;
  return std::min(words, memoryOperands.size());
}

/// op[2]: the source's memory type; n the alignment of the target, op[3] that of the source; dst:
/// room for the value. One set of memory operands represents both.
static Error prepareCopyMemory(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> target = accessedType(decoder, operands[0]);
  Expected<uint32_t> source = accessedType(decoder, operands[1]);
  if (!target || !source)
    return joinErrors(target.takeError(), source.takeError());
  inst.extra = *target;
  inst.op[2] = *source;
  inst.dst = decoder.newSlots(decoder.program().memoryTypes[*source].scalars);
  Operands first = operands.drop_front(2), second = first.drop_front(wordsOf(first));
  inst.n = alignmentOf(first);
  inst.access = accessFlagsOf(decoder, first) |
                (second.empty() ? uint8_t(0) : accessFlagsOf(decoder, second));
  inst.op[3] = alignmentOf(second.empty() ? first : second);
  return decoder.refs(operands.take_front(2), inst);
}

/// Reads the whole source before it writes the target.
static Status copyMemory(Invocation &invocation, const Inst &inst) {
  Scalar *value = invocation.at(inst.dst);
  Status status =
      loadValue(invocation, inst, *invocation.at(inst.op[1]), inst.op[2], value, inst.op[3]);
  if (status != Status::Next)
    return status;
  return storeValue(invocation, inst, *invocation.at(inst.op[0]), inst.extra, value, inst.n);
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
  if (Error error = decoder.refs(operands.take_front(), inst))
    return error;
  inst.isNonUniform = true; // It accesses no memory, and so need not be decorated.
  return Error::success();
}

/// Elements between the start of the array and the end of the bound range; 0 where the array begins
/// beyond it.
static Status arrayLength(Invocation &invocation, const Inst &inst) {
  const Scalar &pointer = *invocation.at(inst.op[0]);
  Expected<uint64_t> found = boundRange(invocation, inst, pointer);
  if (!found) {
    consumeError(found.takeError()); // Execution::ending() says why.
    return Status::Stop;
  }
  uint64_t range = *found, start = inst.op[2];
  *invocation.at(inst.dst) = Scalar::exact(range < start ? 0 : (range - start) / inst.extra);
  return Status::Next;
}

/// Accesses of places that are known before the run have handlers of their own (accessOwnPlace()).
ArrayRef<OpRow> reference::memoryOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpVariable), prepareVariable, makeVariable},
      {uint32_t(Op::OpLoad), prepareLoad, load},
      {uint32_t(Op::OpStore), prepareStore, store},
      {uint32_t(Op::OpCopyMemory), prepareCopyMemory, copyMemory},
      {uint32_t(Op::OpArrayLength), prepareLength, arrayLength},
  };
  return rows;
}
