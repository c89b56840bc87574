// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DS: loads, stores and atomics in LDS and in the global data share (GDS), from the DS opcodes of
// AMD's ISA manuals (Vega to RDNA 4) and GCN 3's for ds_*_src2. What counts, orders or synchronizes
// is in ShareCounterEffects.cpp. LDS is not clamped: beyond it the run ends.
#include "oracles/machine/gcn/definitions/Access.h"
#include "oracles/machine/gcn/definitions/ShareMeaning.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

/// Byte \p index of an access of \p bytes at \p address, in LDS or GDS. Null out of range; only in
/// LDS is that a fault.
uint8_t *gcn::definitions::shareByte(const Request &request, World &world, uint32_t address,
                                     unsigned bytes, unsigned index) {
  if (!request.gds) {
    uint8_t *byte = uint64_t(address) + bytes <= world.lds.bytes.size()
                        ? world.lds.at(uint64_t(address) + index)
                        : nullptr;
    world.faults |= !byte;
    return byte;
  }
  // M0: where the wave's part of the share begins, and its size; zeros after it.
  uint32_t base = world.s[sreg::M0] / 0x10000, size = world.s[sreg::M0] % 0x10000;
  if (uint64_t(address) + bytes > size)
    return nullptr;
  return world.share.at(uint64_t(base) + address + index);
}

/// From GFX11 on, GDS operations work on the first active lane only.
void gcn::definitions::forShareLanes(const Request &request, const World &world,
                                     function_ref<void(unsigned lane)> visit) {
  bool isFirst = true;
  world.forLanes([&](unsigned lane) {
    if (isFirst || !request.gds || world.gfx < 11)
      visit(lane);
    isFirst = false;
  });
}

namespace {

/// The offsets of one or two elements.
struct Elements {
  unsigned count = 1;
  unsigned stride = 1; ///< Elements that an offset counts.
};

} // namespace

/// Byte address of element 0 or 1. Offsets of two elements count elements, or 64 of them.
static uint32_t elementAddress(const Request &request, const World &world, const Elements &elements,
                               unsigned bytes, unsigned lane, unsigned element) {
  uint32_t address = world.v[request.address][lane];
  if (elements.count == 1)
    return address + static_cast<uint32_t>(request.offset);
  return address + (element ? request.offset1 : request.offset0) * elements.stride * bytes;
}

/// One or two loads for each lane, in order. Both addresses are computed first: the first result
/// may overwrite the address.
static void load(const Request &request, World &world, const Elements &elements,
                 const Width &width) {
  forShareLanes(request, world, [&](unsigned lane) {
    std::array<uint32_t, 2> at{};
    for (unsigned i = 0; i < elements.count; ++i)
      at[i] = elementAddress(request, world, elements, width.bytes, lane, i);
    for (unsigned i = 0; i < elements.count; ++i)
      loadLane(world, width, request.dst + i * width.dwords(), lane, [&](unsigned index) {
        return shareByte(request, world, at[i], width.bytes, index);
      });
  });
}

/// One or two stores for each lane, in order.
static void store(const Request &request, World &world, const Elements &elements,
                  const Width &width) {
  forShareLanes(request, world, [&](unsigned lane) {
    for (unsigned i = 0; i < elements.count; ++i) {
      uint32_t at = elementAddress(request, world, elements, width.bytes, lane, i);
      storeLane(world, width, i ? request.data1 : request.data0, lane,
                [&](unsigned index) { return shareByte(request, world, at, width.bytes, index); });
    }
  });
}

/// Two exchanges: both old values are read before the first is written.
static void exchange(const Request &request, World &world, const Elements &elements,
                     const Width &width) {
  forShareLanes(request, world, [&](unsigned lane) {
    std::array<uint32_t, 2> at{};
    for (unsigned i = 0; i < 2; ++i)
      at[i] = elementAddress(request, world, elements, width.bytes, lane, i);
    World before = world;
    for (unsigned i = 0; i < 2; ++i)
      storeLane(world, width, i ? request.data1 : request.data0, lane, [&](unsigned index) {
        return shareByte(request, world, at[i], width.bytes, index);
      });
    for (unsigned i = 0; i < 2; ++i)
      loadLane(world, width, request.dst + i * width.dwords(), lane, [&](unsigned index) {
        return shareByte(request, before, at[i], width.bytes, index);
      });
  });
}

/// Which of two operands is compared depends on the name (AtomicMeaning::secondFirst).
static void atomic(const Request &request, World &world, const AtomicMeaning &meaning) {
  forShareLanes(request, world, [&](unsigned lane) {
    uint32_t at = world.v[request.address][lane] + static_cast<uint32_t>(request.offset);
    AtomicRegisters registers{request.data0, request.data1, {}};
    if (meaning.secondFirst)
      std::swap(registers.data, registers.second);
    if (request.returns)
      registers.result = request.dst;
    atomicLane(world, meaning, registers, true, lane, [&](unsigned index) {
      return shareByte(request, world, at, meaning.bits / 8, index);
    });
  });
}

/// MEM[A] = op(MEM[A], MEM[B]): B is a signed number of dwords after A, in the 15 low bits of the
/// offset or, with its highest bit, above the 17 bits of the address.
static void fromSecondAddress(const Request &request, World &world, const AtomicMeaning &meaning) {
  forShareLanes(request, world, [&](unsigned lane) {
    int64_t a = world.v[request.address][lane];
    int64_t distance = request.offset % 0x8000;
    if (request.offset & 0x8000) {
      distance = a / 0x20000;
      a %= 0x20000;
    }
    distance = distance >= 0x4000 ? distance - 0x8000 : distance;
    auto b = static_cast<uint32_t>(a + distance * 4);
    if (request.offset & 0x8000)
      b %= 0x20000;
    AtomicCell cell{meaning.bits, 0, 0, 0};
    applyDenormals(cell, meaning.denormals, true, world.gfx, world.mode);
    unsigned bytes = meaning.bits / 8;
    for (unsigned i = 0; i < bytes; ++i) {
      const uint8_t *of = shareByte(request, world, static_cast<uint32_t>(a), bytes, i);
      const uint8_t *from = shareByte(request, world, b, bytes, i);
      cell.old |= of ? uint64_t(*of) << (8 * i) : 0;
      cell.data |= from ? uint64_t(*from) << (8 * i) : 0;
    }
    uint64_t value = meaning.compute(cell);
    for (unsigned i = 0; i < bytes; ++i)
      if (uint8_t *to = shareByte(request, world, static_cast<uint32_t>(a), bytes, i))
        *to = static_cast<uint8_t>(value >> (8 * i));
  });
}

/// "read_addtid_b32" and its kin: the address is M0's low half, the offset and the lane's place.
static void moveByLane(const Request &request, World &world, bool isStore) {
  world.forLanes([&](unsigned lane) {
    uint32_t at = world.s[sreg::M0] % 0x10000 + static_cast<uint32_t>(request.offset) + lane * 4;
    auto place = [&](unsigned index) { return shareByte(request, world, at, 4, index); };
    if (isStore)
      storeLane(world, Width(), request.data0, lane, place);
    else
      loadLane(world, Width(), request.dst, lane, place);
  });
}

/// "2addr_stride64_", "2st64_", "2addr_", "2_".
static Elements takeElements(StringRef &name) {
  if (name.consume_front("2addr_stride64_") || name.consume_front("2st64_"))
    return {2, 64};
  if (name.consume_front("2addr_") || name.consume_front("2_"))
    return {2, 1};
  (void)name.consume_front("_");
  return {};
}

/// \p name after "read", "store" and so on.
static std::optional<Effect> findMove(StringRef name, bool isStore, bool isExchange) {
  Effect effect;
  effect.isStore = isStore;
  effect.allowsGds = true;
  if (name == "_addtid_b32") {
    (isStore ? effect.data0 : effect.dst) = 1;
    effect.allowsGds = false;
    effect.offset = OffsetForm::One;
    effect.run = [=](const Request &request, World &world) { moveByLane(request, world, isStore); };
    return effect;
  }
  std::string rest = name.str();
  if (size_t place = rest.find("rtn_"); isExchange && place != std::string::npos)
    rest.erase(place, 4);
  if (StringRef(rest).starts_with("_2addr"))
    rest.erase(0, 1);
  name = rest;
  Elements elements = takeElements(name);
  std::optional<Width> width = findWidth(name);
  if (!width)
    return std::nullopt;
  effect.hasAddress = true;
  effect.offset = elements.count == 2 ? OffsetForm::Two : OffsetForm::One;
  if (isStore)
    effect.data0 = effect.data1 = width->dwords();
  if (elements.count == 1)
    effect.data1 = 0;
  if (!isStore || isExchange)
    effect.dst = elements.count * width->dwords();
  auto run = isExchange ? exchange : isStore ? store : load;
  effect.run = [=](const Request &request, World &world) { run(request, world, elements, *width); };
  return effect;
}

/// ds_*_src2_*: an atomic with an operand in memory.
static std::optional<Effect> findSecondAddress(StringRef name) {
  auto [operation, type] = name.split("_src2_");
  if (type.empty())
    return std::nullopt;
  std::string plain = (operation == "write" ? "wrxchg" : operation).str() + "_" + type.str();
  std::optional<AtomicMeaning> meaning = findAtomicMeaning(plain);
  if (!meaning)
    return std::nullopt;
  Effect effect;
  effect.hasAddress = effect.allowsGds = true;
  effect.offset = OffsetForm::One;
  effect.run = [meaning = *meaning](const Request &request, World &world) {
    fromSecondAddress(request, world, meaning);
  };
  return effect;
}

/// Atomics, with or without "_rtn" anywhere in the name.
static std::optional<Effect> findAtomic(StringRef name) {
  std::string plain = name.str();
  size_t place = plain.find("_rtn");
  bool returns = place != std::string::npos;
  if (returns)
    plain.erase(place, 4);
  std::optional<AtomicMeaning> meaning = findAtomicMeaning(plain);
  if (!meaning)
    return std::nullopt;
  Effect effect;
  effect.hasAddress = effect.allowsGds = true;
  effect.offset = OffsetForm::One;
  effect.data0 = meaning->bits / 32;
  effect.data1 = meaning->takesSecond ? effect.data0 : 0;
  effect.dst = returns ? effect.data0 : 0;
  effect.run = [returns, meaning = *meaning](Request request, World &world) {
    request.returns = returns;
    atomic(request, world, meaning);
  };
  return effect;
}

/// \p name is the whole mnemonic. Exchanges are looked for first, as their names begin like those
/// of stores.
std::optional<Effect> gcn::definitions::shareEffect(StringRef name) {
  if (!name.consume_front("ds_"))
    return std::nullopt;
  if (std::optional<Effect> effect = shareCounterEffect(name))
    return effect;
  if (std::optional<Effect> effect = laneExchangeEffect(name))
    return effect;
  if (std::optional<Effect> effect = findSecondAddress(name))
    return effect;
  for (StringRef exchange : {"wrxchg2", "storexchg_2addr"})
    if (name.starts_with(exchange))
      return findMove(name.drop_front(exchange.size() - (exchange.ends_with("r") ? 6 : 1)), true,
                      true);
  for (StringRef front : {"read", "load"})
    if (StringRef rest = name; rest.consume_front(front))
      return findMove(rest, false, false);
  for (StringRef front : {"write", "store"})
    if (StringRef rest = name; rest.consume_front(front) && !rest.starts_with("xchg"))
      return findMove(rest, true, false);
  return findAtomic(name);
}
