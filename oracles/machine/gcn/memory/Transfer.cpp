// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/memory/Transfer.h"

#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

namespace {

/// How a load or store moves the data of a lane.
struct WidthRow {
  const char *names; ///< GFX9, GFX11 and DS spellings.
  uint8_t bytes;
  bool signExtend;
  bool d16;
  bool high;
};

constexpr WidthRow LoadRows[] = {
    {"ubyte|u8", 1, false, false, false},
    {"sbyte|i8", 1, true, false, false},
    {"ushort|u16", 2, false, false, false},
    {"sshort|i16", 2, true, false, false},
    {"dword|b32", 4, false, false, false},
    {"dwordx2|b64", 8, false, false, false},
    {"dwordx3|b96", 12, false, false, false},
    {"dwordx4|b128", 16, false, false, false},
    {"ubyte_d16|d16_u8|u8_d16", 1, false, true, false},
    {"ubyte_d16_hi|d16_hi_u8|u8_d16_hi", 1, false, true, true},
    {"sbyte_d16|d16_i8|i8_d16", 1, true, true, false},
    {"sbyte_d16_hi|d16_hi_i8|i8_d16_hi", 1, true, true, true},
    {"short_d16|d16_b16|u16_d16", 2, false, true, false},
    {"short_d16_hi|d16_hi_b16|u16_d16_hi", 2, false, true, true},
};

constexpr WidthRow StoreRows[] = {
    {"byte|b8", 1, false, false, false},
    {"byte_d16_hi|d16_hi_b8|b8_d16_hi", 1, false, true, true},
    {"short|b16", 2, false, false, false},
    {"short_d16_hi|d16_hi_b16|b16_d16_hi", 2, false, true, true},
    {"dword|b32", 4, false, false, false},
    {"dwordx2|b64", 8, false, false, false},
    {"dwordx3|b96", 12, false, false, false},
    {"dwordx4|b128", 16, false, false, false},
};

} // namespace

/// The access with this width, or nothing for an unknown name.
static std::optional<MemoryAccess> findWidth(ArrayRef<WidthRow> rows, StringRef name) {
  for (const WidthRow &row : rows) {
    if (!isNamed(row.names, name))
      continue;
    MemoryAccess access;
    access.bytes = row.bytes;
    access.signExtend = row.signExtend;
    access.d16 = row.d16;
    access.high = row.high;
    return access;
  }
  return std::nullopt;
}

std::optional<MemoryAccess> gcn::findLoadWidth(StringRef name) {
  return findWidth(LoadRows, name);
}

std::optional<MemoryAccess> gcn::findStoreWidth(StringRef name) {
  std::optional<MemoryAccess> access = findWidth(StoreRows, name);
  if (access)
    access->isStore = true;
  return access;
}

/// \p name is without the family, as "load_b32" or "atomic_add". False for an unknown one.
bool gcn::findMemoryAccess(StringRef name, MemoryAccess &access) {
  std::optional<MemoryAccess> width;
  if (name.consume_front("load_"))
    width = findLoadWidth(name);
  else if (name.consume_front("store_"))
    width = findStoreWidth(name);
  else if (name.consume_front("atomic_"))
    access.atomic = findAtomic(name);
  if (width)
    access = *width;
  return width || access.atomic;
}

/// Data registers of a lane and an element, with both operands of a compare-and-swap.
unsigned gcn::accessDwords(const MemoryAccess &access) {
  if (access.atomic)
    return access.atomic->bytes / 4 * (access.atomic->takesCompare ? 2 : 1);
  return (access.bytes + 3) / 4;
}

/// One or two bytes, extended to 32 bits.
static uint32_t loadNarrow(const MemoryAccess &access, const uint8_t *data) {
  uint32_t value = data[0];
  if (access.bytes == 2)
    value |= uint32_t(data[1]) << 8;
  unsigned unused = 32 - 8 * access.bytes;
  return access.signExtend ? uint32_t(int32_t(value << unused) >> unused) : value;
}

/// Writes the loaded bytes of one lane to registers from \p index on. d16 keeps the other half.
void gcn::writeLoaded(Wave &wave, const MemoryAccess &access, unsigned index, unsigned lane,
                      const uint8_t *data) {
  if (access.bytes >= 4) {
    for (size_t i = 0; i < access.bytes / 4u; ++i)
      std::memcpy(&wave.v[index + i][lane], data + 4 * i, 4);
    return;
  }
  uint32_t value = loadNarrow(access, data);
  uint32_t &to = wave.v[index][lane];
  if (!access.d16)
    to = value;
  else if (access.high)
    to = (to & 0xffff) | value << 16;
  else
    to = (to & 0xffff0000) | (value & 0xffff);
}

/// Copies what a lane stores to \p data, which has at least two bytes.
void gcn::readStored(const Wave &wave, const MemoryAccess &access, unsigned index, unsigned lane,
                     uint8_t *data) {
  if (access.bytes >= 4) {
    for (size_t i = 0; i < access.bytes / 4u; ++i)
      std::memcpy(data + 4 * i, &wave.v[index + i][lane], 4);
    return;
  }
  uint32_t value = wave.v[index][lane] >> (access.high ? 16 : 0);
  data[0] = uint8_t(value);
  data[1] = uint8_t(value >> 8);
}

/// One register, or a pair for 8 \p bytes.
static uint64_t readRegisters(const Wave &wave, unsigned index, unsigned lane, unsigned bytes) {
  uint64_t value = wave.v[index][lane];
  if (bytes == 8)
    value |= uint64_t(wave.v[index + 1][lane]) << 32;
  return value;
}

/// AMD's CDNA 3 ISA manual, table "Denorm Handling Rules for Memory Ops": LDS as MODE says, but
/// never sums of doubles; in memory sums of f32 only, up to GFX11 (LLVM,
/// MemoryAtomicFAddF32DenormalSupport).
AtomicMode gcn::atomicMode(const Wave &wave, const AtomicRow &row, MemorySpace space) {
  AtomicMode mode;
  mode.isNumber = wave.gfxMajor >= 12;
  if (space != MemorySpace::Workgroup && space != MemorySpace::Chip) {
    mode.flushSources = mode.flushResult = row.floats == AtomicFloat::Add32 && wave.gfxMajor < 12;
    return mode;
  }
  bool isSingle = row.floats == AtomicFloat::Add32 || row.floats == AtomicFloat::Order32;
  bool isMoved = row.floats != AtomicFloat::None && row.floats != AtomicFloat::Add64;
  mode.flushSources = isMoved && !(isSingle ? wave.mode.f32DenormIn : wave.mode.f16f64DenormIn);
  mode.flushResult = isMoved && !(isSingle ? wave.mode.f32DenormOut : wave.mode.f16f64DenormOut);
  return mode;
}

/// Without memory nothing is stored and the old value is 0. The result is written last, so it may
/// overwrite the data.
void gcn::doAtomic(Wave &wave, const MemoryAccess &access, const AtomicOperands &operands,
                   unsigned lane, uint8_t *memory, MemorySpace space) {
  const AtomicRow &row = *access.atomic;
  uint64_t old = 0;
  if (memory) {
    uint64_t data = readRegisters(wave, operands.data, lane, row.bytes);
    uint64_t compare =
        row.takesCompare ? readRegisters(wave, operands.compare, lane, row.bytes) : 0;
    std::memcpy(&old, memory, row.bytes);
    uint64_t value = row.function(old, data, compare, atomicMode(wave, row, space));
    std::memcpy(memory, &value, row.bytes);
  }
  if (!operands.result)
    return;
  wave.v[*operands.result][lane] = static_cast<uint32_t>(old);
  if (row.bytes == 8)
    wave.v[*operands.result + 1][lane] = static_cast<uint32_t>(old >> 32);
}

/// Stores one lane's loaded bytes to LDS at \p base plus the lane's place; at least a dword each.
/// False after ending the run.
bool gcn::storeLoadedToLds(Wave &wave, const MicroOp &op, unsigned lane, uint64_t base,
                           const uint8_t *data) {
  unsigned bytes = std::max<unsigned>(op.memory.bytes, 4);
  uint8_t *lds = findLds(wave, op, lane, base + uint64_t(bytes) * lane, bytes, true);
  if (!lds)
    return false;
  if (op.memory.bytes >= 4) {
    std::memcpy(lds, data, bytes);
  } else {
    uint32_t value = loadNarrow(op.memory, data);
    std::memcpy(lds, &value, 4);
  }
  return true;
}

/// On GFX9 the code keeps the wave's scratch in SGPRs of its own, FLAT_SCRATCH.
static uint64_t scratchBase(const Wave &wave) {
  return wave.gfxMajor == 9 ? wave.readScalar64(sreg::FlatScratchLo) : wave.scratchBase;
}

/// Byte address of byte \p offset in a lane's scratch, which is swizzled by dwords.
uint64_t gcn::scratchAddress(const Wave &wave, uint64_t offset, unsigned lane) {
  // RADV's code sets the bits above 48 itself.
  return (scratchBase(wave) + offset / 4 * 4 * wave.waveSize + uint64_t(4) * lane + offset % 4) &
         AddressMask;
}

/// Ends the run with MEM-FAULT at \p address.
void gcn::failAccess(Wave &wave, const MicroOp &op, unsigned lane, uint64_t address) {
  bool writes = op.memory.isStore || op.memory.atomic;
  wave.fail(OutcomeKind::Trap, "MEM-FAULT", op,
            "lane " + Twine(lane) + (writes ? " writes" : " reads") + " address 0x" +
                utohexstr(address, true) + ", " + wave.group->memory->describe(address));
}

/// Bytes of LDS, checked and noted for observers. Null after ending the run.
uint8_t *gcn::findLds(Wave &wave, const MicroOp &op, unsigned lane, uint64_t address,
                      unsigned bytes, bool writes) {
  Workgroup &group = *wave.group;
  if (address + bytes > group.lds.size()) {
    wave.fail(OutcomeKind::Trap, "LDS-RANGE", op,
              "lane " + Twine(lane) + " uses LDS byte " + Twine(address) + ", .lds_size is " +
                  Twine(group.lds.size()));
    return nullptr;
  }
  // What writes and is no store is atomic (ds_append and the like), except for a load with the LDS
  // bit, which stores what it loaded.
  bool atomic = op.memory.atomic || (writes && !op.memory.isStore && !op.inst->mods.lds);
  noteAccess(
      wave, op,
      {MemorySpace::Workgroup, !writes || atomic, writes, atomic, uint8_t(lane), bytes, address});
  group.visibility.accessLds(wave, op, address, bytes, writes);
  return group.lds.data() + address;
}

/// Bytes of global memory, checked and noted for observers. Null after ending the run.
uint8_t *gcn::findGlobal(Wave &wave, const MicroOp &op, unsigned lane, uint64_t address,
                         unsigned bytes) {
  bool writes = op.memory.isStore || op.memory.atomic;
  Workgroup &group = *wave.group;
  uint8_t *memory = group.memory->find(address, bytes, writes ? Access::Write : Access::Read);
  if (!memory) {
    failAccess(wave, op, lane, address);
    return nullptr;
  }
  bool atomic = op.memory.atomic != nullptr;
  noteAccess(
      wave, op,
      {MemorySpace::Global, !op.memory.isStore, writes, atomic, uint8_t(lane), bytes, address});
  group.visibility.accessGlobal(wave, op, address, bytes, writes);
  return memory;
}
