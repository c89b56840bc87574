// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every DS instruction of every chip against its definition, and exchanged for every other one that
// takes the same operands: LDS and global share, aligned and not, conflicting lanes, wrapping
// addresses, patterns, counters, resources.
#include "oracles/machine/gcn/EffectTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Sets of worlds, by what v0 holds.
enum AddressSet : unsigned {
  Small,   ///< Bytes near 0.
  Wrapped, ///< 65535 before them: the offset wraps.
  Split,   ///< ds_*_src2: 17 bits of address, and above them a distance in dwords.
  Free,    ///< Anything: lanes to permute by.
};

constexpr unsigned DstAt = 16, AddressAt = 0, Data0At = 4, Data1At = 8;

std::vector<World> makeWorlds(Chip chip, unsigned waveSize, unsigned set) {
  std::vector<World> worlds;
  for (unsigned index = 0; index < 7; ++index) {
    World world = randomWorld(chip, waveSize, 100 * set + index, index != 0);
    std::mt19937 random(index);
    world.s[sreg::M0] = 0x00300400;
    world.mode = index % 2 ? 0xf0 : index % 3 ? 0x00 : 0x50;
    for (unsigned lane = 0; lane < 64; ++lane) {
      uint32_t at = index == 3 ? lane % 5 * 8 : index == 1 || index == 4 ? 13 * lane : 16 * lane;
      uint32_t &to = world.v[AddressAt][lane];
      if (set == Wrapped)
        to = at - 65535;
      else if (set == Split)
        to = (lane % 9 - 4) * 0x20000 + at + 64;
      else if (set == Small)
        to = at;
    }
    world.share.base = 0;
    world.share.bytes.assign(world.memory.bytes.begin(), world.memory.bytes.end());
    world.streams.bytes.assign(world.memory.bytes.begin(), world.memory.bytes.begin() + 96);
    world.resources.bytes.resize(64 * 8);
    for (unsigned i = 0; i < 64; ++i) {
      world.resources.put(8 * i, 4, random() % 6 - 2);
      world.resources.put(8 * i + 4, 4, random() % 2);
    }
    world.waveCount = 4;
    world.waveNumber = index == 2 ? 1 : 0;
    if (index == 3 || index == 4)
      world.s[sreg::ExecLo] = index == 3 ? 0x96a5f00f : 0x80000000;
    if (index == 5)
      world.s[sreg::ExecLo] = world.s[sreg::ExecLo + 1] = 0;
    if (index == 6) // What is compared is what lies there.
      for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned i = 0; i < 2; ++i) {
          uint32_t word = world.v[Data0At + i][lane];
          world.v[Data1At + i][lane] = lane % 3 == 2 ? word ^ 0x80000000 : word;
          for (unsigned at : {16 * lane, 16 * lane + 8})
            world.lds.put(at + 4 * i, 4, word);
        }
    worlds.push_back(std::move(world));
  }
  return worlds;
}

/// The registers of \p effect, as text; \p dst may be those of the address.
std::string operandText(const Effect &effect, unsigned dst) {
  std::vector<std::string> parts;
  auto add = [&](unsigned first, unsigned count) {
    if (count)
      parts.push_back(registers('v', first, count));
  };
  add(dst, effect.dst);
  add(AddressAt, effect.hasAddress);
  add(Data0At, effect.data0);
  add(Data1At, effect.data1);
  return join(parts, ", ");
}

/// What is after the registers, and where it belongs.
struct OffsetText {
  std::string text;
  Request request;
  unsigned set = Small;
};

OffsetText oneOffset(int64_t offset, unsigned set) {
  OffsetText result{offset ? " offset:" + std::to_string(offset) : "", {}, set};
  result.request.offset = offset;
  return result;
}

OffsetText twoOffsets(unsigned first, unsigned second) {
  OffsetText result{
      " offset0:" + std::to_string(first) + " offset1:" + std::to_string(second), {}, Small};
  result.request.offset0 = first;
  result.request.offset1 = second;
  return result;
}

std::vector<OffsetText> offsetsOf(StringRef name, const Effect &effect) {
  std::vector<OffsetText> all;
  if (effect.offset == definitions::OffsetForm::None)
    return {{}};
  if (effect.offset == definitions::OffsetForm::Two)
    return {twoOffsets(1, 3), twoOffsets(2, 0), twoOffsets(0, 0)};
  if (effect.offset == definitions::OffsetForm::Pattern) {
    // Masks, quads, rotations both ways, transforms.
    for (unsigned pattern : {0x0000, 0x001f, 0x7c1f, 0x0c5e, 0x03f0, 0x801b, 0x80e4, 0x8055, 0xc020,
                             0xc0e0, 0xc463, 0xc7e0, 0xe000, 0xe010, 0xe01f, 0xe006})
      all.push_back(oneOffset(pattern, Free));
    return all;
  }
  if (name.contains("permute"))
    return {oneOffset(0, Free), oneOffset(4, Free), oneOffset(0xffff, Free)};
  if (name.contains("ordered_count")) {
    for (unsigned offset : {0x0004, 0x0304, 0x1108, 0x3000, 0x30fc, 0x2004})
      all.push_back(oneOffset(offset, Small));
    return all;
  }
  if (name.contains("_src2_"))
    return {oneOffset(2, Small), oneOffset(0x7fff, Small), oneOffset(0x8000, Split)};
  all = {oneOffset(0, Small), oneOffset(8, Small), oneOffset(29, Small)};
  if (effect.hasAddress)
    all.push_back(oneOffset(65535, Wrapped));
  return all;
}

std::vector<EffectForm> makeForms(StringRef name, const Effect &effect, Chip chip) {
  std::vector<EffectForm> forms;
  bool hasGds = effect.allowsGds && !contains(chips::Gfx12, chip);
  auto add = [&](const OffsetText &offset, unsigned dst, bool gds) {
    EffectForm form{operandText(effect, dst) + offset.text + (gds ? " gds" : ""), offset.request,
                    offset.set};
    form.request.dst = dst;
    form.request.address = AddressAt;
    form.request.data0 = Data0At;
    form.request.data1 = Data1At;
    form.request.gds = gds;
    forms.push_back(std::move(form));
  };
  for (const OffsetText &offset : offsetsOf(name, effect)) {
    if (!effect.needsGds)
      add(offset, DstAt, false);
    if (hasGds)
      add(offset, DstAt, true);
    if (effect.hasAddress && effect.dst && !effect.needsGds)
      add(offset, AddressAt, false);
  }
  return forms;
}

EffectFamily shareFamily() {
  EffectFamily family;
  family.formats = {Format::Ds};
  family.find = definitions::shareEffect;
  family.takes = [](StringRef name, Chip) { return !name.starts_with("ds_bvh_stack"); };
  family.forms = makeForms;
  family.worlds = makeWorlds;
  return family;
}

} // namespace

TEST(ShareEffects, EveryRowDoesWhatItsDefinitionSaysAndNoOther) {
  checkEffects(shareFamily());
}
