// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single texels: loads, stores and atomics of images and of typed buffers, and sizes. Mesa 25.0,
// ir3_compiler_nir.c and ir3_a6xx.c, which emit them.
#include "oracles/machine/adreno/image/Images.h"

#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

using simt::Access;

/// Coordinates as integers: x, y and z or layer. \p padsOneD: category 5, which has a y of 0 for
/// one-dimensional images.
static TexelPlace placeOf(const ImageView &view, ArrayRef<int64_t> coordinates, bool padsOneD) {
  auto at = [&](unsigned index) {
    return index < coordinates.size() ? coordinates[index] : int64_t(0);
  };
  TexelPlace place;
  place.x = at(0);
  switch (view.type) {
  case ImageType::Buffer:
    break;
  case ImageType::OneD:
    place.layer = at(padsOneD ? 2 : 1);
    break;
  case ImageType::TwoD:
  case ImageType::Cube:
    place.y = at(1);
    place.layer = at(2);
    break;
  case ImageType::ThreeD:
    place.y = at(1);
    place.z = at(2);
    break;
  }
  return place;
}

// isam, isaml.

/// x, y, z or layer of a load by category 5. The descriptor decides: Mesa 25.0 leaves .1d on loads
/// of two-dimensional images.
static SmallVector<int64_t, 4> coordinatesOf(const Wave &wave, const Op &op, unsigned lane,
                                             const ImageView &view) {
  const Inst &inst = op.inst;
  unsigned count = view.isBuffer() ? 1 : 2 + inst.get(Field::ThreeD) + inst.get(Field::Array);
  bool half = inst.hasHalfSources();
  SmallVector<int64_t, 4> coordinates;
  for (unsigned i = 0; i < count; ++i) {
    uint32_t bits = readAliased(wave, lane, inst.get(Field::Src1) + i, half);
    coordinates.push_back(half ? int64_t(int16_t(bits)) : int64_t(int32_t(bits)));
  }
  return coordinates;
}

/// .v of a buffer: elements of the result's type, whatever the format.
static void loadElements(Wave &wave, const Op &op, unsigned lane, const ImageView &view) {
  Component component = componentOf(op.inst);
  uint64_t index = readAliased(wave, lane, op.inst.get(Field::Src1), op.inst.hasHalfSources());
  index += op.inst.get(Field::ImmediateOffset) ? op.inst.get(Field::Src2) : 0;
  for (unsigned i = 0; i < 4; ++i)
    if (op.inst.get(Field::WriteMask) >> i & 1) {
      const uint8_t *memory = elementAt(wave, view, index + i, component.bytes, Access::Read);
      wave.write(lane, op.dst + i, op.dstHalf, memory ? loadWord(memory, component.bytes) : 0);
    }
}

/// The byte offset of an element of a buffer wraps (Arithmetic::wrapsOffsets): turnip makes the
/// same index for isam as for ldib.b.
static void wrapIndex(const Wave &wave, const ImageView &view, int64_t &index) {
  if (!view.isBuffer() || !wave.arithmetic().wrapsOffsets)
    return;
  unsigned bytes = view.texel.row->bytes();
  index = uint32_t(uint64_t(index) * bytes) / bytes;
}

/// isam and isaml of one lane; the level comes after offsets in the second source.
static void loadTexelOf(Wave &wave, const Op &op, unsigned lane, const ImageView &view) {
  const Inst &inst = op.inst;
  SmallVector<int64_t, 4> coordinates = coordinatesOf(wave, op, lane, view);
  bool half = inst.hasHalfSources();
  unsigned next = inst.get(Field::Src2);
  if (inst.get(Field::HasOffset))
    for (unsigned i = 0; i < 2 + inst.get(Field::ThreeD) && i < coordinates.size(); ++i)
      coordinates[i] += int32_t(readAliased(wave, lane, next++, half));
  else if (inst.get(Field::ImmediateOffset))
    coordinates[0] += inst.get(Field::Src2);
  wrapIndex(wave, view, coordinates[0]);
  TexelPlace place = placeOf(view, coordinates, /*padsOneD=*/true);
  if (inst.form().hasFlag(rowflags::TwoSources))
    place.level = int32_t(readAliased(wave, lane, next, half));
  if (std::optional<TexelWords> words = loadTexel(wave, view, place))
    writeResult(wave, op, lane, *words, view.texel.row->isInteger());
}

/// isam and isaml. Descriptors may differ between lanes.
static void runLoad(Wave &wave, const Op &op) {
  if (!requireBindless(wave, op))
    return;
  forActive(wave, [&](unsigned lane) {
    TextureSlots slots = textureSlotsOf(wave, op, lane);
    std::optional<ImageView> view = readView(wave, slots.textureBase, slots.texture);
    if (!view)
      return;
    if (op.inst.has(Field::NotOneD) && op.inst.get(Field::Variant))
      loadElements(wave, op, lane, *view);
    else
      loadTexelOf(wave, op, lane, *view);
  });
  endTexture(wave);
}

// Sizes.

/// Calls \p words for each lane with the view, and writes its four integers.
static void writeFacts(Wave &wave, const Op &op,
                       function_ref<TexelWords(unsigned lane, const ImageView &view)> words) {
  if (!requireBindless(wave, op))
    return;
  forActive(wave, [&](unsigned lane) {
    TextureSlots slots = textureSlotsOf(wave, op, lane);
    if (std::optional<ImageView> view = readView(wave, slots.textureBase, slots.texture))
      writeResult(wave, op, lane, words(lane, *view), /*isInteger=*/true);
  });
  endTexture(wave);
}

/// The size of a level; w is the number of layers, which z has in the first level alone.
static void getSize(Wave &wave, const Op &op) {
  writeFacts(wave, op, [&](unsigned lane, const ImageView &view) -> TexelWords {
    uint32_t level = readAliased(wave, lane, op.inst.get(Field::Src1), op.inst.hasHalfSources());
    if (!view.width || level >= view.levels)
      return {};
    auto [x, y, z] = view.extent(level);
    return {x, y, std::max(1U, view.depth >> level), view.depth};
  });
}

/// getbuf: the number of elements.
static void getBufferSize(Wave &wave, const Op &op) {
  writeFacts(wave, op, [](unsigned, const ImageView &view) { return TexelWords{view.width}; });
}

/// getinfo: levels and samples; what the channel type and order are is not modelled, they are 0.
static void getInfo(Wave &wave, const Op &op) {
  writeFacts(wave, op, [](unsigned, const ImageView &view) {
    return TexelWords{0, 0, view.width ? view.levels : 0, view.samples};
  });
}

/// resinfo.b writes three registers. Of a one-dimensional image, layers are the second.
static void runSize(Wave &wave, const Op &op) {
  forActive(wave, [&](unsigned lane) {
    std::optional<ImageView> view = viewOf(wave, op, lane);
    if (!view)
      return;
    bool isOneD = view->type == ImageType::OneD;
    uint32_t size[3] = {view->width, isOneD ? view->depth : view->height, view->depth};
    for (unsigned i = 0; i < 3; ++i)
      wave.write(lane, op.dst + i, /*half=*/false, size[i]);
  });
  wave.advance();
}

// Typed accesses of category 6.

/// Where an access of category 6 is: its coordinates, the immediate offset along x.
static TexelPlace placeOfAccess(const Wave &wave, const Op &op, unsigned lane,
                                const ImageView &view) {
  SmallVector<int64_t, 3> coordinates;
  for (unsigned i = 0; i <= op.inst.get(Field::Dimensions); ++i)
    coordinates.push_back(int32_t(wave.read(lane, op.inst.get(Field::Src1) + i, false)));
  coordinates[0] += op.inst.get(Field::Offset);
  wrapIndex(wave, view, coordinates[0]);
  return placeOf(view, coordinates, /*padsOneD=*/false);
}

void adreno::loadTyped(Wave &wave, const Op &op) {
  auto type = DataType(op.inst.get(Field::Type));
  forActive(wave, [&](unsigned lane) {
    std::optional<ImageView> view = viewOf(wave, op, lane);
    if (!view)
      return;
    std::optional<TexelWords> words = loadTexel(wave, *view, placeOfAccess(wave, op, lane, *view));
    for (unsigned i = 0; words && i <= op.inst.get(Field::Components); ++i)
      wave.write(lane, op.dst + i, isHalf(type),
                 texelToRegister((*words)[i], view->texel.row->isInteger(), type));
  });
  wave.advance();
}

/// The components of a store where the format has them.
static TexelWords arranged(const ImageView &view, const TexelWords &words) {
  TexelWords result = {};
  for (unsigned i = 4; i-- > 0;)
    if (view.swizzle[i] < 4)
      result[view.swizzle[i]] = words[i];
  return result;
}

void adreno::storeTyped(Wave &wave, const Op &op) {
  auto type = DataType(op.inst.get(Field::Type));
  forActive(wave, [&](unsigned lane) {
    std::optional<ImageView> view = viewOf(wave, op, lane);
    std::optional<uint64_t> address =
        view ? findTexel(*view, placeOfAccess(wave, op, lane, *view)) : std::nullopt;
    uint8_t *memory =
        address ? globalAt(wave, *address, view->texel.row->bytes(), Access::Write) : nullptr;
    if (!memory)
      return;
    bool isInteger = view->texel.row->isInteger();
    TexelWords words = {};
    for (unsigned i = 0; i <= op.inst.get(Field::Components); ++i)
      words[i] = registerToTexel(wave.read(lane, op.dst + i, isHalf(type)), isInteger, type);
    encodeTexel(view->texel, arranged(*view, words), memory);
  });
  wave.advance();
}

uint8_t *adreno::typedAtomicAt(Wave &wave, const Op &op, unsigned lane, const ImageView &view) {
  if (view.texel.row->bytes() != 4) {
    refuse(wave, "texels of " + Twine(view.texel.row->bytes()) + " bytes");
    return nullptr;
  }
  std::optional<uint64_t> address = findTexel(view, placeOfAccess(wave, op, lane, view));
  return address ? globalAt(wave, *address, 4, Access::Write) : nullptr;
}

static constexpr HandlerRow Handlers[] = {
    {"isam", runLoad},         {"isaml", runLoad},   {"getsize", getSize},
    {"getbuf", getBufferSize}, {"getinfo", getInfo}, {"resinfo.b", runSize},
};

ArrayRef<HandlerRow> adreno::imageHandlers() {
  return Handlers;
}
