// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SMEM, from "Scalar Memory Operations" of AMD's Vega, RDNA 1 to 4 ISA manuals: addresses are a
// base and offsets in bytes, whose two lowest bits count only for what is narrower than a dword.
// Buffers are clamped dword by dword to NUM_RECORDS (times STRIDE where there is one).
#include "oracles/machine/gcn/definitions/Access.h"
#include "oracles/machine/gcn/definitions/Effect.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

namespace {

/// Scratch differs only in the unit of the offset register: 64 bytes.
enum class Addressing : uint8_t { Plain, Scratch, Buffer };

/// Where an access begins, and of a buffer how much of it there is.
struct Range {
  uint64_t base = 0;
  uint64_t offset = 0;
  bool isBuffer = false;
  uint64_t limit = 0; ///< Offsets in a buffer are out of range from there on.
};

} // namespace

/// \p unit: bytes that 1 in the offset register represents.
static uint64_t offsetBytes(const Request &request, const World &world, unsigned unit) {
  uint64_t sum = static_cast<uint64_t>(request.offset);
  return request.soffset < 0 ? sum : sum + uint64_t(world.s[request.soffset]) * unit;
}

/// Buffers have 48 bits of base, a stride and a number of records; swizzles do not matter here.
static Range findRange(const Request &request, const World &world, Addressing addressing) {
  Range range;
  range.isBuffer = addressing == Addressing::Buffer;
  range.offset = offsetBytes(request, world, addressing == Addressing::Scratch ? 64 : 1);
  range.base = world.pair(request.sbase) & 0xffffffffffff;
  if (!range.isBuffer)
    return range;
  uint32_t stride = world.s[request.sbase + 1] >> 16 & 0x3fff;
  range.limit = uint64_t(world.s[request.sbase + 2]) * (stride ? stride : 1);
  return range;
}

/// Byte \p index of an access in units of \p unit bytes, each of which is in range or not. Sets
/// World::faults where there is no memory.
static uint8_t *findByte(World &world, const Range &range, unsigned unit, unsigned index) {
  uint64_t lowBits = unit >= 4 ? unit - 1 : 0;
  uint64_t begin = range.isBuffer ? range.offset : range.base + range.offset;
  begin &= ~lowBits;
  if (range.isBuffer && begin + index / unit * unit + unit > range.limit)
    return nullptr;
  uint64_t at = range.isBuffer ? range.base + begin : begin & 0xffffffffffff;
  uint8_t *byte = world.memory.at(at + index);
  world.faults |= !byte;
  return byte;
}

/// Bytes out of range load as zeros. After a fault no register is written.
static void load(const Request &request, World &world, Addressing addressing, const Width &width) {
  Range range = findRange(request, world, addressing);
  std::array<uint8_t, 64> bytes{};
  for (unsigned i = 0; i < width.bytes; ++i)
    if (const uint8_t *from = findByte(world, range, std::min(width.bytes, 4u), i))
      bytes[i] = *from;
  bool isNegative = width.isSigned && bytes[width.bytes - 1] & 0x80;
  for (unsigned i = width.bytes; i < 4; ++i)
    bytes[i] = isNegative ? 0xff : 0;
  for (unsigned i = 0; i < width.dwords() && !world.faults; ++i) {
    uint32_t value = 0;
    for (unsigned k = 0; k < 4; ++k)
      value += uint32_t(bytes[4 * i + k]) << (8 * k);
    world.s[request.sdata + i] = value;
  }
}

/// Bytes out of range are dropped.
static void store(const Request &request, World &world, Addressing addressing, const Width &width) {
  Range range = findRange(request, world, addressing);
  for (unsigned i = 0; i < width.bytes; ++i)
    if (uint8_t *to = findByte(world, range, 4, i))
      *to = static_cast<uint8_t>(world.s[request.sdata + i / 4] >> (i % 4 * 8));
}

/// Out of range the old value is 0 and nothing is stored.
static void atomic(const Request &request, World &world, Addressing addressing,
                   const AtomicMeaning &meaning) {
  Range range = findRange(request, world, addressing);
  unsigned bytes = meaning.bits / 8;
  auto bitsOf = [&](unsigned index) {
    return bytes == 8 ? world.pair(index) : uint64_t(world.s[index]);
  };
  AtomicCell cell{meaning.bits, 0, bitsOf(request.sdata), 0};
  if (meaning.takesSecond)
    cell.second = bitsOf(request.sdata + bytes / 4);
  bool isThere = findByte(world, range, bytes, 0) && findByte(world, range, bytes, bytes - 1);
  if (world.faults)
    return;
  for (unsigned i = 0; isThere && i < bytes; ++i)
    cell.old |= uint64_t(*findByte(world, range, bytes, i)) << (8 * i);
  uint64_t value = meaning.compute(cell);
  for (unsigned i = 0; isThere && i < bytes; ++i)
    *findByte(world, range, bytes, i) = static_cast<uint8_t>(value >> (8 * i));
  for (unsigned i = 0; request.returns && i < bytes / 4; ++i)
    world.s[request.sdata + i] = static_cast<uint32_t>(cell.old >> (32 * i));
}

/// What moves no data that code could see.
static bool isInert(StringRef name) {
  return name.starts_with("dcache_") || name.starts_with("prefetch_") ||
         name.starts_with("atc_probe") || name == "gl1_inv" || name == "buffer_prefetch_data";
}

/// Names of their own.
static std::optional<Effect> findSpecial(StringRef name) {
  Effect effect;
  effect.isInert = isInert(name);
  effect.run = [](const Request &, World &) {};
  if (effect.isInert)
    return effect;
  if (name == "memtime" || name == "memrealtime") { // Some time or other.
    effect.dst = 2;
    effect.run = [](const Request &request, World &world) {
      world.anyScalars = {request.sdata, request.sdata + 1};
    };
    return effect;
  }
  if (name == "get_waveid_in_workgroup") {
    effect.dst = 1;
    effect.run = [](const Request &request, World &world) {
      world.s[request.sdata] = world.waveNumber;
    };
    return effect;
  }
  return std::nullopt;
}

/// \p name is the whole mnemonic.
std::optional<Effect> gcn::definitions::scalarMemoryEffect(StringRef name) {
  if (!name.consume_front("s_"))
    return std::nullopt;
  if (std::optional<Effect> special = findSpecial(name))
    return special;
  Addressing addressing = name.consume_front("buffer_")    ? Addressing::Buffer
                          : name.consume_front("scratch_") ? Addressing::Scratch
                                                           : Addressing::Plain;
  Effect effect;
  effect.hasAddress = true;
  effect.isBuffer = addressing == Addressing::Buffer;
  if (name.consume_front("atomic_")) {
    std::optional<AtomicMeaning> meaning = findAtomicMeaning(name);
    if (!meaning)
      return std::nullopt;
    return makeAtomicEffect(effect, *meaning, [=](const Request &request, World &world) {
      atomic(request, world, addressing, *meaning);
    });
  }
  effect.isStore = name.starts_with("store_");
  std::optional<Width> width = findWidth(name.split('_').second);
  if (!width || (!effect.isStore && !name.starts_with("load_")))
    return std::nullopt;
  (effect.isStore ? effect.data0 : effect.dst) = width->dwords();
  effect.run = [=, isStore = effect.isStore](const Request &request, World &world) {
    isStore ? store(request, world, addressing, *width) : load(request, world, addressing, *width);
  };
  return effect;
}
