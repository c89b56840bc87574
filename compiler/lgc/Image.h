// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words in which image ops are asked for: dimensions, flags, atomic operations, and the
// operands that most ops share. The numbers are in the IR.
#pragma once

#include <cstdint>

namespace llvm {
class Value;
} // namespace llvm

namespace assay {

/// How an image is addressed. Coordinates are those of x, y, z that the dimension has, then the
/// array layer, then the sample. A Buffer is a typed buffer, whose descriptor is a V#.
enum class ImageDim : unsigned {
  Dim1D = 0,
  Dim2D = 1,
  Dim3D = 2,
  Cube = 3, ///< Sampled by a direction; loaded and stored as layers of a 2D array, six a cube.
  Dim1DArray = 4,
  Dim2DArray = 5,
  CubeArray = 6, ///< Sampled by direction and cube; loaded and stored like Cube.
  Dim2DMsaa = 7,
  Dim2DArrayMsaa = 8,
  Buffer = 9,
};
constexpr unsigned imageDimCount = 10;

/// Bits of an image op's flags.
enum ImageFlag : unsigned {
  ImageCoherent = 1,     ///< What it reads, or writes, is what others of the device see.
  ImageVolatile = 2,     ///< Nothing may be left out; implies ImageCoherent.
  ImageHasLod = 4,       ///< The operand that says the level is given.
  ImageHasGradients = 8, ///< The explicit derivatives are given.
  ImageHasOffset = 16,   ///< The texel offset is given.
  ImageHasCompare = 32,  ///< The depth reference is given.
  ImageIsStorage =
      64, ///< A query of a storage image: its cubes are 2D arrays. 128, 256: ImageTexels.h.
  ImageHasBias = 512,      ///< The operand for the level is a bias; with ImageImplicitLod.
  ImageImplicitLod = 1024, ///< The level follows from how the coordinate changes within the quad.
  ImageHasMinLod = 2048,   ///< The least level is given.
  ImageSparse = 4096,      ///< The result is a texel and its residency: 0 where all is resident.
};

enum class ImageAtomic : unsigned {
  Swap = 0,
  Add = 1,
  Sub = 2,
  SMin = 3,
  UMin = 4,
  SMax = 5,
  UMax = 6,
  And = 7,
  Or = 8,
  Xor = 9,
  CompareSwap = 10,
  FAdd = 11,
  FMin = 12,
  FMax = 13,
};
constexpr unsigned imageAtomicCount = 14;

/// What of a descriptor an address is wanted of: a combined image sampler holds two.
enum class DescriptorPart : unsigned {
  Resource = 0, ///< T#, or V# of a texel buffer; also the whole of a combined image sampler.
  Sampler = 1,  ///< S#.
};

/// Where the S# of a combined image sampler is after its T#, in bytes.
constexpr unsigned combinedSamplerOffset = 32;

/// The place an image op works on. \p image is <8 x i32> (T#), or <4 x i32> (V#) of a Buffer.
/// \p coordinate is a scalar or vector with as many components as \p dim asks for, or more: f32 for
/// sampling and gathering, i32 for everything else; null for queries.
struct ImageAccess {
  ImageDim dim = ImageDim::Dim2D;
  /// ImageCoherent, ImageVolatile, ImageIsStorage, ImageSparse; the methods add the others.
  unsigned flags = 0;
  llvm::Value *image = nullptr;
  llvm::Value *coordinate = nullptr;
};

/// Operands of sampling and gathering; null where there are none. Without lod, gradients and
/// isImplicit the level is 0.
struct SampleOperands {
  llvm::Value *sampler = nullptr;   ///< <4 x i32>.
  llvm::Value *lod = nullptr;       ///< f32.
  llvm::Value *gradientX = nullptr; ///< f32 or vector of f32, as many as the dimension has.
  llvm::Value *gradientY = nullptr;
  llvm::Value *offset = nullptr;  ///< i32 or vector of i32.
  llvm::Value *compare = nullptr; ///< f32.
  llvm::Value *bias = nullptr;    ///< f32; only of implicit levels.
  llvm::Value *minLod = nullptr;  ///< f32; of implicit levels and gradients.
  bool isImplicit = false; ///< The level follows from derivatives, which only fragments have.
};

} // namespace assay
