// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer loads, stores and atomics (MUBUF, MTBUF, VBUFFER): binding, and those that move bytes as
// they are. Conversions are in BufferFormat.cpp.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/gcn/memory/BufferAccess.h"
#include "oracles/machine/gcn/memory/LaneWalk.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Address registers are the index, if there is one, and then the offset. The index also counts the
/// lane if the descriptor says so.
BufferAddress gcn::laneBufferAddress(const Wave &wave, const MicroOp &op, const BufferRun &run,
                                     unsigned lane) {
  const Modifiers &mods = op.inst->mods;
  unsigned next = op.sources[BufferLane].operand.index;
  BufferAddress address;
  address.scalar = run.scalarOffset;
  uint32_t offset = static_cast<uint32_t>(mods.offset);
  address.isIndexed = mods.idxen;
  if (mods.idxen)
    address.index = wave.v[next++][lane];
  if (mods.offen)
    offset += wave.v[next][lane];
  address.offset = offset;
  if (run.descriptor.addTid)
    address.index += lane;
  return address;
}

/// Moves the bytes of one chunk, which lie side by side. False: the run has ended.
static bool moveChunk(Wave &wave, const MicroOp &op, const BufferRun &run,
                      const BufferAddress &address, unsigned lane, MutableArrayRef<uint8_t> chunk) {
  uint64_t at = resolveAddress(run.descriptor, address);
  uint8_t *memory = findGlobal(wave, op, lane, at, static_cast<unsigned>(chunk.size()));
  if (!memory)
    return false;
  if (op.memory.isStore)
    std::memcpy(memory, chunk.data(), chunk.size());
  else
    std::memcpy(chunk.data(), memory, chunk.size());
  return true;
}

/// Moves \p data between memory and the handler. Dwords out of range are skipped, so those of a
/// load keep their zeros. False after ending the run.
bool gcn::moveBufferBytes(Wave &wave, const MicroOp &op, const BufferRun &run,
                          const BufferAddress &address, unsigned lane,
                          MutableArrayRef<uint8_t> data, RangeCheck check) {
  auto bytes = static_cast<unsigned>(data.size());
  // Each dword is checked on its own, and a swizzled buffer scatters them.
  bool isScattered = run.descriptor.swizzle != 0;
  bool checksEach = check == RangeCheck::ToDo &&
                    (isScattered || isOutOfRange(run.descriptor, address, bytes, wave.gfxMajor));
  unsigned step = checksEach || isScattered ? std::min(bytes, 4u) : bytes;
  for (unsigned done = 0; done < bytes; done += step) {
    BufferAddress part = address;
    part.offset += done;
    if (checksEach && isOutOfRange(run.descriptor, part, step, wave.gfxMajor))
      continue;
    if (!moveChunk(wave, op, run, part, lane, data.slice(done, step)))
      return false;
  }
  return true;
}

/// A plain load or store of one lane. False after ending the run.
static bool moveLane(Wave &wave, const MicroOp &op, const BufferRun &run, unsigned lane) {
  BufferAddress address = laneBufferAddress(wave, op, run, lane);
  uint8_t bytes[MaxAccessBytes] = {};
  MutableArrayRef<uint8_t> data(bytes, op.memory.bytes);
  if (op.memory.isStore)
    readStored(wave, op.memory, op.sources[BufferData].operand.index, lane, bytes);
  if (!moveBufferBytes(wave, op, run, address, lane, data))
    return false;
  if (op.inst->mods.lds)
    return storeLoadedToLds(wave, op, lane, (wave.s[sreg::M0] & 0xffff) + op.inst->mods.offset,
                            bytes);
  if (!op.memory.isStore)
    writeLoaded(wave, op.memory, op.destination.index, lane, bytes);
  return true;
}

/// buffer_store_lds_dword: from LDS to memory, lane by lane, both at the instruction's offset.
static bool storeLdsLane(Wave &wave, const MicroOp &op, const BufferRun &run, unsigned lane) {
  uint64_t from = (wave.s[sreg::M0] & 0xffff) + static_cast<uint64_t>(op.inst->mods.offset) +
                  uint64_t(4) * lane;
  const uint8_t *lds = findLds(wave, op, lane, from, 4, false);
  if (!lds)
    return false;
  uint8_t bytes[4];
  std::memcpy(bytes, lds, 4);
  return moveBufferBytes(wave, op, run, laneBufferAddress(wave, op, run, lane), lane, bytes);
}

/// An atomic of one lane. Out of range the old value is 0. False after ending the run.
static bool atomicLane(Wave &wave, const MicroOp &op, const BufferRun &run, unsigned lane) {
  const AtomicRow &row = *op.memory.atomic;
  BufferAddress address = laneBufferAddress(wave, op, run, lane);
  uint8_t *memory = nullptr;
  if (!isOutOfRange(run.descriptor, address, row.bytes, wave.gfxMajor)) {
    memory = findGlobal(wave, op, lane, resolveAddress(run.descriptor, address), row.bytes);
    if (!memory)
      return false;
  }
  AtomicOperands operands;
  operands.data = op.sources[BufferData].operand.index;
  operands.compare = operands.data + row.bytes / 4;
  if (op.destinationCount)
    operands.result = op.destination.index;
  doAtomic(wave, op.memory, operands, lane, memory, MemorySpace::Global);
  return true;
}

/// buffer_store_lds_dword.
static bool isLdsStore(const MicroOp &op) {
  return op.inst->mods.lds && op.memory.isStore;
}

/// With tfe, a register after the data says whether a page was missing. None ever is.
static void writeResidency(Wave &wave, const MicroOp &op) {
  unsigned index = op.destination.index + accessDwords(op.memory);
  for (uint64_t left = wave.exec(); left; left &= left - 1)
    wave.v[index][countr_zero(left)] = 0;
}

/// A descriptor that is not a buffer's ends the run.
static void runBuffer(Wave &wave, const MicroOp &op) {
  ArrayRef<uint32_t> words(&wave.s[op.sources[BufferResource].operand.index], 4);
  BufferRun run;
  run.descriptor = decodeBufferDescriptor(words, wave.gfxMajor);
  run.scalarOffset = static_cast<uint32_t>(readUniform(wave, op.sources[BufferScalar]));
  if (run.descriptor.type != 0)
    return wave.fail(OutcomeKind::Trap, "BAD-DESCRIPTOR", op, "this is no buffer descriptor");
  auto doLane = op.memory.atomic ? atomicLane : isLdsStore(op) ? storeLdsLane : moveLane;
  if (op.memory.components) {
    if (!chooseBufferFormat(wave, op, run))
      return;
    doLane = moveFormattedLane;
  }
  for (unsigned lane : LaneWalk(wave, wave.exec()))
    if (!doLane(wave, op, run, lane))
      return;
  if (op.inst->mods.tfe && op.destinationCount)
    writeResidency(wave, op);
}

// --- Binding

/// Puts the operands of \p inst where the handlers look for them: with lds there is no data, and
/// buffer_store_lds_dword has no address either.
static bool arrangeOperands(const Inst &inst, const MemoryAccess &access,
                            std::array<Operand, 4> &operands) {
  size_t missing = !inst.mods.lds ? 0 : access.isStore ? 2 : 1;
  if (inst.operands.size() + missing != operands.size())
    return false;
  std::copy(inst.operands.begin(), inst.operands.end(), operands.begin() + missing);
  return true;
}

/// Whether every operand has as many registers as the handlers use.
static bool haveRegisters(const Inst &inst, const MemoryAccess &access,
                          const std::array<Operand, 4> &operands) {
  const Modifiers &mods = inst.mods;
  unsigned addressDwords = unsigned(mods.idxen) + unsigned(mods.offen);
  const Operand &address = operands[BufferLane];
  bool hasAddress =
      !addressDwords || (address.type == OperandType::Vgpr && hasDwords(address, addressDwords));
  bool returns = !access.isStore && !mods.lds;
  return hasAddress && hasDwords(operands[BufferResource], 4) &&
         hasDwords(operands[BufferData], accessDwords(access) + (mods.tfe && returns));
}

/// Sets what \p name says about the access. False for unknown names and for combinations with lds
/// that the hardware does not have.
static bool findAccess(StringRef name, bool isTyped, const Inst &inst, MemoryAccess &access) {
  if (name == "store_lds_dword") {
    access.isStore = true;
    return inst.mods.lds;
  }
  if (findFormattedAccess(name, access))
    return !inst.mods.lds || (access.components == 1 && !access.isStore && !access.d16);
  bool known = !isTyped && findMemoryAccess(name, access);
  return known && !(inst.mods.lds && (access.isStore || access.atomic || access.d16));
}

BindResult gcn::bindBufferMemory(const Inst &inst, const ProgramOptions &, MicroOp &op) {
  StringRef name = inst.mnemonic;
  bool isTyped = name.consume_front("t");
  if (!name.consume_front("buffer_"))
    return BindResult::NotMine;
  std::array<Operand, 4> operands;
  if (!findAccess(name, isTyped, inst, op.memory) || !arrangeOperands(inst, op.memory, operands) ||
      !haveRegisters(inst, op.memory, operands))
    return BindResult::Unsupported;
  bool loads = !op.memory.isStore && !op.memory.atomic && !inst.mods.lds;
  if (loads || (op.memory.atomic && inst.mods.returnsOld)) {
    op.destination = operands[BufferData];
    op.destinationCount = 1;
    if (op.memory.atomic)
      op.destination.dwords = static_cast<uint8_t>(op.memory.atomic->bytes / 4 + inst.mods.tfe);
  }
  for (const Operand &operand : operands)
    addSource(op, operand, OperandKind::U32);
  // The data register is not read - not even by loads of one half: memory merges them in order.
  if (loads)
    op.sources[BufferData].operand.type = OperandType::Off;
  op.run = runBuffer;
  return BindResult::Bound;
}
