// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flat, global and scratch instructions: at an address in registers, by the lane's number, in
// blocks of up to 32 dwords, or straight into LDS. Sources: AMD's ISA manuals, "Flat Memory
// Instructions".
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/gcn/memory/LaneWalk.h"
#include "oracles/machine/gcn/memory/Transfer.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

namespace {

/// Sources, whatever the order in which they are printed.
enum FlatSource : uint8_t { Address, Data, ScalarBase };

} // namespace

/// The instruction's offset in bytes, sign-extended.
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

/// Byte offset in the lane's scratch: 32 bits of register, SGPR and instruction, any of which may
/// be missing.
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

/// scratch_*, by the first letter.
static bool isScratch(const MicroOp &op) {
  return op.inst->mnemonic[0] == 's';
}
/// flat_*, by the first letter.
static bool isFlat(const MicroOp &op) {
  return op.inst->mnemonic[0] == 'f';
}

/// Moves one lane's bytes from or to contiguous memory; \p skipped data registers go before.
static void moveAt(Wave &wave, const MicroOp &op, unsigned lane, uint8_t *memory,
                   unsigned skipped = 0) {
  uint8_t data[MaxAccessBytes];
  if (op.memory.isStore) {
    readStored(wave, op.memory, op.sources[Data].operand.index + skipped, lane, data);
    std::memcpy(memory, data, op.memory.bytes);
  } else {
    writeLoaded(wave, op.memory, op.destination.index + skipped, lane, memory);
  }
}

/// The bytes of one lane's scratch, one by one: an unaligned access crosses dwords.
static bool visitScratch(Wave &wave, const MicroOp &op, unsigned lane, uint64_t offset,
                         function_ref<void(unsigned, uint8_t &)> visit) {
  unsigned bytes = op.memory.bytes;
  uint32_t limit = wave.group->scratchBytesPerLane;
  if (offset + bytes > limit) {
    wave.fail(OutcomeKind::Trap, "SCRATCH-RANGE", op,
              "lane " + Twine(lane) + " uses scratch byte " + Twine(offset) +
                  ", .scratch_memory_size is " + Twine(limit));
    return false;
  }
  noteAccess(wave, op,
             {MemorySpace::Private, !op.memory.isStore, op.memory.isStore, false, uint8_t(lane),
              bytes, offset});
  for (unsigned i = 0; i < bytes; ++i) {
    uint64_t at = scratchAddress(wave, offset + i, lane);
    uint8_t *memory = wave.group->memory->find(at, 1, Access::Write);
    if (!memory) {
      failAccess(wave, op, lane, at);
      return false;
    }
    visit(i, *memory);
  }
  return true;
}

/// Copies the bytes of a load to \p data. False after ending the run.
static bool loadScratch(Wave &wave, const MicroOp &op, unsigned lane, uint64_t offset,
                        uint8_t *data) {
  return visitScratch(wave, op, lane, offset,
                      [&](unsigned i, uint8_t &memory) { data[i] = memory; });
}

/// A load or store of one lane in scratch; \p skipped data registers go before.
static void moveScratch(Wave &wave, const MicroOp &op, unsigned lane, uint64_t offset,
                        unsigned skipped = 0) {
  uint8_t data[MaxAccessBytes];
  if (!op.memory.isStore) {
    if (loadScratch(wave, op, lane, offset, data))
      writeLoaded(wave, op.memory, op.destination.index + skipped, lane, data);
    return;
  }
  readStored(wave, op.memory, op.sources[Data].operand.index + skipped, lane, data);
  visitScratch(wave, op, lane, offset, [&](unsigned i, uint8_t &memory) { memory = data[i]; });
}

/// Does an atomic of one lane at \p memory, which is in \p space.
static void atomicAt(Wave &wave, const MicroOp &op, unsigned lane, uint8_t *memory,
                     MemorySpace space) {
  AtomicOperands operands;
  operands.data = op.sources[Data].operand.index;
  operands.compare = operands.data + op.memory.atomic->bytes / 4;
  if (op.destinationCount)
    operands.result = op.destination.index;
  doAtomic(wave, op.memory, operands, lane, memory, space);
}

/// The upper half of a flat address says whether it is in LDS, scratch or global memory. Atomics on
/// scratch are not supported.
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
             aperture == SharedAperture ? MemorySpace::Workgroup : MemorySpace::Global);
  else
    moveAt(wave, op, lane, memory);
}

/// Stops after the first lane that fails.
static void runFlat(Wave &wave, const MicroOp &op) {
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    runFlatLane(wave, op, lane);
    if (wave.status == WaveStatus::Failed)
      return;
  }
}

// --- Forms of their own

/// GFX9 and GFX10: loaded dwords go to LDS, lane by lane after M0.
static void runFlatToLds(Wave &wave, const MicroOp &op) {
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    uint8_t data[MaxAccessBytes];
    if (isScratch(op)) {
      if (!loadScratch(wave, op, lane, scratchOffset(wave, op, lane), data))
        return;
    } else {
      uint64_t address = globalAddress(wave, op, lane);
      const uint8_t *memory = findGlobal(wave, op, lane, address, op.memory.bytes);
      if (!memory)
        return;
      std::memcpy(data, memory, op.memory.bytes);
    }
    uint64_t base = wave.s[sreg::M0] & 0x3fffc;
    if (!storeLoadedToLds(wave, op, lane, base + offsetOf(op), data))
      return;
  }
}

/// global_load_addtid: a scalar base, and a dword for each lane.
static void runByLane(Wave &wave, const MicroOp &op) {
  const Operand &scalar = op.sources[ScalarBase].operand;
  uint64_t base = scalar.type == OperandType::Sgpr && scalar.index != sreg::Null
                      ? wave.readScalar64(scalar.index)
                      : 0;
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    uint64_t address = (base + offsetOf(op) + uint64_t(4) * lane) & AddressMask;
    uint8_t *memory = findGlobal(wave, op, lane, address, 4);
    if (!memory)
      return;
    moveAt(wave, op, lane, memory);
  }
}

/// GFX12: of 32 dwords, those that M0 names. The address is read once: a load may overwrite its
/// registers.
static void runBlock(Wave &wave, const MicroOp &op) {
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    uint64_t start = isScratch(op) ? scratchOffset(wave, op, lane) : globalAddress(wave, op, lane);
    for (uint32_t dwords = wave.s[sreg::M0]; dwords; dwords &= dwords - 1) {
      auto i = static_cast<unsigned>(countr_zero(dwords));
      if (isScratch(op)) {
        moveScratch(wave, op, lane, start + 4 * i, i);
      } else {
        uint64_t address = (start + 4 * i) & AddressMask;
        if (uint8_t *memory = findGlobal(wave, op, lane, address, 4))
          moveAt(wave, op, lane, memory, i);
      }
      if (wave.status == WaveStatus::Failed)
        return;
    }
  }
}

// --- Binding

/// Splits off "global_", "flat_" or "scratch_".
static bool takeFlatPrefix(StringRef &name) {
  return name.consume_front("global_") || name.consume_front("flat_") ||
         name.consume_front("scratch_");
}

namespace {
/// How the operands of an instruction stand.
struct FlatForm {
  Handler run = runFlat;
  bool hasAddress = true;  ///< A register (or "off") with an address.
  bool hasBase = true;     ///< A scalar operand (or "off") after data.
  unsigned dataDwords = 0; ///< 0: as the access has.
};
constexpr unsigned BlockDwords = 32; ///< Registers of a block.
} // namespace

/// What \p name means after its family; false for a name that is not known.
static bool findFlatForm(StringRef name, const Inst &inst, MemoryAccess &access, FlatForm &form) {
  bool isBlock = name == "load_block" || name == "store_block";
  bool isByLane = name == "load_addtid_b32" || name == "store_addtid_b32" ||
                  name == "load_dword_addtid" || name == "store_dword_addtid";
  if (isBlock || isByLane) {
    form.run = isBlock ? runBlock : runByLane;
    form.hasAddress = isBlock;
    form.dataDwords = isBlock ? BlockDwords : 1;
    access.isStore = name.starts_with("store");
    return true;
  }
  if (inst.mods.lds)
    form.run = runFlatToLds;
  return findMemoryAccess(name, access);
}

/// Takes the operands in the order in which they are printed: result, address, data, base.
static BindResult bindFlatOperands(const Inst &inst, const FlatForm &form, unsigned gfxMajor,
                                   MicroOp &op) {
  bool loads = !op.memory.isStore && !op.memory.atomic;
  bool hasData = !loads;
  size_t expected = size_t(form.hasAddress) + hasData + form.hasBase;
  // An atomic returns where it has an operand for that, whatever its hints are called.
  bool returns = loads ? !inst.mods.lds : op.memory.atomic && inst.operands.size() > expected;
  expected += returns;
  if (inst.operands.size() != expected || (inst.mods.lds && !loads))
    return BindResult::Unsupported;
  unsigned next = 0;
  if (returns)
    op.destination = inst.operands[next++];
  op.destinationCount = returns;
  Operand address = form.hasAddress ? inst.operands[next++] : Operand();
  Operand data = hasData ? inst.operands[next++] : Operand();
  unsigned dwords = form.dataDwords ? form.dataDwords : accessDwords(op.memory);
  if (!hasDwords(hasData ? data : op.destination, dwords))
    return BindResult::Unsupported;
  addSource(op, address, OperandKind::U32);
  addSource(op, data, OperandKind::U32);
  addSource(op, form.hasBase ? inst.operands[next] : Operand(), OperandKind::U32);
  bool readsFlatScratch = gfxMajor == 9 && StringRef(inst.mnemonic).starts_with("scratch_");
  if (readsFlatScratch)
    op.reads.push_back({false, sreg::FlatScratchLo, 2});
  op.run = form.run;
  return BindResult::Bound;
}

/// flat_*, global_* and scratch_*. tfe is unsupported.
BindResult gcn::bindFlatMemory(const Inst &inst, const ProgramOptions &options, MicroOp &op) {
  StringRef name = inst.mnemonic;
  if (!takeFlatPrefix(name))
    return BindResult::NotMine;
  FlatForm form;
  if (!findFlatForm(name, inst, op.memory, form) || inst.mods.tfe)
    return BindResult::Unsupported;
  form.hasBase = !StringRef(inst.mnemonic).starts_with("flat_");
  return bindFlatOperands(inst, form, options.gfxMajor, op);
}
