// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The global data share: its memory, ordered counts, streamout registers, global wave sync.
// Sources: AMD's Vega ISA manual (DS_GWS_*, DS_ORDERED_COUNT), RDNA 3's ("Global Wave Sync & Atomic
// Ordered Count", DS_ADD_GS_REG_RTN).
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/memory/Share.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

namespace {
/// Addresses of what follows the share's memory: streamout registers, then resources of global wave
/// sync.
constexpr uint64_t GsRegisterBase = GlobalShareBase + GlobalShareBytes;
constexpr uint64_t GwsBase = GsRegisterBase + 4 * GsRegisterCount;
/// One resource of global wave sync.
struct GwsResource {
  int32_t counter;
  uint32_t flag; ///< Of a barrier: flips when all have come.
};
constexpr uint64_t TotalBytes =
    GlobalShareBytes + 4 * GsRegisterCount + sizeof(GwsResource) * GwsResourceCount;

/// Number of the source.
enum ShareSource : uint8_t { Address };
} // namespace

/// All of the share is zeros at first.
void gcn::mapGlobalShare(AddressSpace &memory) {
  (void)memory.allocate(GlobalShareBase, TotalBytes, "global data share", true);
}

/// Of a DS instruction: the chip's with gds, else the workgroup's.
MemorySpace gcn::shareSpace(const MicroOp &op) {
  return op.inst->mods.gds ? MemorySpace::Chip : MemorySpace::Workgroup;
}

/// Lanes that a DS instruction works on. From GFX11 on, gds has the first active lane only.
uint64_t gcn::shareLanes(const Wave &wave, const MicroOp &op) {
  uint64_t exec = wave.exec();
  return op.inst->mods.gds && wave.gfxMajor >= 11 ? exec & (~exec + 1) : exec;
}

/// M0 holds where the wave's part of the share begins, and how long it is.
static std::optional<uint8_t *> findGlobalShare(Wave &wave, const MicroOp &op, unsigned lane,
                                                uint64_t address, unsigned bytes, bool writes) {
  uint32_t base = wave.s[sreg::M0] >> 16;
  uint32_t size = wave.s[sreg::M0] & 0xffff;
  if (address + bytes > size || base + address + bytes > GlobalShareBytes)
    return nullptr;
  uint64_t at = base + address;
  noteAccess(wave, op,
             {MemorySpace::Chip, !writes || op.memory.atomic, writes, op.memory.atomic != nullptr,
              uint8_t(lane), bytes, at});
  return wave.group->memory->find(GlobalShareBase + at, bytes,
                                  writes ? Access::Write : Access::Read);
}

/// Bytes of LDS or of the global share. Null: out of the share's range, where loads give 0. Nothing
/// after ending the run.
std::optional<uint8_t *> gcn::findShare(Wave &wave, const MicroOp &op, unsigned lane,
                                        uint64_t address, unsigned bytes, bool writes) {
  if (op.inst->mods.gds)
    return findGlobalShare(wave, op, lane, address, bytes, writes);
  uint8_t *memory = findLds(wave, op, lane, address, bytes, writes);
  return memory ? std::optional(memory) : std::nullopt;
}

/// Binds destinations, then sources. False when the instruction has another number of operands.
bool gcn::takeShareOperands(const Inst &inst, MicroOp &op, unsigned destinations,
                            unsigned sources) {
  if (inst.operands.size() != destinations + sources)
    return false;
  op.destinationCount = static_cast<uint8_t>(destinations);
  if (destinations)
    op.destination = inst.operands[0];
  for (const Operand &operand : drop_begin(inst.operands, destinations))
    addSource(op, operand, OperandKind::U32);
  return true;
}

/// Memory of the share that no address in an instruction reaches.
static uint8_t *findOwn(Wave &wave, const MicroOp &op, uint64_t address, unsigned bytes) {
  noteAccess(wave, op, {MemorySpace::Chip, true, true, true, 0, bytes, address - GlobalShareBase});
  return wave.group->memory->find(address, bytes, Access::Write);
}

// --- Ordered counts

/// Whether an earlier wave of the workgroup has not released its ordered count yet.
static bool isOrderedBlocked(const Wave &wave) {
  return wave.group->orderedServed < wave.number;
}

/// The counter that M0 and OFFSET0 name; the increment is the first lane's. The waves of a
/// workgroup have their turns in the order of their creation, each until it releases.
static void runOrderedCount(Wave &wave, const MicroOp &op) {
  constexpr unsigned Exchange = 1, Wrap = 3;
  if (isOrderedBlocked(wave))
    return wave.block(op, isOrderedBlocked);
  auto offset = static_cast<uint32_t>(op.inst->mods.offset);
  uint32_t at = (wave.s[sreg::M0] >> 16 & ~3u) * 4 + (offset & 0xfc);
  bool releases = offset >> 8 & 1;
  unsigned operation = offset >> 12 & 3;
  uint64_t exec = wave.exec();
  unsigned lane = exec ? static_cast<unsigned>(countr_zero(exec)) : 0;
  uint32_t data = exec ? wave.v[op.sources[Address].operand.index][lane] : 0;
  if (at + 4 > GlobalShareBytes || operation == 2)
    return wave.fail(OutcomeKind::Trap, "MEM-FAULT", op,
                     "ordered count of operation " + Twine(operation) + " at byte " + Twine(at));
  uint8_t *memory = findOwn(wave, op, GlobalShareBase + at, 4);
  uint32_t old;
  std::memcpy(&old, memory, 4);
  uint32_t value = operation == Exchange ? data
                   : operation == Wrap   ? (old >= data ? old - data : old)
                                         : old + data;
  std::memcpy(memory, &value, 4);
  for (uint64_t left = exec; left; left &= left - 1)
    wave.v[op.destination.index][countr_zero(left)] = old;
  if (releases)
    ++wave.group->orderedServed;
}

// --- Streamout registers (GFX11)

/// Eight registers of 32 bits, then eight of 64; the data always has 32.
static void changeGsRegister(Wave &wave, const MicroOp &op, bool subtracts) {
  constexpr unsigned NarrowCount = 8;
  uint64_t lanes = shareLanes(wave, op);
  if (!lanes)
    return;
  auto lane = static_cast<unsigned>(countr_zero(lanes));
  unsigned number = op.inst->mods.offset >> 2 & 15;
  bool isWide = number >= NarrowCount;
  unsigned index = isWide ? (number - NarrowCount) * 2 + NarrowCount : number;
  unsigned bytes = isWide ? 8 : 4;
  uint8_t *memory = findOwn(wave, op, GsRegisterBase + uint64_t(4) * index, bytes);
  uint64_t old = 0;
  std::memcpy(&old, memory, bytes);
  uint64_t data = wave.v[op.sources[0].operand.index][lane];
  uint64_t value = subtracts ? old - data : old + data;
  std::memcpy(memory, &value, bytes);
  wave.v[op.destination.index][lane] = static_cast<uint32_t>(old);
  if (isWide)
    wave.v[op.destination.index + 1][lane] = static_cast<uint32_t>(old >> 32);
}

static void runAddGsRegister(Wave &wave, const MicroOp &op) {
  changeGsRegister(wave, op, false);
}
static void runSubGsRegister(Wave &wave, const MicroOp &op) {
  changeGsRegister(wave, op, true);
}

// --- Global wave sync

/// One of 64 resources: M0 from bit 16 on plus the offset.
static unsigned resourceIndex(const Wave &wave, const MicroOp &op) {
  return (wave.s[sreg::M0] >> 16) + static_cast<unsigned>(op.inst->mods.offset) &
         (GwsResourceCount - 1);
}

static uint8_t *resourceMemory(const Wave &wave, unsigned index, Access access) {
  return wave.group->memory->find(GwsBase + sizeof(GwsResource) * index, sizeof(GwsResource),
                                  access);
}

/// Reads a resource without noting the access: waiting waves poll it.
static GwsResource loadResource(const Wave &wave, unsigned index) {
  GwsResource resource;
  std::memcpy(&resource, resourceMemory(wave, index, Access::Read), sizeof resource);
  return resource;
}

/// Writes a resource and notes the access, which orders waves for observers.
static void storeResource(Wave &wave, const MicroOp &op, unsigned index,
                          const GwsResource &resource) {
  uint8_t *memory = findOwn(wave, op, GwsBase + sizeof(GwsResource) * index, sizeof(GwsResource));
  std::memcpy(memory, &resource, sizeof resource);
}

/// The value comes from the first lane; without lanes, from lane 0.
static int32_t resourceValue(const Wave &wave, const MicroOp &op) {
  uint64_t exec = wave.exec();
  unsigned lane = exec ? static_cast<unsigned>(countr_zero(exec)) : 0;
  return static_cast<int32_t>(wave.v[op.sources[0].operand.index][lane]);
}

static void runSyncInit(Wave &wave, const MicroOp &op) {
  storeResource(wave, op, resourceIndex(wave, op), {resourceValue(wave, op), 0});
}

/// The sum wraps at 32 bits.
static void addToSemaphore(Wave &wave, const MicroOp &op, int32_t count) {
  unsigned index = resourceIndex(wave, op);
  GwsResource resource = loadResource(wave, index);
  resource.counter =
      static_cast<int32_t>(static_cast<uint32_t>(resource.counter) + static_cast<uint32_t>(count));
  storeResource(wave, op, index, resource);
}

static void runSemaphoreV(Wave &wave, const MicroOp &op) {
  addToSemaphore(wave, op, 1);
}
static void runSemaphoreBr(Wave &wave, const MicroOp &op) {
  addToSemaphore(wave, op, resourceValue(wave, op));
}

/// Wave::blockKey is the resource.
static bool isSemaphoreBlocked(const Wave &wave) {
  return loadResource(wave, wave.blockKey).counter <= 0;
}

/// Blocks the wave until the counter is above 0; the instruction then begins again.
static void runSemaphoreP(Wave &wave, const MicroOp &op) {
  wave.blockKey = resourceIndex(wave, op);
  if (isSemaphoreBlocked(wave))
    return wave.block(op, isSemaphoreBlocked);
  wave.blockKey = 0;
  addToSemaphore(wave, op, -1);
}

/// All waves of the chip that wait go on: as many as there can be.
static void runSemaphoreReleaseAll(Wave &wave, const MicroOp &op) {
  unsigned index = resourceIndex(wave, op);
  storeResource(wave, op, index, {static_cast<int32_t>(wave.group->waveCount), 0});
}

/// The key of a wave that has come to a barrier: the resource, and the flag that it found there.
/// When the flag flips, all have come.
constexpr uint32_t ArrivedBit = 1u << 31;

static bool isSyncBlocked(const Wave &wave) {
  uint32_t key = wave.blockKey & ~ArrivedBit;
  return loadResource(wave, key >> 1).flag == (key & 1);
}

/// The waves that come count the counter down; the last one sets it for the next round.
static void runSyncBarrier(Wave &wave, const MicroOp &op) {
  unsigned index = resourceIndex(wave, op);
  if (wave.blockKey & ArrivedBit) {
    wave.blockKey = 0;
    storeResource(wave, op, index, loadResource(wave, index)); // It has seen the others come.
    return;
  }
  GwsResource resource = loadResource(wave, index);
  uint32_t key = ArrivedBit | index << 1 | (resource.flag & 1);
  bool isLast = resource.counter <= 0;
  resource.counter = isLast ? resourceValue(wave, op) : resource.counter - 1;
  if (isLast)
    resource.flag ^= 1;
  storeResource(wave, op, index, resource);
  if (isLast)
    return;
  wave.blockKey = key;
  wave.block(op, isSyncBlocked);
}

namespace {
/// Names, handler, and the numbers of operands.
struct GlobalShareRow {
  const char *names;
  Handler run;
  uint8_t destinations, sources;
};
constexpr GlobalShareRow Rows[] = {
    {"ds_ordered_count", runOrderedCount, 1, 1},
    {"ds_add_gs_reg_rtn", runAddGsRegister, 1, 1},
    {"ds_sub_gs_reg_rtn", runSubGsRegister, 1, 1},
    {"ds_gws_init", runSyncInit, 0, 1},
    {"ds_gws_sema_v", runSemaphoreV, 0, 0},
    {"ds_gws_sema_br", runSemaphoreBr, 0, 1},
    {"ds_gws_sema_p", runSemaphoreP, 0, 0},
    {"ds_gws_sema_release_all", runSemaphoreReleaseAll, 0, 0},
    {"ds_gws_barrier", runSyncBarrier, 0, 1},
};
} // namespace

BindResult gcn::bindGlobalShare(const Inst &inst, const ProgramOptions &, MicroOp &op) {
  for (const GlobalShareRow &row : Rows) {
    if (!isNamed(row.names, inst.mnemonic))
      continue;
    // The decoder says that registers are pairs where only the wide ones are.
    bool hasRegisters = takeShareOperands(inst, op, row.destinations, row.sources);
    if (!hasRegisters || !inst.mods.gds)
      return BindResult::Unsupported;
    bool isNarrow = StringRef(inst.mnemonic).contains("gs_reg") && (inst.mods.offset >> 2 & 15) < 8;
    if (isNarrow)
      op.destination.dwords = 1;
    else if (StringRef(inst.mnemonic).contains("gs_reg") && !hasDwords(op.destination, 2))
      op.destination.dwords = 2;
    op.run = row.run;
    return BindResult::Bound;
  }
  return BindResult::NotMine;
}
