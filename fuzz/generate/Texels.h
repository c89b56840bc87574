// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and texel buffers of generated cases: formats, shapes, contents, places in them, and how a
// shader gets at one, also out of an array of them.
#pragma once

#include "fuzz/generate/Constructs.h"
#include "fuzz/generate/Descriptors.h"

namespace assay::fuzz {

enum class TexelNumbers : uint8_t { Unsigned, Signed, Float, Normalized, Depth };

struct TexelFormatRow {
  const char *name;        ///< Amber's, which is Vulkan's.
  spv::ImageFormat format; ///< Unknown where storage images can't have it.
  TexelNumbers numbers;
  unsigned components;
  unsigned bits;           ///< Of a component; of the narrowest one.
  bool isExtended = false; ///< Of storage images by a capability of its own.
  bool isPacked = false;   ///< Data have one number a texel.
};

/// A dimension with all that SPIR-V hangs on it.
struct ImageForm {
  spv::Dim dim;
  bool isArrayed, isMultisampled;
  const char *amber; ///< Null for texel buffers.
  spv::Capability sampled, storage;
};

/// Not a buffer, not a rectangle, not multisampled.
bool mayHaveLevels(const ImageForm &form);

enum TexelUse : uint8_t {
  ForStorage = 1, ///< OpImageRead, OpImageWrite, atomics.
  ForFetch = 2,   ///< OpImageFetch.
  ForSample = 4,  ///< With a sampler.
  ForGather = 8,
};

/// What a construct wants of its texels.
struct TexelWish {
  TexelUse use;
  bool isOwn = false; ///< At least one texel for each invocation.
  bool isForAtomics = false;
  bool isDepth = false;
  bool isPowerOfTwo = false; ///< All its sizes, so that coordinates are exact.
  unsigned mostLevels = 1;
};

/// A variable with an image or texel buffer, or with an array of such.
struct Texels {
  GeneratedBinding kind = GeneratedBinding::StorageImage;
  const TexelFormatRow *format = nullptr;
  const ImageForm *form = nullptr;
  GeneratedImage shape;
  Id variable = 0, sampler = 0; ///< The sampler is 0 where it is in the variable, or not needed.
  Id image = 0;                 ///< Types: the image,
  Id element = 0;               ///< what is loaded from the variable,
  Id component = 0, texel = 0;  ///< a number, and four of them.
  unsigned elements = 0;        ///< 0: no array.
};

/// Makes texels of a random format and form. \p settings: of the sampler, where one is needed.
Texels makeTexels(Writer &writer, const TexelWish &wish, llvm::StringRef settings = "");

/// One element, chosen again.
struct TexelAccess {
  Id pointer = 0;
  DescriptorIndex index;
};
TexelAccess takeElement(Writer &writer, const Texels &texels);
/// The image of \p access, as fetches, reads, writes and queries take it.
Id loadImage(Writer &writer, const Texels &texels, const TexelAccess &access);
/// Together with its sampler.
Id loadSampled(Writer &writer, const Texels &texels, const TexelAccess &access);

/// The sizes that integer coordinates stay below, at a level.
llvm::SmallVector<uint32_t, 3> extentsOf(const Texels &texels, uint32_t level = 0);
/// u32 or a vector of it.
struct TexelPlace {
  Id coordinate = 0;
  Id sample = 0; ///< Of multisampled images; else 0.
  bool isUniform = false;
};
TexelPlace takePlace(Writer &writer, const Texels &texels, uint32_t level = 0);
/// The one of this invocation.
TexelPlace ownPlace(Writer &writer, const Texels &texels);
/// \p parts as a scalar or vector.
Id makeVector(Writer &writer, Id scalar, llvm::ArrayRef<Id> parts);

/// Puts what was read into scope, and a component of it.
void addTexel(Writer &writer, const Texels &texels, Id id, bool isUniform);

} // namespace assay::fuzz
