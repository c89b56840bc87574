// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every image instruction of every chip against its definition, and exchanged for every other one
// that takes the same operands: all kinds of images, masks, halves, formats, samplers. Coordinates,
// levels and texels have few binary digits, so that filters are exact.
#include "oracles/machine/gcn/EffectTesting.h"
#include "oracles/machine/gcn/definitions/Texel.h"
#include "oracles/machine/gcn/image/ImageDescriptor.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using definitions::ImageDims;
using definitions::ImageShape;
using definitions::SamplerShape;
using definitions::Wrapping;

namespace {

constexpr unsigned DataAt = 4, DstAt = 16, AddressAt = 32, ResourceAt = 8, SamplerAt = 16;

/// Sets of worlds: kinds of images by what their addresses hold, and of formats.
enum ImageSet : unsigned {
  Integers = 0,      ///< For loads and the like; plus the number of an ImageDims.
  Floats = 10,       ///< For samples; the same.
  PackedInts = 20,   ///< a16
  PackedFloats = 30, ///< a16
  Formats = 50,      ///< A world for each of some formats.
  Wide = 60,         ///< Texels of 64 bits, for atomics.
  Cubes = 70,        ///< For samples of cubes; plus the registers in front of the coordinates.
};

struct DimsRow {
  ImageDims dims;
  StringLiteral name; ///< In " dim:SQ_RSRC_IMG_".
  unsigned width, height, depth, layers, levels, samples;
};
constexpr DimsRow DimsRows[] = {
    {ImageDims::D1, "1D", 8, 1, 1, 1, 4, 1},
    {ImageDims::D2, "2D", 8, 8, 1, 1, 4, 1},
    {ImageDims::D3, "3D", 4, 4, 4, 1, 3, 1},
    {ImageDims::Cube, "CUBE", 4, 4, 1, 12, 3, 1},
    {ImageDims::D1Array, "1D_ARRAY", 8, 1, 1, 3, 4, 1},
    {ImageDims::D2Array, "2D_ARRAY", 4, 8, 1, 3, 3, 1},
    {ImageDims::D2Msaa, "2D_MSAA", 4, 4, 1, 1, 1, 4},
    {ImageDims::D2MsaaArray, "2D_MSAA_ARRAY", 4, 4, 1, 2, 1, 4},
};

constexpr AddressClamp Clamps[] = {AddressClamp::Wrap, AddressClamp::Mirror,
                                   AddressClamp::LastTexel, AddressClamp::MirrorOnce,
                                   AddressClamp::Border};

/// The descriptors that drivers would write; ImageTest.cpp judges their fields.
void setDescriptors(World &world) {
  static constexpr ImageType Kinds[] = {ImageType::Dim1D,      ImageType::Dim2D,
                                        ImageType::Dim3D,      ImageType::Cube,
                                        ImageType::Dim1DArray, ImageType::Dim2DArray,
                                        ImageType::Dim2DMsaa,  ImageType::Dim2DArrayMsaa};
  const ImageShape &shape = world.image;
  ImageDescriptor image;
  image.base = shape.base;
  image.width = shape.width;
  image.height = shape.height;
  image.depth = shape.dims == ImageDims::D3 ? shape.depth : shape.layers;
  image.levels = shape.levels;
  image.baseLevel = shape.baseLevel;
  image.lastLevel = shape.levels - 1;
  image.samples = shape.samples;
  image.kind = Kinds[unsigned(shape.dims)];
  for (unsigned i = 0; i < shape.bits.size(); ++i)
    image.texel.format.bits[i] = static_cast<uint8_t>(shape.bits[i]);
  image.texel.format.kind = static_cast<TexelClass>(StringRef("nsuiUIF").find(shape.letter));
  for (unsigned i = 0; i < 4; ++i)
    image.texel.select[i] = static_cast<uint8_t>(shape.select[i]);
  Expected<ImageWords> words = encodeImage(image, world.gfx);
  ASSERT_TRUE(bool(words)) << takeError(words.takeError()).message;
  llvm::copy(*words, world.s.begin() + ResourceAt);

  const SamplerShape &from = world.sampler;
  SamplerDescriptor sampler;
  for (unsigned i = 0; i < 3; ++i)
    sampler.clamp[i] = Clamps[unsigned(from.wrapping[i])];
  sampler.compare = static_cast<uint8_t>(from.compare);
  sampler.isUnnormalized = from.isUnnormalized;
  sampler.minLod = from.minLod;
  sampler.maxLod = from.maxLod;
  sampler.lodBias = from.bias;
  sampler.isMagLinear = from.isMagLinear;
  sampler.isMinLinear = from.isMinLinear;
  sampler.mipFilter = static_cast<uint8_t>(from.mips);
  sampler.border = from.borderColor != 0 ? 2 : from.borderOpacity != 0 ? 1 : 0;
  llvm::copy(encodeSampler(sampler, world.gfx), world.s.begin() + SamplerAt);
}

void setShape(World &world, const DimsRow &row, ArrayRef<unsigned> bits, char letter) {
  ImageShape &image = world.image;
  image.dims = row.dims;
  image.base = world.memory.base;
  image.width = row.width;
  image.height = row.height;
  image.depth = row.depth;
  image.layers = row.layers;
  image.levels = row.levels;
  image.samples = row.samples;
  image.bits.assign(bits.begin(), bits.end());
  image.letter = letter;
}

/// Samplers of all kinds, by number.
SamplerShape makeSampler(unsigned index) {
  SamplerShape sampler;
  for (unsigned i = 0; i < 3; ++i)
    sampler.wrapping[i] = static_cast<Wrapping>((index + 2 * i) % 5);
  sampler.compare = (index * 3 + 1) % 8;
  sampler.isMagLinear = index % 2;
  sampler.isMinLinear = index / 2 % 2;
  sampler.mips = index % 3;
  sampler.minLod = index % 4 == 3 ? 0.75 : 0;
  sampler.maxLod = index % 5 == 4 ? 1.5 : 15;
  sampler.bias = index % 3 == 1 ? 0.25 : index % 6 == 5 ? -0.5 : 0;
  sampler.borderOpacity = index % 3 != 0;
  sampler.borderColor = index % 3 == 2;
  return sampler;
}

// --- Addresses

uint32_t floatBits(double number) {
  return llvm::bit_cast<uint32_t>(static_cast<float>(number));
}

uint32_t halfBits(double number) {
  return definitions::wordToHalf(floatBits(number), 'F');
}

/// Coordinates of a lane, then layer, level and the like, in registers, packed or not. The same for
/// all instructions; what one of them takes for a level is another's coordinate, so that all are
/// small. Quads are squares of a power of two in two of three directions, which makes implicit
/// levels whole.
class AddressWriter {
public:
  AddressWriter(World &world, unsigned seed, bool isPacked) : m_world(world), m_isPacked(isPacked) {
    m_random.seed(seed);
  }

  void integers() {
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned i = 0; i < 6; ++i) {
        auto value = static_cast<uint32_t>(m_random() % 8 == 0 ? int(m_random() % 64) - 16
                                                               : int(m_random() % 5));
        put(i, lane, value, value & 0xffff);
      }
  }

  /// Whatever comes first has sixteenths of texture or quarters of levels.
  void floats() {
    for (unsigned lane = 0; lane < 64; lane += 4) {
      double step = std::ldexp(1, int(m_random() % 5) - 4);
      for (unsigned i = 0; i < (m_isPacked ? 24u : 12u); ++i) {
        double base = (double(m_random() % 48) - 12) / 16;
        for (unsigned k = 0; k < 4; ++k) {
          bool isMoved = i % 3 == 0 ? k & 1 : i % 3 == 1 && k >> 1;
          double value = base + isMoved * step;
          put(i, lane + k, floatBits(value), halfBits(value));
        }
      }
    }
  }

  /// What compilers give for cubes: two coordinates from 1 to 2 in sixteenths, then a face and
  /// eight times a cube. \p front registers come first, of which none holds an offset.
  void cubes(unsigned front) {
    floats();
    for (unsigned lane = 0; lane < 64; lane += 4) {
      double step = std::ldexp(1, int(m_random() % 3) - 4);
      for (unsigned i = 0; i < 2; ++i) {
        double base = double(16 + m_random() % 13) / 16;
        for (unsigned k = 0; k < 4; ++k) {
          double value = base + (i == 0 ? k & 1 : k >> 1) * step;
          put(front + i, lane + k, floatBits(value), 0);
        }
      }
    }
    for (unsigned lane = 0; lane < 64; ++lane) {
      bool isBeyond = m_random() % 8 == 0;
      double cube = isBeyond ? int(m_random() % 5) - 2 : int(m_random() % 2);
      put(front + 2, lane, floatBits(8 * cube + double(m_random() % 6)), 0);
    }
  }

private:
  void put(unsigned index, unsigned lane, uint32_t word, uint32_t half) {
    if (!m_isPacked) {
      m_world.v[AddressAt + index][lane] = word;
      return;
    }
    uint32_t &to = m_world.v[AddressAt + index / 2][lane];
    to = index % 2 ? (to & 0xffff) | half << 16 : half;
  }

  World &m_world;
  bool m_isPacked;
  std::mt19937 m_random;
};

/// Floats of few digits everywhere: texels, offsets that nobody can mistake, references. All are
/// multiples of \p factor quarters.
void fillTexels(World &world, unsigned seed, unsigned factor = 1) {
  std::mt19937 random(seed);
  for (size_t at = 0; at + 4 <= world.memory.bytes.size(); at += 4)
    world.memory.put(at, 4, floatBits(double(random() % 16 * factor) / 4));
}

constexpr unsigned Whole[] = {32, 32, 32, 32};
constexpr unsigned OneWord[] = {32};
constexpr unsigned TwoWords[] = {32, 32};
constexpr unsigned Bytes[] = {8, 8, 8, 8};
constexpr unsigned Halves[] = {16, 16, 16, 16};

World makeWorld(Chip chip, unsigned waveSize, unsigned seed) {
  World world = randomWorld(chip, waveSize, seed, seed % 2);
  if (seed % 4 == 3)
    world.s[sreg::ExecLo] = 0x96a5f00f;
  world.sampler = makeSampler(seed);
  return world;
}

std::vector<World> makeIntegerWorlds(Chip chip, unsigned waveSize, const DimsRow &row,
                                     bool isPacked) {
  struct Texel {
    ArrayRef<unsigned> bits;
    char letter;
  };
  const Texel texels[] = {
      {OneWord, 'U'}, {Whole, 'F'}, {Bytes, 'n'}, {Halves, 'I'}, {OneWord, 'F'}};
  std::vector<World> worlds;
  for (unsigned seed = 0; seed < 5; ++seed) {
    World world = makeWorld(chip, waveSize, seed);
    setShape(world, row, texels[seed].bits, texels[seed].letter);
    world.image.baseLevel = seed == 2 && row.levels > 2;
    if (seed == 4) // What is compared is what lies there: a number, or a NaN.
      for (size_t at = 0; at + 4 <= world.memory.bytes.size(); at += 4)
        world.memory.put(at, 4, at % 8 ? 0x3f800001 : 0x7ff80000);
    for (unsigned lane = 0; seed == 4 && lane < 64; ++lane)
      world.v[DataAt + 1][lane] = lane % 2 ? 0x3f800001 : 0x7ff80000;
    AddressWriter(world, seed, isPacked).integers();
    setDescriptors(world);
    worlds.push_back(std::move(world));
  }
  return worlds;
}

std::vector<World> makeWideWorlds(Chip chip, unsigned waveSize) {
  std::vector<World> worlds;
  for (unsigned seed = 0; seed < 4; ++seed) {
    World world = makeWorld(chip, waveSize, seed);
    setShape(world, DimsRows[1], TwoWords, 'U');
    if (seed == 2)
      for (size_t at = 0; at + 4 <= world.memory.bytes.size(); at += 4)
        world.memory.put(at, 4, at % 16 < 8 ? 0x3f800001 : 0x7ff80000);
    for (unsigned lane = 0; seed == 2 && lane < 64; ++lane)
      for (unsigned i : {2u, 3u})
        world.v[DataAt + i][lane] = lane % 2 ? 0x3f800001 : 0x7ff80000;
    AddressWriter(world, seed, false).integers();
    setDescriptors(world);
    worlds.push_back(std::move(world));
  }
  return worlds;
}

std::vector<World> makeFloatWorlds(Chip chip, unsigned waveSize, const DimsRow &row,
                                   bool isPacked) {
  std::vector<World> worlds;
  for (unsigned seed = 0; seed < 12; ++seed) {
    World world = makeWorld(chip, waveSize, seed);
    setShape(world, row, Whole, 'F');
    fillTexels(world, seed);
    if (seed == 6) { // Not to be filtered.
      setShape(world, row, Halves, 'U');
      world.sampler.mips = 1;
      world.sampler.isMagLinear = world.sampler.isMinLinear = false;
    }
    if (seed == 7)
      world.image.select = {6, 1, 0, 4};
    AddressWriter(world, seed, isPacked).floats();
    setDescriptors(world);
    worlds.push_back(std::move(world));
  }
  return worlds;
}

/// Thirds of texels are exact, too: beyond a corner is the mean of three.
std::vector<World> makeCubeWorlds(Chip chip, unsigned waveSize, unsigned front) {
  std::vector<World> worlds;
  for (unsigned seed = 0; seed < 12; ++seed) {
    World world = makeWorld(chip, waveSize, seed);
    setShape(world, DimsRows[unsigned(ImageDims::Cube)], Whole, 'F');
    fillTexels(world, seed, 3);
    AddressWriter(world, seed, false).cubes(front);
    setDescriptors(world);
    worlds.push_back(std::move(world));
  }
  return worlds;
}

std::vector<World> makeFormatWorlds(Chip chip, unsigned waveSize) {
  std::vector<World> worlds;
  unsigned seed = 1;
  for (const definitions::BufferTexel &texel : definitions::bufferTexels(gfxMajorOf(chip))) {
    if (texel.bits.size() == 3 && texel.bits[0] == 32)
      continue; // No image has three dwords.
    World world = makeWorld(chip, waveSize, seed += 2);
    setShape(world, DimsRows[1], texel.bits, texel.letter);
    AddressWriter(world, seed, false).integers();
    setDescriptors(world);
    worlds.push_back(std::move(world));
  }
  return worlds;
}

std::vector<World> makeWorlds(Chip chip, unsigned waveSize, unsigned set) {
  const DimsRow &row = DimsRows[set % 10 % std::size(DimsRows)];
  switch (set / 10 * 10) {
  case Integers:
  case PackedInts:
    return makeIntegerWorlds(chip, waveSize, row, set >= PackedInts);
  case Formats:
    return makeFormatWorlds(chip, waveSize);
  case Wide:
    return makeWideWorlds(chip, waveSize);
  case Cubes:
    return makeCubeWorlds(chip, waveSize, set % 10);
  default:
    return makeFloatWorlds(chip, waveSize, row, set >= PackedFloats);
  }
}

// --- Texts

/// How one form is written.
struct Writing {
  const DimsRow *dims = &DimsRows[1];
  unsigned dmask = 1;
  bool isHalf = false, a16 = false, tfe = false, lwe = false, returns = false, unorm = false;
  unsigned set = 0;
};

/// Registers in front of the coordinates.
unsigned countFront(const definitions::ImageOperands &image, bool packs, unsigned directions) {
  unsigned front = image.hasOffset + image.hasBias + image.hasReference;
  unsigned gradient = packs ? (directions + 1) / 2 : directions;
  return front + (image.hasGradients ? 2 * gradient : 0);
}

/// Registers that the address of \p effect has.
unsigned countAddresses(const definitions::ImageOperands &image, const Writing &writing,
                        bool isGfx9) {
  if (image.isSize)
    return 1;
  unsigned directions =
      writing.dims->dims == ImageDims::D3                                               ? 3
      : writing.dims->dims == ImageDims::D1 || writing.dims->dims == ImageDims::D1Array ? 1
                                                                                        : 2;
  bool isCube = writing.dims->dims == ImageDims::Cube;
  bool isLayered = isCube || writing.dims->name.ends_with("ARRAY");
  unsigned front = countFront(image, image.packsGradients || (isGfx9 && writing.a16), directions);
  unsigned body = directions + image.hasLevel + image.hasLeast;
  // GFX9's text has as many registers as are read; later ones name a layer even where none is read.
  body += isLayered && (!image.isQuery || isCube || !isGfx9);
  body += writing.dims->name.starts_with("2D_MSAA");
  return front + (writing.a16 ? (body + 1) / 2 : body);
}

/// GFX12 lists registers; the last place of a sample's four has the rest.
std::string addressText(unsigned count, bool isGfx12) {
  if (count == 1 || !isGfx12)
    return registers('v', AddressAt, count);
  std::string text = "[";
  unsigned alone = count > 4 ? 3 : count;
  for (unsigned i = 0; i < alone; ++i)
    text += (i ? ", v" : "v") + std::to_string(AddressAt + i);
  if (count > alone)
    text += ", " + registers('v', AddressAt + alone, count - alone);
  return text + "]";
}

std::string modifierText(const Effect &effect, const Writing &writing, unsigned gfx) {
  std::string text = " dmask:0x" + utohexstr(writing.dmask, true);
  if (gfx >= 10)
    text += " dim:SQ_RSRC_IMG_" + writing.dims->name.str();
  if (writing.unorm && gfx < 12)
    text += " unorm";
  if (writing.returns)
    text += gfx == 12 ? " th:TH_ATOMIC_RETURN" : " glc";
  text += writing.a16 ? " a16" : "";
  text += writing.tfe ? " tfe" : "";
  text += writing.lwe ? " lwe" : "";
  bool isArray = writing.dims->name.ends_with("ARRAY") || writing.dims->dims == ImageDims::Cube;
  if (gfx == 9 && isArray)
    text += " da";
  text += writing.isHalf ? " d16" : "";
  return text;
}

EffectForm writeForm(const Effect &effect, const Writing &writing, unsigned gfx) {
  EffectForm form;
  form.worlds = writing.set;
  Request &request = form.request;
  request.dst = DstAt;
  request.data0 = DataAt;
  request.address = AddressAt;
  request.dmask = writing.dmask;
  request.isHalf = writing.isHalf;
  request.a16 = writing.a16;
  request.tfe = writing.tfe || writing.lwe; // Which word is not there, nobody can tell.
  request.returns = writing.returns;
  request.unorm = effect.image.isSample && writing.unorm && gfx < 12;
  unsigned count = effect.image.givesFour ? 4 : unsigned(popcount(writing.dmask));
  count = (writing.isHalf ? (count + 1) / 2 : count) + writing.tfe;
  bool takesData = effect.isStore || effect.isAtomic;
  form.operands = registers('v', takesData ? DataAt : DstAt, count) + ", " +
                  addressText(countAddresses(effect.image, writing, gfx == 9), gfx == 12) +
                  ", s[8:15]" + (effect.image.isSample ? ", s[16:19]" : "") +
                  modifierText(effect, writing, gfx);
  return form;
}

// --- Which forms there are

std::vector<Writing> atomicWritings(StringRef name) {
  std::vector<Writing> all;
  bool isPair = name.ends_with("cmpswap");
  bool hasWide = !name.ends_with("_flt") && !name.contains("pk_add");
  for (bool returns : {false, true}) {
    Writing writing;
    writing.returns = returns;
    writing.dmask = isPair ? 3 : 1;
    for (unsigned dims : {1u, 2u, 5u}) {
      writing.dims = &DimsRows[dims];
      writing.set = Integers + dims;
      all.push_back(writing);
    }
    writing.dims = &DimsRows[1];
    writing.dmask = isPair ? 15 : 3;
    writing.set = Wide;
    if (hasWide)
      all.push_back(writing);
  }
  return all;
}

std::vector<Writing> plainWritings(StringRef name, const Effect &effect, Chip chip) {
  std::vector<Writing> all;
  bool isRaw = name.contains("pck");
  for (unsigned dims = 0; dims < std::size(DimsRows); ++dims) {
    bool hasLevels = DimsRows[dims].levels > 1;
    bool isOfSamples = name == "image_msaa_load";
    if (effect.image.hasLevel ? !hasLevels : isOfSamples && hasLevels)
      continue;
    Writing writing;
    writing.dims = &DimsRows[dims];
    writing.set = Integers + dims;
    writing.dmask = effect.image.givesFour ? 4 : 15;
    all.push_back(writing);
    if (dims != 1 && dims != 6)
      continue;
    writing.dmask = effect.image.givesFour ? 1 : 5;
    all.push_back(writing);
    writing.tfe = !effect.isStore;
    all.push_back(writing);
    writing.tfe = false;
    writing.lwe = !effect.isStore && gfxMajorOf(chip) < 12; // GFX12: samples only.
    if (writing.lwe)
      all.push_back(writing);
    writing.lwe = false;
    writing.isHalf = !isRaw && !effect.image.isSize;
    writing.dmask = effect.image.givesFour ? 2 : 7;
    all.push_back(writing);
    if (dims == 1 && !isRaw && !effect.image.isSize && !effect.image.givesFour) {
      writing.isHalf = false;
      writing.set = Formats;
      all.push_back(writing);
    }
    writing.isHalf = false;
    writing.a16 = contains(chips::Gfx10Plus, chip) && !effect.image.isSize;
    writing.set = writing.a16 ? PackedInts + dims : Integers + dims;
    if (writing.a16)
      all.push_back(writing);
  }
  for (Writing &writing : all)
    writing.unorm = true;
  return all;
}

std::vector<Writing> sampleWritings(const Effect &effect, Chip chip) {
  std::vector<Writing> all;
  bool isGather = effect.image.isGather;
  unsigned last = effect.image.isQuery ? 3 : 15;
  auto setOf = [&](unsigned dims, bool a16) {
    // With packed gradients the registers in front are packed, too.
    return (a16 ? unsigned(PackedFloats) : unsigned(Floats)) + dims;
  };
  for (unsigned dims : {0u, 1u, 2u, 3u, 4u, 5u}) {
    bool isCube = DimsRows[dims].dims == ImageDims::Cube;
    if (isGather && dims != 1 && dims != 5 && !isCube)
      continue; // Gathers are of two dimensions.
    Writing writing;
    writing.dims = &DimsRows[dims];
    writing.dmask = isGather ? 4 : last;
    writing.set = isCube ? Cubes + countFront(effect.image, effect.image.packsGradients, 2)
                         : setOf(dims, false);
    all.push_back(writing);
    if (dims != 1)
      continue;
    writing.dmask = isGather ? 1 : 2;
    writing.tfe = true;
    all.push_back(writing);
    writing.tfe = false;
    writing.lwe = true;
    all.push_back(writing);
    writing.lwe = false;
    writing.isHalf = !effect.image.isQuery;
    all.push_back(writing);
    writing.isHalf = false;
    writing.unorm = true;
    all.push_back(writing);
    writing.unorm = false;
    writing.a16 = true;
    writing.set = setOf(dims, true);
    all.push_back(writing);
  }
  return all;
}

std::vector<EffectForm> makeForms(StringRef name, const Effect &effect, Chip chip) {
  std::vector<EffectForm> forms;
  std::vector<Writing> writings = effect.isAtomic         ? atomicWritings(name)
                                  : effect.image.isSample ? sampleWritings(effect, chip)
                                                          : plainWritings(name, effect, chip);
  for (const Writing &writing : writings)
    forms.push_back(writeForm(effect, writing, gfxMajorOf(chip)));
  return forms;
}

/// docs/gcn-machine.md says why the others have no semantics.
bool isTaken(StringRef name, Chip chip) {
  bool isOldFragments = name == "image_msaa_load" && contains(chips::Gfx10, chip);
  return !name.starts_with("image_bvh") && name != "image_gather4h" && !isOldFragments;
}

/// "cd" are gradients of coarse derivatives, whose operands and meaning are those of "d".
const char *sameImage(StringRef a, StringRef b) {
  auto plain = [](StringRef name) {
    std::string text = name.str();
    if (size_t place = text.find("_cd"); place != std::string::npos)
      text.erase(place + 1, 1);
    return text;
  };
  return plain(a) == plain(b) ? "they differ in how precisely the hardware computes" : nullptr;
}

EffectFamily imageFamily() {
  EffectFamily family;
  family.formats = {Format::Mimg, Format::Vimage, Format::Vsample};
  family.find = definitions::imageEffect;
  family.takes = isTaken;
  family.forms = makeForms;
  family.worlds = makeWorlds;
  family.sameness = sameImage;
  return family;
}

} // namespace

TEST(ImageEffects, EveryRowDoesWhatItsDefinitionSaysAndNoOther) {
  checkEffects(imageFamily());
}
