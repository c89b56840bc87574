// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions (MIMG, VIMAGE, VSAMPLE): binding, and those that work on single texels.
#include "oracles/machine/gcn/ImageMemory.h"

#include "oracles/machine/gcn/Atomics.h"
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/LaneWalk.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/Scheduler.h"
#include "oracles/machine/gcn/Transfer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

uint32_t LaneAddresses::takeHalf() {
  uint32_t dword = m_wave.v[currentRegister()][m_lane];
  return (m_next++ % 2 ? dword >> 16 : dword) & 0xffff;
}

int64_t LaneAddresses::takeInteger() {
  if (m_op.inst->mods.a16)
    return takeHalf();
  return static_cast<int32_t>(takeDword());
}

double LaneAddresses::takeFloat() {
  return m_op.inst->mods.a16 ? takeHalfFloat() : double(llvm::bit_cast<float>(takeDword()));
}

double LaneAddresses::takeHalfFloat() {
  APFloat half(APFloat::IEEEhalf(), APInt(16, takeHalf()));
  bool losesInfo = false;
  half.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return half.convertToDouble();
}

unsigned gcn::countCoordinates(ImageKind kind) {
  switch (kind) {
  case ImageKind::Dim1D:
    return 1;
  case ImageKind::Dim2D:
  case ImageKind::Dim1DArray:
    return 2;
  case ImageKind::Dim3D:
  case ImageKind::Cube:
  case ImageKind::Dim2DArray:
  case ImageKind::Dim2DMsaa:
    return 3;
  case ImageKind::Dim2DArrayMsaa:
    return 4;
  }
  return 0;
}

/// Address registers that \p op reads of an image of \p kind.
static unsigned countAddresses(const MicroOp &op, ImageKind kind) {
  const ImageAccess &image = op.image;
  if (image.isSize)
    return 1;
  unsigned coordinates = countCoordinates(kind) + image.hasLod;
  bool isFlat = kind == ImageKind::Dim1D || kind == ImageKind::Dim1DArray;
  unsigned front = unsigned(image.hasOffset) + unsigned(image.hasCompare);
  unsigned gradients = isFlat ? 1 : kind == ImageKind::Dim3D ? 3 : 2;
  if (image.hasGradients)
    front += 2 * (image.packsGradients ? (gradients + 1) / 2 : gradients);
  return front + (op.inst->mods.a16 ? (coordinates + 1) / 2 : coordinates);
}

std::optional<ImageDescriptor> gcn::readImage(Wave &wave, const MicroOp &op) {
  ArrayRef<uint32_t> words(&wave.s[op.sources[ImageResource].operand.index], 8);
  std::optional<ImageDescriptor> image = decodeImage(words, wave.gfxMajor);
  if (image && op.image.kind == uint8_t(image->kind))
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

void gcn::writeComponents(Wave &wave, const MicroOp &op, unsigned lane, const TexelWords &words) {
  unsigned next = op.destination.index;
  for (unsigned i = 0; i < 4; ++i)
    if (op.image.dmask >> i & 1)
      wave.v[next++][lane] = words[i];
}

/// Where an instruction with integer coordinates goes.
static TexelPlace takePlace(const ImageDescriptor &image, const MicroOp &op,
                            LaneAddresses &addresses) {
  TexelPlace place;
  place.x = addresses.takeInteger();
  if (image.kind != ImageKind::Dim1D && image.kind != ImageKind::Dim1DArray)
    place.y = addresses.takeInteger();
  if (image.is3D())
    place.z = addresses.takeInteger();
  else if (image.kind != ImageKind::Dim1D && image.kind != ImageKind::Dim2D &&
           image.kind != ImageKind::Dim2DMsaa)
    place.layer = addresses.takeInteger();
  if (image.isMultisampled())
    place.sample = addresses.takeInteger();
  if (op.image.hasLod)
    place.level = addresses.takeInteger();
  return place;
}

static void runImageMove(Wave &wave, const MicroOp &op) {
  std::optional<ImageDescriptor> image = readImage(wave, op);
  if (!image)
    return;
  unsigned bytes = image->texel.format.bytes();
  for (unsigned lane : LaneWalk(wave, wave.exec())) {
    LaneAddresses addresses(wave, op, lane);
    std::optional<uint64_t> at = findTexel(*image, takePlace(*image, op, addresses));
    uint8_t *memory = at ? findGlobal(wave, op, lane, *at, bytes) : nullptr;
    if (at && !memory)
      return;
    if (!op.memory.isStore) {
      TexelWords texel = memory ? decodeTexel(image->texel.format, memory) : TexelWords{};
      writeComponents(wave, op, lane, selectComponents(image->texel, texel));
    } else if (memory) {
      TexelWords words = {};
      unsigned next = op.sources[ImageData].operand.index;
      for (unsigned i = 0; i < 4; ++i)
        if (op.image.dmask >> i & 1)
          words[i] = wave.v[next++][lane];
      completeStored(words, 32 - countl_zero(uint32_t(op.image.dmask)), wave.gfxMajor);
      encodeTexel(image->texel.format, arrangeComponents(image->texel, words), memory);
    }
  }
}

static void runImageAtomic(Wave &wave, const MicroOp &op) {
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
}

/// Width, height, depth or layers, and levels; the layers of a 1D array stand second.
static void runImageSize(Wave &wave, const MicroOp &op) {
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
      bool isArray1D = image->kind == ImageKind::Dim1DArray;
      size = {x, isArray1D ? image->depth : y, image->is3D() ? z : image->depth, levels};
    }
    writeComponents(wave, op, lane, size);
  }
}

// --- Binding

namespace {
struct DimensionRow {
  StringLiteral name;
  ImageKind kind;
};
constexpr DimensionRow Dimensions[] = {
    {"SQ_RSRC_IMG_1D", ImageKind::Dim1D},
    {"SQ_RSRC_IMG_2D", ImageKind::Dim2D},
    {"SQ_RSRC_IMG_3D", ImageKind::Dim3D},
    {"SQ_RSRC_IMG_CUBE", ImageKind::Cube},
    {"SQ_RSRC_IMG_1D_ARRAY", ImageKind::Dim1DArray},
    {"SQ_RSRC_IMG_2D_ARRAY", ImageKind::Dim2DArray},
    {"SQ_RSRC_IMG_2D_MSAA", ImageKind::Dim2DMsaa},
    {"SQ_RSRC_IMG_2D_MSAA_ARRAY", ImageKind::Dim2DArrayMsaa},
};

/// The names that GFX12 gives to operations, and those of findAtomic.
constexpr struct {
  StringLiteral name;
  StringLiteral plain;
} NewAtomics[] = {
    {"add_uint", "add"},    {"sub_uint", "sub"},  {"min_int", "smin"}, {"min_uint", "umin"},
    {"max_int", "smax"},    {"max_uint", "umax"}, {"inc_uint", "inc"}, {"dec_uint", "dec"},
    {"add_flt", "add_f32"}, {"min_flt", "fmin"},  {"max_flt", "fmax"},
};

/// An instruction by its name.
struct NameRow {
  StringLiteral name;
  Handler run;
  bool isStore;
  bool hasLod;
};
constexpr NameRow Names[] = {
    {"load", runImageMove, false, false},        {"load_mip", runImageMove, false, true},
    {"store", runImageMove, true, false},        {"store_mip", runImageMove, true, true},
    {"get_resinfo", runImageSize, false, false},
};
} // namespace

static const AtomicRow *findImageAtomic(StringRef name, unsigned dmask) {
  for (const auto &row : NewAtomics)
    if (row.name == name)
      name = row.plain;
  unsigned dwords = static_cast<unsigned>(popcount(dmask)) / (name == "cmpswap" ? 2 : 1);
  return dwords == 2 ? findAtomic((name + "_x2").str()) : findAtomic(name);
}

/// The parts of a sampling instruction's name; false for one that is not known here.
static bool parseSample(StringRef name, ImageAccess &access) {
  access.packsGradients = name.consume_back("_g16");
  if (name.consume_front("gather4"))
    access.isGather = true;
  else if (!name.consume_front("sample"))
    return false;
  access.hasOffset = name.consume_back("_o");
  access.hasCompare = name.consume_front("_c");
  access.isLevelZero = name == "_lz";
  access.hasLod = name == "_l";
  access.hasGradients = name == "_d";
  return access.isLevelZero || access.hasLod || access.hasGradients;
}

static bool bindName(StringRef name, MicroOp &op) {
  for (const NameRow &row : Names)
    if (row.name == name) {
      op.run = row.run;
      op.memory.isStore = row.isStore;
      op.image.hasLod = row.hasLod;
      return true;
    }
  if (name.consume_front("atomic_")) {
    op.run = runImageAtomic;
    op.memory.atomic = findImageAtomic(name, op.image.dmask);
    return op.memory.atomic;
  }
  op.run = runImageSample;
  return parseSample(name, op.image);
}

/// Operands: data, addresses, T#, S#.
static bool bindOperands(const Inst &inst, MicroOp &op) {
  size_t end = inst.operands.size();
  bool isSample = op.run == runImageSample;
  size_t scalars = isSample ? 2 : 1;
  if (end < 2 + scalars || inst.operands[0].type != OperandType::Vgpr)
    return false;
  addSource(op, inst.operands[0], OperandKind::U32);
  for (const Operand &address : drop_end(drop_begin(inst.operands), scalars)) {
    if (address.type != OperandType::Vgpr)
      return false;
    op.reads.push_back({true, address.index, address.dwords});
    for (unsigned i = 0; i < address.dwords; ++i)
      op.addresses.push_back(static_cast<uint16_t>(address.index + i));
  }
  for (size_t i = end - scalars; i < end; ++i) {
    bool isResource = i == end - scalars;
    if (inst.operands[i].type != OperandType::Sgpr ||
        inst.operands[i].dwords < (isResource ? 8 : 4))
      return false;
    addSource(op, inst.operands[i], OperandKind::U32);
  }
  return true;
}

/// Registers that data takes, and where results go.
static bool bindData(const Inst &inst, MicroOp &op) {
  unsigned dwords = op.memory.atomic    ? accessDwords(op.memory)
                    : op.image.isGather ? 4u
                                        : static_cast<unsigned>(popcount(op.image.dmask));
  if (!hasDwords(inst.operands[0], dwords))
    return false;
  bool loads = !op.memory.isStore && !op.memory.atomic;
  if (loads || (op.memory.atomic && inst.mods.returnsOld)) {
    op.destination = inst.operands[0];
    op.destinationCount = 1;
    if (op.memory.atomic)
      op.destination.dwords = op.memory.atomic->bytes / 4;
  }
  if (loads)
    op.sources[ImageData].operand.type = OperandType::Off;
  return true;
}

BindResult gcn::bindImage(const Inst &inst, const ProgramOptions &options, MicroOp &op) {
  StringRef name = inst.mnemonic;
  if (!name.consume_front("image_"))
    return BindResult::NotMine;
  const Modifiers &mods = inst.mods;
  if (mods.tfe || mods.lwe || mods.d16 || mods.r128 || mods.dmask == 0)
    return BindResult::Unsupported;
  op.image.dmask = mods.dmask;
  for (const DimensionRow &row : Dimensions)
    if (row.name == mods.dimension)
      op.image.kind = static_cast<uint8_t>(row.kind);
  if (options.gfxMajor >= 10 && !op.image.kind)
    return BindResult::Unsupported;
  if (!bindName(name, op) || !bindOperands(inst, op) || !bindData(inst, op))
    return BindResult::Unsupported;
  op.image.isSize = op.run == runImageSize;
  bool tooFew = op.image.kind &&
                op.addresses.size() < countAddresses(op, static_cast<ImageKind>(op.image.kind));
  // On GFX9, a16 packs gradients, too.
  if (tooFew || (mods.a16 && op.image.hasGradients && !op.image.packsGradients))
    return BindResult::Unsupported;
  return BindResult::Bound;
}
