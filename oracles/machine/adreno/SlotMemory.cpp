// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of a4xx, which instructions name by the number of a slot. Mesa 25.0, ir3-cat6.xml;
// operands: ir3_a4xx.c, which emits these instructions; sizes of slots: fd4_emit.c, emit_ssbos.
//
// A model: Mesa gives each access an address and the number of the element, and no source says
// which of them the hardware uses for what. Here the address says where, and the element is
// compared with the size.
#include "oracles/machine/adreno/MemoryAccess.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

using simt::Access;

/// The operands that all accesses have.
struct SlotPlace {
  uint32_t address = 0, element = 0;
};

/// Ends the wave: the machine has no semantics.
static void refuseSlot(Wave &wave, StringRef why) {
  wave.fail("no semantics for '" + wave.program().textOf(wave.pc()) + "': " + why,
            /*isUnsupported=*/true);
}

/// The slot of \p op; of a number that is not bound, an empty one. Nothing after wave.fail().
static std::optional<turnip::BufferSlot> slotOf(Wave &wave, const Op &op) {
  if (!op.inst.get(Field::SlotImmediate) || op.inst.get(Field::Typed)) {
    refuseSlot(wave, "its slot is in a register, or its data has a format");
    return std::nullopt;
  }
  uint32_t number = op.inst.get(Field::Slot);
  ArrayRef<turnip::BufferSlot> slots = wave.environment().slots;
  return number < slots.size() ? slots[number] : turnip::BufferSlot();
}

/// An operand that is a full register of the lane, or an immediate where field \p immediate is set.
static uint32_t valueOf(const Wave &wave, const Op &op, unsigned lane, Field field,
                        Field immediate) {
  return op.inst.get(immediate) ? op.inst.get(field)
                                : wave.read(lane, op.inst.get(field), /*half=*/false);
}

/// Of loads the first source is the address, of others the third.
static SlotPlace placeOf(const Wave &wave, const Op &op, unsigned lane) {
  bool isLoad = op.inst.form().format->name == "slot-load";
  return {isLoad ? valueOf(wave, op, lane, Field::Src1, Field::Src1Immediate)
                 : valueOf(wave, op, lane, Field::Src3, Field::Src3Immediate),
          valueOf(wave, op, lane, Field::Src2, Field::Src2Immediate)};
}

/// Component \p index of an access; null beyond the end of the buffer, and after wave.fail().
static uint8_t *componentAt(Wave &wave, const turnip::BufferSlot &slot, const SlotPlace &place,
                            uint32_t index, Access access) {
  if (uint64_t(place.element) + index >= slot.dwords)
    return nullptr;
  return globalAt(wave, place.address + 4 * index, 4, access);
}

/// Whether the data of an access has 32 bits. Other widths are refused.
static bool hasWideType(const Op &op) {
  return componentOf(op.inst).bytes == 4;
}

/// ldgb: beyond the end of the buffer, 0.
static void loadSlot(Wave &wave, const Op &op) {
  std::optional<turnip::BufferSlot> slot = slotOf(wave, op);
  if (!slot)
    return;
  if (!hasWideType(op))
    return refuseSlot(wave, "its type has no 32 bits");
  forActive(wave, [&](unsigned lane) {
    SlotPlace place = placeOf(wave, op, lane);
    for (unsigned i = 0; i <= op.inst.get(Field::Components); ++i) {
      const uint8_t *memory = componentAt(wave, *slot, place, i, Access::Read);
      wave.write(lane, op.dst + i, /*half=*/false, memory ? loadWord(memory, 4) : 0);
    }
  });
  wave.advance();
}

/// stgb: beyond the end of the buffer, nothing.
static void storeSlot(Wave &wave, const Op &op) {
  std::optional<turnip::BufferSlot> slot = slotOf(wave, op);
  if (!slot)
    return;
  if (!hasWideType(op))
    return refuseSlot(wave, "its type has no 32 bits");
  unsigned source = op.inst.get(Field::Src1);
  forActive(wave, [&](unsigned lane) {
    SlotPlace place = placeOf(wave, op, lane);
    for (unsigned i = 0; i <= op.inst.get(Field::Components); ++i)
      if (uint8_t *memory = componentAt(wave, *slot, place, i, Access::Write))
        storeWord(memory, 4, wave.read(lane, source + i, /*half=*/false));
  });
  wave.advance();
}

/// The first source is the data; of cmpxchg, the data and what is compared with.
static void atomicSlot(Wave &wave, const Op &op) {
  std::optional<turnip::BufferSlot> slot = slotOf(wave, op);
  if (!slot)
    return;
  auto type = DataType(op.inst.get(Field::Type));
  if ((type != DataType::U32 && type != DataType::S32) || op.inst.get(Field::Src1Immediate))
    return refuseSlot(wave, "its type is no integer of 32 bits, or its data a number");
  AtomicOp atomic = atomicOf(op.inst.name());
  unsigned source = op.inst.get(Field::Src1);
  forActive(wave, [&](unsigned lane) {
    uint8_t *memory = componentAt(wave, *slot, placeOf(wave, op, lane), 0, Access::Write);
    uint32_t data = wave.read(lane, source, /*half=*/false), compare = 0;
    if (atomic == AtomicOp::CompareExchange)
      compare = wave.read(lane, source + 1, /*half=*/false);
    uint32_t old = memory ? loadWord(memory, 4) : 0;
    if (memory)
      storeWord(memory, 4, applyAtomic(atomic, old, data, compare, type == DataType::S32));
    wave.write(lane, op.dst, /*half=*/false, old);
  });
  wave.advance();
}

/// resinfo: the lower 16 bits of the number of dwords, the upper ones, and 0.
static void slotSize(Wave &wave, const Op &op) {
  std::optional<turnip::BufferSlot> slot = slotOf(wave, op);
  if (!slot)
    return;
  forActive(wave, [&](unsigned lane) {
    wave.write(lane, op.dst, /*half=*/false, slot->dwords & 0xffff);
    wave.write(lane, op.dst + 1, /*half=*/false, slot->dwords >> 16);
    wave.write(lane, op.dst + 2, /*half=*/false, 0);
  });
  wave.advance();
}

static constexpr HandlerRow SlotMemoryHandlers[] = {
    {"ldgb", loadSlot},
    {"stgb", storeSlot},
    {"resinfo", slotSize},
    {"atomic.s.add", atomicSlot},
    {"atomic.s.sub", atomicSlot},
    {"atomic.s.xchg", atomicSlot},
    {"atomic.s.cmpxchg", atomicSlot},
    {"atomic.s.min", atomicSlot},
    {"atomic.s.max", atomicSlot},
    {"atomic.s.and", atomicSlot},
    {"atomic.s.or", atomicSlot},
    {"atomic.s.xor", atomicSlot},
};

ArrayRef<HandlerRow> adreno::slotMemoryHandlers() {
  return SlotMemoryHandlers;
}
