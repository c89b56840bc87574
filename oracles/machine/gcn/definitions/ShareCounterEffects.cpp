// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DS instructions that count, order or synchronize. Sources: AMD's Vega ISA manual (DS_APPEND,
// DS_CONSUME, DS_ORDERED_COUNT, DS_GWS_*), RDNA 3's (DS_ADD_GS_REG_RTN); docs/errata-amdgpu.md,
// "ds_append and M0".
#include "oracles/machine/gcn/definitions/ShareMeaning.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

/// Byte address of the counter: the offset. With gds, shareByte() adds M0[31:16].
static void countLanes(const Request &request, World &world, int sign) {
  auto at = static_cast<uint32_t>(request.offset);
  uint32_t old = 0;
  uint32_t active = 0;
  world.forLanes([&](unsigned) { ++active; });
  for (unsigned i = 0; i < 4; ++i)
    if (const uint8_t *from = shareByte(request, world, at, 4, i))
      old |= uint32_t(*from) << (8 * i);
  uint32_t value = sign > 0 ? old + active : old - active;
  for (unsigned i = 0; i < 4; ++i)
    if (uint8_t *to = shareByte(request, world, at, 4, i))
      *to = static_cast<uint8_t>(value >> (8 * i));
  world.forLanes([&](unsigned lane) { world.v[request.dst][lane] = old; });
}

/// The data of the first active lane.
static uint32_t firstData(const Request &request, const World &world) {
  return world.v[request.data0][world.firstLane()];
}

/// OFFSET0: which dword after M0[31:18] * 16; OFFSET1: bit 0 wave release, bit 1 wave done, bits
/// 5:4 the operation (0 add, 1 exchange, 3 wrap).
static void countInOrder(const Request &request, World &world) {
  if (world.served < world.waveNumber)
    return world.waitAndRepeat();
  uint32_t at = world.s[sreg::M0] / 0x40000 * 16 + (uint32_t(request.offset) & 0xfc);
  bool isLaneless = world.exec() == 0;
  uint32_t data = isLaneless ? 0 : world.v[request.data0][world.firstLane()];
  auto old = static_cast<uint32_t>(world.share.get(at, 4));
  uint32_t value = old + data;
  switch (request.offset >> 12 & 3) {
  case 0:
    break;
  case 1:
    value = data;
    break;
  case 3:
    value = old >= data ? old - data : old;
    break;
  default:
    world.faults = true;
    return;
  }
  world.share.put(at, 4, value);
  world.forLanes([&](unsigned lane) { world.v[request.dst][lane] = old; });
  world.served += request.offset >> 8 & 1;
}

/// Offset[5:2] names one of eight registers of 32 bits or, from 8 on, of 64. Only one lane counts.
static void changeStreamRegister(const Request &request, World &world, int sign) {
  if (!world.exec())
    return;
  unsigned number = request.offset / 4 % 16;
  unsigned bytes = number < 8 ? 4 : 8;
  unsigned at = number < 8 ? 4 * number : 32 + 8 * (number - 8);
  unsigned lane = world.firstLane();
  uint64_t old = world.streams.get(at, bytes);
  uint64_t data = world.v[request.data0][lane];
  world.streams.put(at, bytes, sign > 0 ? old + data : old - data);
  for (unsigned i = 0; i < bytes / 4; ++i)
    world.v[request.dst + i][lane] = static_cast<uint32_t>(old >> (32 * i));
}

namespace {
/// One of 64 resources: M0[21:16] plus the offset.
struct Resource {
  World &world;
  unsigned at;

  Resource(const Request &request, World &world)
      : world(world), at((world.s[sreg::M0] / 0x10000 + unsigned(request.offset)) % 64 * 8) {}
  int32_t counter() const { return static_cast<int32_t>(world.resources.get(at, 4)); }
  void setCounter(int64_t value) { world.resources.put(at, 4, uint64_t(value)); }
  uint32_t flag() const { return static_cast<uint32_t>(world.resources.get(at + 4, 4)); }
  void setFlag(uint32_t value) { world.resources.put(at + 4, 4, value); }
};
} // namespace

/// Sets the counter to the data, and clears the flag.
static void initialize(const Request &request, World &world) {
  Resource resource(request, world);
  resource.setCounter(firstData(request, world));
  resource.setFlag(0);
}

/// Adds 1, which lets one wave that waits continue.
static void raise(const Request &request, World &world) {
  Resource resource(request, world);
  resource.setCounter(int64_t(resource.counter()) + 1);
}

/// Adds the data of the first active lane.
static void raiseBy(const Request &request, World &world) {
  Resource resource(request, world);
  resource.setCounter(int64_t(resource.counter()) + firstData(request, world));
}

/// Waits until the counter is above 0. The instruction is repeated, not resumed.
static void lower(const Request &request, World &world) {
  Resource resource(request, world);
  if (resource.counter() <= 0)
    return world.waitAndRepeat();
  resource.setCounter(int64_t(resource.counter()) - 1);
}

/// All that wait may go on: as many as there can be.
static void releaseAll(const Request &request, World &world) {
  Resource resource(request, world);
  resource.setCounter(world.waveCount);
  resource.setFlag(0);
}

/// The last to come turns the flag and sets the counter for the next round; others count down.
static void meet(const Request &request, World &world) {
  Resource resource(request, world);
  if (resource.counter() > 0) {
    resource.setCounter(int64_t(resource.counter()) - 1);
    return world.waitAndRepeat();
  }
  resource.setCounter(firstData(request, world));
  resource.setFlag(resource.flag() ^ 1);
}

namespace {
/// \c dst and \c data0 are in dwords.
struct CounterRow {
  StringLiteral name;
  void (*run)(const Request &, World &);
  unsigned dst, data0;
  bool needsGds, allowsGds;
};
constexpr CounterRow Rows[] = {
    {"append", [](const Request &r, World &w) { countLanes(r, w, 1); }, 1, 0, false, true},
    {"consume", [](const Request &r, World &w) { countLanes(r, w, -1); }, 1, 0, false, true},
    {"ordered_count", countInOrder, 1, 1, true, true},
    {"add_gs_reg_rtn", [](const Request &r, World &w) { changeStreamRegister(r, w, 1); }, 2, 1,
     true, true},
    {"sub_gs_reg_rtn", [](const Request &r, World &w) { changeStreamRegister(r, w, -1); }, 2, 1,
     true, true},
    {"gws_init", initialize, 0, 1, true, true},
    {"gws_sema_v", raise, 0, 0, true, true},
    {"gws_sema_br", raiseBy, 0, 1, true, true},
    {"gws_sema_p", lower, 0, 0, true, true},
    {"gws_sema_release_all", releaseAll, 0, 0, true, true},
    {"gws_barrier", meet, 0, 1, true, true},
};
} // namespace

std::optional<Effect> gcn::definitions::shareCounterEffect(StringRef name) {
  Effect effect;
  if (name == "nop") {
    effect.isInert = true;
    effect.run = [](const Request &, World &) {};
    return effect;
  }
  for (const CounterRow &row : Rows) {
    if (row.name != name)
      continue;
    effect.dst = row.dst;
    effect.data0 = row.data0;
    effect.needsGds = row.needsGds;
    effect.allowsGds = row.allowsGds;
    effect.offset = OffsetForm::One;
    effect.run = row.run;
    return effect;
  }
  return std::nullopt;
}
