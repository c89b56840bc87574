// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MUBUF, MTBUF and GFX12's VBUFFER, from AMD's ISA manuals, "Buffer Memory Instructions": bytes as
// they are, and components of a format, 32 or 16 bits each.
#include "oracles/machine/gcn/definitions/Access.h"
#include "oracles/machine/gcn/definitions/BufferMeaning.h"
#include "oracles/machine/gcn/definitions/Effect.h"
#include "oracles/machine/gcn/definitions/Texel.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

namespace {

/// A formatted access, by its name.
struct Components {
  unsigned count = 0;
  bool isStore = false;
  bool isTyped = false; ///< The format is the instruction's.
  bool isHalf = false;  ///< Two in a register.
  bool isHigh = false;  ///< The one is in the high half.

  unsigned dwords() const { return isHalf ? (count + 1) / 2 : count; }
};

constexpr uint32_t OneAsFloat = 0x3f800000;
/// Codes of a descriptor's selections; X is 4.
constexpr uint32_t SelectOne = 1, SelectX = 4;

} // namespace

/// No page is ever missing: the dword after the data says so.
static void tellResidency(const Request &request, World &world, unsigned dwords) {
  if (request.tfe)
    world.forLanes([&](unsigned lane) { world.v[request.dst + dwords][lane] = 0; });
}

/// A dword a lane goes to LDS, after M0[15:0] and the instruction's offset. False: the run ended.
static void putIntoLds(const Request &request, World &world, uint32_t value, unsigned lane) {
  uint64_t at = world.s[sreg::M0] % 0x10000 + static_cast<uint64_t>(request.offset) + 4 * lane;
  world.faults |= !world.lds.at(at + 3);
  if (!world.faults)
    world.lds.put(at, 4, value);
}

/// A load of bytes, dwords or halves. With lds, data goes to LDS and registers stay as they were.
static void loadPlain(const Request &request, World &world, const Width &width) {
  Descriptor descriptor = readDescriptor(world, request.sbase);
  world.faults |= descriptor.type != 0;
  World before = world;
  before.forLanes([&](unsigned lane) {
    if (world.faults)
      return;
    LaneAccess access(request, world, descriptor, lane);
    auto place = [&](unsigned index) { return access.findPlain(index, width.bytes); };
    unsigned dst = request.lds ? 0 : request.dst;
    loadLane(world, width, dst, lane, place);
    if (!request.lds)
      return;
    uint32_t value = world.v[0][lane];
    world.v[0][lane] = before.v[0][lane];
    putIntoLds(request, world, value, lane);
  });
  tellResidency(request, world, width.dwords());
}

/// The reverse of loadPlain(), from registers.
static void storePlain(const Request &request, World &world, const Width &width) {
  Descriptor descriptor = readDescriptor(world, request.sbase);
  world.faults |= descriptor.type != 0;
  world.forLanes([&](unsigned lane) {
    if (world.faults)
      return;
    LaneAccess access(request, world, descriptor, lane);
    storeLane(world, width, request.data0, lane,
              [&](unsigned index) { return access.findPlain(index, width.bytes); });
  });
}

/// From LDS to memory, both after the instruction's offset.
static void storeFromLds(const Request &request, World &world) {
  Descriptor descriptor = readDescriptor(world, request.sbase);
  world.faults |= descriptor.type != 0;
  world.forLanes([&](unsigned lane) {
    if (world.faults)
      return;
    uint64_t from = world.s[sreg::M0] % 0x10000 + static_cast<uint64_t>(request.offset) + 4 * lane;
    LaneAccess access(request, world, descriptor, lane);
    for (unsigned i = 0; i < 4; ++i) {
      const uint8_t *byte = world.lds.at(from + i);
      world.faults |= !byte;
      if (uint8_t *to = access.findPlain(i, 4); to && byte)
        *to = *byte;
    }
  });
}

/// The second operand of a compare-and-swap follows the data in the registers.
static void atomic(const Request &request, World &world, const AtomicMeaning &meaning) {
  Descriptor descriptor = readDescriptor(world, request.sbase);
  world.faults |= descriptor.type != 0;
  world.forLanes([&](unsigned lane) {
    if (world.faults)
      return;
    LaneAccess access(request, world, descriptor, lane);
    AtomicRegisters registers{request.data0, request.data0 + meaning.bits / 32, {}};
    if (request.returns)
      registers.result = request.dst;
    atomicLane(world, meaning, registers, false, lane,
               [&](unsigned index) { return access.findSideBySide(index, meaning.bits / 8); });
  });
}

// --- Formats

/// Out of range: as if all bits were 0.
static std::array<uint32_t, 4> loadTexel(const BufferTexel &texel, LaneAccess &access) {
  std::array<uint32_t, 4> words{};
  unsigned first = 0;
  for (unsigned i = 0; i < texel.bits.size(); ++i) {
    uint64_t bits = 0;
    for (unsigned k = 0; k < texel.bits[i]; ++k) {
      const uint8_t *byte = access.find((first + k) / 8, texel.bytes(), true);
      bits |= uint64_t(byte ? *byte >> ((first + k) % 8) & 1 : 0) << k;
    }
    words[i] = componentToWord(bits, texel.bits[i], texel.letter);
    first += texel.bits[i];
  }
  return words;
}

/// The word that a selection of the descriptor names: a component, 0, or 1 in the format's numbers.
static uint32_t selected(uint32_t code, const BufferTexel &texel,
                         const std::array<uint32_t, 4> &words) {
  if (code >= SelectX)
    return words[code - SelectX];
  return code != SelectOne ? 0 : texel.isInteger() ? 1 : OneAsFloat;
}

/// Loads a texel in one lane, selects components, and writes them to registers or to LDS.
static void loadFormatLane(const Request &request, World &world, const Descriptor &descriptor,
                           const BufferTexel &texel, const Components &form, unsigned lane) {
  LaneAccess access(request, world, descriptor, lane);
  std::array<uint32_t, 4> words = loadTexel(texel, access);
  if (request.lds)
    return putIntoLds(request, world, selected(descriptor.select[0], texel, words), lane);
  for (unsigned i = 0; i < form.count; ++i) {
    uint32_t word = selected(descriptor.select[i], texel, words);
    unsigned half = form.isHigh ? 1 : i;
    uint32_t &to = world.v[request.dst + (form.isHalf ? half / 2 : i)][lane];
    if (!form.isHalf)
      to = word;
    else if (half % 2)
      to = to % 0x10000 + wordToHalf(word, texel.letter) * 0x10000;
    else
      to = to / 0x10000 * 0x10000 + wordToHalf(word, texel.letter);
  }
}

/// Components that the name has not are 0 up to GFX11, on GFX12 the first one.
static void storeFormatLane(const Request &request, World &world, const Descriptor &descriptor,
                            const BufferTexel &texel, const Components &form, unsigned lane) {
  LaneAccess access(request, world, descriptor, lane);
  std::array<uint32_t, 4> words{};
  for (unsigned i = 0; i < 4; ++i) {
    if (i >= form.count) {
      words[i] = world.gfx >= 12 ? words[0] : 0;
      continue;
    }
    unsigned half = form.isHigh ? 1 : i;
    uint32_t word = world.v[request.data0 + (form.isHalf ? half / 2 : i)][lane];
    words[i] = form.isHalf ? halfToWord(word >> (half % 2 * 16), texel.letter) : word;
  }
  unsigned first = 0;
  for (unsigned i = 0; i < texel.bits.size(); ++i) {
    uint64_t bits = wordToComponent(words[i], texel.bits[i], texel.letter);
    for (unsigned k = 0; k < texel.bits[i]; ++k)
      if (uint8_t *byte = access.find((first + k) / 8, texel.bytes(), true)) {
        auto mask = static_cast<uint8_t>(1u << ((first + k) % 8));
        *byte = static_cast<uint8_t>(bits >> k & 1 ? *byte | mask : *byte & ~mask);
      }
    first += texel.bits[i];
  }
}

/// A formatted access of all lanes. An unknown format ends the run.
static void moveFormat(const Request &request, World &world, const Components &form) {
  Descriptor descriptor = readDescriptor(world, request.sbase);
  const BufferTexel *texel =
      findBufferTexel(form.isTyped ? request.format : descriptor.format, world.gfx);
  if (descriptor.type != 0 || !texel) {
    world.faults = true;
    return;
  }
  world.forLanes([&](unsigned lane) {
    if (!world.faults)
      (form.isStore ? storeFormatLane : loadFormatLane)(request, world, descriptor, *texel, form,
                                                        lane);
  });
  if (!form.isStore)
    tellResidency(request, world, form.dwords());
}

// --- Names

/// "load_format_d16_xy", "store_d16_hi_format_x": the words in any order, the components last.
static std::optional<Components> findComponents(StringRef name, bool isTyped) {
  Components form;
  form.isTyped = isTyped;
  bool hasFormat = false;
  while (name.contains('_')) {
    auto [word, rest] = name.split('_');
    form.isStore |= word == "store";
    form.isHalf |= word == "d16";
    form.isHigh |= word == "hi";
    hasFormat |= word == "format";
    name = rest;
  }
  form.count = static_cast<unsigned>(name.size());
  bool isGood = hasFormat && StringRef("xyzw").starts_with(name);
  return isGood ? std::optional(form) : std::nullopt;
}

/// Accesses without a format, by the name after "buffer_".
static std::optional<Effect> findPlain(StringRef name) {
  Effect effect;
  effect.hasAddress = true;
  if (name.consume_front("atomic_")) {
    std::optional<AtomicMeaning> meaning = findAtomicMeaning(name);
    if (!meaning)
      return std::nullopt;
    return makeAtomicEffect(effect, *meaning,
                            [meaning = *meaning](const Request &request, World &world) {
                              atomic(request, world, meaning);
                            });
  }
  effect.isStore = name.consume_front("store_");
  if (!effect.isStore && !name.consume_front("load_"))
    return std::nullopt;
  std::optional<Width> width = findWidth(name);
  if (!width)
    return std::nullopt;
  (effect.isStore ? effect.data0 : effect.dst) = width->dwords();
  auto run = effect.isStore ? storePlain : loadPlain;
  effect.run = [run, width = *width](const Request &request, World &world) {
    run(request, world, width);
  };
  return effect;
}

std::optional<Effect> gcn::definitions::bufferEffect(StringRef name) {
  bool isTyped = name.consume_front("t");
  if (!name.consume_front("buffer_"))
    return std::nullopt;
  Effect effect;
  if (name.starts_with("wbinvl1") || name.starts_with("gl")) {
    effect.isInert = true;
    effect.run = [](const Request &, World &) {};
    return effect;
  }
  if (name == "store_lds_dword") {
    effect.isStore = true;
    effect.run = storeFromLds;
    return effect;
  }
  std::optional<Components> form = findComponents(name, isTyped);
  if (!form)
    return isTyped ? std::nullopt : findPlain(name);
  effect.hasAddress = true;
  effect.isStore = form->isStore;
  (effect.isStore ? effect.data0 : effect.dst) = form->dwords();
  effect.run = [form = *form](const Request &request, World &world) {
    moveFormat(request, world, form);
  };
  return effect;
}
