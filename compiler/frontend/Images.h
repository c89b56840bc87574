// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the image families of the front-end share: the image behind an operand, the optional Image
// Operands, and coordinates.
#pragma once

#include "compiler/frontend/Translator.h"

namespace assay {

/// An image operand of an instruction, with its sampler if it has one.
struct ImageSource {
  spirv::ImageType type;
  ImageAccess access; ///< Without coordinate.
  llvm::Value *sampler = nullptr;

  bool isBuffer() const { return access.dim == ImageDim::Buffer; }
};

/// The optional Image Operands of an instruction (SPIR-V, "Image Operands"); null where absent.
struct ImageOperands {
  llvm::Value *lod = nullptr;
  llvm::Value *gradientX = nullptr;
  llvm::Value *gradientY = nullptr;
  llvm::Value *offset = nullptr;  ///< ConstOffset or Offset.
  llvm::Value *offsets = nullptr; ///< ConstOffsets: an array of four vectors.
  llvm::Value *sample = nullptr;
  unsigned flags = 0; ///< ImageCoherent, ImageVolatile.
};

/// The ImageDim of \p type; Unsupported for dimensions that no compute shader has.
llvm::Expected<ImageDim> imageDim(const spirv::ImageType &type);

/// Components of an integer coordinate without the sample, of a float coordinate, and of a texel
/// offset.
unsigned texelCoordinates(const spirv::ImageType &type);
unsigned sampleCoordinates(const spirv::ImageType &type);

/// The image, or sampled image, that is value \p id.
llvm::Expected<ImageSource> imageSource(Translator &t, spirv::Id id);

/// The Image Operands that begin at operand \p first, if there are any. Unsupported for those that
/// need derivatives or a capability of their own.
llvm::Expected<ImageOperands> imageOperands(Translator &t, const spirv::Instruction &inst,
                                            size_t first);

/// The first \p count components of the integer value \p id as a vector of i32 (a scalar where
/// count is 1), plus \p offset, if given, then \p sample, if given.
llvm::Expected<llvm::Value *> texelCoordinate(Translator &t, spirv::Id id, unsigned count,
                                              llvm::Value *offset, llvm::Value *sample);

/// Unsupported unless \p type is a scalar or vector of f32, i32 or i64: what texels are made of.
llvm::Error checkTexelType(llvm::Type *type);

/// The row for an atomic instruction on a pointer that OpImageTexelPointer made; null for any other
/// instruction.
const OpcodeRow *findTexelAtomic(const Translator &t, const spirv::Instruction &inst);
llvm::ArrayRef<OpcodeRow> texelAtomicOpcodes();

} // namespace assay
