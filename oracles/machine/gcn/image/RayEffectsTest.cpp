// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rays against nodes, of every chip that has the instructions, against their definition: triangles,
// boxes of floats and halves, children that are not in use, rays along an axis, each field of the
// descriptor. What is not documented must say so.
#include "oracles/machine/gcn/EffectTesting.h"
#include "oracles/machine/gcn/definitions/Texel.h"
#include "llvm/ADT/bit.h"
#include "gmock/gmock.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Sets of worlds, by the addresses of the instruction: pointers of 32 or 64 bits, whole or half
/// directions.
enum RaySet : unsigned { Narrow, NarrowHalves, Wide, WideHalves };

constexpr unsigned DstAt = 16, AddressAt = 32, DescriptorAt = 8;
constexpr unsigned NodeCount = 62;

uint32_t floatBits(double number) {
  return llvm::bit_cast<uint32_t>(static_cast<float>(number));
}
uint32_t halfBits(double number) {
  return definitions::wordToHalf(floatBits(number), 'F');
}

/// Nodes by their numbers: triangles and boxes of halves of 64 bytes, boxes of 128.
unsigned typeOf(unsigned node) {
  static constexpr unsigned Types[] = {0, 0, 4, 0, 5, 8, 4, 0}; // 8: the rest of a box.
  return Types[node % 8];
}

class Builder {
public:
  Builder(World &world, unsigned seed) : m_world(world) { m_random.seed(seed); }

  void nodes() {
    for (unsigned node = 0; node < NodeCount; ++node) {
      if (typeOf(node) == 0)
        triangle(node);
      else if (typeOf(node) != 8)
        boxes(node, typeOf(node) == 4);
    }
  }

  void rays(RaySet set) {
    bool isWide = set == Wide || set == WideHalves;
    bool areHalves = set == NarrowHalves || set == WideHalves;
    for (unsigned lane = 0; lane < 64; ++lane)
      ray(lane, isWide, areHalves);
  }

private:
  double number(double range) { return (double(m_random() % 20001) / 10000 - 1) * range; }
  void put(unsigned node, unsigned dword, uint32_t value) {
    m_world.memory.put(64 * node + 4 * dword, 4, value);
  }

  void triangle(unsigned node) {
    for (unsigned i = 0; i < 9; ++i)
      put(node, i, floatBits(number(6)));
    put(node, 12, m_random());
  }

  void boxes(unsigned node, bool areHalves) {
    for (unsigned child = 0; child < 4; ++child) {
      put(node, child, m_random());
      std::array<double, 6> bounds;
      for (unsigned axis = 0; axis < 3; ++axis) {
        bounds[axis] = number(5);
        bounds[3 + axis] = bounds[axis] + std::abs(number(5));
      }
      if (m_random() % 6 == 0)
        bounds[0] = NAN;
      for (unsigned i = 0; i < 6; i += areHalves ? 2 : 1) {
        unsigned index = 6 * child + i;
        if (areHalves)
          put(node, 4 + index / 2, halfBits(bounds[i]) | halfBits(bounds[i + 1]) << 16);
        else
          put(node, 4 + index, floatBits(bounds[i]));
      }
    }
  }

  void ray(unsigned lane, bool isWide, bool areHalves) {
    unsigned next = AddressAt;
    auto add = [&](uint32_t word) { m_world.v[next++][lane] = word; };
    unsigned node = m_random() % NodeCount;
    while (typeOf(node) == 8)
      node = m_random() % NodeCount;
    unsigned type = lane % 16 == 15 ? 6 + lane / 16 % 2 : typeOf(node);
    add(node << 3 | type);
    if (isWide)
      add(0);
    add(floatBits(m_random() % 4 ? std::abs(number(12)) : INFINITY));
    for (unsigned i = 0; i < 3; ++i)
      add(floatBits(number(4)));
    std::array<double, 6> ways;
    for (unsigned i = 0; i < 3; ++i) {
      ways[i] = m_random() % 8 ? number(1) : 0;
      ways[3 + i] = double(1 / static_cast<float>(ways[i]));
    }
    for (unsigned i = 0; !areHalves && i < 6; ++i)
      add(floatBits(ways[i]));
    for (unsigned i = 0; areHalves && i < 3; ++i) {
      bool isOld = m_world.gfx == 10;
      add(halfBits(ways[isOld ? 2 * i : i]) | halfBits(ways[isOld ? 2 * i + 1 : 3 + i]) << 16);
    }
  }

  World &m_world;
  std::mt19937 m_random;
};

/// What the fields of a T# say, beyond base and size.
struct DescriptorFields {
  bool sorts, givesBarycentrics;
  unsigned heuristic;  ///< From GFX11 on.
  bool trianglesFirst; ///< From GFX12 on.
  bool hasPointerFlags;
  unsigned lastNode, type;
};
constexpr DescriptorFields Descriptors[] = {
    {false, false, 0, false, false, 63, 8}, {true, true, 0, false, false, 63, 8},
    {true, false, 1, false, false, 63, 8},  {true, true, 2, true, true, 63, 8},
    {true, true, 0, true, false, 20, 8},    {true, true, 0, false, false, 63, 9},
};

void setDescriptor(World &world, const DescriptorFields &fields) {
  uint32_t *words = &world.s[DescriptorAt];
  words[0] = static_cast<uint32_t>(world.memory.base >> 8);
  words[1] = static_cast<uint32_t>(world.memory.base >> 40) | uint32_t(fields.sorts) << 31;
  words[2] = fields.lastNode;
  words[3] = uint32_t(fields.givesBarycentrics) << 24 | fields.type << 28;
  if (world.gfx >= 11) {
    words[1] |= fields.heuristic << 21;
    words[3] |= uint32_t(fields.hasPointerFlags) << 23;
  }
  if (world.gfx >= 12)
    words[1] |= uint32_t(fields.trianglesFirst) << 20;
}

std::vector<World> makeWorlds(Chip chip, unsigned waveSize, unsigned set) {
  std::vector<World> worlds;
  unsigned seed = 0;
  for (const DescriptorFields &fields : Descriptors)
    for (unsigned round = 0; round < 4; ++round) {
      World world = randomWorld(chip, waveSize, ++seed, false);
      Builder builder(world, seed);
      builder.nodes();
      builder.rays(static_cast<RaySet>(set));
      setDescriptor(world, fields);
      if (round == 3)
        world.s[sreg::ExecLo] = 0x96a5f00f;
      worlds.push_back(std::move(world));
    }
  return worlds;
}

/// Addresses as GFX11 and GFX12 list them, part by part.
std::string addressText(bool isWide, bool areHalves, bool isList) {
  unsigned count = unsigned(isWide) + 5 + (areHalves ? 3 : 6);
  if (!isList)
    return registers('v', AddressAt, count);
  std::string text = "[" + registers('v', AddressAt, isWide ? 2 : 1);
  unsigned next = AddressAt + (isWide ? 2 : 1);
  for (unsigned part : {1u, 3u, 3u, 3u}) {
    if (next < AddressAt + count)
      text += ", " + registers('v', next, part);
    next += part;
  }
  return text + "]";
}

std::vector<EffectForm> makeForms(StringRef name, const Effect &, Chip chip) {
  std::vector<EffectForm> forms;
  bool isWide = name.contains("64");
  for (bool areHalves : {false, true})
    for (bool isList : {false, true}) {
      if (contains(isList ? chips::Gfx10 : chips::Gfx12, chip))
        continue;
      EffectForm form;
      form.operands = registers('v', DstAt, 4) + ", " + addressText(isWide, areHalves, isList) +
                      ", s[8:11]" + (areHalves ? " a16" : "");
      form.request.dst = DstAt;
      form.request.address = AddressAt;
      form.request.sbase = DescriptorAt;
      form.request.a16 = areHalves;
      form.worlds = unsigned(isWide ? Wide : Narrow) + areHalves;
      forms.push_back(std::move(form));
    }
  return forms;
}

EffectFamily rayFamily() {
  EffectFamily family;
  family.formats = {Format::Mimg, Format::Vimage};
  family.find = definitions::rayEffect;
  family.takes = [](StringRef name, Chip) {
    return name == "image_bvh_intersect_ray" || name == "image_bvh64_intersect_ray";
  };
  family.forms = makeForms;
  family.worlds = makeWorlds;
  return family;
}

/// How one ray on \p target ends the run.
std::string failureOf(StringRef target, unsigned word, uint32_t bits, uint32_t pointerLow,
                      uint32_t pointerHigh = 0) {
  Chip chip = *findChip(target);
  std::string addresses = addressText(true, false, target != "gfx1030");
  WorldBench bench(chip, 32, "image_bvh64_intersect_ray v[16:19], " + addresses + ", s[8:11]");
  World world = randomWorld(chip, 32, 1, false);
  Builder(world, 1).rays(Wide);
  setDescriptor(world, Descriptors[0]);
  world.s[DescriptorAt + word] |= bits;
  world.v[AddressAt].fill(pointerLow);
  world.v[AddressAt + 1].fill(pointerHigh);
  bench.run(bench.ops()[0], world);
  return bench.failure();
}

} // namespace

TEST(RayEffects, EveryRowDoesWhatItsDefinitionSaysAndNoOther) {
  checkEffects(rayFamily());
}

TEST(RayEffects, WhatIsNotDocumentedIsUnsupported) {
  using ::testing::HasSubstr;
  EXPECT_THAT(failureOf("gfx1030", 1, 1u << 23, 0), HasSubstr("grown boxes"));
  EXPECT_THAT(failureOf("gfx1030", 0, 0, 1), HasSubstr("several triangles"));
  EXPECT_THAT(failureOf("gfx1100", 3, 1u << 23, 0, 1u << 22), HasSubstr("flags in a pointer"));
  EXPECT_THAT(failureOf("gfx1201", 3, 1u << 20, 4), HasSubstr("other nodes"));
}
