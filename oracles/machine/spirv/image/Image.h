// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images as the reference sees them: what a descriptor refers to, where its texels lie, and what an
// image instruction asks for.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/spirv/Module.h"
#include "oracles/api/Case.h"
#include "oracles/machine/spirv/image/Texel.h"
#include "oracles/machine/spirv/memory/BufferMemory.h"
#include <optional>
#include <string>

namespace assay::reference {

/// Coordinates of one texel. Of a texel buffer only x counts.
struct TexelPlace {
  int64_t x = 0, y = 0, z = 0;
  int64_t layer = 0, sample = 0, level = 0; ///< The level counts from the view's first.
};

/// A view of an image or of a texel buffer.
struct ImageView {
  BufferMemory *memory = nullptr;
  const TexelFormatInfo *format = nullptr;
  ImageShape shape;       ///< Of the whole image; a texel buffer is 1D.
  uint32_t layers = 1;    ///< Of the view.
  uint32_t baseLevel = 0; ///< The view goes from there to the last level.
  uint64_t firstByte = 0; ///< Texel buffers: where the view begins.
  bool isBuffer = false;
  bool isCube = false; ///< Layers are faces of cubes.
  Robustness robustness = Robustness::None;
  uint32_t variable = 0; ///< Texel buffers: as in View.

  uint32_t levels() const { return shape.mipLevels - baseLevel; }
  /// Texels of level \p level of the view along dimension 0 to 2.
  uint32_t extent(unsigned dimension, uint32_t level) const;
  bool contains(const TexelPlace &place) const;
  /// The byte of memory where a texel that the view contains begins.
  uint64_t offsetOf(const TexelPlace &place) const;
};

/// What a descriptor of an image or sampler refers to.
struct ImageBinding {
  std::optional<ImageView> image;
  const Sampler *sampler = nullptr;
  /// Why the descriptor must not be used: the case binds something that does not fit the shader's
  /// type. Empty if it may be.
  std::string problem;
};

/// What \p binding gives a variable of type \p type (an image, a sampler, or both). \p memory: of
/// its buffer; null where it has none.
ImageBinding bindImage(const spirv::Module &module, const spirv::Type &type, const Case &input,
                       const BufferBinding &binding, BufferMemory *memory, Robustness robustness);

/// The granule of race detection that suits the texels of \p buffer: accesses of one texel never
/// touch a granule of another.
uint32_t texelGranule(const Buffer &buffer);

/// No operand.
constexpr uint32_t NoOperand = ~0u;

/// The operands of one image instruction: references as in Inst::op, or NoOperand.
struct ImageOp {
  spirv::ImageType type;
  uint32_t coordinate = NoOperand;
  uint32_t coordinates = 0; ///< Scalars of the coordinate.
  uint8_t coordinateWidth = 32;
  bool isCoordinateSigned = true;
  uint32_t texel = NoOperand;     ///< What OpImageWrite writes.
  uint32_t texelScalars = 4;      ///< Of it, or of the result.
  uint32_t reference = NoOperand; ///< D_ref.
  uint32_t component = NoOperand; ///< Of a gather.
  uint32_t lod = NoOperand;
  bool lodIsInteger = false;
  uint32_t bias = NoOperand, minLod = NoOperand;
  uint32_t gradX = NoOperand, gradY = NoOperand;
  uint32_t offset = NoOperand;
  uint32_t offsets = NoOperand; ///< ConstOffsets: four pairs.
  uint32_t sample = NoOperand;
  bool isSignedAccess = true; ///< Of integers.
  uint32_t mask = 0;          ///< spv::ImageOperandsMask.
  bool isProjective = false;

  /// Coordinates that are not the array layer: texel coordinates, or a direction.
  unsigned dimensions() const;
};

} // namespace assay::reference
