// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/ImageAddress.h"

#include "oracles/machine/gcn_isa/Inst.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Address components of one dimension.
struct DimensionRow {
  StringLiteral name;
  uint8_t coordinates; ///< With layer, face or sample.
  uint8_t layers;      ///< Of those, the layers of an array.
  uint8_t gradients;
};

/// By the encoding of dim (RDNA manuals, MIMG "DIM").
constexpr DimensionRow Dimensions[] = {
    {"SQ_RSRC_IMG_1D", 1, 0, 2},       {"SQ_RSRC_IMG_2D", 2, 0, 4},
    {"SQ_RSRC_IMG_3D", 3, 0, 6},       {"SQ_RSRC_IMG_CUBE", 3, 0, 4},
    {"SQ_RSRC_IMG_1D_ARRAY", 2, 1, 2}, {"SQ_RSRC_IMG_2D_ARRAY", 3, 1, 4},
    {"SQ_RSRC_IMG_2D_MSAA", 3, 0, 4},  {"SQ_RSRC_IMG_2D_MSAA_ARRAY", 4, 1, 4},
};

constexpr unsigned GatheredTexels = 4;
constexpr unsigned RayResultDwords = 4;
constexpr unsigned WideRayResultDwords = 10; ///< GFX12's dual and eight-box nodes.

} // namespace

/// Kinds with an S# operand.
bool gcn::hasSampler(ImageKind kind) {
  return kind == ImageKind::Sample || kind == ImageKind::Gather || kind == ImageKind::GetLod;
}

/// Kinds that are VSAMPLE on GFX12; the others are VIMAGE.
bool gcn::isSampleFormat(ImageKind kind) {
  return hasSampler(kind) || kind == ImageKind::LoadMsaa;
}

/// \p dim is the field's value.
StringRef gcn::dimensionName(unsigned dim) {
  return Dimensions[dim & 7].name;
}

/// The reverse of dimensionName(); 8 for an unknown name.
unsigned gcn::dimensionOf(StringRef name) {
  unsigned dim = 0;
  while (dim < std::size(Dimensions) && Dimensions[dim].name != name)
    ++dim;
  return dim;
}

/// Registers of the data operand, with that of the status.
unsigned gcn::imageDataDwords(uint32_t flags, Chip chip, const Modifiers &mods) {
  ImageKind kind = imageKind(flags);
  if (kind == ImageKind::Ray)
    return flags & (image::Dual | image::Eight) ? WideRayResultDwords : RayResultDwords;
  // GFX10.3's image_msaa_load_x: dmask counts the samples.
  bool gathers = kind == ImageKind::Gather ||
                 (kind == ImageKind::LoadMsaa && contains(chips::Gfx11Plus, chip));
  unsigned dwords = gathers ? GatheredTexels : std::max(popcount(unsigned(mods.dmask)), 1);
  if (mods.d16)
    dwords = (dwords + 1) / 2;
  return dwords + unsigned(mods.tfe);
}

/// Registers of the address from GFX10 on. \p flags are those of the row.
unsigned gcn::imageAddressDwords(uint32_t flags, unsigned dim, bool a16) {
  const DimensionRow &row = Dimensions[dim & 7];
  ImageKind kind = imageKind(flags);
  unsigned components = kind == ImageKind::GetSize ? 0 : row.coordinates;
  // The level of detail does not depend on the layer; ACO leaves it out.
  if (kind == ImageKind::GetLod)
    components -= row.layers;
  components += flags & image::Lod ? 1 : 0;
  unsigned dwords = flags >> image::ExtraShift & 3;
  dwords += a16 ? (components + 1) / 2 : components;
  if (!(flags & image::Gradients))
    return dwords;
  // Two to a dword, horizontal and vertical ones apart.
  bool packs = flags & image::Gradients16;
  return dwords + (packs ? alignTo(row.gradients / 2, 2) : row.gradients);
}

/// Registers of the address operand in GFX9's text: the encoding does not say the dimension.
unsigned gcn::imageAddressDwordsGfx9(uint32_t flags) {
  return (flags >> image::ExtraShift & 3) + 1 + (flags & image::Gradients ? 1 : 0);
}

/// Registers of each address operand of a ray instruction.
SmallVector<uint8_t, 5> gcn::rayAddressDwords(uint32_t flags, bool a16) {
  if (flags & image::Dual) // Base, offsets, origin, direction, nodes.
    return {2, 2, 3, 3, 2};
  if (flags & image::Eight)
    return {2, 2, 3, 3, 1};
  uint8_t node = flags & image::Node64 ? 2 : 1;
  // Direction and its inverse share three registers when they are halves.
  if (a16)
    return {node, 1, 3, 3};
  return {node, 1, 3, 3, 3};
}
