// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/MemoryAccess.h"

#include "oracles/machine/adreno/image/Images.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

Component adreno::componentOf(const Inst &inst) {
  auto type = DataType(inst.get(Field::Type));
  bool isByte = type == DataType::U8 || type == DataType::U8In32;
  return {isByte         ? 1U
          : isHalf(type) ? 2U
                         : 4U,
          isHalf(type), type == DataType::S16 || type == DataType::S32};
}

uint32_t adreno::loadWord(const uint8_t *memory, unsigned bytes) {
  uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    value |= uint32_t(memory[i]) << 8 * i;
  return value;
}

void adreno::storeWord(uint8_t *memory, unsigned bytes, uint32_t value) {
  for (unsigned i = 0; i < bytes; ++i)
    memory[i] = uint8_t(value >> 8 * i);
}

AtomicOp adreno::atomicOf(StringRef name) {
  static constexpr StringLiteral Names[] = {"add", "sub", "xchg", "inc", "dec", "cmpxchg",
                                            "min", "max", "and",  "or",  "xor"};
  const auto *found = find(Names, name.rsplit('.').second);
  return AtomicOp(found - std::begin(Names));
}

/// \p isLess: \p data is less than \p old, by the signs that the type has.
template <typename T> static T applyTo(AtomicOp op, T old, T data, T compare, bool isLess) {
  switch (op) {
  case AtomicOp::Add:
    return old + data;
  case AtomicOp::Sub:
    return old - data;
  case AtomicOp::Exchange:
    return data;
  case AtomicOp::Increment:
    return old + 1;
  case AtomicOp::Decrement:
    return old - 1;
  case AtomicOp::CompareExchange:
    return old == compare ? data : old;
  case AtomicOp::Min:
    return isLess ? data : old;
  case AtomicOp::Max:
    return isLess ? old : data;
  case AtomicOp::And:
    return old & data;
  case AtomicOp::Or:
    return old | data;
  case AtomicOp::Xor:
    return old ^ data;
  }
  return old;
}

uint32_t adreno::applyAtomic(AtomicOp op, uint32_t old, uint32_t data, uint32_t compare,
                             bool isSigned) {
  bool isLess = isSigned ? int32_t(data) < int32_t(old) : data < old;
  return applyTo<uint32_t>(op, old, data, compare, isLess);
}

uint64_t adreno::applyWideAtomic(AtomicOp op, uint64_t old, uint64_t data, uint64_t compare) {
  return applyTo<uint64_t>(op, old, data, compare, data < old);
}

void adreno::forActive(Wave &wave, function_ref<void(unsigned lane)> each) {
  LaneMask active = wave.active();
  for (unsigned lane = 0; lane < wave.lanes() && wave.status == simt::WaveStatus::Running; ++lane)
    if (unsigned chosen = lane ^ wave.laneFlip; hasLane(active, chosen))
      each(chosen);
}

/// Reports an access to the listener of the wave, if there is one.
static void tell(const Wave &wave, simt::MemorySpace space, uint64_t address, unsigned bytes,
                 simt::Access access) {
  MemoryListener *listener = wave.environment().listener;
  if (!listener)
    return;
  simt::MemoryEvent event;
  event.space = space;
  event.reads = access == simt::Access::Read;
  event.writes = access == simt::Access::Write;
  event.address = address;
  event.bytes = bytes;
  listener->access(wave, event);
}

uint8_t *adreno::globalAt(Wave &wave, uint64_t address, unsigned bytes, simt::Access access) {
  simt::AddressSpace *memory = wave.environment().memory;
  if (uint8_t *found = memory ? memory->find(address, bytes, access) : nullptr) {
    tell(wave, simt::MemorySpace::Global, address, bytes, access);
    return found;
  }
  wave.fail("instruction " + Twine(wave.pc()) + " '" + wave.program().textOf(wave.pc()) + "' " +
            (access == simt::Access::Read ? "reads" : "writes") + " address 0x" +
            utohexstr(address) + (memory ? " (" + memory->describe(address) + ")" : std::string()));
  return nullptr;
}

uint8_t *adreno::insideOf(Wave &wave, MutableArrayRef<uint8_t> memory, StringRef what,
                          int64_t offset, unsigned bytes) {
  if (offset >= 0 && uint64_t(offset) + bytes <= memory.size())
    return memory.data() + offset;
  wave.fail("instruction " + Twine(wave.pc()) + " '" + wave.program().textOf(wave.pc()) +
            "' uses byte " + Twine(offset) + " of " + Twine(memory.size()) + " in " + what);
  return nullptr;
}

uint8_t *adreno::localAt(Wave &wave, int64_t offset, unsigned bytes, simt::Access access) {
  uint8_t *found = insideOf(wave, wave.environment().local, "workgroup memory", offset, bytes);
  if (found)
    tell(wave, simt::MemorySpace::Workgroup, uint64_t(offset), bytes, access);
  return found;
}

Handler adreno::findMemoryHandler(StringRef name) {
  for (ArrayRef<HandlerRow> rows : {plainMemoryHandlers(), boundMemoryHandlers(),
                                    slotMemoryHandlers(), imageHandlers(), samplingHandlers()})
    for (const HandlerRow &row : rows)
      if (row.first == name)
        return row.second;
  return nullptr;
}
