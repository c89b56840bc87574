// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image descriptors (T#) and sampler descriptors (S#): their fields in each generation, and where
// the texels of an image lie. Images are linear and packed, level after level, as a case has them:
// hardware's tilings are nothing that code can see.
#pragma once

#include "oracles/machine/gcn/image/TexelCodec.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay::gcn {

/// TYPE of a T#.
enum class ImageType : uint8_t {
  Dim1D = 8,
  Dim2D = 9,
  Dim3D = 10,
  Cube = 11,
  Dim1DArray = 12,
  Dim2DArray = 13,
  Dim2DMsaa = 14,
  Dim2DArrayMsaa = 15
};

struct ImageDescriptor {
  uint64_t base = 0; ///< Address of the texels; a multiple of 256.
  uint32_t width = 1, height = 1;
  uint32_t depth = 1; ///< Depth of a 3D image; layers of any other, faces counted one by one.
  uint32_t levels = 1;
  uint32_t baseLevel = 0, lastLevel = 0;
  uint32_t samples = 1;
  ImageType kind = ImageType::Dim2D;
  TexelView texel;

  bool isMultisampled() const { return kind >= ImageType::Dim2DMsaa; }
  bool is3D() const { return kind == ImageType::Dim3D; }
  /// Texels along x, y and z of level \p level, counted from the image's first.
  std::array<uint32_t, 3> extent(uint32_t level) const;
  uint32_t layers() const { return is3D() ? 1 : depth; }
};

using ImageWords = std::array<uint32_t, 8>;
llvm::Expected<ImageWords> encodeImage(const ImageDescriptor &image, unsigned gfxMajor);
/// Nothing where the words are no image descriptor.
std::optional<ImageDescriptor> decodeImage(llvm::ArrayRef<uint32_t> words, unsigned gfxMajor);

/// One texel; z or the layer, whichever the image has.
struct TexelPlace {
  int64_t x = 0, y = 0, z = 0, layer = 0, sample = 0;
  int64_t level = 0; ///< Counted from the view's first.
};

/// The address of a texel; nothing outside of the view.
std::optional<uint64_t> findTexel(const ImageDescriptor &image, const TexelPlace &place);

/// CLAMP_X and the like.
enum class AddressClamp : uint8_t {
  Wrap = 0,
  Mirror = 1,
  LastTexel = 2,
  MirrorOnce = 3,
  Border = 6
};

struct SamplerDescriptor {
  std::array<AddressClamp, 3> clamp = {};
  uint8_t compare = 0; ///< In the order of VkCompareOp.
  bool isUnnormalized = false;
  double minLod = 0, maxLod = 0;
  double lodBias = 0;
  bool isMagLinear = false, isMinLinear = false;
  uint8_t mipFilter = 1; ///< 0 none, 1 point, 2 linear.
  uint8_t border = 0;    ///< 0 transparent black, 1 opaque black, 2 opaque white.
};

using SamplerWords = std::array<uint32_t, 4>;
SamplerWords encodeSampler(const SamplerDescriptor &sampler, unsigned gfxMajor);
SamplerDescriptor decodeSampler(llvm::ArrayRef<uint32_t> words, unsigned gfxMajor);

} // namespace assay::gcn
