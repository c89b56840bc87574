// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many registers image instructions read and write: the real widths, from dimension, opcode,
// dmask and modifiers. (RDNA manuals, "Image Address VGPR usage"; LLVM, getAddrSizeMIMGOp.)
#pragma once

#include "oracles/machine/gcn_isa/Isa.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::gcn {

struct Modifiers;

/// Kinds of image instructions, the low bits of IsaRow::flags.
enum class ImageKind : uint8_t {
  Load,
  LoadPacked,
  LoadMsaa,
  Store,
  StorePacked,
  Atomic,
  GetSize,
  Sample,
  Gather,
  GetLod,
  Ray,
};

/// What an address has next to coordinates, the bits above.
namespace image {
constexpr unsigned KindBits = 8;
constexpr uint32_t Lod = 1 << KindBits; ///< Or the clamp of one, or a mip level.
constexpr uint32_t Gradients = 2 << KindBits;
constexpr uint32_t Gradients16 = 4 << KindBits;
constexpr uint32_t Node64 = 8 << KindBits; ///< Rays: a pointer of 64 bits to the node.
constexpr uint32_t Dual = 16 << KindBits;  ///< Rays: two nodes.
constexpr uint32_t Eight = 32 << KindBits; ///< Rays: nodes of eight boxes.
constexpr unsigned ExtraShift = KindBits + 8;
constexpr uint32_t Extra1 = 1 << ExtraShift; ///< Dwords of offset, bias, reference value.
constexpr uint32_t Extra2 = 2 << ExtraShift;
constexpr uint32_t Extra3 = 3 << ExtraShift;
} // namespace image

constexpr ImageKind imageKind(uint32_t flags) {
  return static_cast<ImageKind>(flags & 0xff);
}
/// True for those that have a sampler.
bool hasSampler(ImageKind kind);
/// True for those that GFX12 encodes as VSAMPLE.
bool isSampleFormat(ImageKind kind);

/// "SQ_RSRC_IMG_2D", for the three bits of dim.
llvm::StringRef dimensionName(unsigned dim);
/// The three bits for a name, or 8.
unsigned dimensionOf(llvm::StringRef name);

/// Registers of the data operand.
unsigned imageDataDwords(uint32_t flags, Chip chip, const Modifiers &mods);
/// Registers of the address, on GFX10 and later, of anything but rays.
unsigned imageAddressDwords(uint32_t flags, unsigned dim, bool a16);
/// The same on GFX9, where the descriptor decides: the fewest there can be.
unsigned imageAddressDwordsGfx9(uint32_t flags);
/// Registers of each part of a ray (GFX11, GFX12; GFX10.3 has the sum of them).
llvm::SmallVector<uint8_t, 5> rayAddressDwords(uint32_t flags, bool a16);

} // namespace assay::gcn
