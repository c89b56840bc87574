// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions: what their names and modifiers mean, and where their operands stand. Sources:
// AMD's ISA manuals, "Image Instructions" (addresses: offset, bias, reference, gradients,
// coordinates, level, least level); LLVM's image intrinsics for packed addresses and data.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/image/ImageMemory.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/gcn/memory/Transfer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// A name of an instruction's dim modifier.
struct DimensionRow {
  StringLiteral name;
  ImageType kind;
};
constexpr DimensionRow Dimensions[] = {
    {"SQ_RSRC_IMG_1D", ImageType::Dim1D},
    {"SQ_RSRC_IMG_2D", ImageType::Dim2D},
    {"SQ_RSRC_IMG_3D", ImageType::Dim3D},
    {"SQ_RSRC_IMG_CUBE", ImageType::Cube},
    {"SQ_RSRC_IMG_1D_ARRAY", ImageType::Dim1DArray},
    {"SQ_RSRC_IMG_2D_ARRAY", ImageType::Dim2DArray},
    {"SQ_RSRC_IMG_2D_MSAA", ImageType::Dim2DMsaa},
    {"SQ_RSRC_IMG_2D_MSAA_ARRAY", ImageType::Dim2DArrayMsaa},
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
  bool hasLod;      ///< An operand names the level.
  bool isRaw;       ///< Bits of components as they are.
  bool isRawSigned; ///< Extended by their sign.
};
constexpr NameRow Names[] = {
    {"load", runImageMove, false, false, false, false},
    {"load_mip", runImageMove, false, true, false, false},
    {"load_pck", runImageMove, false, false, true, false},
    {"load_pck_sgn", runImageMove, false, false, true, true},
    {"load_mip_pck", runImageMove, false, true, true, false},
    {"load_mip_pck_sgn", runImageMove, false, true, true, true},
    {"store", runImageMove, true, false, false, false},
    {"store_mip", runImageMove, true, true, false, false},
    {"store_pck", runImageMove, true, false, true, false},
    {"store_mip_pck", runImageMove, true, true, true, false},
    {"get_resinfo", runImageSize, false, false, false, false},
    {"msaa_load", runImageFragments, false, false, false, false},
};
} // namespace

/// The operation of an atomic without "image_atomic_", or null. The mask has one bit for each dword
/// of data, twice as many for cmpswap.
static const AtomicRow *findImageAtomic(StringRef name, unsigned dmask) {
  for (const auto &row : NewAtomics)
    if (row.name == name)
      name = row.plain;
  unsigned dwords = static_cast<unsigned>(popcount(dmask)) / (name.ends_with("cmpswap") ? 2 : 1);
  return dwords == 2 ? findAtomic((name + "_x2").str()) : findAtomic(name);
}

/// The parts of a sampling instruction's name, from its end to its front; false for one that is not
/// known here.
static bool parseSample(StringRef name, ImageAccess &access) {
  if (name == "get_lod") {
    access.isLodQuery = true;
    return true;
  }
  access.packsGradients = name.consume_back("_g16");
  if (name.consume_front("gather4"))
    access.isGather = true;
  else if (!name.consume_front("sample"))
    return false;
  access.hasOffset = name.consume_back("_o");
  access.hasClamp = name.consume_back("_cl");
  access.isLevelZero = name.consume_back("_lz");
  access.hasLod = name.consume_back("_l");
  access.hasBias = name.consume_back("_b");
  access.hasGradients = name.consume_back("_cd") || name.consume_back("_d");
  access.hasCompare = name.consume_back("_c");
  return name.empty();
}

/// Sets the handler and what the name says about the access. False for an unknown name.
static bool bindName(StringRef name, MicroOp &op) {
  for (const NameRow &row : Names)
    if (row.name == name) {
      op.run = row.run;
      op.memory.isStore = row.isStore;
      op.image.hasLod = row.hasLod;
      op.image.isRaw = row.isRaw;
      op.image.isRawSigned = row.isRawSigned;
      op.image.isSize = row.run == runImageSize;
      op.image.isFragments = row.run == runImageFragments;
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
    unsigned dwords = isResource && !inst.mods.r128 ? 8 : 4;
    if (inst.operands[i].type != OperandType::Sgpr || !hasDwords(inst.operands[i], dwords))
      return false;
    addSource(op, inst.operands[i], OperandKind::U32);
  }
  return true;
}

/// Registers of data: as many as the mask has components, except for atomics and what gives four.
static unsigned countData(const MicroOp &op) {
  if (op.memory.atomic)
    return accessDwords(op.memory);
  bool isFour = op.image.isGather || op.image.isFragments;
  unsigned count = isFour ? 4 : static_cast<unsigned>(popcount(op.image.dmask));
  return op.inst->mods.d16 ? (count + 1) / 2 : count;
}

/// Registers that data takes, and where results go.
static bool bindData(const Inst &inst, MicroOp &op) {
  op.image.dwords = static_cast<uint8_t>(countData(op));
  if (!hasDwords(inst.operands[0], op.image.dwords))
    return false;
  bool loads = !op.memory.isStore && !op.memory.atomic;
  if (loads || (op.memory.atomic && inst.mods.returnsOld)) {
    op.destination = inst.operands[0];
    op.destinationCount = 1;
    if (op.memory.atomic)
      op.image.dwords = op.memory.atomic->bytes / 4;
    // The text does not always name the register that tells of residency.
    op.image.tellsResidency = inst.mods.tfe || inst.mods.lwe;
    op.destination.dwords = static_cast<uint8_t>(op.image.dwords + op.image.tellsResidency);
  }
  if (loads)
    op.sources[ImageData].operand.type = OperandType::Off;
  return true;
}

/// Unsupported: unknown names, operands that are too short, no dimension from GFX10 on, and
/// msaa_load on GFX10. GFX9 has no dimension: the number of addresses is checked with the
/// descriptor.
BindResult gcn::bindImage(const Inst &inst, const ProgramOptions &options, MicroOp &op) {
  StringRef name = inst.mnemonic;
  if (!name.consume_front("image_"))
    return BindResult::NotMine;
  const Modifiers &mods = inst.mods;
  op.image.dmask = mods.dmask;
  for (const DimensionRow &row : Dimensions)
    if (row.name == mods.dimension)
      op.image.kind = static_cast<uint8_t>(row.kind);
  if (options.gfxMajor >= 10 && !op.image.kind)
    return BindResult::Unsupported;
  if (!bindName(name, op) || !bindOperands(inst, op) || !bindData(inst, op))
    return BindResult::Unsupported;
  // GFX10's mask counts registers (LLVM), though it names one component of four samples (manual).
  if (op.image.isFragments && options.gfxMajor < 11)
    return BindResult::Unsupported;
  // On GFX9, a16 packs gradients, too (ACO's README-ISA).
  op.image.packsGradients |= options.gfxMajor == 9 && mods.a16;
  bool tooFew = op.image.kind &&
                op.addresses.size() < countAddresses(op, static_cast<ImageType>(op.image.kind));
  return tooFew ? BindResult::Unsupported : BindResult::Bound;
}
