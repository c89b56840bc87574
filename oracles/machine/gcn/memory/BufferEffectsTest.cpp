// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every MUBUF, MTBUF and VBUFFER instruction of every chip against its definition, and exchanged
// for every other one that takes the same operands: descriptors of all kinds, each way to write an
// address, every format that the chip has.
#include "oracles/machine/gcn/EffectTesting.h"
#include "oracles/machine/gcn/definitions/Texel.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using definitions::BufferTexel;
using definitions::bufferTexels;

namespace {

/// Sets of worlds.
enum BufferSet : unsigned {
  Kinds,      ///< A world for each kind of descriptor.
  FormatsIn,  ///< A world for each format, and one with other selections: for loads.
  FormatsOut, ///< A world for each format: for stores.
  Typed,      ///< Formats are the instruction's.
};

constexpr unsigned IndexAt = 0, OffsetAt = 1, DataAt = 4, DstAt = 16;
constexpr unsigned DescriptorAt = 4, ScalarAt = 8;
constexpr uint32_t Identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;

struct DescriptorKind {
  uint32_t stride, records, swizzle, indexStride, addsLane, outOfBounds, type;
};
constexpr DescriptorKind DescriptorKinds[] = {
    {0, 2048, 0, 0, 0, 3, 0}, // Raw,
    {0, 62, 0, 0, 0, 3, 0},   // short and cut in the midst of a dword.
    {16, 12, 0, 0, 0, 0, 0},  // Structured, by index and offset,
    {16, 12, 0, 0, 0, 1, 0},  // by index alone,
    {8, 1, 0, 0, 0, 2, 0},    // not at all,
    {8, 0, 0, 0, 0, 2, 0},    // or everything.
    {16, 16, 1, 0, 0, 1, 0},  // Swizzled,
    {16, 16, 1, 1, 0, 3, 0},  // raw and swizzled,
    {32, 20, 3, 0, 0, 0, 0},  // in elements of 16 bytes where there are such.
    {20, 64, 0, 0, 1, 1, 0},  // The lane is part of the index.
    {0, 2048, 0, 0, 0, 3, 1}, // No buffer.
};

void setDescriptor(World &world, const DescriptorKind &kind, uint32_t format, uint32_t select) {
  uint64_t base = world.memory.base + 256;
  uint32_t swizzle = world.gfx >= 11 ? kind.swizzle << 30 : kind.swizzle ? 1u << 31 : 0;
  uint32_t *words = &world.s[DescriptorAt];
  words[0] = static_cast<uint32_t>(base);
  words[1] = static_cast<uint32_t>(base >> 32) | kind.stride << 16 | swizzle;
  words[2] = kind.records;
  words[3] = select | kind.indexStride << 21 | kind.addsLane << 23 | kind.type << 30;
  if (world.gfx >= 10)
    words[3] |= kind.outOfBounds << 28;
  // GFX9 has bits of the stride there when the lane is added.
  if (world.gfx > 9 || !kind.addsLane)
    words[3] |= format << 12;
}

/// Numbers at which conversions change their ways: about 0, about 1, halves of steps, beyond.
uint32_t someNumber(std::mt19937 &random) {
  static constexpr float Numbers[] = {0.0f,    -0.0f,   1.0f,     -1.0f,  0.5f,   1.5f, 2.5f,
                                      -0.5f,   -1.5f,   0.25f,    255.0f, 255.5f, 2e9f, -2e9f,
                                      0.9999f, 32767.f, 65535.5f, 1e-40f, -1e-40f};
  float steps[] = {1.0f / 255, 1.0f / 127, 1.0f / 65535, 1.0f / 1023, 1.0f / 3};
  uint32_t chance = random();
  switch (chance % 6) {
  case 0:
    return random();
  case 1:
    return llvm::bit_cast<uint32_t>(Numbers[chance / 8 % std::size(Numbers)]);
  case 2: // Between two steps.
    return llvm::bit_cast<uint32_t>((float(chance / 64 % 64) + 0.5f) *
                                    steps[chance / 8 % std::size(steps)]);
  case 3:
    return llvm::bit_cast<uint32_t>(float(int32_t(random())) / float(1u << (chance / 8 % 32)));
  case 4: // Two halves.
    return random() & 0x3bff3bff;
  default:
    return llvm::bit_cast<uint32_t>(float(chance % 4096) / 2048 - 1);
  }
}

World makeWorld(Chip chip, unsigned waveSize, unsigned seed) {
  World world = randomWorld(chip, waveSize, seed, seed % 2);
  std::mt19937 random(seed);
  for (unsigned lane = 0; lane < 64; ++lane) {
    world.v[IndexAt][lane] = seed % 3 == 2 ? lane : lane / 3;
    world.v[OffsetAt][lane] = lane * 7 % 16 * 4;
    for (unsigned i = 0; i < 4 && seed % 4; ++i)
      world.v[DataAt + i][lane] = someNumber(random);
  }
  world.s[ScalarAt] = 32;
  world.s[sreg::M0] = 0x00300040;
  return world;
}

/// What is compared, of 32 or 64 bits, is what lies there: a number or a NaN.
void makeEqual(World &world) {
  constexpr uint32_t Number = 0x3f800001, Nan = 0x7ff80000;
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      world.v[DataAt + i][lane] = i == 0 ? world.v[DataAt][lane] : lane % 2 ? Nan : Number;
  for (unsigned at = 0; at + 4 <= world.memory.bytes.size(); at += 4)
    if (at % 64 < 48)
      world.memory.put(at, 4, at % 64 < 24 ? Number : Nan);
}

std::vector<World> makeKinds(Chip chip, unsigned waveSize) {
  std::vector<World> worlds;
  const std::vector<BufferTexel> &texels = bufferTexels(gfxMajorOf(chip));
  for (const auto &[index, kind] : enumerate(DescriptorKinds)) {
    World world = makeWorld(chip, waveSize, unsigned(index) + 1);
    // In each a format of its own; they have strides for all of them.
    setDescriptor(world, kind, texels[index * 7 % texels.size()].number, Identity);
    if (index % 4 == 3)
      world.s[sreg::ExecLo] = 0x96a5f00f;
    worlds.push_back(world);
    if (index == 0) {
      makeEqual(world);
      worlds.push_back(world);
    }
  }
  return worlds;
}

/// Elements of 16 bytes, so that every format fits.
constexpr DescriptorKind Table = {16, 60, 0, 0, 0, 1, 0};

std::vector<World> makeFormats(Chip chip, unsigned waveSize, bool isLoad) {
  constexpr uint32_t Other = 7 | 1 << 3 | 0 << 6 | 4 << 9; // W, 1, 0, X
  std::vector<World> worlds;
  unsigned seed = 2;
  for (const BufferTexel &texel : bufferTexels(gfxMajorOf(chip))) {
    World world = makeWorld(chip, waveSize, seed++ | 1);
    setDescriptor(world, Table, texel.number, Identity);
    worlds.push_back(world);
    if (!isLoad)
      continue;
    setDescriptor(world, Table, texel.number, Other);
    worlds.push_back(std::move(world));
  }
  World world = makeWorld(chip, waveSize, 1); // There is no format 0.
  setDescriptor(world, Table, 0, Identity);
  worlds.push_back(std::move(world));
  return worlds;
}

std::vector<World> makeWorlds(Chip chip, unsigned waveSize, unsigned set) {
  if (set == Kinds)
    return makeKinds(chip, waveSize);
  if (set != Typed)
    return makeFormats(chip, waveSize, set == FormatsIn);
  std::vector<World> worlds;
  for (unsigned seed : {1u, 3u, 5u}) {
    worlds.push_back(makeWorld(chip, waveSize, seed));
    setDescriptor(worlds.back(), Table, 1, Identity);
  }
  return worlds;
}

/// A way to write an address; the offset register and the scalar offset come with it.
struct AddressForm {
  bool idxen, offen;
  int64_t offset;
  bool hasScalar;
};
constexpr AddressForm AddressForms[] = {{false, false, 12, true}, {false, true, 0, false},
                                        {true, false, 0, false},  {true, true, 4, false},
                                        {true, false, 4, true},   {false, true, 8, true}};

/// What an instruction may have next to its address.
struct Extras {
  bool returns = false, tfe = false, lds = false;
  int format = -1;     ///< Of typed ones: its number as the assembler takes it, and
  uint32_t number = 0; ///< as a descriptor has it.
};

EffectForm writeForm(const Effect &effect, const AddressForm &address, const Extras &extras,
                     bool isGfx12) {
  EffectForm form;
  Request &request = form.request;
  request.dst = DstAt;
  request.data0 = DataAt;
  request.sbase = DescriptorAt;
  request.idxen = address.idxen;
  request.offen = address.offen;
  request.address = address.idxen ? IndexAt : OffsetAt;
  request.offset = address.offset;
  request.soffset = address.hasScalar ? int(ScalarAt) : -1;
  request.returns = extras.returns;
  request.tfe = extras.tfe;
  request.lds = extras.lds;
  request.format = extras.number;
  if (effect.isAtomic && extras.returns) // The old value takes the place of the new one.
    request.dst = DataAt;
  unsigned count = effect.data0 ? effect.data0 : effect.dst + extras.tfe;
  std::string text;
  if (!extras.lds && count)
    text = registers('v', effect.data0 ? DataAt : DstAt, count) + ", ";
  if (effect.hasAddress)
    text += address.idxen && address.offen ? "v[0:1], "
            : address.idxen                ? "v0, "
            : address.offen                ? "v1, "
                                           : "off, ";
  text += "s[4:7], ";
  text += address.hasScalar ? "s8" : isGfx12 ? "null" : "0";
  if (extras.format >= 0)
    text += " format:" + std::to_string(extras.format);
  text += address.idxen ? " idxen" : "";
  text += address.offen ? " offen" : "";
  text += address.offset ? " offset:" + std::to_string(address.offset) : "";
  text += !extras.returns ? "" : isGfx12 ? " th:TH_ATOMIC_RETURN" : " glc";
  text += extras.tfe ? " tfe" : "";
  text += extras.lds ? " lds" : "";
  form.operands = text;
  return form;
}

/// One form for each format of the chip.
std::vector<EffectForm> makeTypedForms(const Effect &effect, Chip chip) {
  std::vector<EffectForm> forms;
  unsigned gfx = gfxMajorOf(chip);
  for (const BufferTexel &texel : bufferTexels(gfx)) {
    Extras extras;
    extras.number = texel.number;
    // GFX9's fields stand the other way round in instructions.
    extras.format = int(gfx == 9 ? texel.number >> 3 | (texel.number & 7) << 4 : texel.number);
    forms.push_back(writeForm(effect, {true, false, 0, false}, extras, gfx == 12));
    forms.back().worlds = Typed;
  }
  return forms;
}

/// Loads that GFX9 and GFX10 can let go to LDS.
bool mayGoToLds(StringRef name, const Effect &effect, Chip chip) {
  return contains(chips::Gfx9 | chips::Gfx10, chip) && effect.dst == 1 && !effect.isAtomic &&
         !name.contains("d16");
}

std::vector<EffectForm> makeForms(StringRef name, const Effect &effect, Chip chip) {
  bool isGfx12 = contains(chips::Gfx12, chip);
  if (effect.isInert)
    return {{"", {}}};
  if (name == "buffer_store_lds_dword") {
    Extras extras;
    extras.lds = true;
    return {writeForm(effect, {false, false, 4, true}, extras, false)};
  }
  if (name.starts_with("t"))
    return makeTypedForms(effect, chip);
  std::vector<EffectForm> forms;
  for (const AddressForm &address : AddressForms) {
    forms.push_back(writeForm(effect, address, {}, isGfx12));
    if (effect.isAtomic)
      forms.push_back(writeForm(effect, address, {true}, isGfx12));
  }
  const AddressForm &indexed = AddressForms[2];
  if (effect.dst && !effect.isAtomic)
    forms.push_back(writeForm(effect, indexed, {false, true}, isGfx12));
  if (mayGoToLds(name, effect, chip))
    for (const AddressForm &address : {AddressForms[2], AddressForms[5]})
      forms.push_back(writeForm(effect, address, {false, false, true}, isGfx12));
  if (name.contains("format")) {
    forms.push_back(writeForm(effect, indexed, {}, isGfx12));
    forms.back().worlds = effect.isStore ? FormatsOut : FormatsIn;
  }
  return forms;
}

EffectFamily bufferFamily() {
  EffectFamily family;
  family.formats = {Format::Mubuf, Format::Mtbuf, Format::Vbuffer, Format::Vtbuffer};
  family.find = definitions::bufferEffect;
  family.forms = makeForms;
  family.worlds = makeWorlds;
  family.sameness = [](StringRef a, StringRef b) { return sameAsStore(a, b, false); };
  return family;
}

} // namespace

TEST(BufferEffects, EveryRowDoesWhatItsDefinitionSaysAndNoOther) {
  checkEffects(bufferFamily());
}
