// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every FLAT, GLOBAL and SCRATCH instruction of every chip against its definition, and exchanged
// for every other one that takes the same operands: each way to write an address, the apertures of
// flat ones, conflicting lanes, what is unaligned, what is nowhere.
#include "oracles/machine/gcn/EffectTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Sets of worlds, by where v[2:3] point.
enum PointerSet : unsigned { ToMemory, ToLds, ToScratch, ToAll };

constexpr unsigned DstAt = 16, OffsetAt = 1, PointerAt = 2, DataAt = 4, BaseAt = 0, ScalarAt = 8;
constexpr uint64_t LdsAperture = 0x10000'00000000, ScratchAperture = 0x20000'00000000;

/// Bytes from the start of memory that lane \p lane of world \p index uses.
uint32_t placeOf(unsigned index, unsigned lane) {
  if (index == 3)
    return 64 + lane % 5 * 8;
  return 64 + (index == 1 ? 13 : 16) * lane;
}

void setPointers(World &world, unsigned set, unsigned index) {
  for (unsigned lane = 0; lane < 64; ++lane) {
    unsigned kind = set == ToAll ? lane % 3 : set;
    uint32_t at = placeOf(index, lane);
    uint64_t pointer = kind == ToLds       ? LdsAperture + at
                       : kind == ToScratch ? ScratchAperture + 64 + at % 96
                                           : world.memory.base + at;
    world.v[PointerAt][lane] = static_cast<uint32_t>(pointer);
    world.v[PointerAt + 1][lane] = static_cast<uint32_t>(pointer >> 32);
    // For scratch and for scalar bases: such that nothing leaves a lane's 256 bytes.
    world.v[OffsetAt][lane] = 24 + at % 64;
  }
  uint64_t base = world.memory.base + 512;
  world.s[BaseAt] = static_cast<uint32_t>(base);
  world.s[BaseAt + 1] = static_cast<uint32_t>(base >> 32);
  world.s[ScalarAt] = 16 + index;
  world.s[sreg::M0] = 0x00030046 << (index % 4);
  if (world.gfx == 9) {
    world.s[sreg::FlatScratchLo] = static_cast<uint32_t>(world.scratch.base);
    world.s[sreg::FlatScratchLo + 1] = static_cast<uint32_t>(world.scratch.base >> 32);
  }
}

std::vector<World> makeWorlds(Chip chip, unsigned waveSize, unsigned set) {
  std::vector<World> worlds;
  for (unsigned index = 0; index < 6; ++index) {
    World world = randomWorld(chip, waveSize, 50 * set + index, index != 0);
    world.mode = index % 2 ? 0xf0 : 0x00;
    setPointers(world, set, index);
    if (index == 3 || index == 4)
      world.s[sreg::ExecLo] = index == 3 ? 0x96a5f00f : 0x80000000;
    if (index == 4) { // Far beyond everything, for the only lane that there is.
      world.s[sreg::ExecLo + 1] = 0;
      world.v[PointerAt + 1][31] = 0x7777;
      world.v[OffsetAt][31] = 0x40000000;
    }
    if (index == 5) // What is compared, of 32 or 64 bits, is what lies there.
      for (unsigned lane = 0; lane < 64; ++lane) {
        world.v[DataAt + 2][lane] = world.v[DataAt + 1][lane];
        world.v[DataAt + 3][lane] = world.v[DataAt + 1][lane];
        for (uint64_t at : {uint64_t(placeOf(index, lane)), 512 + uint64_t(world.v[1][lane])})
          for (unsigned word = 0; word < 6; ++word) {
            world.memory.put(at / 4 * 4 + 4 * word, 4, world.v[DataAt + 1][lane]);
            world.lds.put(at / 4 * 4 + 4 * word, 4, world.v[DataAt + 1][lane]);
          }
      }
    worlds.push_back(std::move(world));
  }
  return worlds;
}

/// One way to write an address.
struct AddressForm {
  std::string vector; ///< "" where the instruction has none.
  std::string base;   ///< "" for FLAT.
  Request request;
};

Request makeRequest(bool hasAddress, unsigned address, int soffset, int64_t offset) {
  Request request;
  request.dst = DstAt;
  request.data0 = DataAt;
  request.hasAddress = hasAddress;
  request.address = address;
  request.soffset = soffset;
  request.offset = offset;
  return request;
}

std::vector<AddressForm> scratchAddresses(Chip chip) {
  std::vector<AddressForm> forms = {{"v1", "off", makeRequest(true, OffsetAt, -1, 0)},
                                    {"off", "s8", makeRequest(false, 0, ScalarAt, 8)},
                                    {"v1", "off", makeRequest(true, OffsetAt, -1, -8)}};
  if (!contains(chips::Gfx9 | chips::Gfx10_1, chip))
    forms.push_back({"off", "off", makeRequest(false, 0, -1, 20)});
  if (contains(chips::Gfx11Plus, chip))
    forms.push_back({"v1", "s8", makeRequest(true, OffsetAt, ScalarAt, 4)});
  return forms;
}

std::vector<AddressForm> addressesOf(StringRef name, const Effect &effect, Chip chip) {
  if (name.contains("addtid"))
    return {{"", "s[0:1]", makeRequest(false, 0, BaseAt, 20)},
            {"", "s[0:1]", makeRequest(false, 0, BaseAt, -12)}};
  if (name.starts_with("scratch_"))
    return scratchAddresses(chip);
  if (name.starts_with("flat_"))
    return {{"v[2:3]", "", makeRequest(true, PointerAt, -1, 0)},
            {"v[2:3]", "", makeRequest(true, PointerAt, -1, 12)}};
  return {{"v[2:3]", "off", makeRequest(true, PointerAt, -1, 0)},
          {"v[2:3]", "off", makeRequest(true, PointerAt, -1, -20)},
          {"v1", "s[0:1]", makeRequest(true, OffsetAt, BaseAt, 24)}};
}

/// The operands in the assembler's order: result, address, data, base.
EffectForm assembleForm(const Effect &effect, const AddressForm &address, bool returns,
                        bool isNew) {
  std::vector<std::string> parts;
  const Request &request = address.request;
  bool writes = effect.dst && !request.lds && (!effect.isAtomic || returns);
  if (writes)
    parts.push_back(registers('v', request.dst, effect.dst));
  if (!address.vector.empty())
    parts.push_back(address.vector);
  if (effect.data0)
    parts.push_back(registers('v', request.data0, effect.data0));
  if (!address.base.empty())
    parts.push_back(address.base);
  EffectForm form{join(parts, ", "), request, ToMemory};
  if (request.offset)
    form.operands += " offset:" + std::to_string(request.offset);
  if (returns)
    form.operands += isNew ? " th:TH_ATOMIC_RETURN" : " glc";
  if (request.lds)
    form.operands += " lds";
  form.request.returns = returns;
  return form;
}

std::vector<EffectForm> makeForms(StringRef name, const Effect &effect, Chip chip) {
  bool isGfx12 = contains(chips::Gfx12, chip);
  if (effect.isInert)
    return {{"", {}}, {"scope:SCOPE_SYS", {}}};
  bool mayGoToLds = contains(chips::Gfx9 | chips::Gfx10, chip) && !name.starts_with("flat_") &&
                    !effect.isAtomic && !effect.isStore && effect.dst == 1 &&
                    !name.contains("d16") && !name.contains("addtid");
  std::vector<EffectForm> forms;
  for (AddressForm &address : addressesOf(name, effect, chip)) {
    for (bool returns : {false, true}) {
      if (returns && !effect.isAtomic)
        continue;
      EffectForm form = assembleForm(effect, address, returns, isGfx12);
      forms.push_back(form);
      for (unsigned set : {ToLds, ToScratch, ToAll}) {
        form.worlds = set;
        if (name.starts_with("flat_") && (set == ToLds || !effect.isAtomic))
          forms.push_back(form);
      }
    }
    if (mayGoToLds) {
      address.request.lds = true;
      if (address.request.offset >= 0)
        forms.push_back(assembleForm(effect, address, false, isGfx12));
    }
  }
  return forms;
}

EffectFamily flatFamily() {
  EffectFamily family;
  family.formats = {Format::Flat, Format::Global, Format::Scratch};
  family.find = definitions::flatEffect;
  family.takes = [](StringRef name, Chip) { return !name.starts_with("global_load_tr_"); };
  family.forms = makeForms;
  family.worlds = makeWorlds;
  family.sameness = [](StringRef a, StringRef b) { return sameAsStore(a, b, true); };
  return family;
}

} // namespace

TEST(FlatEffects, EveryRowDoesWhatItsDefinitionSaysAndNoOther) {
  checkEffects(flatFamily());
}
