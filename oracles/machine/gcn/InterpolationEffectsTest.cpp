// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every instruction of VINTRP, VINTERP and LDSDIR of every chip against its definition, and
// exchanged for every other one that takes the same operands: primitives that begin at several
// quads, halves, one active lane in a quad, types of direct loads.
#include "oracles/machine/gcn/EffectTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

constexpr unsigned DstAt = 16, FirstAt = 4, SecondAt = 5, ThirdAt = 6;

/// Numbers as f32 and as two f16 alike: neither infinities nor NaNs, few denormals.
uint32_t someNumber(std::mt19937 &random) {
  return random() & 0xbfffbfff;
}

std::vector<World> makeWorlds(Chip chip, unsigned waveSize, unsigned) {
  std::vector<World> worlds;
  for (unsigned seed = 0; seed < 8; ++seed) {
    World world = randomWorld(chip, waveSize, seed, false);
    std::mt19937 random(seed);
    for (unsigned index : {FirstAt, SecondAt, ThirdAt, DstAt})
      for (uint32_t &word : world.v[index])
        word = someNumber(random);
    for (size_t at = 0; at + 4 <= world.lds.bytes.size(); at += 4)
      world.lds.put(at, 4, someNumber(random));
    // Types of direct loads and beginnings of primitives share bits; so much LDS is there.
    static constexpr uint32_t Begins[] = {0,          0x00010000, 0x00020000, 0x00040000,
                                          0x00050000, 0x00150000, 0x40020000, 0x00030000};
    world.s[sreg::M0] = Begins[seed] | 0x0080 | seed;
    world.s[sreg::M0] &= seed % 2 ? ~3u : ~0u;
    if (seed == 3)
      world.s[sreg::ExecLo] = 0x80000410;
    worlds.push_back(std::move(world));
  }
  return worlds;
}

Request makeRequest(unsigned attribute, unsigned channel) {
  Request request;
  request.dst = DstAt;
  request.address = FirstAt;
  request.data0 = SecondAt;
  request.data1 = ThirdAt;
  request.attribute = attribute;
  request.channel = channel;
  return request;
}

using Forms = std::vector<EffectForm>;

/// "v16, v5, attr1.y", and what is after it.
Forms oldForms(StringRef name, Chip chip) {
  Forms forms;
  bool hasHalves = name.ends_with("f16");
  bool hasThird = name.contains("p1lv") || (name.contains("_p2_") && hasHalves);
  for (unsigned attribute : {0u, 2u})
    for (bool isHigh : {false, true}) {
      if (isHigh && !hasHalves)
        continue;
      std::string text = "attr" + std::to_string(attribute) + ".z";
      text += hasThird ? ", v6" : "";
      text += isHigh ? " high" : "";
      Request request = makeRequest(attribute, 2);
      request.high[0] = isHigh;
      if (name != "v_interp_mov_f32") {
        forms.push_back({"v16, v5, " + text, request});
        continue;
      }
      for (unsigned i = 0; i < 3; ++i) {
        static constexpr const char *Names[] = {"p10", "p20", "p0"};
        request.parameter = i;
        forms.push_back({std::string("v16, ") + Names[i] + ", " + text, request});
      }
    }
  if (name == "v_interp_p2_f16" && contains(chips::Gfx9, chip)) {
    Request request = makeRequest(1, 0);
    request.high[3] = true;
    forms.push_back({"v16, v5, attr1.x, v6 op_sel:[0,0,0,1]", request});
  }
  return forms;
}

/// Halves are named on GFX11, and selected on GFX12.
Forms newForms(StringRef name, Chip chip) {
  Forms forms;
  bool isFirst = name.contains("_p10_");
  bool hasHalves = name.contains("f16"), givesHalf = hasHalves && !isFirst;
  bool isNamed = contains(chips::Gfx11, chip);
  for (unsigned bits = 0; bits < 8; ++bits) {
    Request request = makeRequest(0, 0);
    request.high = {bool(bits & 1), false, bool(bits & 2), bool(bits & 4)};
    bool hasThirdHalf = hasHalves && isFirst;
    if ((request.high[0] && !hasHalves) || (request.high[2] && !hasThirdHalf) ||
        (request.high[3] && !givesHalf))
      continue;
    auto suffix = [&](bool isHalf, unsigned index) {
      return std::string(!isHalf || !isNamed ? "" : request.high[index] ? ".h" : ".l");
    };
    std::string text = "v16" + suffix(givesHalf, 3) + ", v4" + suffix(hasHalves, 0) + ", v5, v6" +
                       suffix(hasThirdHalf, 2);
    if (!isNamed && bits)
      text += std::string(" op_sel:[") + (bits & 1 ? "1" : "0") + ",0," + (bits & 2 ? "1" : "0") +
              "," + (bits & 4 ? "1" : "0") + "]";
    forms.push_back({text + " wait_exp:7", request});
  }
  return forms;
}

Forms makeForms(StringRef name, const Effect &, Chip chip) {
  std::string waits =
      contains(chips::Gfx12, chip) ? " wait_va_vdst:15 wait_vm_vsrc:1" : " wait_vdst:15";
  if (name.ends_with("direct_load"))
    return {{"v16" + waits, makeRequest(0, 0)}};
  if (name.ends_with("param_load"))
    return {{"v16, attr0.x" + waits, makeRequest(0, 0)},
            {"v16, attr3.w" + waits, makeRequest(3, 3)}};
  return contains(chips::Gfx11Plus, chip) ? newForms(name, chip) : oldForms(name, chip);
}

EffectFamily interpolationFamily() {
  EffectFamily family;
  family.formats = {Format::Vintrp, Format::Vinterp, Format::Ldsdir, Format::Vop3};
  family.takes = [](StringRef name, Chip) {
    return name.starts_with("v_interp_") || name.contains("lds_") || name.starts_with("ds_");
  };
  family.find = definitions::interpolationEffect;
  family.forms = makeForms;
  family.worlds = makeWorlds;
  return family;
}

} // namespace

TEST(InterpolationEffects, EveryRowDoesWhatItsDefinitionSaysAndNoOther) {
  checkEffects(interpolationFamily());
}
