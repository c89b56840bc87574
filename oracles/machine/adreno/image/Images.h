// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors of images, buffers and samplers as the hardware reads them, and where texels are.
// Fields: Mesa 25.0, a6xx.xml (A6XX_TEX_CONST, A6XX_TEX_SAMP). Images are linear.
#pragma once

#include "oracles/machine/adreno/MemoryAccess.h"
#include "oracles/machine/adreno/image/Texels.h"
#include "llvm/ADT/Twine.h"

namespace assay::adreno {

/// Field TYPE.
enum class ImageType : uint8_t { OneD, TwoD, Cube, ThreeD, Buffer };

/// A6XX_TEX_CONST. Without texels (width 0) where the descriptor is all zeros.
struct ImageView {
  ImageType type = ImageType::Buffer;
  TexelCode texel;
  std::array<uint8_t, 4> swizzle = {0, 1, 2, 3}; ///< 4 is zero, 5 is one.
  uint64_t address = 0;
  uint32_t width = 0; ///< Of a buffer: its elements.
  uint32_t height = 1;
  uint32_t depth = 1; ///< Slices of a 3D image; layers of another, cubes of a cube.
  uint32_t levels = 1;
  uint32_t samples = 1;
  uint32_t pitch = 0;       ///< Bytes between rows of the first level,
  uint32_t pitchAlign = 64; ///< and what those of further levels are rounded up to.
  uint64_t layerPitch = 0;  ///< Bytes between layers, or between slices of the first level.
  uint64_t minLayerBytes = 0;

  bool isBuffer() const { return type == ImageType::Buffer; }
  /// Layers that coordinates may name; faces are layers.
  uint32_t layers() const {
    return type == ImageType::ThreeD ? 1 : type == ImageType::Cube ? 6 * depth : depth;
  }
  /// Texels along x, y and z.
  std::array<uint32_t, 3> extent(uint32_t level) const;
};

/// The view at descriptor \p index of \p base; nothing after wave.fail(): there is no such
/// descriptor, or one that this machine has no semantics of.
std::optional<ImageView> readView(Wave &wave, unsigned base, uint32_t index);

/// One texel; of a buffer, element x.
struct TexelPlace {
  int64_t x = 0, y = 0, z = 0, layer = 0, level = 0;
};
/// The address of a texel; nothing outside of the view.
///
/// Where a level begins, the hardware knows from pitch and size of the first one (Mesa 25.0,
/// fd6_layout.c, which must lay out images so): the rows of level n have pitch >> n bytes, rounded
/// up. The levels of a layer follow each other. A 3D image has one level after the other; a slice
/// of a level has the size of its rows in whole pages, but from the second level on no less than
/// field MIN_LAYERSZ.
std::optional<uint64_t> findTexel(const ImageView &view, const TexelPlace &place);

/// The components that a load of the texel gives: zeros outside of the view, swizzled. Nothing
/// after wave.fail().
std::optional<TexelWords> loadTexel(Wave &wave, const ImageView &view, const TexelPlace &place);
/// \p texel as field SWIZ_* arrange it.
TexelWords swizzled(const ImageView &view, const TexelWords &texel);

/// \p word of a texel as a register of \p type: halves are converted.
uint32_t texelToRegister(uint32_t word, bool isInteger, DataType type);
/// The reverse.
uint32_t registerToTexel(uint32_t value, bool isInteger, DataType type);

/// Field WRAP_*.
enum class Wrap : uint8_t { Repeat, ClampToEdge, MirrorRepeat, ClampToBorder, MirrorClamp };

/// A6XX_TEX_SAMP.
struct SamplerView {
  std::array<Wrap, 3> wrap = {};
  bool isMagLinear = false, isMinLinear = false, isMipLinear = false;
  bool isUnnormalized = false;
  uint8_t compare = 0;                   ///< In the order of VkCompareOp.
  uint8_t border = 0;                    ///< Bit 0: w is 1; bit 1: the others are.
  std::optional<TexelWords> borderColor; ///< In the place of \p border: from the table in memory.
  double lodBias = 0, minLod = 0, maxLod = 0;
};
/// The sampler at descriptor \p index of \p base; nothing after wave.fail().
std::optional<SamplerView> readSampler(Wave &wave, unsigned base, uint32_t index);

/// \name What texture instructions share.
/// @{
/// A source, which an entry of the table of aliases may replace.
uint32_t readAliased(const Wave &wave, unsigned lane, unsigned number, bool half);
/// Where a texture instruction finds its descriptors.
struct TextureSlots {
  unsigned textureBase = 0, samplerBase = 0;
  uint32_t texture = 0, sampler = 0;
};
/// Whether the descriptor that \p op uses in its first active lane is of a buffer.
bool usesBuffer(const Wave &wave, const Op &op);
/// False after wave.fail(): the instruction is not bindless.
bool requireBindless(Wave &wave, const Op &op);
/// The descriptors that \p op uses in \p lane, by its field desc.
TextureSlots textureSlotsOf(const Wave &wave, const Op &op, unsigned lane);
/// Writes \p words, integers or floats, where the mask of \p op says.
void writeResult(Wave &wave, const Op &op, unsigned lane, const TexelWords &words, bool isInteger);
/// The instruction has run: its entries of the table of aliases are gone.
void endTexture(Wave &wave);
/// @}

/// The memory of a descriptor; null after wave.fail().
const uint8_t *descriptorAt(Wave &wave, unsigned base, uint32_t index, unsigned bytes);
/// Ends the wave: there are no semantics for its instruction.
void refuse(Wave &wave, const llvm::Twine &why);

/// \name Buffers and images of category 6.
/// @{
/// The view that ldib.b, stib.b, atomic.b or resinfo.b uses; nothing after wave.fail().
std::optional<ImageView> viewOf(Wave &wave, const Op &op, unsigned lane);
/// Memory of element \p index of \p bytes of a buffer, whatever its format; null where the buffer
/// has none, or after wave.fail().
uint8_t *elementAt(Wave &wave, const ImageView &buffer, uint64_t index, unsigned bytes,
                   simt::Access access);
/// ldib.b of an image, or of a buffer with a format: texels, converted to the type of the register.
void loadTyped(Wave &wave, const Op &op);
/// stib.b of the same. Components are arranged as the view's swizzle says.
void storeTyped(Wave &wave, const Op &op);
/// The texel of an atomic; null outside of the view, or after wave.fail().
uint8_t *typedAtomicAt(Wave &wave, const Op &op, unsigned lane, const ImageView &view);
/// @}

/// Single texels and sizes, of category 5 and 6.
llvm::ArrayRef<HandlerRow> imageHandlers();
/// What uses a sampler.
llvm::ArrayRef<HandlerRow> samplingHandlers();

} // namespace assay::adreno
