// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MIMG and GFX12's VIMAGE on single texels: loads, stores, atomics, sizes. Sources: AMD's ISA
// manuals, "Image Instructions"; docs/gcn-machine.md for how images lie in memory and what a store
// of few components writes.
#include "oracles/machine/gcn/definitions/Access.h"
#include "oracles/machine/gcn/definitions/ImageMeaning.h"
#include "oracles/machine/gcn/definitions/Texel.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

/// Formats have whole bytes.
unsigned ImageShape::texelBytes() const {
  unsigned sum = 0;
  for (unsigned width : bits)
    sum += width;
  return sum / 8;
}

/// Sizes in texels; \p level counts from the view's first level.
std::array<unsigned, 3> ImageShape::extent(unsigned level) const {
  auto at = [&](unsigned size) { return std::max(size >> (level + baseLevel), 1u); };
  return {at(width), hasY() ? at(height) : 1, dims == ImageDims::D3 ? at(depth) : 1};
}

// --- Addresses

/// A whole register. Preceding halves have filled theirs.
uint32_t AddressReader::word() {
  uint32_t value = m_world.v[m_request.address + m_halves / 2][m_lane];
  m_halves += 2;
  return value;
}

/// The next half: low halves come first.
uint32_t AddressReader::half() {
  uint32_t value = m_world.v[m_request.address + m_halves / 2][m_lane];
  return m_halves++ % 2 ? value / 0x10000 : value % 0x10000;
}

static double singleToNumber(uint32_t bits) {
  float value;
  static_assert(sizeof value == sizeof bits);
  __builtin_memcpy(&value, &bits, sizeof bits);
  return double(value);
}

double AddressReader::toNumber(uint32_t half) {
  return singleToNumber(halfToWord(half, 'F'));
}

/// With a16, a half float.
double AddressReader::number() {
  return m_request.a16 ? halfNumber() : singleToNumber(word());
}

/// With a16, unsigned; else signed.
int64_t AddressReader::integer() {
  return m_request.a16 ? int64_t(half()) : int64_t(static_cast<int32_t>(word()));
}

/// x, y, z or layer, sample, level.
static TexelAt readPlace(const Request &request, const World &world, const ImageOperands &operands,
                         unsigned lane) {
  AddressReader reader(request, world, lane);
  TexelAt place;
  for (unsigned i = 0; i < world.image.dimensions(); ++i)
    place.at[i] = reader.integer();
  if (world.image.isLayered())
    place.layer = reader.integer();
  if (world.image.isMultisampled())
    place.sample = reader.integer();
  if (operands.hasLevel)
    place.level = reader.integer();
  return place;
}

// --- Texels

/// Null outside the image, which is no fault. Memory is linear: levels, then layers, slices, rows,
/// texels, samples.
uint8_t *gcn::definitions::findTexel(World &world, const TexelAt &place) {
  const ImageShape &image = world.image;
  if (place.level < 0 || place.level >= int64_t(image.levels - image.baseLevel))
    return nullptr;
  std::array<unsigned, 3> extent = image.extent(unsigned(place.level));
  for (unsigned i = 0; i < 3; ++i)
    if (place.at[i] < 0 || place.at[i] >= int64_t(extent[i]))
      return nullptr;
  if (place.layer < 0 || place.layer >= int64_t(image.layers) || place.sample < 0 ||
      place.sample >= int64_t(image.samples))
    return nullptr;
  uint64_t before = 0; // Texels of levels that come first.
  for (int64_t level = -int64_t(image.baseLevel); level < place.level; ++level) {
    std::array<unsigned, 3> size = image.extent(unsigned(level));
    before += uint64_t(size[0]) * size[1] * size[2] * image.layers * image.samples;
  }
  int64_t index = place.layer * extent[2] + place.at[2];
  index = index * extent[1] + place.at[1];
  index = index * extent[0] + place.at[0];
  index = index * image.samples + place.sample;
  uint64_t at = image.base + (before + uint64_t(index)) * image.texelBytes();
  uint8_t *bytes = world.memory.at(at);
  world.faults |= !bytes || !world.memory.at(at + image.texelBytes() - 1);
  return bytes;
}

/// \p count bits from bit \p first on; 0 without memory.
static uint64_t takeBits(const uint8_t *bytes, unsigned first, unsigned count) {
  uint64_t value = 0;
  for (unsigned i = 0; bytes && i < count; ++i)
    value |= uint64_t(bytes[(first + i) / 8] >> ((first + i) % 8) & 1) << i;
  return value;
}

/// Components as the descriptor selects them. Outside the image a texel is zeros, but a selected 1
/// is still 1.
std::array<uint32_t, 4> gcn::definitions::readTexel(World &world, const TexelAt &place) {
  const ImageShape &image = world.image;
  const uint8_t *bytes = findTexel(world, place);
  std::array<uint32_t, 4> texel{}, words{};
  unsigned first = 0;
  for (unsigned i = 0; i < image.bits.size(); first += image.bits[i++])
    if (bytes)
      texel[i] =
          componentToWord(takeBits(bytes, first, image.bits[i]), image.bits[i], image.letter);
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t code = image.select[i];
    words[i] = code >= 4 ? texel[code - 4] : code == 0 ? 0 : image.isInteger() ? 1 : 0x3f800000;
  }
  return words;
}

/// The bits of each component, extended by their sign or not; no selection.
static std::array<uint32_t, 4> readRaw(World &world, const TexelAt &place, bool isSigned) {
  const ImageShape &image = world.image;
  const uint8_t *bytes = findTexel(world, place);
  std::array<uint32_t, 4> words{};
  unsigned first = 0;
  bool extends = isSigned && (image.bits[0] == 8 || image.bits[0] == 16);
  for (unsigned i = 0; i < image.bits.size(); first += image.bits[i++])
    words[i] =
        componentToWord(takeBits(bytes, first, image.bits[i]), image.bits[i], extends ? 'I' : 'U');
  return words;
}

/// Writes the components that the mask names, or \p all, to consecutive registers; with d16, two to
/// a register.
void gcn::definitions::writeTexel(const Request &request, World &world, unsigned lane,
                                  const std::array<uint32_t, 4> &words, char letter, bool all) {
  unsigned next = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if (!all && !(request.dmask >> i & 1))
      continue;
    uint32_t &to = world.v[request.dst + (request.isHalf ? next / 2 : next)][lane];
    if (!request.isHalf)
      to = words[i];
    else if (next % 2)
      to = to % 0x10000 + wordToHalf(words[i], letter) * 0x10000;
    else
      to = to / 0x10000 * 0x10000 + wordToHalf(words[i], letter);
    ++next;
  }
}

/// No page is ever missing.
static void tellResidency(const Request &request, World &world, bool all) {
  if (!request.tfe)
    return;
  unsigned count = all ? 4 : unsigned(__builtin_popcount(request.dmask));
  count = request.isHalf ? (count + 1) / 2 : count;
  world.forLanes([&](unsigned lane) { world.v[request.dst + count][lane] = 0; });
}

// --- Operations

namespace {
enum class Raw : uint8_t { No, Unsigned, Signed }; ///< Of _pck, which ignores formats.
}

/// The letter of the numbers that components are treated as. Only components of 8 and 16 bits are
/// extended by their sign.
static char rawLetter(const World &world, Raw raw) {
  bool extends = raw == Raw::Signed && (world.image.bits[0] == 8 || world.image.bits[0] == 16);
  return raw == Raw::No ? world.image.letter : extends ? 'I' : 'U';
}

/// Loads one texel for each active lane.
static void load(const Request &request, World &world, const ImageOperands &operands, Raw raw) {
  World before = world; // Results may overwrite addresses.
  world.forLanes([&](unsigned lane) {
    TexelAt place = readPlace(request, before, operands, lane);
    std::array<uint32_t, 4> words =
        raw == Raw::No ? readTexel(world, place) : readRaw(world, place, raw == Raw::Signed);
    writeTexel(request, world, lane, words, rawLetter(world, raw), false);
  });
  tellResidency(request, world, false);
}

/// Stores the components that the mask names; what happens to others depends on the generation.
static void store(const Request &request, World &world, const ImageOperands &operands, Raw raw) {
  const ImageShape &image = world.image;
  char letter = rawLetter(world, raw);
  world.forLanes([&](unsigned lane) {
    uint8_t *bytes = findTexel(world, readPlace(request, world, operands, lane));
    if (!bytes || world.faults)
      return;
    std::array<uint32_t, 4> words{};
    unsigned next = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if (request.dmask >> i & 1) {
        uint32_t word = world.v[request.data0 + (request.isHalf ? next / 2 : next)][lane];
        words[i] = request.isHalf ? halfToWord(word >> (next % 2 * 16), letter) : word;
        ++next;
      } else if (request.dmask >> i == 0 && world.gfx == 12) {
        words[i] = words[0]; // After the last one that is named.
      }
    }
    unsigned first = 0;
    for (unsigned i = 0; i < image.bits.size(); first += image.bits[i++]) {
      uint64_t bits = wordToComponent(words[i], image.bits[i], letter);
      for (unsigned k = 0; k < image.bits[i]; ++k) {
        auto mask = static_cast<uint8_t>(1u << ((first + k) % 8));
        uint8_t &byte = bytes[(first + k) / 8];
        byte = static_cast<uint8_t>(bits >> k & 1 ? byte | mask : byte & ~mask);
      }
    }
  });
}

/// Of 64 bits where the mask names twice as many components.
static std::optional<AtomicMeaning> atomicMeaning(StringRef name, unsigned dmask) {
  bool isWide = dmask == (name.ends_with("cmpswap") ? 0xf : 3);
  if (!isWide)
    return findAtomicMeaning(name);
  if (!name.ends_with("int")) // GFX12: add_uint, min_int.
    return findAtomicMeaning((name + "_x2").str());
  std::optional<AtomicMeaning> meaning = findAtomicMeaning(name);
  meaning->bits = 64;
  return meaning;
}

/// The old value takes the data's place.
static void atomic(const Request &request, World &world, StringRef name) {
  std::optional<AtomicMeaning> meaning = atomicMeaning(name, request.dmask);
  world.faults |= world.image.texelBytes() * 8 != meaning->bits;
  world.forLanes([&](unsigned lane) {
    if (world.faults)
      return;
    uint8_t *bytes = findTexel(world, readPlace(request, world, {}, lane));
    AtomicRegisters registers{request.data0, request.data0 + meaning->bits / 32, {}};
    if (request.returns)
      registers.result = request.data0;
    atomicLane(world, *meaning, registers, false, lane,
               [&](unsigned index) { return bytes ? bytes + index : nullptr; });
  });
}

/// Width, height (of 1D arrays layers), depth or layers, levels. Beyond the last level 0.
static void tellSize(const Request &request, World &world) {
  const ImageShape &image = world.image;
  World before = world;
  world.forLanes([&](unsigned lane) {
    AddressReader reader(request, before, lane);
    int64_t level = reader.integer();
    unsigned levels = image.levels - image.baseLevel;
    std::array<uint32_t, 4> words = {0, 0, 0, levels};
    if (level >= 0 && level < int64_t(levels)) {
      std::array<unsigned, 3> extent = image.extent(unsigned(level));
      words[0] = extent[0];
      words[1] = image.dims == ImageDims::D1Array ? image.layers : extent[1];
      words[2] = image.dims == ImageDims::D3 ? extent[2] : image.layers;
    }
    writeTexel(request, world, lane, words, 'U', false);
  });
  tellResidency(request, world, false);
}

/// One component of four samples, from the one that is named on.
static void loadFragments(const Request &request, World &world) {
  World before = world;
  world.forLanes([&](unsigned lane) {
    TexelAt place = readPlace(request, before, {}, lane);
    unsigned component = unsigned(__builtin_ctz(request.dmask));
    std::array<uint32_t, 4> words{};
    for (uint32_t &word : words) {
      if (findTexel(world, place))
        word = readTexel(world, place)[component];
      ++place.sample;
    }
    writeTexel(request, world, lane, words, world.image.letter, true);
  });
  tellResidency(request, world, true);
}

// --- Names

/// "sample_c_d_cl_o_g16": word after word. False for an unknown one.
static bool parseSample(StringRef name, ImageOperands &operands) {
  operands.isSample = true;
  auto [family, words] = name.split('_');
  operands.isGather = operands.givesFour = family == "gather4";
  if (family != "sample" && family != "gather4")
    return false;
  while (!words.empty()) {
    auto [word, rest] = words.split('_');
    words = rest;
    if (word == "o")
      operands.hasOffset = true;
    else if (word == "b")
      operands.hasBias = true;
    else if (word == "c")
      operands.hasReference = true;
    else if (word == "d" || word == "cd")
      operands.hasGradients = true;
    else if (word == "g16")
      operands.packsGradients = true;
    else if (word == "l")
      operands.hasLevel = true;
    else if (word == "lz")
      operands.isLevelZero = true;
    else if (word == "cl")
      operands.hasLeast = true;
    else
      return false;
  }
  return true;
}

/// Loads and stores, by the name after "image_".
static Effect plainEffect(StringRef name) {
  Effect effect;
  effect.isStore = name.starts_with("store");
  effect.image.hasLevel = name.contains("_mip");
  Raw raw = name.ends_with("_sgn") ? Raw::Signed : name.contains("_pck") ? Raw::Unsigned : Raw::No;
  auto run = effect.isStore ? store : load;
  effect.run = [run, raw, operands = effect.image](const Request &request, World &world) {
    run(request, world, operands, raw);
  };
  return effect;
}

/// \p name is the whole mnemonic. Widths of atomics depend on the mask, so they are found at the
/// execution.
std::optional<Effect> gcn::definitions::imageEffect(StringRef name) {
  if (!name.consume_front("image_"))
    return std::nullopt;
  Effect effect;
  if (name.consume_front("atomic_")) {
    if (!findAtomicMeaning(name))
      return std::nullopt;
    effect.isAtomic = true;
    effect.run = [name = name.str()](const Request &request, World &world) {
      atomic(request, world, name);
    };
    return effect;
  }
  if (name == "get_resinfo") {
    effect.image.isSize = true;
    effect.run = tellSize;
    return effect;
  }
  if (name == "msaa_load") {
    effect.image.givesFour = true;
    effect.run = loadFragments;
    return effect;
  }
  StringRef words = name;
  if (words.consume_front("load") || words.consume_front("store")) {
    bool isKnown = words.empty() || words == "_mip" || words == "_pck" || words == "_pck_sgn" ||
                   words == "_mip_pck" || words == "_mip_pck_sgn";
    return isKnown ? std::optional(plainEffect(name)) : std::nullopt;
  }
  effect.image.isQuery = name == "get_lod";
  effect.image.isSample = true;
  if (!effect.image.isQuery && !parseSample(name, effect.image))
    return std::nullopt;
  effect.run = [operands = effect.image](const Request &request, World &world) {
    sampleImage(request, world, operands);
    tellResidency(request, world, operands.givesFour);
  };
  return effect;
}
