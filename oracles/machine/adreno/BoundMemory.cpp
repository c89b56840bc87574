// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers behind bindless descriptors, uniform buffers, and stores to the const file. Descriptors:
// Mesa 25.0, src/freedreno/registers/adreno/a6xx.xml (A6XX_TEX_CONST, A6XX_UBO), as turnip's
// tu_descriptor_set.cc fills them. Images other than buffers have no semantics here.
#include "oracles/machine/adreno/MemoryAccess.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

using simt::Access;

namespace {

/// A buffer as a descriptor says: an access beyond \p bytes reads 0 and writes nothing.
struct BoundBuffer {
  uint64_t address = 0;
  uint64_t bytes = 0;
  unsigned formatBytes = 4;
};

} // namespace

static void refuse(Wave &wave, const Twine &why) {
  wave.fail("no semantics for '" + wave.program().textOf(wave.pc()) + "': " + why,
            /*isUnsupported=*/true);
}

/// The dwords of a descriptor; null after wave.fail().
static const uint8_t *descriptorAt(Wave &wave, unsigned base, uint32_t index, unsigned bytes) {
  const WaveEnvironment &environment = wave.environment();
  uint64_t address = base < environment.bindlessBases.size() ? environment.bindlessBases[base] : 0;
  if (!address) {
    wave.fail("instruction " + Twine(wave.pc()) + " '" + wave.program().textOf(wave.pc()) +
              "' uses base " + Twine(base) + ", which has no descriptors");
    return nullptr;
  }
  return globalAt(wave, address + uint64_t(index) * environment.descriptorBytes[base], bytes,
                  Access::Read);
}

/// Formats with one component: field FMT, bytes of a texel.
static unsigned bytesOfFormat(unsigned format) {
  switch (format) {
  case 0x05: // 8_UINT
  case 0x06: // 8_SINT
    return 1;
  case 0x17: // 16_FLOAT
  case 0x18: // 16_UINT
  case 0x19: // 16_SINT
    return 2;
  case 0x4a: // 32_FLOAT
  case 0x4b: // 32_UINT
  case 0x4c: // 32_SINT
    return 4;
  default:
    return 0;
  }
}

/// The buffer of A6XX_TEX_CONST; nothing after wave.fail(). A descriptor of zeros is a buffer of no
/// bytes.
static std::optional<BoundBuffer> readBuffer(Wave &wave, unsigned base, uint32_t index) {
  const uint8_t *descriptor = descriptorAt(wave, base, index, 24);
  if (!descriptor)
    return std::nullopt;
  uint32_t words[6];
  for (unsigned i = 0; i < 6; ++i)
    words[i] = loadWord(descriptor + 4 * i, 4);
  if (!words[0] && !words[1] && !words[4] && !words[5])
    return BoundBuffer();
  constexpr uint32_t TypeBuffer = 4;
  BoundBuffer buffer;
  buffer.formatBytes = bytesOfFormat(words[0] >> 22 & 0xff);
  if (words[2] >> 29 != TypeBuffer || !buffer.formatBytes) {
    refuse(wave, "its descriptor is of an image, or of a format with several components");
    return std::nullopt;
  }
  buffer.address = (words[4] & ~31U) | uint64_t(words[5] & 0x1ffff) << 32;
  buffer.address += uint64_t(words[2] >> 16 & 0x3f) * buffer.formatBytes;
  buffer.bytes = uint64_t(words[1] & 0x3fffffff) * buffer.formatBytes;
  return buffer;
}

/// The index of a descriptor: a number, or in a register.
static uint32_t slotOf(const Wave &wave, const Op &op, unsigned lane) {
  uint32_t slot = op.inst.get(Field::Slot);
  return op.inst.get(Field::Mode) ? wave.read(lane, slot, false) : slot;
}

/// The buffer that ldib.b, stib.b or atomic.b uses; nothing after wave.fail().
static std::optional<BoundBuffer> bufferOf(Wave &wave, const Op &op, unsigned lane) {
  if (!op.inst.get(Field::Bindless)) {
    refuse(wave, "its buffer is not bindless");
    return std::nullopt;
  }
  return readBuffer(wave, op.inst.get(Field::Base), slotOf(wave, op, lane));
}

/// Memory of element \p index of \p bytes; null where the buffer has none, or after wave.fail().
static uint8_t *elementAt(Wave &wave, const BoundBuffer &buffer, uint64_t index, unsigned bytes,
                          Access access) {
  if (wave.arithmetic().wrapsOffsets)
    index = uint32_t(index * bytes) / bytes;
  if ((index + 1) * bytes > buffer.bytes)
    return nullptr;
  return globalAt(wave, buffer.address + index * bytes, bytes, access);
}

/// Bytes of an element: untyped accesses count elements of their own type, typed ones those of the
/// format.
static unsigned elementBytes(const Op &op, const BoundBuffer &buffer) {
  return op.inst.get(Field::Typed) ? buffer.formatBytes : componentOf(op.inst).bytes;
}

static uint64_t elementIndex(const Wave &wave, const Op &op, unsigned lane) {
  return uint64_t(wave.read(lane, op.inst.get(Field::Src1), false)) + op.inst.get(Field::Offset);
}

static void loadBound(Wave &wave, const Op &op) {
  Component component = componentOf(op.inst);
  forActive(wave, [&](unsigned lane) {
    std::optional<BoundBuffer> buffer = bufferOf(wave, op, lane);
    if (!buffer)
      return;
    unsigned bytes = elementBytes(op, *buffer);
    uint64_t index = elementIndex(wave, op, lane);
    for (unsigned i = 0; i <= op.inst.get(Field::Components); ++i) {
      const uint8_t *memory = elementAt(wave, *buffer, index + i, bytes, Access::Read);
      wave.write(lane, op.dst + i, component.half, memory ? loadWord(memory, bytes) : 0);
    }
  });
  wave.advance();
}

static void storeBound(Wave &wave, const Op &op) {
  Component component = componentOf(op.inst);
  forActive(wave, [&](unsigned lane) {
    std::optional<BoundBuffer> buffer = bufferOf(wave, op, lane);
    if (!buffer)
      return;
    unsigned bytes = elementBytes(op, *buffer);
    uint64_t index = elementIndex(wave, op, lane);
    // A typed store of a buffer has one texel, whatever the count says (Mesa, ir3_a6xx.c, stores of
    // bytes).
    unsigned count = op.inst.get(Field::Typed) ? 1 : op.inst.get(Field::Components) + 1;
    for (unsigned i = 0; i < count; ++i)
      if (uint8_t *memory = elementAt(wave, *buffer, index + i, bytes, Access::Write))
        storeWord(memory, bytes, wave.read(lane, op.dst + i, component.half));
  });
  wave.advance();
}

/// The first register is the result, the second the data, the third, of cmpxchg, what memory is
/// compared with. (The comment in Mesa's ir3_a6xx.c has the two the other way round, and so its
/// names for NIR's sources: turnip's code shows the order.)
static void atomicBound(Wave &wave, const Op &op) {
  auto type = DataType(op.inst.get(Field::Type));
  if (type != DataType::U32 && type != DataType::S32)
    return refuse(wave, "its type is no integer of 32 bits");
  AtomicOp atomic = atomicOf(op.inst.name());
  bool compares = atomic == AtomicOp::CompareExchange;
  forActive(wave, [&](unsigned lane) {
    std::optional<BoundBuffer> buffer = bufferOf(wave, op, lane);
    if (!buffer)
      return;
    uint32_t data = wave.read(lane, op.dst + 1, false);
    uint32_t compare = compares ? wave.read(lane, op.dst + 2, false) : 0;
    uint8_t *memory = elementAt(wave, *buffer, elementIndex(wave, op, lane), 4, Access::Write);
    uint32_t old = memory ? loadWord(memory, 4) : 0;
    if (memory)
      storeWord(memory, 4, applyAtomic(atomic, old, data, compare, type == DataType::S32));
    wave.write(lane, op.dst, /*half=*/false, old);
  });
  wave.advance();
}

/// A source of a texture instruction, which an entry of the table of aliases may stand for.
static uint32_t readAliased(const Wave &wave, unsigned lane, unsigned number, bool half) {
  for (const Wave::Alias &alias : wave.aliases) {
    if (alias.number != number || alias.half != half)
      continue;
    const Operand &source = alias.source;
    if (source.file == Operand::File::Immediate)
      return uint32_t(source.value);
    if (source.file == Operand::File::Gpr)
      return wave.read(lane, source.number, half);
    return source.number < wave.constants.size() ? wave.constants[source.number] : 0;
  }
  return wave.read(lane, number, half);
}

static bool isBindlessMode(uint32_t mode) {
  return mode != 0 && mode != 4;
}

/// The index of the texture's descriptor, by the ways of field desc (Mesa, ir3-cat5.xml): in a
/// register, of which the next one has the sampler; in four bits; in a1.x (a6xx) or eight bits
/// (a7xx).
static uint32_t textureOf(const Wave &wave, const Inst &inst, unsigned lane) {
  constexpr uint32_t Immediate = 6, ImmediateA1 = 7;
  uint32_t bits = inst.get(Field::Src3);
  switch (inst.get(Field::Descriptor)) {
  case Immediate:
    return bits >> 4;
  case ImmediateA1:
    return factsOf(inst.chip()).generation >= 700 ? bits : wave.address1 >> 3 & 0xff;
  default:
    return readAliased(wave, lane, bits, /*half=*/false);
  }
}

/// isam of a buffer: elements of the result's type with .v, else one texel of the format. The other
/// components of a texel are 0, 0 and 1.
static void loadTexel(Wave &wave, const Op &op) {
  const Inst &inst = op.inst;
  if (!inst.get(Field::Indirect) || !isBindlessMode(inst.get(Field::Descriptor)))
    return refuse(wave, "its descriptor is not bindless");
  if (inst.get(Field::ThreeD) || inst.get(Field::Array) || inst.get(Field::HasOffset))
    return refuse(wave, "images have none");
  Component component = componentOf(inst);
  bool isVector = inst.get(Field::Variant);
  uint32_t one = DataType(inst.get(Field::Type)) == DataType::F32 ? 0x3f800000 : 1;
  forActive(wave, [&](unsigned lane) {
    uint32_t texture = textureOf(wave, inst, lane);
    std::optional<BoundBuffer> buffer = readBuffer(wave, inst.get(Field::Base), texture);
    if (!buffer)
      return;
    unsigned bytes = isVector ? component.bytes : buffer->formatBytes;
    uint64_t index = readAliased(wave, lane, inst.get(Field::Src1), inst.hasHalfSources());
    index += inst.get(Field::ImmediateOffset) ? inst.get(Field::Src2) : 0;
    for (unsigned i = 0; i < 4; ++i) {
      if (!(inst.get(Field::WriteMask) >> i & 1))
        continue;
      bool isStored = isVector || i == 0;
      const uint8_t *memory =
          isStored ? elementAt(wave, *buffer, index + i, bytes, Access::Read) : nullptr;
      uint32_t value = memory ? loadWord(memory, bytes) : i == 3 && !isVector ? one : 0;
      wave.write(lane, op.dst + i, op.dstHalf, value);
    }
  });
  wave.aliases.clear();
  wave.advance();
}

/// getbuf: the same through the descriptor of a texture.
static void loadTextureSize(Wave &wave, const Op &op) {
  if (!op.inst.get(Field::Indirect) || !isBindlessMode(op.inst.get(Field::Descriptor)))
    return refuse(wave, "its descriptor is not bindless");
  forActive(wave, [&](unsigned lane) {
    std::optional<BoundBuffer> buffer =
        readBuffer(wave, op.inst.get(Field::Base), textureOf(wave, op.inst, lane));
    for (unsigned i = 0; buffer && i < 4; ++i)
      if (op.inst.get(Field::WriteMask) >> i & 1)
        wave.write(lane, op.dst + i, op.dstHalf,
                   i ? 0 : uint32_t(buffer->bytes / buffer->formatBytes));
  });
  wave.aliases.clear();
  wave.advance();
}

/// resinfo.b of a buffer: how many elements it has, in those of its format. Three registers are
/// written.
static void loadSize(Wave &wave, const Op &op) {
  forActive(wave, [&](unsigned lane) {
    if (std::optional<BoundBuffer> buffer = bufferOf(wave, op, lane)) {
      uint64_t count = buffer->bytes / buffer->formatBytes;
      for (unsigned i = 0; i < 3; ++i)
        wave.write(lane, op.dst + i, /*half=*/false, i ? 1 : uint32_t(count));
    }
  });
  wave.advance();
}

// Uniform buffers.

/// Dword \p index of the uniform buffer; 0 beyond its end. Nothing after wave.fail().
static std::optional<uint32_t> uniformDword(Wave &wave, const Op &op, unsigned lane,
                                            uint64_t index) {
  uint32_t slot = slotOf(wave, op, lane);
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

static uint64_t uniformIndex(const Wave &wave, const Op &op, unsigned lane) {
  uint32_t source = op.inst.get(Field::Src1);
  return op.inst.get(Field::Src1Immediate) ? source : wave.read(lane, source, false);
}

static void loadUniform(Wave &wave, const Op &op) {
  forActive(wave, [&](unsigned lane) {
    uint64_t index = 4 * uniformIndex(wave, op, lane) + op.inst.get(Field::Offset);
    for (unsigned i = 0; i <= op.inst.get(Field::Components); ++i)
      if (std::optional<uint32_t> value = uniformDword(wave, op, lane, index + i))
        wave.write(lane, op.dst + i, /*half=*/false, *value);
  });
  wave.advance();
}

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
  uint64_t index = 4 * uniformIndex(wave, op, lane);
  for (unsigned i = 0; i < 4 * (op.inst.get(Field::Size) + 1); ++i) {
    std::optional<uint32_t> value = uniformDword(wave, op, lane, index + i);
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

static constexpr HandlerRow Handlers[] = {
    {"isam", loadTexel},
    {"getbuf", loadTextureSize},
    {"resinfo.b", loadSize},
    {"ldib.b", loadBound},
    {"stib.b", storeBound},
    {"ldc", loadUniform},
    {"ldc.k", copyUniform},
    {"stc", storeConstant},
    {"stsc", storeSharedConstants},
    {"atomic.b.add", atomicBound},
    {"atomic.b.sub", atomicBound},
    {"atomic.b.xchg", atomicBound},
    {"atomic.b.cmpxchg", atomicBound},
    {"atomic.b.min", atomicBound},
    {"atomic.b.max", atomicBound},
    {"atomic.b.and", atomicBound},
    {"atomic.b.or", atomicBound},
    {"atomic.b.xor", atomicBound},
};

ArrayRef<HandlerRow> adreno::boundMemoryHandlers() {
  return Handlers;
}
