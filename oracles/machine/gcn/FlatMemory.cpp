// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flat, global and scratch instructions.
#include "oracles/machine/gcn/Atomics.h"
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/LaneWalk.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/Transfer.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Sources, whatever the order in which they are printed.
enum FlatSource : uint8_t { Address, Data, ScalarBase };

constexpr uint64_t AddressMask = 0xffffffffffffull;

} // namespace

static uint64_t offsetOf(const MicroOp &op) {
  return static_cast<uint64_t>(op.inst->mods.offset);
}

/// 64 bits in registers, or a scalar base and 32 bits in a register.
static uint64_t globalAddress(const Wave &wave, const MicroOp &op, unsigned lane) {
  const Operand &vector = op.sources[Address].operand;
  const Operand &scalar = op.sources[ScalarBase].operand;
  uint64_t address = wave.v[vector.index][lane];
  if (scalar.type == OperandType::Sgpr && scalar.index != sreg::Null)
    address += wave.readScalar64(scalar.index);
  else
    address |= uint64_t(wave.v[vector.index + 1][lane]) << 32;
  return (address + offsetOf(op)) & AddressMask;
}

static uint64_t scratchOffset(const Wave &wave, const MicroOp &op, unsigned lane) {
  const Operand &vector = op.sources[Address].operand;
  const Operand &scalar = op.sources[ScalarBase].operand;
  uint32_t offset = static_cast<uint32_t>(offsetOf(op));
  if (vector.type == OperandType::Vgpr)
    offset += wave.v[vector.index][lane];
  if (scalar.type == OperandType::Sgpr)
    offset += wave.s[scalar.index];
  return offset;
}

static bool isScratch(const MicroOp &op) {
  return op.inst->mnemonic[0] == 's';
}
static bool isFlat(const MicroOp &op) {
  return op.inst->mnemonic[0] == 'f';
}

/// Moves one lane's bytes from or to contiguous memory.
static void moveAt(Wave &wave, const MicroOp &op, unsigned lane, uint8_t *memory) {
  uint8_t data[MaxAccessBytes];
  if (op.memory.isStore) {
    readStored(wave, op.memory, op.sources[Data].operand.index, lane, data);
    std::memcpy(memory, data, op.memory.bytes);
  } else {
    writeLoaded(wave, op.memory, op.destination.index, lane, memory);
  }
}

static void moveScratch(Wave &wave, const MicroOp &op, unsigned lane, uint64_t offset) {
  unsigned bytes = op.memory.bytes;
  uint32_t limit = wave.group->scratchBytesPerLane;
  if (offset + bytes > limit)
    return wave.fail(OutcomeKind::Trap, "SCRATCH-RANGE", op,
                     "lane " + Twine(lane) + " uses scratch byte " + Twine(offset) +
                         ", .scratch_memory_size is " + Twine(limit));
  noteAccess(wave, op,
             {MemorySpace::Scratch, !op.memory.isStore, op.memory.isStore, false, uint8_t(lane),
              bytes, offset});
  uint8_t data[MaxAccessBytes];
  if (op.memory.isStore)
    readStored(wave, op.memory, op.sources[Data].operand.index, lane, data);
  for (unsigned i = 0; i < bytes; ++i) { // Bytewise: an unaligned access crosses dwords.
    uint64_t at = scratchAddress(wave, offset + i, lane);
    uint8_t *memory = wave.group->memory->find(at, 1, Access::Write);
    if (!memory)
      return failAccess(wave, op, lane, at);
    if (op.memory.isStore)
      *memory = data[i];
    else
      data[i] = *memory;
  }
  if (!op.memory.isStore)
    writeLoaded(wave, op.memory, op.destination.index, lane, data);
}

static void atomicAt(Wave &wave, const MicroOp &op, unsigned lane, uint8_t *memory,
                     MemorySpace space) {
  AtomicOperands operands;
  operands.data = op.sources[Data].operand.index;
  operands.compare = operands.data + op.memory.atomic->bytes / 4;
  if (op.destinationCount)
    operands.result = op.destination.index;
  doAtomic(wave, op.memory, operands, lane, memory, space);
}

static void runFlatLane(Wave &wave, const MicroOp &op, unsigned lane) {
  if (isScratch(op))
    return moveScratch(wave, op, lane, scratchOffset(wave, op, lane));
  uint64_t address = globalAddress(wave, op, lane);
  uint64_t aperture = isFlat(op) ? address >> 32 : 0;
  if (aperture == PrivateAperture) {
    if (op.memory.atomic)
      return wave.failUnsupported("atomic on scratch (" + op.inst->text + ")");
    return moveScratch(wave, op, lane, address & 0xffffffff);
  }
  bool writes = op.memory.isStore || op.memory.atomic;
  unsigned bytes = op.memory.atomic ? op.memory.atomic->bytes : op.memory.bytes;
  uint8_t *memory = aperture == SharedAperture
                        ? findLds(wave, op, lane, address & 0xffffffff, bytes, writes)
                        : findGlobal(wave, op, lane, address, bytes);
  if (!memory)
    return;
  if (op.memory.atomic)
    atomicAt(wave, op, lane, memory,
             aperture == SharedAperture ? MemorySpace::Lds : MemorySpace::Global);
  else
    moveAt(wave, op, lane, memory);
}

static void runFlat(Wave &wave, const MicroOp &op) {
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    runFlatLane(wave, op, lane);
    if (wave.status == WaveStatus::Failed)
      return;
  }
}

/// Splits off "global_", "flat_" or "scratch_".
static bool takeFlatPrefix(StringRef &name) {
  return name.consume_front("global_") || name.consume_front("flat_") ||
         name.consume_front("scratch_");
}

BindResult gcn::bindFlatMemory(const Inst &inst, const ProgramOptions &options, MicroOp &op) {
  StringRef name = inst.mnemonic;
  if (!takeFlatPrefix(name))
    return BindResult::NotMine;
  bool isFlatOp = StringRef(inst.mnemonic).starts_with("flat_");
  bool isScratchOp = StringRef(inst.mnemonic).starts_with("scratch_");
  // Up to GFX10 scratch instructions need FLAT_SCRATCH set up by the code; LLVM uses MUBUF there.
  if (!findMemoryAccess(name, op.memory) || inst.mods.lds || inst.mods.tfe ||
      (isScratchOp && options.gfxMajor < 11))
    return BindResult::Unsupported;
  bool loads = !op.memory.isStore && !op.memory.atomic;
  bool returns = loads || (op.memory.atomic && inst.mods.returnsOld);
  bool hasData = !loads;
  size_t expected = size_t(returns) + 1 + hasData + !isFlatOp;
  if (inst.operands.size() != expected)
    return BindResult::Unsupported;
  unsigned next = 0;
  if (returns)
    op.destination = inst.operands[next++];
  op.destinationCount = returns;
  const Operand &data = hasData ? inst.operands[next + 1] : op.destination;
  if (!hasDwords(data, accessDwords(op.memory)))
    return BindResult::Unsupported;
  addSource(op, inst.operands[next++], OperandKind::U32);
  addSource(op, hasData ? inst.operands[next++] : Operand(), OperandKind::U32);
  addSource(op, isFlatOp ? Operand() : inst.operands[next], OperandKind::U32);
  op.run = runFlat;
  return BindResult::Bound;
}
