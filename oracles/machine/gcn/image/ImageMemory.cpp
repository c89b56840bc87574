// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions (MIMG, VIMAGE, VSAMPLE) that work on single texels: loads, stores, atomics,
// sizes.
#include "oracles/machine/gcn/image/ImageMemory.h"

#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/Step.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/gcn/memory/BufferAccess.h"
#include "oracles/machine/gcn/memory/LaneWalk.h"
#include "oracles/machine/gcn/memory/Transfer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// The next half of 16 bits: low halves come first.
uint32_t LaneAddresses::takeHalf() {
  uint32_t dword = m_wave.v[currentRegister()][m_lane];
  return (m_next++ % 2 ? dword >> 16 : dword) & 0xffff;
}

/// With a16, unsigned; else signed.
int64_t LaneAddresses::takeInteger() {
  if (m_op.inst->mods.a16)
    return takeHalf();
  return static_cast<int32_t>(takeDword());
}

/// With a16, a half float.
double LaneAddresses::takeFloat() {
  return m_op.inst->mods.a16 ? takeHalfFloat() : double(llvm::bit_cast<float>(takeDword()));
}

double LaneAddresses::takeHalfFloat() {
  APFloat half(APFloat::IEEEhalf(), APInt(16, takeHalf()));
  bool losesInfo = false;
  half.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return half.convertToDouble();
}

/// Integers that name a texel: x, y, z or layer, sample. Without the level.
unsigned gcn::countCoordinates(ImageType kind) {
  switch (kind) {
  case ImageType::Dim1D:
    return 1;
  case ImageType::Dim2D:
  case ImageType::Dim1DArray:
    return 2;
  case ImageType::Dim3D:
  case ImageType::Cube:
  case ImageType::Dim2DArray:
  case ImageType::Dim2DMsaa:
    return 3;
  case ImageType::Dim2DArrayMsaa:
    return 4;
  }
  return 0;
}

/// Coordinates along which an image of \p kind is sampled.
static unsigned countDirections(ImageType kind) {
  if (kind == ImageType::Dim3D)
    return 3;
  return kind == ImageType::Dim1D || kind == ImageType::Dim1DArray ? 1 : 2;
}

/// Dwords of address registers that \p op reads from an image of \p kind.
unsigned gcn::countAddresses(const MicroOp &op, ImageType kind) {
  const ImageAccess &image = op.image;
  if (image.isSize)
    return 1;
  unsigned gradients = countDirections(kind);
  unsigned body = countCoordinates(kind);
  if (image.isLodQuery) // Without the layer; but a cube's face says what the others mean.
    body = gradients + (kind == ImageType::Cube);
  unsigned coordinates = body + image.hasLod + image.hasClamp;
  unsigned front = unsigned(image.hasOffset) + unsigned(image.hasBias) + unsigned(image.hasCompare);
  if (image.hasGradients)
    front += 2 * (image.packsGradients ? (gradients + 1) / 2 : gradients);
  return front + (op.inst->mods.a16 ? (coordinates + 1) / 2 : coordinates);
}

/// r128: a descriptor of four words, for images without layers and levels. NULL has none.
static ImageWords imageWords(const Wave &wave, const MicroOp &op) {
  ImageWords words = {};
  unsigned first = op.sources[ImageResource].operand.index;
  unsigned count = first == sreg::Null ? 0 : op.inst->mods.r128 ? 4 : 8;
  std::copy_n(wave.s.begin() + first, count, words.begin());
  return words;
}

/// The null descriptor: loads and samples give 0, stores and atomics do nothing. Drivers write it
/// for resources that are not there, and for FMASK where an image has none.
static bool handleNullImage(Wave &wave, const MicroOp &op, const ImageWords &words) {
  if (any_of(words, [](uint32_t word) { return word != 0; }))
    return false;
  for (unsigned i = 0; op.destinationCount && i < op.destination.dwords; ++i)
    for (unsigned lane = 0; lane < wave.waveSize; ++lane)
      if (wave.exec() >> lane & 1)
        wave.v[op.destination.index + i][lane] = 0;
  return true;
}

/// False for all kinds on GFX9, where the instruction has no dimension.
static bool isOfKind(const MicroOp &op, ImageType kind) {
  return op.image.kind == uint8_t(kind);
}

/// Whether \p op accesses images of \p kind. image_get_lod does not read the layer: compilers pass
/// the dimension of a single layer with the descriptor of an array (LLPC, CreateImageGetLod).
static bool accepts(const MicroOp &op, ImageType kind) {
  if (op.image.isLodQuery && kind == ImageType::Dim1DArray && isOfKind(op, ImageType::Dim1D))
    return true;
  if (op.image.isLodQuery && kind == ImageType::Dim2DArray && isOfKind(op, ImageType::Dim2D))
    return true;
  return isOfKind(op, kind);
}

/// RADV loads input attachments with the dimension of an array, from the descriptor of a single
/// layer (docs/errata-amdgpu.md, "Loads of an array from a single layer"): such a descriptor counts
/// as an array of one.
static void makeArrayForLoad(const MicroOp &op, ImageDescriptor &image) {
  if (image.depth != 1)
    return;
  if (image.kind == ImageType::Dim2D && isOfKind(op, ImageType::Dim2DArray))
    image.kind = ImageType::Dim2DArray;
  if (image.kind == ImageType::Dim2DMsaa && isOfKind(op, ImageType::Dim2DArrayMsaa))
    image.kind = ImageType::Dim2DArrayMsaa;
}

/// Decodes the T# of \p op. Nothing when the instruction is done: with the null descriptor, after a
/// bad one, or when address registers are out of range.
std::optional<ImageDescriptor> gcn::readImage(Wave &wave, const MicroOp &op, bool isLoad) {
  if (handleNullImage(wave, op, imageWords(wave, op)))
    return std::nullopt;
  std::optional<ImageDescriptor> image = decodeImage(imageWords(wave, op), wave.gfxMajor);
  if (image && isLoad)
    makeArrayForLoad(op, *image);
  if (image && accepts(op, image->kind))
    return image;
  if (image && !op.image.kind) {
    unsigned count = countAddresses(op, image->kind);
    if (op.addresses[0] + count > wave.v.size()) {
      runOutOfRange(wave, op);
      return std::nullopt;
    }
    checkRead(wave, op, {true, op.addresses[0], static_cast<uint16_t>(count)});
    return image;
  }
  wave.fail(OutcomeKind::Trap, "BAD-DESCRIPTOR", op, "this is no descriptor of such an image");
  return std::nullopt;
}

/// Writes consecutive components of the result; with d16, two halves to a register.
void gcn::writeWords(Wave &wave, const MicroOp &op, unsigned lane, ArrayRef<uint32_t> words,
                     TexelClass kind) {
  unsigned first = op.destination.index;
  for (unsigned i = 0; i < words.size(); ++i) {
    if (!op.inst->mods.d16) {
      wave.v[first + i][lane] = words[i];
      continue;
    }
    uint32_t narrow = narrowComponent(words[i], kind);
    uint32_t &to = wave.v[first + i / 2][lane];
    to = i % 2 ? (to & 0xffff) | narrow << 16 : (to & 0xffff0000) | narrow;
  }
}

/// Writes the components that the mask names.
void gcn::writeComponents(Wave &wave, const MicroOp &op, unsigned lane, const TexelWords &words,
                          TexelClass kind) {
  SmallVector<uint32_t, 4> chosen;
  for (unsigned i = 0; i < 4; ++i)
    if (op.image.dmask >> i & 1)
      chosen.push_back(words[i]);
  writeWords(wave, op, lane, chosen, kind);
}

/// Writes 0 to the register after the data in active lanes: every page is resident.
void gcn::writeResidency(Wave &wave, const MicroOp &op) {
  if (!op.image.tellsResidency || !op.destinationCount)
    return;
  for (uint64_t left = wave.exec(); left; left &= left - 1)
    wave.v[op.destination.index + op.image.dwords][countr_zero(left)] = 0;
}

/// Components of a store, as its mask names them.
static TexelWords readComponents(const Wave &wave, const MicroOp &op, unsigned lane,
                                 TexelClass kind) {
  TexelWords words = {};
  unsigned first = op.sources[ImageData].operand.index;
  unsigned next = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if (!(op.image.dmask >> i & 1))
      continue;
    words[i] = !op.inst->mods.d16
                   ? wave.v[first + next][lane]
                   : widenComponent(wave.v[first + next / 2][lane] >> (next % 2 * 16), kind);
    ++next;
  }
  return words;
}

/// pck: the bits of each component, which no format and no selection changes.
static TexelView rawView(const HardwareFormat &format, bool isSigned) {
  TexelView view;
  view.format = format;
  view.format.sharesExponent = false;
  bool extends = isSigned && (format.bits[0] == 8 || format.bits[0] == 16);
  view.format.kind = extends ? TexelClass::Sint : TexelClass::Uint;
  return view;
}

/// How \p op converts texels: by the descriptor, or not at all.
static TexelView viewOf(const ImageDescriptor &image, const MicroOp &op) {
  return op.image.isRaw ? rawView(image.texel.format, op.image.isRawSigned) : image.texel;
}

/// Where an instruction with integer coordinates goes.
static TexelPlace takePlace(const ImageDescriptor &image, const MicroOp &op,
                            LaneAddresses &addresses) {
  TexelPlace place;
  place.x = addresses.takeInteger();
  if (image.kind != ImageType::Dim1D && image.kind != ImageType::Dim1DArray)
    place.y = addresses.takeInteger();
  if (image.is3D())
    place.z = addresses.takeInteger();
  else if (image.kind != ImageType::Dim1D && image.kind != ImageType::Dim2D &&
           image.kind != ImageType::Dim2DMsaa)
    place.layer = addresses.takeInteger();
  if (image.isMultisampled())
    place.sample = addresses.takeInteger();
  if (op.image.hasLod)
    place.level = addresses.takeInteger();
  return place;
}

/// Loads and stores. Loads outside the image give zeros, or a selected 1; stores there do nothing.
void gcn::runImageMove(Wave &wave, const MicroOp &op) {
  std::optional<ImageDescriptor> image = readImage(wave, op, !op.memory.isStore);
  if (!image)
    return;
  TexelView view = viewOf(*image, op);
  unsigned bytes = view.format.bytes();
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    LaneAddresses addresses(wave, op, lane);
    std::optional<uint64_t> at = findTexel(*image, takePlace(*image, op, addresses));
    uint8_t *memory = at ? findGlobal(wave, op, lane, *at, bytes) : nullptr;
    if (at && !memory)
      return;
    if (!op.memory.isStore) {
      TexelWords texel = memory ? decodeTexel(view.format, memory) : TexelWords{};
      writeComponents(wave, op, lane, selectComponents(view, texel), view.format.kind);
    } else if (memory && op.image.dmask) {
      TexelWords words = readComponents(wave, op, lane, view.format.kind);
      completeStored(words, 32 - countl_zero(uint32_t(op.image.dmask)), wave.gfxMajor);
      encodeTexel(view.format, arrangeComponents(view, words), memory);
    }
  }
  writeResidency(wave, op);
}

/// image_msaa_load: one component of four samples, from the one that the address names on.
void gcn::runImageFragments(Wave &wave, const MicroOp &op) {
  std::optional<ImageDescriptor> image = readImage(wave, op);
  if (!image)
    return;
  unsigned component = op.image.dmask ? unsigned(countr_zero(op.image.dmask)) : 0;
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    LaneAddresses addresses(wave, op, lane);
    TexelPlace place = takePlace(*image, op, addresses);
    TexelWords result = {};
    for (unsigned i = 0; i < 4; ++i, ++place.sample) {
      std::optional<uint64_t> at = findTexel(*image, place);
      if (!at)
        continue;
      uint8_t *memory = findGlobal(wave, op, lane, *at, image->texel.format.bytes());
      if (!memory)
        return;
      TexelWords texel = decodeTexel(image->texel.format, memory);
      result[i] = selectComponents(image->texel, texel)[component];
    }
    writeWords(wave, op, lane, result, image->texel.format.kind);
  }
  writeResidency(wave, op);
}

/// A texel needs the size of the operation: 4 or 8 bytes. Outside the image the old value is 0.
void gcn::runImageAtomic(Wave &wave, const MicroOp &op) {
  std::optional<ImageDescriptor> image = readImage(wave, op);
  if (!image)
    return;
  const AtomicRow &row = *op.memory.atomic;
  if (image->texel.format.bytes() != row.bytes)
    return wave.fail(OutcomeKind::Trap, "BAD-DESCRIPTOR", op,
                     "texels of " + Twine(image->texel.format.bytes()) + " bytes");
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    LaneAddresses addresses(wave, op, lane);
    std::optional<uint64_t> at = findTexel(*image, takePlace(*image, op, addresses));
    uint8_t *memory = at ? findGlobal(wave, op, lane, *at, row.bytes) : nullptr;
    if (at && !memory)
      return;
    AtomicOperands operands;
    operands.data = op.sources[ImageData].operand.index;
    operands.compare = operands.data + row.bytes / 4;
    if (op.destinationCount)
      operands.result = op.destination.index;
    doAtomic(wave, op.memory, operands, lane, memory, MemorySpace::Global);
  }
  writeResidency(wave, op);
}

/// Width, height, depth or layers, and levels; the layers of a 1D array stand second.
void gcn::runImageSize(Wave &wave, const MicroOp &op) {
  std::optional<ImageDescriptor> image = readImage(wave, op);
  if (!image)
    return;
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    LaneAddresses addresses(wave, op, lane);
    auto level = static_cast<uint64_t>(addresses.takeInteger());
    uint32_t levels = image->lastLevel - image->baseLevel + 1;
    TexelWords size = {0, 0, 0, levels};
    if (level < levels) {
      auto [x, y, z] = image->extent(image->baseLevel + static_cast<uint32_t>(level));
      bool isArray1D = image->kind == ImageType::Dim1DArray;
      size = {x, isArray1D ? image->depth : y, image->is3D() ? z : image->depth, levels};
    }
    writeComponents(wave, op, lane, size, TexelClass::Uint);
  }
  writeResidency(wave, op);
}
