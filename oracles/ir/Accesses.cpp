// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory instructions: load, store, atomics, fence, alloca, getelementptr.
#include "oracles/ir/Accesses.h"
#include "oracles/ir/Elementwise.h"
#include "oracles/ir/Handlers.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

/// Returns LLVM's name of a synchronization scope; "" for the system scope and for unknown ones.
std::string scopeName(LLVMContext &context, SyncScope::ID scope) {
  return context.getSyncScopeName(scope).value_or("").str();
}

/// Returns what an instruction says of its access. The scope is only set for atomics.
AccessMode accessMode(const Instruction &instruction) {
  AccessMode mode;
  mode.isVolatile = instruction.isVolatile();
  mode.isInvariant = instruction.hasMetadata(LLVMContext::MD_invariant_load);
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    mode.ordering = load->getOrdering();
  else if (auto *store = dyn_cast<StoreInst>(&instruction))
    mode.ordering = store->getOrdering();
  else if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
    mode.ordering = rmw->getOrdering();
  else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    mode.ordering = exchange->getMergedOrdering();
  if (mode.ordering != AtomicOrdering::NotAtomic)
    mode.scope = scopeName(instruction.getContext(), *getAtomicSyncScopeID(&instruction));
  return mode;
}

std::optional<Place> locate(Machine &machine, Lane &lane, const Scalar &pointer,
                            const Request &request) {
  if (pointer.isPoison) {
    machine.stop(RunState::Undefined, "an access through poison");
    return std::nullopt;
  }
  Place place = machine.spaces().locate(machine, lane, pointer, request);
  if (machine.isStopped())
    return std::nullopt;
  return place;
}

void recordAccess(Machine &machine, Lane &lane, const Place &place, uint64_t bytes,
                  const AccessMode &mode, Event::Kind kind) {
  if (place.isPrivate)
    return;
  Event event;
  event.kind = kind;
  event.lane = lane.number;
  event.address = place.address;
  event.bytes = static_cast<unsigned>(bytes);
  event.ordering = mode.ordering;
  event.scope = mode.scope;
  event.isVolatile = mode.isVolatile;
  event.isCopy = mode.isCopy;
  event.isExchange = mode.isExchange;
  event.isInstruction = mode.isInstruction;
  event.cachePolicy = mode.cachePolicy;
  machine.record(event);
}

void readBytes(const Place &place, uint64_t count, uint8_t *bytes, uint8_t *poison) {
  if (!place.data) {
    std::fill_n(bytes, count, 0);
    std::fill_n(poison, count, 0);
    return;
  }
  std::copy_n(place.data, count, bytes);
  for (uint64_t i = 0; i < count; ++i) {
    poison[i] = place.flags[i] & PoisonByte;
    place.flags[i] |= ReadByte;
  }
}

void writeBytes(Machine &machine, const Place &place, uint64_t count, const uint8_t *bytes,
                const uint8_t *poison) {
  if (!place.data)
    return;
  std::copy_n(bytes, count, place.data);
  uint8_t seen = 0;
  for (uint64_t i = 0; i < count; ++i) {
    seen |= place.flags[i];
    place.flags[i] =
        (place.flags[i] & (InvariantByte | ReadByte)) | WrittenByte | (poison[i] & PoisonByte);
  }
  if (seen & InvariantByte)
    machine.stop(RunState::Undefined, "a write to memory that was read as invariant");
}

/// Invariant memory is not written in the whole run.
/// Marks the bytes as invariant; a byte that this run has written is undefined behaviour.
static void checkInvariant(Machine &machine, const Place &place, uint64_t bytes) {
  uint8_t seen = 0;
  for (uint64_t i = 0; i < bytes; ++i) {
    seen |= place.flags[i];
    place.flags[i] |= InvariantByte;
  }
  if (seen & WrittenByte)
    machine.stop(RunState::Undefined, "a read as invariant of memory that was written");
}

/// The bytes of a store of \p shape in which nothing of the value lies.
/// The offsets ascend. A byte with a single bit of the value is no padding.
static SmallVector<uint64_t, 16> findPadding(const Shape &shape) {
  uint64_t bits = 0;
  for (const Element &element : shape.elements)
    bits += element.bits;
  SmallVector<uint64_t, 16> padding;
  if (bits == shape.storeBytes * 8)
    return padding;
  SmallVector<bool, 128> covered(shape.storeBytes);
  for (const Element &element : shape.elements)
    for (uint64_t bit = element.firstBit; bit < element.firstBit + element.bits; ++bit)
      covered[bit / 8] = true;
  for (uint64_t byte = 0; byte < shape.storeBytes; ++byte)
    if (!covered[byte])
      padding.push_back(byte);
  return padding;
}

/// A volatile access of an aggregate is one of each run of its members; padding is not accessed.
/// Each run is one event.
static void recordVolatile(Machine &machine, Lane &lane, const Place &place, const Shape &shape,
                           const AccessMode &mode, Event::Kind kind) {
  SmallVector<uint64_t, 16> ends = findPadding(shape);
  ends.push_back(shape.storeBytes);
  uint64_t first = 0;
  for (uint64_t end : ends) {
    Place part = place;
    part.address += first;
    if (end > first)
      recordAccess(machine, lane, part, end - first, mode, kind);
    first = end + 1;
  }
}

void readPlace(Machine &machine, Lane &lane, const Place &place, const Shape &shape,
               const AccessMode &mode, Scalar *values) {
  if (mode.isVolatile)
    recordVolatile(machine, lane, place, shape, mode, Event::Kind::VolatileLoad);
  else if (mode.ordering != AtomicOrdering::NotAtomic)
    recordAccess(machine, lane, place, shape.storeBytes, mode, Event::Kind::AtomicLoad);
  else if (mode.cachePolicy)
    recordAccess(machine, lane, place, shape.storeBytes, mode, Event::Kind::CachedLoad);
  if (place.data) {
    if (!place.isPrivate)
      machine.tellRead(lane, place.address, shape.storeBytes);
    if (mode.isInvariant)
      checkInvariant(machine, place, shape.storeBytes);
    decode(shape, place.data, place.flags, values);
    for (uint64_t i = 0; i < shape.storeBytes; ++i)
      place.flags[i] |= ReadByte;
    return;
  }
  for (const Element &element : shape.elements)
    *values++ = {APInt::getZero(element.bits)};
}

/// What padding holds is poison, and what was there is remembered.
/// The old bytes stay in place, with PaddingByte, unless they were poison themselves.
static void writeAroundPadding(Machine &machine, const Place &place, const Shape &shape,
                               const uint8_t *bytes, const uint8_t *poison) {
  SmallVector<uint64_t, 16> padding = findPadding(shape);
  SmallVector<std::pair<uint8_t, bool>, 16> kept;
  for (uint64_t byte : padding)
    kept.emplace_back(place.data[byte],
                      (place.flags[byte] & (PoisonByte | PaddingByte)) != PoisonByte);
  writeBytes(machine, place, shape.storeBytes, bytes, poison);
  for (const auto &[byte, old] : zip_equal(padding, kept))
    if (old.second) {
      place.data[byte] = old.first;
      place.flags[byte] |= PaddingByte;
    }
}

void writePlace(Machine &machine, Lane &lane, const Place &place, const Shape &shape,
                const AccessMode &mode, const Scalar *values, unsigned part) {
  if (mode.isVolatile)
    recordVolatile(machine, lane, place, shape, mode, Event::Kind::VolatileStore);
  else if (mode.ordering != AtomicOrdering::NotAtomic)
    recordAccess(machine, lane, place, shape.storeBytes, mode, Event::Kind::AtomicStore);
  else if (mode.cachePolicy)
    recordAccess(machine, lane, place, shape.storeBytes, mode, Event::Kind::CachedStore);
  if (!place.data)
    return;
  SmallVector<uint8_t, 128> bytes(shape.storeBytes), poison(shape.storeBytes);
  encode(shape, values, bytes.data(), poison.data());
  writeAroundPadding(machine, place, shape, bytes.data(), poison.data());
  machine.noteWrite(lane, place, shape.storeBytes, part, bytes.data(), poison.data());
}

/// load: the same request for all lanes; a poison pointer stops the machine.
static void runLoad(Machine &machine, const Inst &inst) {
  const auto &load = *cast<LoadInst>(inst.ir);
  Request request{load.getPointerAddressSpace(), inst.shape->storeBytes, load.getAlign(), false};
  AccessMode mode;
  if (inst.flags || load.isAtomic())
    mode = accessMode(load);
  for (Lane *lane : machine.group()) {
    auto place = locate(machine, *lane, *lane->get(inst.operands[0]), request);
    if (!place)
      return;
    readPlace(machine, *lane, *place, *inst.shape, mode, lane->slots + inst.slot);
  }
}

/// store: operand 0 is the value, operand 1 the pointer.
static void runStore(Machine &machine, const Inst &inst) {
  const auto &store = *cast<StoreInst>(inst.ir);
  Request request{store.getPointerAddressSpace(), inst.source->storeBytes, store.getAlign(), true};
  AccessMode mode;
  if (inst.flags || store.isAtomic())
    mode = accessMode(store);
  for (Lane *lane : machine.group()) {
    auto place = locate(machine, *lane, *lane->get(inst.operands[1]), request);
    if (!place)
      return;
    writePlace(machine, *lane, *place, *inst.source, mode, lane->get(inst.operands[0]));
  }
}

/// atomicrmw: lanes of the group act one after the other, in order of their numbers.
static void runAtomicRmw(Machine &machine, const Inst &inst) {
  const auto &rmw = *cast<AtomicRMWInst>(inst.ir);
  Request request{rmw.getPointerAddressSpace(), inst.shape->storeBytes, rmw.getAlign(), true};
  AccessMode mode = accessMode(rmw);
  mode.denormals = inst.denormals;
  for (Lane *lane : machine.group()) {
    auto place = locate(machine, *lane, *lane->get(inst.operands[0]), request);
    if (!place)
      return;
    atomicPlace(machine, *lane, *place, *inst.shape, mode, rmw.getOperation(),
                lane->get(inst.operands[1]), lane->slots + inst.slot);
  }
}

/// cmpxchg: {the old value, whether it was replaced}. Weak exchanges never fail spuriously.
static void runCmpXchg(Machine &machine, const Inst &inst) {
  const auto &exchange = *cast<AtomicCmpXchgInst>(inst.ir);
  const Shape &shape = *machine.program().shapes().get(exchange.getNewValOperand()->getType());
  Request request{exchange.getPointerAddressSpace(), shape.storeBytes, exchange.getAlign(), true};
  AccessMode mode = accessMode(exchange);
  for (Lane *lane : machine.group()) {
    auto place = locate(machine, *lane, *lane->get(inst.operands[0]), request);
    if (!place)
      return;
    Scalar *result = lane->slots + inst.slot;
    bool isDone = exchangePlace(machine, *lane, *place, shape, mode, *lane->get(inst.operands[1]),
                                *lane->get(inst.operands[2]), result[0]);
    result[1] = {APInt(1, isDone)};
  }
}

bool exchangePlace(Machine &machine, Lane &lane, const Place &place, const Shape &shape,
                   const AccessMode &mode, const Scalar &expected, const Scalar &desired,
                   Scalar &old) {
  AccessMode plain;
  readPlace(machine, lane, place, shape, plain, &old);
  if (expected.isPoison || (old.isPoison && !mode.isInstruction)) {
    machine.stop(RunState::Undefined, "an exchange that compares poison");
    return false;
  }
  bool isEqual = frozenBits(old) == expected.bits;
  AccessMode exchange = mode;
  exchange.isExchange = true;
  recordAccess(machine, lane, place, shape.storeBytes, exchange,
               isEqual ? Event::Kind::AtomicRmw : Event::Kind::FailedExchange);
  if (isEqual)
    writePlace(machine, lane, place, shape, plain, &desired);
  return isEqual;
}

/// fence: an event of each lane. It has no effect on memory here.
static void runFence(Machine &machine, const Inst &inst) {
  const auto &fence = *cast<FenceInst>(inst.ir);
  Event event;
  event.ordering = fence.getOrdering();
  event.scope = scopeName(fence.getContext(), fence.getSyncScopeID());
  for (Lane *lane : machine.group()) {
    event.lane = lane->number;
    machine.record(event);
  }
}

ArrayRef<OpcodeRow> accessOpcodes() {
  static constexpr OpcodeRow Rows[] = {
      {Instruction::Load, runLoad},
      {Instruction::Store, runStore},
      {Instruction::AtomicRMW, runAtomicRmw},
      {Instruction::AtomicCmpXchg, runCmpXchg},
      {Instruction::Fence, runFence},
      {Instruction::Alloca, runAlloca},
      {Instruction::GetElementPtr, runGetElementPtr},
  };
  return Rows;
}

} // namespace assay::ir
