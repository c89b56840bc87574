// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every SMEM instruction of every chip against its definition, and exchanged for every other one
// that takes the same operands: immediates, registers, both; what is unaligned, what is beyond a
// buffer's records, what is nowhere.
#include "oracles/machine/gcn/EffectTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

constexpr unsigned DataAt = 16, BaseAt = 0, BufferAt = 4, OffsetAt = 8;

/// A pointer in s[0:1], a V# in s[4:7], an offset in s8.
struct Place {
  int64_t base;    ///< From the start of memory.
  uint32_t offset; ///< s8.
  uint32_t stride, records;
};
constexpr Place Places[] = {
    {1024, 6, 0, 1024}, {1026, 24, 0, 0x28}, {1024, 40, 16, 4},         {1024, 4, 4, 9},
    {2048, 12, 0, 0},   {512, 8, 8, 512},    {1024, 0xffffff00, 0, 64}, {4080, 0, 0, 4},
};

std::vector<World> makeWorlds(Chip chip, unsigned waveSize, unsigned) {
  std::vector<World> worlds;
  unsigned seed = 0;
  for (const Place &place : Places) {
    ++seed;
    World world = randomWorld(chip, waveSize, seed, seed % 2 == 0);
    uint64_t base = world.memory.base + static_cast<uint64_t>(place.base);
    world.s[BaseAt] = world.s[BufferAt] = static_cast<uint32_t>(base);
    // Bits above the 48 of an address do not count.
    world.s[BaseAt + 1] = static_cast<uint32_t>(base >> 32) | 0x40000000;
    world.s[BufferAt + 1] = static_cast<uint32_t>(base >> 32) | place.stride << 16;
    world.s[BufferAt] &= ~3u;
    world.s[BufferAt + 2] = place.records;
    world.s[BufferAt + 3] = 0x24fac;
    world.s[OffsetAt] = place.offset;
    world.waveNumber = 3;
    if (seed % 3 == 0) // What is compared is what lies there, in each of the places that are used.
      for (unsigned at = 0; at + 16 <= world.memory.bytes.size(); at += 8) {
        world.memory.put(at, 4, world.s[DataAt + 1]);
        world.memory.put(at + 4, 4, world.s[DataAt + 1]);
        world.s[DataAt + 2] = world.s[DataAt + 3] = world.s[DataAt + 1];
      }
    worlds.push_back(std::move(world));
  }
  return worlds;
}

/// Operands of what is inert or has no address.
std::vector<EffectForm> makeSpecialForms(StringRef name, const Effect &effect) {
  Request request;
  request.sdata = DataAt;
  if (effect.dst)
    return {{registers('s', DataAt, effect.dst), request}};
  std::string base = name.contains("buffer") ? "s[4:7], " : "s[0:1], ";
  if (name.contains("pc_rel"))
    base = "";
  if (name.contains("prefetch"))
    return {{base + "0x10, s8, 3", request}};
  if (name.contains("probe"))
    return {{"3, " + base + "0x10", request}};
  return {{name.contains("discard") ? base + "0x10" : "", request}};
}

std::vector<EffectForm> makeForms(StringRef name, const Effect &effect, Chip chip) {
  if (effect.isInert || !effect.hasAddress)
    return makeSpecialForms(name, effect);
  std::vector<EffectForm> forms;
  unsigned count = std::max(effect.dst, effect.data0);
  unsigned base = effect.isBuffer ? BufferAt : BaseAt;
  auto add = [&](const std::string &offset, int soffset, int64_t immediate, unsigned data) {
    for (bool returns : {false, true}) {
      if (returns && !effect.isAtomic)
        continue;
      EffectForm form;
      form.operands = registers('s', data, count) + ", " +
                      registers('s', base, effect.isBuffer ? 4 : 2) + ", " + offset +
                      (returns ? " glc" : "");
      form.request.sdata = data;
      form.request.sbase = base;
      form.request.soffset = soffset;
      form.request.offset = immediate;
      form.request.returns = returns;
      forms.push_back(std::move(form));
    }
  };
  bool isByte = name.ends_with("8");
  add("0x20", -1, 0x20, DataAt);
  add("0x22", -1, 0x22, DataAt);
  add("0x18", -1, 0x18, DataAt);
  if (isByte)
    add("0x27", -1, 0x27, DataAt);
  if (!effect.isBuffer && !effect.isAtomic)
    add("-0x40", -1, -0x40, DataAt);
  if (effect.dst == 2 && !effect.isBuffer && !effect.isAtomic)
    add("0x20", -1, 0x20, BaseAt);
  bool alwaysBoth = contains(chips::Gfx12, chip);
  add(alwaysBoth ? "s8 offset:0x0" : "s8", OffsetAt, 0, DataAt);
  add("s8 offset:0x14", OffsetAt, 0x14, DataAt);
  return forms;
}

EffectFamily scalarFamily() {
  EffectFamily family;
  family.formats = {Format::Smem};
  family.find = definitions::scalarMemoryEffect;
  family.forms = makeForms;
  family.worlds = makeWorlds;
  family.sameness = [](StringRef a, StringRef b) -> const char * {
    bool areTimes = a.contains("time") && b.contains("time");
    return areTimes ? "both are some time or other" : sameAsStore(a, b, false);
  };
  return family;
}

} // namespace

TEST(ScalarMemoryEffects, EveryRowDoesWhatItsDefinitionSaysAndNoOther) {
  checkEffects(scalarFamily());
}
