// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FLAT, GLOBAL and SCRATCH, from "Flat Memory Instructions" of AMD's Vega and RDNA 1 to 4 ISA
// manuals. The apertures of LDS and scratch are the machine's choice: upper halves of addresses.
#include "oracles/machine/gcn/definitions/Access.h"
#include "oracles/machine/gcn/definitions/Effect.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

namespace {

/// Of the instruction's name.
enum class Segment : uint8_t { Flat, Global, Scratch };

/// Bits 63:32 of addresses, after the cut to 48 bits.
constexpr uint64_t LdsAperture = 0x10000, ScratchAperture = 0x20000;
constexpr uint64_t Bits48 = 0xffffffffffff;
constexpr unsigned BlockDwords = 32;

/// Which memory an access goes to, and where it begins there.
struct Target {
  Segment kind = Segment::Global; ///< Flat: LDS.
  uint64_t at = 0;
};

} // namespace

/// A lane's scratch: its dwords stand a wave's lanes apart.
static uint8_t *scratchByte(World &world, uint64_t offset, unsigned bytes, unsigned index,
                            unsigned lane) {
  if (offset + bytes > world.scratchBytes) {
    world.faults = true;
    return nullptr;
  }
  uint64_t byte = offset + index;
  return world.scratch.at(world.scratch.base + (byte / 4 * world.lanes + lane) * 4 + byte % 4);
}

/// Byte \p index of an access of \p bytes. The run ends when any byte of it has no memory.
static uint8_t *targetByte(World &world, const Target &target, unsigned bytes, unsigned index,
                           unsigned lane) {
  if (target.kind == Segment::Scratch)
    return scratchByte(world, target.at, bytes, index, lane);
  Region &region = target.kind == Segment::Flat ? world.lds : world.memory;
  uint8_t *byte = region.at(target.at + index);
  world.faults |= !region.at(target.at + bytes - 1) || !byte;
  return byte;
}

/// GLOBAL: a pair of VGPRs, or a pair of SGPRs and an unsigned VGPR. SCRATCH: 32 bits of VGPR,
/// SGPR and offset, any of which may be missing. FLAT: a pair of VGPRs.
static Target findTarget(const Request &request, const World &world, Segment segment,
                         unsigned lane) {
  if (segment == Segment::Scratch) {
    int64_t sum = request.offset;
    sum += request.hasAddress ? world.v[request.address][lane] : 0;
    sum += request.soffset >= 0 ? world.s[request.soffset] : 0;
    return {Segment::Scratch, static_cast<uint64_t>(sum) % 0x100000000};
  }
  uint64_t base = request.soffset < 0
                      ? world.vectorPair(request.address, lane)
                      : world.pair(request.soffset) + world.v[request.address][lane];
  uint64_t at = (base + static_cast<uint64_t>(request.offset)) & Bits48;
  if (segment == Segment::Flat && at >> 32 == LdsAperture)
    return {Segment::Flat, at & 0xffffffff};
  if (segment == Segment::Flat && at >> 32 == ScratchAperture)
    return {Segment::Scratch, at & 0xffffffff};
  return {Segment::Global, at};
}

/// GFX9 and GFX10: a dword a lane goes to LDS, after M0[17:2] and the instruction's offset; what
/// is narrower is extended first.
static void loadIntoLds(const Request &request, World &world, Segment segment, const Width &width) {
  world.forLanes([&](unsigned lane) {
    if (world.faults)
      return;
    Target target = findTarget(request, world, segment, lane);
    uint32_t kept = world.v[0][lane];
    loadLane(world, width, 0, lane,
             [&](unsigned index) { return targetByte(world, target, width.bytes, index, lane); });
    uint32_t value = world.v[0][lane];
    world.v[0][lane] = kept;
    uint64_t at = (world.s[sreg::M0] & 0x3fffc) + static_cast<uint64_t>(request.offset) + 4 * lane;
    for (unsigned i = 0; i < 4; ++i) {
      uint8_t *to = world.lds.at(at + i);
      world.faults |= !to;
      if (to)
        *to = static_cast<uint8_t>(value >> (8 * i));
    }
  });
}

/// A load or store of all active lanes. Lanes after the first fault do nothing.
static void move(const Request &request, World &world, Segment segment, const Width &width,
                 bool isStore) {
  if (request.lds)
    return loadIntoLds(request, world, segment, width);
  world.forLanes([&](unsigned lane) {
    if (world.faults)
      return;
    Target target = findTarget(request, world, segment, lane);
    auto place = [&](unsigned index) {
      return targetByte(world, target, width.bytes, index, lane);
    };
    if (isStore)
      storeLane(world, width, request.data0, lane, place);
    else
      loadLane(world, width, request.dst, lane, place);
  });
}

/// What LDS and memory do with denormals differs, so the target decides.
static void atomic(const Request &request, World &world, Segment segment,
                   const AtomicMeaning &meaning) {
  world.forLanes([&](unsigned lane) {
    Target target = findTarget(request, world, segment, lane);
    if (world.faults)
      return;
    AtomicRegisters registers{request.data0, request.data0 + meaning.bits / 32, {}};
    if (request.returns)
      registers.result = request.dst;
    bool isLds = target.kind == Segment::Flat;
    atomicLane(world, meaning, registers, isLds, lane, [&](unsigned index) {
      return targetByte(world, target, meaning.bits / 8, index, lane);
    });
  });
}

/// A scalar base, and a dword for each lane.
static void moveByLane(const Request &request, World &world, bool isStore) {
  world.forLanes([&](unsigned lane) {
    uint64_t base = request.soffset < 0 ? 0 : world.pair(request.soffset);
    uint64_t at = (base + static_cast<uint64_t>(request.offset) + 4 * lane) & Bits48;
    auto place = [&](unsigned index) {
      return targetByte(world, {Segment::Global, at}, 4, index, lane);
    };
    if (isStore)
      storeLane(world, Width(), request.data0, lane, place);
    else
      loadLane(world, Width(), request.dst, lane, place);
  });
}

/// Of 32 dwords, those whose bits M0 has.
static void moveBlock(const Request &request, World &world, Segment segment, bool isStore) {
  World before = world; // Addresses may be overwritten.
  world.forLanes([&](unsigned lane) {
    Target target = findTarget(request, before, segment, lane);
    for (unsigned i = 0; i < BlockDwords; ++i) {
      if (!(world.s[sreg::M0] >> i & 1) || world.faults)
        continue;
      Target dword = target;
      dword.at += 4 * i;
      auto place = [&](unsigned index) { return targetByte(world, dword, 4, index, lane); };
      if (isStore)
        storeLane(world, Width(), request.data0 + i, lane, place);
      else
        loadLane(world, Width(), request.dst + i, lane, place);
    }
  });
}

/// Blocks, and what goes by the lane's number.
static std::optional<Effect> findSpecial(StringRef name, Segment segment) {
  Effect effect;
  effect.isStore = name.starts_with("store");
  unsigned &data = effect.isStore ? effect.data0 : effect.dst;
  bool isStore = effect.isStore;
  if (name == "inv" || name == "wb" || name == "wbinv") {
    effect.isInert = true;
    effect.run = [](const Request &, World &) {};
    return effect;
  }
  if (name == "load_block" || name == "store_block") {
    effect.hasAddress = true;
    data = BlockDwords;
    effect.run = [=](const Request &request, World &world) {
      moveBlock(request, world, segment, isStore);
    };
    return effect;
  }
  if (!name.contains("addtid"))
    return std::nullopt;
  data = 1;
  effect.run = [=](const Request &request, World &world) { moveByLane(request, world, isStore); };
  return effect;
}

/// \p name begins with "flat_", "global_" or "scratch_".
std::optional<Effect> gcn::definitions::flatEffect(StringRef name) {
  Segment segment = name.starts_with("flat_")     ? Segment::Flat
                    : name.starts_with("global_") ? Segment::Global
                                                  : Segment::Scratch;
  name = name.split('_').second;
  if (std::optional<Effect> special = findSpecial(name, segment))
    return special;
  Effect effect;
  effect.hasAddress = true;
  if (name.consume_front("atomic_")) {
    std::optional<AtomicMeaning> meaning = findAtomicMeaning(name);
    if (!meaning)
      return std::nullopt;
    return makeAtomicEffect(effect, *meaning, [=](const Request &request, World &world) {
      atomic(request, world, segment, *meaning);
    });
  }
  effect.isStore = name.consume_front("store_");
  if (!effect.isStore && !name.consume_front("load_"))
    return std::nullopt;
  std::optional<Width> width = findWidth(name);
  if (!width)
    return std::nullopt;
  (effect.isStore ? effect.data0 : effect.dst) = width->dwords();
  effect.run = [=, isStore = effect.isStore](const Request &request, World &world) {
    move(request, world, segment, *width, isStore);
  };
  return effect;
}
