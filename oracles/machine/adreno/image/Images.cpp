// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/image/Images.h"

#include "oracles/machine/adreno/Alu.h"
#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

using simt::Access;

void adreno::refuse(Wave &wave, const Twine &why) {
  wave.fail("no semantics for '" + wave.program().textOf(wave.pc()) + "': " + why,
            /*isUnsupported=*/true);
}

const uint8_t *adreno::descriptorAt(Wave &wave, unsigned base, uint32_t index, unsigned bytes) {
  const WaveEnvironment &environment = wave.environment();
  uint64_t address = base < environment.bindlessBases.size() ? environment.bindlessBases[base] : 0;
  if (!address) {
    wave.fail("instruction " + Twine(wave.pc()) + " '" + wave.program().textOf(wave.pc()) +
              "' uses base " + Twine(base) + ", which has no descriptors");
    return nullptr;
  }
  address += uint64_t(index) * environment.descriptorBytes[base];
  simt::AddressSpace *memory = environment.memory;
  const uint8_t *found = memory ? memory->find(address, bytes, Access::Read) : nullptr;
  if (!found)
    wave.fail("instruction " + Twine(wave.pc()) + " '" + wave.program().textOf(wave.pc()) +
              "' uses descriptor " + Twine(index) + " of base " + Twine(base) +
              ", which is not there");
  return found;
}

/// A field of a descriptor.
static uint32_t bitsOf(uint32_t word, unsigned low, unsigned width) {
  return word >> low & maskTrailingOnes<uint32_t>(width);
}

/// The fields of an image; those of a buffer are others.
static void readImageFields(ImageView &view, ArrayRef<uint32_t> words) {
  view.width = bitsOf(words[1], 0, 15);
  view.height = bitsOf(words[1], 15, 15);
  view.depth = std::max(1U, bitsOf(words[5], 17, 13));
  view.levels = bitsOf(words[0], 16, 4) + 1;
  view.samples = 1U << bitsOf(words[0], 20, 2);
  view.pitchAlign = 64U << bitsOf(words[2], 0, 4);
  view.pitch = bitsOf(words[2], 7, 22);
  view.layerPitch = (uint64_t(bitsOf(words[3], 0, 23)) - hasDefect(Defect::LayerPitch)) << 12;
  view.minLayerBytes = uint64_t(bitsOf(words[3], 23, 4)) << 12;
}

std::optional<ImageView> adreno::readView(Wave &wave, unsigned base, uint32_t index) {
  const uint8_t *descriptor = descriptorAt(wave, base, index, 24);
  if (!descriptor)
    return std::nullopt;
  uint32_t words[6];
  for (unsigned i = 0; i < 6; ++i)
    words[i] = loadWord(descriptor + 4 * i, 4);
  ImageView view;
  view.texel.row = findTexelRow(bitsOf(words[0], 22, 8));
  if (!words[0] && !words[1] && !words[4] && !words[5]) {
    view.texel.row = findTexelRow(0x4b); // 32_UINT, with no texels.
    return view;
  }
  uint32_t type = words[2] >> 29;
  if (!view.texel.row || type > uint32_t(ImageType::Buffer) || bitsOf(words[0], 0, 2)) {
    refuse(wave, "format " + Twine(bitsOf(words[0], 22, 8)) + ", type " + Twine(type) +
                     ", tile mode " + Twine(bitsOf(words[0], 0, 2)) + " in its descriptor");
    return std::nullopt;
  }
  view.type = ImageType(type);
  view.texel.swap = uint8_t(words[0] >> 30);
  view.texel.isSrgb = bitsOf(words[0], 2, 1);
  for (unsigned i = 0; i < 4; ++i)
    view.swizzle[i] = uint8_t(bitsOf(words[0], 4 + 3 * i, 3));
  view.address = (words[4] & ~31U) | uint64_t(words[5] & 0x1ffff) << 32;
  if (!view.isBuffer()) {
    readImageFields(view, words);
    return view;
  }
  view.address += uint64_t(bitsOf(words[2], 16, 6)) * view.texel.row->bytes();
  view.width = words[1] & 0x3fffffff;
  return view;
}

std::array<uint32_t, 3> ImageView::extent(uint32_t level) const {
  auto smaller = [&](uint32_t size) { return std::max(1U, level < 32 ? size >> level : 0); };
  return {smaller(width), smaller(height), type == ImageType::ThreeD ? smaller(depth) : 1};
}

/// Bytes between the rows of a level, rounded up to field PITCHALIGN.
static uint32_t pitchOf(const ImageView &view, uint32_t level) {
  return uint32_t(alignTo(std::max(1U, view.pitch >> level), view.pitchAlign));
}

/// Bytes of a slice of a 3D image: whole pages, and from level 1 on at least field MIN_LAYERSZ.
static uint64_t sliceBytes(const ImageView &view, uint32_t level) {
  constexpr uint64_t Page = 4096;
  if (level == 0)
    return view.layerPitch;
  uint64_t bytes = uint64_t(pitchOf(view, level)) * view.extent(level)[1];
  return std::max(alignTo(bytes, Page), view.minLayerBytes);
}

std::optional<uint64_t> adreno::findTexel(const ImageView &view, const TexelPlace &place) {
  auto inside = [](int64_t value, uint64_t size) { return value >= 0 && uint64_t(value) < size; };
  uint64_t bytes = view.texel.row->bytes();
  if (view.isBuffer()) {
    if (!inside(place.x, view.width))
      return std::nullopt;
    return view.address + uint64_t(place.x) * bytes;
  }
  if (!view.width || !inside(place.level, view.levels))
    return std::nullopt;
  auto level = uint32_t(place.level);
  auto [width, height, depth] = view.extent(level);
  if (!inside(place.x, width) || !inside(place.y, height) || !inside(place.z, depth) ||
      !inside(place.layer, view.layers()))
    return std::nullopt;
  uint64_t address = view.address;
  bool is3D = view.type == ImageType::ThreeD;
  for (uint32_t i = 0; i < level && !hasDefect(Defect::LevelZero); ++i) {
    std::array<uint32_t, 3> size = view.extent(i);
    address += is3D ? sliceBytes(view, i) * size[2] : uint64_t(pitchOf(view, i)) * size[1];
  }
  address +=
      is3D ? sliceBytes(view, level) * uint64_t(place.z) : view.layerPitch * uint64_t(place.layer);
  // The pitch of the first level is what the descriptor says.
  uint64_t pitch = level ? pitchOf(view, level) : view.pitch;
  return address + pitch * uint64_t(place.y) + uint64_t(place.x) * bytes;
}

TexelWords adreno::swizzled(const ImageView &view, const TexelWords &texel) {
  TexelWords result = {};
  uint32_t one = view.texel.row->isInteger() ? 1 : 0x3f800000;
  for (unsigned i = 0; i < 4; ++i) {
    uint8_t from = hasDefect(Defect::SwizzleIgnored) ? uint8_t(i) : view.swizzle[i];
    result[i] = from < 4 ? texel[from] : from == 5 ? one : 0;
  }
  return result;
}

std::optional<TexelWords> adreno::loadTexel(Wave &wave, const ImageView &view,
                                            const TexelPlace &place) {
  std::optional<uint64_t> address = findTexel(view, place);
  if (!address)
    return TexelWords{};
  const uint8_t *memory = globalAt(wave, *address, view.texel.row->bytes(), Access::Read);
  if (!memory)
    return std::nullopt;
  return swizzled(view, decodeTexel(view.texel, memory));
}

uint32_t adreno::texelToRegister(uint32_t word, bool isInteger, DataType type) {
  if (!isHalf(type))
    return word;
  return isInteger ? word & 0xffff : convert(word, DataType::F32, DataType::F16, 1, Arithmetic());
}

uint32_t adreno::registerToTexel(uint32_t value, bool isInteger, DataType type) {
  if (!isHalf(type))
    return value;
  if (isInteger)
    return type == DataType::S16 ? uint32_t(SignExtend64<16>(value)) : value & 0xffff;
  return convert(value, DataType::F16, DataType::F32, 1, Arithmetic());
}

/// Entries of the table have 128 bytes, of which the first 16 are the color as 32-bit components
/// (Mesa 25.0, tu_util.h, bcolor_entry). False after wave.fail().
static bool readBorderColor(Wave &wave, uint32_t offset, SamplerView &sampler) {
  uint64_t address = wave.environment().borderColors + offset;
  simt::AddressSpace *memory = wave.environment().memory;
  const uint8_t *found = memory ? memory->find(address, 16, Access::Read) : nullptr;
  if (!found) {
    wave.fail("instruction " + Twine(wave.pc()) + " '" + wave.program().textOf(wave.pc()) +
              "' uses a border color that is not there");
    return false;
  }
  sampler.borderColor.emplace();
  for (unsigned i = 0; i < 4; ++i)
    (*sampler.borderColor)[i] = loadWord(found + 4 * i, 4);
  return true;
}

std::optional<SamplerView> adreno::readSampler(Wave &wave, unsigned base, uint32_t index) {
  const uint8_t *descriptor = descriptorAt(wave, base, index, 16);
  if (!descriptor)
    return std::nullopt;
  uint32_t words[3];
  for (unsigned i = 0; i < 3; ++i)
    words[i] = loadWord(descriptor + 4 * i, 4);
  SamplerView sampler;
  constexpr uint32_t Linear = 1;
  uint32_t magnify = bitsOf(words[0], 1, 2), minify = bitsOf(words[0], 3, 2);
  for (unsigned i = 0; i < 3; ++i)
    sampler.wrap[i] = Wrap(bitsOf(words[0], 5 + 3 * i, 3));
  if (magnify > Linear || minify > Linear || bitsOf(words[2], 0, 2)) {
    refuse(wave, "anisotropic, cubic or reducing filters");
    return std::nullopt;
  }
  bool isFast = bitsOf(words[2], 4, 1);
  if (!isFast && is_contained(sampler.wrap, Wrap::ClampToBorder) &&
      !readBorderColor(wave, words[2] & ~0x7fU, sampler))
    return std::nullopt;
  sampler.isMagLinear = magnify == Linear;
  sampler.isMinLinear = minify == Linear;
  sampler.isMipLinear = bitsOf(words[0], 0, 1);
  sampler.lodBias = double(int32_t(words[0]) >> 19) / 256;
  sampler.compare = uint8_t(bitsOf(words[1], 1, 3));
  sampler.isUnnormalized = bitsOf(words[1], 5, 1);
  sampler.maxLod = double(bitsOf(words[1], 8, 12)) / 256;
  sampler.minLod = double(bitsOf(words[1], 20, 12)) / 256;
  sampler.border = uint8_t(bitsOf(words[2], 2, 2));
  return sampler;
}

uint32_t adreno::readAliased(const Wave &wave, unsigned lane, unsigned number, bool half) {
  for (const Wave::Alias &alias : wave.aliases) {
    if (alias.number != number || alias.half != half)
      continue;
    const Operand &source = alias.source;
    if (source.file == Operand::File::Immediate)
      return uint32_t(source.value);
    if (source.file == Operand::File::Gpr)
      return wave.read(lane, source.number, half);
    return source.number < wave.constants.size() ? wave.constants[source.number] : 0;
  }
  return wave.read(lane, number, half);
}

bool adreno::requireBindless(Wave &wave, const Op &op) {
  uint32_t mode = op.inst.get(Field::Descriptor);
  bool isBindless = op.inst.get(Field::Indirect) && mode != 0 && mode != 4;
  if (!isBindless)
    refuse(wave, "its descriptor is not bindless");
  return isBindless;
}

/// By the modes of field desc (Mesa, ir3-cat5.xml): in a register, of which the next one has the
/// sampler; in four bits each; in eight bits and in a1.x. a1.x has the sampler's base, where that
/// is another one, and above it the texture's number (a6xx) or the sampler's (a7xx)
/// (ir3_compiler_nir.c, get_tex_samp_tex_src).
TextureSlots adreno::textureSlotsOf(const Wave &wave, const Op &op, unsigned lane) {
  constexpr uint32_t Immediate = 6, ImmediateA1 = 7, UniformA1 = 1, NonuniformA1 = 3;
  const Inst &inst = op.inst;
  uint32_t bits = inst.get(Field::Src3), mode = inst.get(Field::Descriptor);
  TextureSlots slots;
  slots.textureBase = slots.samplerBase = inst.get(Field::Base);
  bool usesA1 = mode == ImmediateA1 || mode == UniformA1 || mode == NonuniformA1;
  if (usesA1)
    slots.samplerBase = wave.address1 & 7;
  if (mode == Immediate) {
    slots.texture = bits >> 4;
    slots.sampler = bits & 15;
  } else if (mode == ImmediateA1) {
    uint32_t other = wave.address1 >> 3 & 0xff;
    bool isNew = factsOf(inst.chip()).generation >= 700;
    slots.texture = isNew ? bits : other;
    slots.sampler = isNew ? other : bits;
  } else {
    slots.texture = readAliased(wave, lane, bits, /*half=*/false);
    slots.sampler = readAliased(wave, lane, bits + 1, /*half=*/false);
  }
  return slots;
}

bool adreno::usesBuffer(const Wave &wave, const Op &op) {
  if (!wave.active() || !wave.environment().memory)
    return false;
  TextureSlots slots = textureSlotsOf(wave, op, firstLane(wave.active()));
  const WaveEnvironment &environment = wave.environment();
  if (slots.textureBase >= environment.bindlessBases.size())
    return false;
  uint64_t address = environment.bindlessBases[slots.textureBase] +
                     uint64_t(slots.texture) * environment.descriptorBytes[slots.textureBase];
  const uint8_t *words = environment.memory->find(address, 24, Access::Read);
  return words && loadWord(words + 8, 4) >> 29 == uint32_t(ImageType::Buffer);
}

void adreno::writeResult(Wave &wave, const Op &op, unsigned lane, const TexelWords &words,
                         bool isInteger) {
  auto type = DataType(op.inst.get(Field::Type));
  for (unsigned i = 0; i < 4; ++i)
    if (op.inst.get(Field::WriteMask) >> i & 1)
      wave.write(lane, op.dst + i, op.dstHalf, texelToRegister(words[i], isInteger, type));
}

void adreno::endTexture(Wave &wave) {
  wave.aliases.clear();
  wave.advance();
}
