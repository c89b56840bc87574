// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses through pointers: where they go, and every check on the way - null, bounds, alignment,
// what nothing is bound to, races. Robust buffer access decides what happens outside.
#include "oracles/machine/spirv/memory/MemoryAccess.h"

#include "oracles/machine/spirv/math/FloatBits.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Accesses this near to one that leaves its buffer may leave it too (robust buffer access).
static constexpr uint64_t RobustNeighbourhood = 16;

/// Refuses a pointer that can't be followed. Next = go on.
static Status checkPointer(Invocation &invocation, const Inst &inst, const Scalar &pointer) {
  Execution &execution = *invocation.execution;
  if (pointer.isPoison())
    return execution.poisonUsed(pointer, "an address", invocation, inst);
  if (pointer.flags & OutOfBounds)
    return execution.undefinedBehavior("UB-OOB", invocation, inst, "an index leaves its array");
  if (pointer.object == NullObject || (pointer.object == DeviceAddress && !pointer.bits))
    return execution.undefinedBehavior("UB-NULLPTR", invocation, inst, "null pointer");
  if (pointer.flags & ChosenDescriptor && !inst.isNonUniform)
    return checkUniform(invocation, inst, pointer);
  return Status::Next;
}

/// Ends the run: undefined behaviour.
static Status misaligned(Invocation &invocation, const Inst &inst, uint64_t address,
                         uint32_t alignment) {
  return invocation.execution->undefinedBehavior(
      "UB-ALIGN", invocation, inst,
      "byte " + std::to_string(address) + " is not aligned to " + std::to_string(alignment));
}

/// \p memory: the one accessed.
static Accessor accessorOf(const Invocation &invocation, const Inst &inst, BarrierMemory memory) {
  const Workgroup &group = *invocation.group;
  Accessor who;
  who.group = group.index;
  who.phase = memory == OrdersBuffers ? group.bufferPhase : group.memoryPhase;
  who.invocation = invocation.localIndex;
  who.groupSize = invocation.program().getInvocationsPerGroup();
  who.subgroup = invocation.localIndex / invocation.execution->subgroupSize();
  who.subgroupPhase = invocation.execution->subgroupOf(invocation).phases[memory == OrdersBuffers];
  who.availablePhase = group.availablePhase;
  who.visiblePhase = group.visiblePhase;
  who.flags = inst.access;
  if (const InvocationOrder *order = invocation.order.get()) {
    who.epoch = order->epoch;
    who.known = &order->known[memory == OrdersBuffers];
    who.knownAvailable = &order->known[(memory == OrdersBuffers) + MemoryKinds];
  }
  return who;
}

/// Yield means that the effect is left out, because helper invocations have none. An invocation
/// that need not run stops as unsupported: its effect is uncertain.
Status reference::checkEffect(Invocation &invocation, const Inst &inst) {
  if (invocation.isHelper && !faultPlanted(Fault::ReferenceHelpersStore))
    return Status::Yield;
  if (invocation.isUncertain)
    return invocation.execution->stopUnsupported(
        "imprecise: a fragment that need not be drawn stores");
  return Status::Next;
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
    Accessor who = accessorOf(invocation, inst, OrdersWorkgroup);
    bool race = false;
    for (uint32_t i = 0; i < count; ++i)
      race |= group.accesses[offset + i].record(who, kind);
    if (race && !faultPlanted(Fault::ReferenceRace)) {
      execution.race(invocation, inst, "workgroup memory");
      return nullptr;
    }
  }
  return group.memory.data() + offset;
}

namespace {
/// Where an access in bytes goes. \p buffer is null when the run has been stopped.
struct Place {
  BufferMemory *buffer = nullptr;
  uint64_t offset = 0; ///< In the buffer.
  BarrierMemory memory = OrdersBuffers;
  /// Set where robust buffer access has to say what happens: \p offset counts from the start of the
  /// view then.
  const View *outsideOf = nullptr;
  uint32_t variable = 0; ///< As in View.
};
} // namespace

/// "bytes [0, 4) of a buffer of 16"; \p range is the size of the buffer.
static std::string describeBytes(uint64_t offset, uint64_t size, uint64_t range) {
  return "bytes [" + std::to_string(offset) + ", " + std::to_string(offset + size) +
         ") of a buffer of " + std::to_string(range);
}

/// The place that a device address points to. Stops the run outside of all buffers.
static Place placeOfAddress(Invocation &invocation, const Inst &inst, uint64_t address,
                            uint64_t size, uint32_t alignment) {
  Execution &execution = *invocation.execution;
  const DeviceRange *range = execution.findDeviceRange(address);
  if (!range || size > range->size - (address - range->base)) {
    execution.undefinedBehavior("UB-OOB", invocation, inst,
                                range ? "device address: " +
                                            describeBytes(address - range->base, size, range->size)
                                      : "device address outside of every buffer");
    return {};
  }
  if (alignment && address % alignment) {
    misaligned(invocation, inst, address - range->base, alignment);
    return {};
  }
  return {range->buffer, address - range->base};
}

/// A place in workgroup memory with explicit layout. Stops the run outside of it.
static Place placeInBlock(Invocation &invocation, const Inst &inst, uint64_t offset,
                          uint64_t size) {
  BufferMemory *block = invocation.group->block.get();
  if (offset <= block->size() && size <= block->size() - offset)
    return {block, offset, OrdersWorkgroup};
  invocation.execution->undefinedBehavior("UB-OOB", invocation, inst,
                                          "outside of workgroup memory");
  return {};
}

/// The view of a descriptor. Null, with the run stopped, outside of the array and where nothing fit
/// is bound.
static const View *viewOf(Invocation &invocation, const Inst &inst, const Scalar &pointer) {
  Execution &execution = *invocation.execution;
  if (pointer.object - FirstDescriptor >= execution.viewCount()) {
    execution.undefinedBehavior("UB-OOB", invocation, inst, "outside of the descriptor array");
    return nullptr;
  }
  const View &view = execution.view(pointer.object);
  if (view.buffer)
    return &view;
  if (view.isWrongKind) {
    execution.undefinedBehavior("UB-DESCRIPTOR", invocation, inst,
                                "a descriptor of another kind is bound");
    return nullptr;
  }
  const DescriptorSlot &slot = invocation.program().descriptors[pointer.object - FirstDescriptor];
  execution.undefinedBehavior("UB-NULLDESC", invocation, inst,
                              slot.pushConstant
                                  ? std::string("no push constants are set")
                                  : "nothing is bound to set " + std::to_string(slot.set) +
                                        ", binding " + std::to_string(slot.binding) + ", element " +
                                        std::to_string(slot.arrayElement));
  return nullptr;
}

/// The place of an access of \p size bytes through a pointer to memory of bytes.
static Place placeOf(Invocation &invocation, const Inst &inst, const Scalar &pointer, uint64_t size,
                     uint32_t alignment = 0) {
  if (pointer.object == DeviceAddress)
    return placeOfAddress(invocation, inst, pointer.bits, size, alignment);
  if (pointer.object == WorkgroupBlock)
    return placeInBlock(invocation, inst, pointer.bits, size);
  const View *view = viewOf(invocation, inst, pointer);
  if (!view)
    return {};
  if (alignment && (view->offset + pointer.bits) % alignment) {
    misaligned(invocation, inst, pointer.bits, alignment);
    return {};
  }
  // The offset may be "negative", that is, huge.
  if (pointer.bits <= view->range && size <= view->range - pointer.bits)
    return {view->buffer, view->offset + pointer.bits, OrdersBuffers, nullptr, view->variable};
  if (view->robustness != Robustness::None)
    return {view->buffer, pointer.bits, OrdersBuffers, view};
  invocation.execution->undefinedBehavior("UB-OOB", invocation, inst,
                                          describeBytes(pointer.bits, size, view->range));
  return {};
}

/// Whether a store leaves memory as it is and is no race for that, in a module without the Vulkan
/// memory model. Invocations of graphics stages have an undefined order and partly an undefined
/// number (Vulkan 1.3, "Shader Memory Access Ordering"). That they all store the same value is a
/// race by the memory model of Vulkan 1.2 ("Data Race"), and only an undefined order by that
/// of 1.1, on which scripts rely: no race there, nor in compute shaders for a reference that
/// assumes what drivers keep (Precision::Practical or more).
static bool storesSameValue(const Invocation &invocation, const Inst &inst, const Place &place,
                            uint64_t offset, const FlatScalar &scalar, const Scalar &value) {
  const Program &program = invocation.program();
  bool isAllowed = program.stage != ShaderStage::Compute || inst.rules.isPractical;
  if (!isAllowed || program.module.memoryModel == spv::MemoryModel::Vulkan)
    return false;
  Scalar old = place.buffer->load(offset, scalar.bytes, scalar.isFloat);
  bool isRange = old.flags & Ranged;
  return !old.isPoison() && old.flags == value.flags && old.bits == value.bits &&
         (!isRange || (old.lo == value.lo && old.hi == value.hi));
}

/// Notes an access of a buffer; false after a race, or by an alias. \p isSameValue: of a write, as
/// storesSameValue() says.
static bool noteAccess(Invocation &invocation, const Inst &inst, const Place &place,
                       uint64_t offset, unsigned bytes, AccessKind kind, bool isSameValue = false) {
  if (invocation.execution->expectsNoWrites())
    return true;
  bool isWrite = kind == AccessKind::Write || kind == AccessKind::AtomicWrite;
  if (place.variable && place.buffer->recordVariable(offset, bytes, place.variable, isWrite)) {
    invocation.execution->undefinedBehavior(
        "UB-ALIAS", invocation, inst,
        "memory that is written is reached by two variables that are not both Aliased");
    return false;
  }
  if (!invocation.execution->tracksRaces())
    return true;
  if (!place.buffer->recordAccess(offset, bytes, accessorOf(invocation, inst, place.memory),
                                  kind) ||
      isSameValue || faultPlanted(Fault::ReferenceRace))
    return true;
  invocation.execution->race(invocation, inst,
                             place.memory == OrdersBuffers ? "a buffer" : "workgroup memory");
  return false;
}

/// Records the access of one texel at a byte offset. False if it races.
bool reference::noteImageAccess(Invocation &invocation, const Inst &inst, const ImageView &view,
                                uint64_t offset, AccessKind kind) {
  Place place{view.memory, offset, OrdersBuffers, nullptr, view.variable};
  return noteAccess(invocation, inst, place, offset, view.format->bytes, kind);
}

/// Where the parts of an access lie that leaves its view.
enum class Robust : uint8_t { Inside, Slack, Outside };

/// Slack: within the bytes after the range that an implementation may count as inside.
static Robust classify(const View &view, uint64_t offset, unsigned bytes) {
  if (offset < view.range && bytes <= view.range - offset)
    return Robust::Inside;
  return offset < view.range + view.slack ? Robust::Slack : Robust::Outside;
}

/// Robust buffer access lets what happens to neighbours differ; that is not followed.
static bool hasNeighbours(const View &view, uint64_t offset) {
  return offset < view.range + RobustNeighbourhood;
}

/// A scalar read by an access that leaves its view. Each part may be checked for itself or with the
/// whole, so that what lies inside may read as zero too.
static Scalar loadRobustly(Invocation &invocation, const Place &place, uint64_t offset,
                           unsigned bytes, bool isFloat) {
  const View &view = *place.outsideOf;
  Robust where = classify(view, offset, bytes);
  if (view.robustness == Robustness::Access)
    return Scalar::ambiguous();
  if (where == Robust::Outside)
    return invocation.wroteOutside ? Scalar::ambiguous() : Scalar::exact(0);
  uint64_t start = view.offset + offset;
  if (start + bytes > view.buffer->size())
    return Scalar::ambiguous();
  Scalar value = view.buffer->load(start, bytes, isFloat);
  return value.flags || value.bits ? Scalar::ambiguous() : value;
}

/// A scalar written by an access that leaves its view.
static void storeRobustly(Invocation &invocation, const Place &place, uint64_t offset,
                          unsigned bytes) {
  const View &view = *place.outsideOf;
  invocation.wroteOutside = true;
  if (view.robustness == Robustness::Access) {
    view.buffer->lose();
    return;
  }
  uint64_t start = view.offset + offset, size = view.buffer->size();
  if (classify(view, offset, bytes) != Robust::Outside && start < size)
    view.buffer->loseBytes(start, static_cast<unsigned>(std::min<uint64_t>(bytes, size - start)));
}

/// Ends the run as Unsupported.
static Status unfollowedNeighbours(Invocation &invocation) {
  return invocation.execution->stopUnsupported(
      "imprecise: robustBufferAccess lets accesses less than 16 bytes away leave the buffer too");
}

/// The scalars of \p type from \p place on.
static Status loadBytes(Invocation &invocation, const Inst &inst, const Place &place,
                        const MemoryType &type, Scalar *result) {
  if (const View *view = place.outsideOf;
      view && view->robustness == Robustness::Access && hasNeighbours(*view, place.offset))
    return unfollowedNeighbours(invocation);
  for (const FlatScalar &scalar : type.flat) {
    uint64_t offset = place.offset + scalar.offset;
    if (place.outsideOf) {
      *result = loadRobustly(invocation, place, offset, scalar.bytes, scalar.isFloat);
    } else {
      if (!noteAccess(invocation, inst, place, offset, scalar.bytes, AccessKind::Read))
        return Status::Stop;
      *result = place.buffer->load(offset, scalar.bytes, scalar.isFloat);
    }
    if (scalar.isPointer) {
      if (isFloatBits(*result))
        *result = inheritPoison(*result, *result);
      result->object = DeviceAddress;
    }
    ++result;
  }
  return Status::Next;
}

/// Stores the scalars of \p type from \p place on. Each is checked for races by itself.
static Status storeBytes(Invocation &invocation, const Inst &inst, const Place &place,
                         const MemoryType &type, const Scalar *value) {
  for (const FlatScalar &scalar : type.flat) {
    uint64_t offset = place.offset + scalar.offset;
    if (place.outsideOf) {
      storeRobustly(invocation, place, offset, scalar.bytes);
    } else {
      if (!noteAccess(invocation, inst, place, offset, scalar.bytes, AccessKind::Write,
                      storesSameValue(invocation, inst, place, offset, scalar, *value)))
        return Status::Stop;
      place.buffer->store(offset, scalar.bytes, *value);
    }
    ++value;
  }
  return Status::Next;
}

/// Memory of the invocation needs no bounds: access chains have checked their indices.
Status reference::loadValue(Invocation &invocation, const Inst &inst, const Scalar &pointer,
                            uint32_t memoryType, Scalar *result, uint32_t alignment) {
  if (Status status = checkPointer(invocation, inst, pointer); status != Status::Next)
    return status;
  const MemoryType &type = invocation.program().memoryTypes[memoryType];
  if (pointer.object == OwnMemory) {
    copyScalars(invocation.stack + pointer.bits, type.scalars, result);
    return Status::Next;
  }
  if (pointer.object == WorkgroupMemory) {
    const Scalar *source =
        sharedScalars(invocation, inst, pointer.bits, type.scalars, AccessKind::Read);
    if (!source)
      return Status::Stop;
    copyScalars(source, type.scalars, result);
    return Status::Next;
  }
  Place place = placeOf(invocation, inst, pointer, type.size, alignment);
  return place.buffer ? loadBytes(invocation, inst, place, type, result) : Status::Stop;
}

/// Stores of helper invocations to buffers are skipped after the pointer is checked.
Status reference::storeValue(Invocation &invocation, const Inst &inst, const Scalar &pointer,
                             uint32_t memoryType, const Scalar *value, uint32_t alignment) {
  if (Status status = checkPointer(invocation, inst, pointer); status != Status::Next)
    return status;
  const MemoryType &type = invocation.program().memoryTypes[memoryType];
  if (pointer.object == OwnMemory) {
    copyScalars(value, type.scalars, invocation.stack + pointer.bits);
    return Status::Next;
  }
  if (pointer.object == WorkgroupMemory) {
    Scalar *target = sharedScalars(invocation, inst, pointer.bits, type.scalars, AccessKind::Write);
    if (!target)
      return Status::Stop;
    copyScalars(value, type.scalars, target);
    return Status::Next;
  }
  if (Status status = checkEffect(invocation, inst); status != Status::Next)
    return status == Status::Yield ? Status::Next : status;
  Place place = placeOf(invocation, inst, pointer, type.size, alignment);
  return place.buffer ? storeBytes(invocation, inst, place, type, value) : Status::Stop;
}

/// An atomic that robust buffer access keeps from memory.
static AtomicTarget targetOutside(Invocation &invocation, const Place &place, unsigned bytes,
                                  AccessKind kind) {
  AtomicTarget target;
  target.outside = true;
  const ImageBinding *image = place.outsideOf->descriptor.get();
  if (image && !image->image->isBuffer) { // "Robust Image Access": zero, and nothing is written.
    target.read = Scalar::exact(0);
    return target;
  }
  if (kind == AccessKind::AtomicWrite)
    storeRobustly(invocation, place, place.offset, bytes);
  else if (place.outsideOf->robustness == Robustness::Access2)
    target.read = loadRobustly(invocation, place, place.offset, bytes, false);
  else
    target.read = Scalar::ambiguous();
  return target;
}

/// Atomics are aligned to their own size.
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
  if (Status status = checkEffect(invocation, inst); status == Status::Yield) {
    target.outside = true; // "Helper Invocations": nothing is written, the result is undefined.
    target.read = Scalar::undefined(Cause::Memory);
    return target;
  } else if (status == Status::Stop) {
    return stopped();
  }
  unsigned bytes = inst.width / 8;
  Place place = placeOf(invocation, inst, pointer, bytes, bytes);
  if (!place.buffer)
    return stopped();
  if (place.outsideOf)
    return targetOutside(invocation, place, bytes, kind);
  if (!noteAccess(invocation, inst, place, place.offset, bytes, kind))
    return stopped();
  target.buffer = place.buffer;
  target.offset = place.offset;
  return target;
}

/// Returns the size in bytes of what the pointer's descriptor is bound to. An error says only that
/// the run has stopped.
Expected<uint64_t> reference::boundRange(Invocation &invocation, const Inst &inst,
                                         const Scalar &pointer) {
  auto stopped = [] { return unsupported("stopped"); };
  if (checkPointer(invocation, inst, pointer) != Status::Next)
    return stopped();
  const View *view = viewOf(invocation, inst, pointer);
  if (!view)
    return stopped();
  return view->range;
}
