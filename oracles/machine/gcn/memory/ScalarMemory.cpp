// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar loads, and the scalar stores and atomics of GFX9 and GFX10.1: at an address, in a buffer,
// or in scratch, where registers count blocks of 64 bytes (AMD's Vega ISA manual, "Scalar Memory
// Addressing").
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/gcn/memory/BufferDescriptor.h"
#include "oracles/machine/gcn/memory/Transfer.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

namespace {

/// A width as names spell it, and the registers that data has.
struct ScalarWidth {
  const char *names;
  uint8_t dwords;
  uint8_t bytes; ///< Below 4: a sub-dword load of GFX12.
  bool signExtend;
};

constexpr ScalarWidth Widths[] = {
    {"dword|b32", 1, 4, false},
    {"dwordx2|b64", 2, 8, false},
    {"b96", 3, 12, false},
    {"dwordx4|b128", 4, 16, false},
    {"dwordx8|b256", 8, 32, false},
    {"dwordx16|b512", 16, 64, false},
    {"u8", 1, 1, false},
    {"i8", 1, 1, true},
    {"u16", 1, 2, false},
    {"i16", 1, 2, true},
};

/// Sources: the base, the offset, and what is stored.
enum ScalarSource : uint8_t { Base, Offset, Data };

constexpr int64_t ScratchUnit = 64; ///< Bytes.

} // namespace

/// Null for an unknown width.
static const ScalarWidth *findScalarWidth(StringRef name) {
  for (const ScalarWidth &row : Widths)
    if (isNamed(row.names, name))
      return &row;
  return nullptr;
}

/// The byte offset: a register, which \p unit scales, and an immediate; either may be missing.
static int64_t scalarOffset(const Wave &wave, const MicroOp &op, int64_t unit = 1) {
  const Source &source = op.sources[Offset];
  int64_t offset = op.inst->mods.offset;
  if (source.operand.type == OperandType::Sgpr)
    return offset + wave.s[source.operand.index] * unit;
  return offset + source.operand.value;
}

/// Base plus offset, cut to 48 bits.
static uint64_t scalarAddress(const Wave &wave, const MicroOp &op, int64_t unit = 1) {
  return (readUniform(wave, op.sources[Base]) +
          static_cast<uint64_t>(scalarOffset(wave, op, unit))) &
         AddressMask;
}

/// True for s_scratch_*.
static bool isScratch(const MicroOp &op) {
  return op.inst->mnemonic[2] == 's' && op.inst->mnemonic[3] == 'c';
}

/// Writes the loaded bytes to the destination; what is narrower than a dword is extended.
static void writeScalarLoad(Wave &wave, const MicroOp &op, const uint8_t *data) {
  const MemoryAccess &access = op.memory;
  if (access.bytes < 4) {
    uint32_t value = data[0] | (access.bytes == 2 ? uint32_t(data[1]) << 8 : 0);
    unsigned unused = 32 - 8 * access.bytes;
    value = access.signExtend ? uint32_t(int32_t(value << unused) >> unused) : value;
    return wave.writeScalar(op.destination.index, value);
  }
  for (size_t i = 0; i < access.bytes / 4u; ++i) {
    uint32_t value;
    std::memcpy(&value, data + 4 * i, 4);
    if (op.destination.index != sreg::Null)
      wave.s[op.destination.index + i] = value;
  }
}

/// Ends the run with MEM-FAULT.
static void failScalar(Wave &wave, const MicroOp &op, uint64_t address) {
  wave.fail(OutcomeKind::Trap, "MEM-FAULT", op,
            "a scalar load from address 0x" + Twine::utohexstr(address) + ", " +
                wave.group->memory->describe(address));
}

/// Loads of dwords ignore the two lowest bits of the address.
static void runScalarLoad(Wave &wave, const MicroOp &op) {
  uint64_t address = scalarAddress(wave, op, isScratch(op) ? ScratchUnit : 1);
  if (op.memory.bytes >= 4)
    address &= ~uint64_t(3);
  const uint8_t *data = wave.group->memory->find(address, op.memory.bytes, Access::Read);
  if (!data)
    return failScalar(wave, op, address);
  noteAccess(wave, op, {MemorySpace::Global, true, false, false, 0, op.memory.bytes, address});
  writeScalarLoad(wave, op, data);
}

namespace {
/// What a scalar access needs to know of a V#.
struct ScalarBuffer {
  uint64_t base, size;
};
} // namespace

/// Nothing after ending the run.
static std::optional<ScalarBuffer> readScalarBuffer(Wave &wave, const MicroOp &op) {
  ArrayRef<uint32_t> words(&wave.s[op.sources[Base].operand.index], 4);
  BufferDescriptor descriptor = decodeBufferDescriptor(words, wave.gfxMajor);
  if (descriptor.type != 0) {
    wave.fail(OutcomeKind::Trap, "BAD-DESCRIPTOR", op, "this is no buffer descriptor");
    return std::nullopt;
  }
  return ScalarBuffer{descriptor.base,
                      uint64_t(descriptor.records) * (descriptor.stride ? descriptor.stride : 1)};
}

/// Dwords beyond the buffer's records read as 0.
static void runScalarBufferLoad(Wave &wave, const MicroOp &op) {
  std::optional<ScalarBuffer> buffer = readScalarBuffer(wave, op);
  if (!buffer)
    return;
  auto offset = static_cast<uint64_t>(scalarOffset(wave, op));
  unsigned step = std::min<unsigned>(op.memory.bytes, 4);
  offset &= ~uint64_t(step - 1);
  uint8_t data[64] = {};
  for (unsigned done = 0; done < op.memory.bytes; done += step) {
    if (offset + done + step > buffer->size)
      continue;
    uint64_t address = buffer->base + offset + done;
    const uint8_t *from = wave.group->memory->find(address, step, Access::Read);
    if (!from)
      return failScalar(wave, op, address);
    noteAccess(wave, op, {MemorySpace::Global, true, false, false, 0, step, address});
    std::memcpy(data + done, from, step);
  }
  writeScalarLoad(wave, op, data);
}

// --- Stores and atomics

/// Ignores the two lowest bits of the address.
static void runScalarStore(Wave &wave, const MicroOp &op) {
  uint64_t address = scalarAddress(wave, op, isScratch(op) ? ScratchUnit : 1) & ~uint64_t(3);
  uint8_t *memory = findGlobal(wave, op, 0, address, op.memory.bytes);
  if (memory)
    std::memcpy(memory, &wave.s[op.sources[Data].operand.index], op.memory.bytes);
}

/// Dwords beyond the buffer's records are dropped.
static void runScalarBufferStore(Wave &wave, const MicroOp &op) {
  std::optional<ScalarBuffer> buffer = readScalarBuffer(wave, op);
  if (!buffer)
    return;
  uint64_t offset = static_cast<uint64_t>(scalarOffset(wave, op)) & ~uint64_t(3);
  for (unsigned done = 0; done < op.memory.bytes; done += 4) {
    if (offset + done + 4 > buffer->size)
      continue;
    uint8_t *memory = findGlobal(wave, op, 0, buffer->base + offset + done, 4);
    if (!memory)
      return;
    std::memcpy(memory, &wave.s[op.sources[Data].operand.index + done / 4], 4);
  }
}

/// One register, or a pair for 8 \p bytes.
static uint64_t readScalars(const Wave &wave, unsigned index, unsigned bytes) {
  return bytes == 8 ? wave.readScalar64(index) : wave.s[index];
}

/// Does the atomic at \p memory, or nothing where it is null.
static void doScalarAtomic(Wave &wave, const MicroOp &op, uint8_t *memory) {
  const AtomicRow &row = *op.memory.atomic;
  unsigned data = op.sources[Data].operand.index;
  uint64_t old = 0;
  if (memory) {
    std::memcpy(&old, memory, row.bytes);
    uint64_t compare = row.takesCompare ? readScalars(wave, data + row.bytes / 4, row.bytes) : 0;
    uint64_t value = row.function(old, readScalars(wave, data, row.bytes), compare,
                                  atomicMode(wave, row, MemorySpace::Global));
    std::memcpy(memory, &value, row.bytes);
  }
  if (op.destinationCount)
    writeScalarResult(wave, op.destination, old, 8 * row.bytes);
}

/// The address is aligned down to the operation's size.
static void runScalarAtomic(Wave &wave, const MicroOp &op) {
  unsigned bytes = op.memory.atomic->bytes;
  uint8_t *memory = findGlobal(wave, op, 0, scalarAddress(wave, op) & ~uint64_t(bytes - 1), bytes);
  if (memory)
    doScalarAtomic(wave, op, memory);
}

/// Out of range nothing is stored and the old value is 0.
static void runScalarBufferAtomic(Wave &wave, const MicroOp &op) {
  std::optional<ScalarBuffer> buffer = readScalarBuffer(wave, op);
  if (!buffer)
    return;
  unsigned bytes = op.memory.atomic->bytes;
  uint64_t offset = static_cast<uint64_t>(scalarOffset(wave, op)) & ~uint64_t(bytes - 1);
  uint8_t *memory = nullptr;
  if (offset + bytes <= buffer->size) {
    memory = findGlobal(wave, op, 0, buffer->base + offset, bytes);
    if (!memory)
      return;
  }
  doScalarAtomic(wave, op, memory);
}

// --- Binding

namespace {
enum class ScalarKind : uint8_t { Load, Store, Atomic };
/// A family of instructions; the width or the operation follows \c prefix.
struct ScalarRow {
  StringLiteral prefix;
  ScalarKind kind;
  bool isBuffer;
  Handler run;
};
constexpr ScalarRow ScalarRows[] = {
    {"s_load_", ScalarKind::Load, false, runScalarLoad},
    {"s_buffer_load_", ScalarKind::Load, true, runScalarBufferLoad},
    {"s_scratch_load_", ScalarKind::Load, false, runScalarLoad},
    {"s_store_", ScalarKind::Store, false, runScalarStore},
    {"s_buffer_store_", ScalarKind::Store, true, runScalarBufferStore},
    {"s_scratch_store_", ScalarKind::Store, false, runScalarStore},
    {"s_atomic_", ScalarKind::Atomic, false, runScalarAtomic},
    {"s_buffer_atomic_", ScalarKind::Atomic, true, runScalarBufferAtomic},
};
} // namespace

/// How many registers data takes; 0: the name says nothing that is known.
static unsigned findScalarAccess(StringRef name, ScalarKind kind, MemoryAccess &access) {
  if (kind == ScalarKind::Atomic) {
    access.atomic = findAtomic(name);
    bool isInteger = access.atomic && access.atomic->floats == AtomicFloat::None;
    return isInteger ? accessDwords(access) : 0;
  }
  const ScalarWidth *width = findScalarWidth(name);
  if (!width)
    return 0;
  access.bytes = width->bytes;
  access.signExtend = width->signExtend;
  access.isStore = kind == ScalarKind::Store;
  return width->dwords;
}

/// Operands: data, base, offset.
static BindResult bindScalarRow(const Inst &inst, const ScalarRow &row, MicroOp &op) {
  StringRef name = StringRef(inst.mnemonic).drop_front(row.prefix.size());
  unsigned dwords = findScalarAccess(name, row.kind, op.memory);
  if (!dwords || inst.operands.size() != 3 || !hasDwords(inst.operands[0], dwords) ||
      !hasDwords(inst.operands[1], row.isBuffer ? 4 : 2))
    return BindResult::Unsupported;
  bool loads = row.kind == ScalarKind::Load;
  bool returns = loads || (op.memory.atomic && inst.mods.returnsOld);
  if (returns) {
    op.destination = inst.operands[0];
    op.destinationCount = 1;
    if (op.memory.atomic)
      op.destination.dwords = op.memory.atomic->bytes / 4;
  }
  addSource(op, inst.operands[1], OperandKind::B64);
  addSource(op, inst.operands[2], OperandKind::U32);
  if (!loads)
    addSource(op, inst.operands[0], OperandKind::U32);
  op.run = row.run;
  return BindResult::Bound;
}

BindResult gcn::bindScalarMemory(const Inst &inst, const ProgramOptions &, MicroOp &op) {
  for (const ScalarRow &row : ScalarRows)
    if (StringRef(inst.mnemonic).starts_with(row.prefix))
      return bindScalarRow(inst, row, op);
  return BindResult::NotMine;
}
