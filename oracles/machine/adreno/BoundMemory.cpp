// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers reached through bindless descriptors, uniform buffers, and stores to the const file.
// Descriptors: Mesa 25.0, src/freedreno/registers/adreno/a6xx.xml (A6XX_TEX_CONST, A6XX_UBO), as
// turnip's tu_descriptor_set.cc fills them.
#include "oracles/machine/adreno/image/Images.h"
#include "oracles/machine/ir3_isa/Defect.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

using simt::Access;

/// The index of a descriptor: a number, or in a register.
static uint32_t slotOf(const Wave &wave, const Op &op, unsigned lane) {
  uint32_t slot = op.inst.get(Field::Slot);
  return op.inst.get(Field::Mode) ? wave.read(lane, slot, false) : slot;
}

std::optional<ImageView> adreno::viewOf(Wave &wave, const Op &op, unsigned lane) {
  if (!op.inst.get(Field::Bindless)) {
    refuse(wave, "its buffer is not bindless");
    return std::nullopt;
  }
  return readView(wave, op.inst.get(Field::Base), slotOf(wave, op, lane));
}

uint8_t *adreno::elementAt(Wave &wave, const ImageView &buffer, uint64_t index, unsigned bytes,
                           Access access) {
  if (!buffer.isBuffer()) {
    refuse(wave, "its descriptor is of an image");
    return nullptr;
  }
  if (wave.arithmetic().wrapsOffsets)
    index = uint32_t(index * bytes) / bytes;
  bool isInside = (index + 1) * bytes <= uint64_t(buffer.width) * buffer.texel.row->bytes();
  if (!isInside && !hasDefect(Defect::BoundsIgnored))
    return nullptr;
  return globalAt(wave, buffer.address + index * bytes, bytes, access);
}

/// The element that the first component of an access is, in units of the access. It may be beyond
/// the end of the buffer.
static uint64_t elementIndex(const Wave &wave, const Op &op, unsigned lane) {
  uint64_t offset = hasDefect(Defect::OffsetIgnored) ? 0 : op.inst.get(Field::Offset);
  return wave.read(lane, op.inst.get(Field::Src1), false) + offset;
}

/// Untyped accesses count elements of their own type.
static void loadBound(Wave &wave, const Op &op) {
  if (op.inst.get(Field::Typed))
    return loadTyped(wave, op);
  Component component = componentOf(op.inst);
  forActive(wave, [&](unsigned lane) {
    std::optional<ImageView> buffer = viewOf(wave, op, lane);
    uint64_t index = elementIndex(wave, op, lane);
    for (unsigned i = 0; buffer && i <= op.inst.get(Field::Components); ++i) {
      const uint8_t *memory = elementAt(wave, *buffer, index + i, component.bytes, Access::Read);
      wave.write(lane, op.dst + i, component.half, memory ? loadWord(memory, component.bytes) : 0);
    }
  });
  wave.advance();
}

/// Stores beyond the end of the buffer do nothing; typed ones convert to the format of the view.
static void storeBound(Wave &wave, const Op &op) {
  if (op.inst.get(Field::Typed))
    return storeTyped(wave, op);
  Component component = componentOf(op.inst);
  forActive(wave, [&](unsigned lane) {
    std::optional<ImageView> buffer = viewOf(wave, op, lane);
    uint64_t index = elementIndex(wave, op, lane);
    for (unsigned i = 0; buffer && i <= op.inst.get(Field::Components); ++i)
      if (uint8_t *memory = elementAt(wave, *buffer, index + i, component.bytes, Access::Write))
        storeWord(memory, component.bytes, wave.read(lane, op.dst + i, component.half));
  });
  wave.advance();
}

/// Type u64: each value is a pair of registers, and the offset counts 16 bits (Mesa 25.0,
/// ir3_nir_lower_io_offsets.c, lower_offset_for_ssbo; ir3_a6xx.c, emit_intrinsic_atomic_ssbo).
static void atomicWide(Wave &wave, const Op &op) {
  AtomicOp atomic = atomicOf(op.inst.name());
  auto pair = [&](unsigned lane, unsigned first) {
    return wave.read(lane, op.dst + first, false) |
           uint64_t(wave.read(lane, op.dst + first + 1, false)) << 32;
  };
  forActive(wave, [&](unsigned lane) {
    std::optional<ImageView> view = viewOf(wave, op, lane);
    if (!view)
      return;
    uint64_t data = pair(lane, 2);
    uint64_t compare = atomic == AtomicOp::CompareExchange ? pair(lane, 4) : 0;
    uint64_t bytes = uint64_t(elementIndex(wave, op, lane)) * 2;
    uint8_t *memory =
        bytes % 8 ? nullptr : elementAt(wave, *view, bytes / 8, /*bytes=*/8, Access::Write);
    if (bytes % 8)
      return refuse(wave, "its offset is no multiple of 8 bytes");
    uint64_t old = memory ? loadWord(memory, 4) | uint64_t(loadWord(memory + 4, 4)) << 32 : 0;
    uint64_t result = applyWideAtomic(atomic, old, data, compare);
    if (memory) {
      storeWord(memory, 4, uint32_t(result));
      storeWord(memory + 4, 4, uint32_t(result >> 32));
    }
    wave.write(lane, op.dst, /*half=*/false, uint32_t(old));
    wave.write(lane, op.dst + 1, /*half=*/false, uint32_t(old >> 32));
  });
  wave.advance();
}

/// The first register is the result, the second the data, the third, of cmpxchg, what memory is
/// compared with. (The comment in Mesa's ir3_a6xx.c has the two the other way round, and so its
/// names for NIR's sources: turnip's code shows the order.)
static void atomicBound(Wave &wave, const Op &op) {
  auto type = DataType(op.inst.get(Field::Type));
  if (type == WideAtomicType && !op.inst.get(Field::Typed))
    return atomicWide(wave, op);
  if (type != DataType::U32 && type != DataType::S32)
    return refuse(wave, "its type is no integer of 32 bits, and not u64");
  AtomicOp atomic = atomicOf(op.inst.name());
  bool compares = atomic == AtomicOp::CompareExchange;
  forActive(wave, [&](unsigned lane) {
    std::optional<ImageView> view = viewOf(wave, op, lane);
    if (!view)
      return;
    uint32_t data = wave.read(lane, op.dst + 1, false);
    uint32_t compare = compares ? wave.read(lane, op.dst + 2, false) : 0;
    uint8_t *memory = op.inst.get(Field::Typed)
                          ? typedAtomicAt(wave, op, lane, *view)
                          : elementAt(wave, *view, elementIndex(wave, op, lane), 4, Access::Write);
    uint32_t old = memory ? loadWord(memory, 4) : 0;
    if (hasDefect(Defect::ComparesData))
      std::swap(data, compare);
    uint32_t result = applyAtomic(atomic, old, data, compare, type == DataType::S32);
    if (memory)
      storeWord(memory, 4, result);
    wave.write(lane, op.dst, /*half=*/false, hasDefect(Defect::AtomicGivesNew) ? result : old);
  });
  wave.advance();
}

// Uniform buffers.

/// Dword \p index of the uniform buffer in \p slot; 0 beyond its end. Nothing after wave.fail().
static std::optional<uint32_t> uniformDword(Wave &wave, const Op &op, uint32_t slot,
                                            uint64_t index) {
  if (!op.inst.get(Field::Bindless)) {
    ArrayRef<std::vector<uint32_t>> slots = wave.environment().uniformSlots;
    return slot < slots.size() && index < slots[slot].size() ? slots[slot][index] : 0;
  }
  const uint8_t *descriptor = descriptorAt(wave, op.inst.get(Field::Base), slot, 8);
  if (!descriptor)
    return std::nullopt;
  uint64_t low = loadWord(descriptor, 4), high = loadWord(descriptor + 4, 4);
  uint64_t address = low | (high & 0x1ffff) << 32, vec4s = high >> 17;
  if (index / 4 >= vec4s)
    return 0;
  // A buffer whose size is no multiple of 16 ends inside of its last vec4.
  simt::AddressSpace *memory = wave.environment().memory;
  const uint8_t *word = memory ? memory->find(address + 4 * index, 4, Access::Read) : nullptr;
  return word ? loadWord(word, 4) : 0;
}

/// The vec4 that ldc and ldc.k begin at: a number, or in a register.
static uint64_t uniformIndex(const Wave &wave, const Op &op, unsigned lane) {
  uint32_t source = op.inst.get(Field::Src1);
  return op.inst.get(Field::Src1Immediate) ? source : wave.read(lane, source, false);
}

/// ldc: dwords of a uniform buffer, from the component that field off names. They may replace the
/// registers of slot and offset.
static void loadUniform(Wave &wave, const Op &op) {
  forActive(wave, [&](unsigned lane) {
    uint32_t slot = slotOf(wave, op, lane);
    uint64_t index = 4 * uniformIndex(wave, op, lane) +
                     (hasDefect(Defect::UniformOffset) ? 0 : op.inst.get(Field::Offset));
    for (unsigned i = 0; i <= op.inst.get(Field::Components); ++i)
      if (std::optional<uint32_t> value = uniformDword(wave, op, slot, index + i))
        wave.write(lane, op.dst + i, /*half=*/false, *value);
  });
  wave.advance();
}

/// Sets a dword of the wave's const file. wave.fail() beyond its end.
static void putConstant(Wave &wave, uint64_t number, uint32_t value) {
  if (number < wave.constants.size())
    wave.constants[number] = value;
  else
    wave.fail("instruction " + Twine(wave.pc()) + " '" + wave.program().textOf(wave.pc()) +
              "' writes dword " + Twine(number) + " of a const file with " +
              Twine(wave.constants.size()));
}

/// ldc.k: vec4s to c[a1.x].
static void copyUniform(Wave &wave, const Op &op) {
  if (!wave.active())
    return wave.advance();
  unsigned lane = firstLane(wave.active());
  uint32_t slot = slotOf(wave, op, lane);
  uint64_t index = 4 * uniformIndex(wave, op, lane);
  for (unsigned i = 0; i < 4 * (op.inst.get(Field::Size) + 1); ++i) {
    std::optional<uint32_t> value = uniformDword(wave, op, slot, index + i);
    if (!value)
      return;
    putConstant(wave, uint64_t(wave.address1) + i, *value);
  }
  wave.advance();
}

/// stc: the ninth bit of the place adds a1.x.
static void storeConstant(Wave &wave, const Op &op) {
  if (componentOf(op.inst).half)
    return refuse(wave, "its type has 16 bits");
  uint64_t number = (op.dst & 0xff) + (op.dst & 0x100 ? wave.address1 : 0);
  if (wave.active())
    for (unsigned i = 0; i < op.inst.get(Field::Size); ++i)
      putConstant(wave, number + i,
                  wave.read(firstLane(wave.active()), op.inst.get(Field::Src1) + i, false));
  wave.advance();
}

/// stsc: dwords of the constants that stages share (a7xx).
static void storeSharedConstants(Wave &wave, const Op &op) {
  ArrayRef<uint32_t> source = wave.environment().sharedImmediates;
  uint32_t first = op.inst.get(Field::Src1);
  for (unsigned i = 0; i < op.inst.get(Field::Size); ++i)
    putConstant(wave, op.dst + i, first + i < source.size() ? source[first + i] : 0);
  wave.advance();
}

static constexpr HandlerRow BoundMemoryHandlers[] = {
    {"ldib.b", loadBound},          {"stib.b", storeBound},
    {"ldc", loadUniform},           {"ldc.k", copyUniform},
    {"stc", storeConstant},         {"stsc", storeSharedConstants},
    {"atomic.b.add", atomicBound},  {"atomic.b.sub", atomicBound},
    {"atomic.b.xchg", atomicBound}, {"atomic.b.cmpxchg", atomicBound},
    {"atomic.b.min", atomicBound},  {"atomic.b.max", atomicBound},
    {"atomic.b.and", atomicBound},  {"atomic.b.or", atomicBound},
    {"atomic.b.xor", atomicBound},
};

ArrayRef<HandlerRow> adreno::boundMemoryHandlers() {
  return BoundMemoryHandlers;
}
