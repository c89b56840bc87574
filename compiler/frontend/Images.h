// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the image families of the front-end share: the image of an operand, the optional Image
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
  llvm::Value *bias = nullptr;
  llvm::Value *minLod = nullptr;
  unsigned flags = 0; ///< ImageCoherent, ImageVolatile.
};

/// The ImageDim of \p type; Unsupported for dimensions that do not exist.
llvm::Expected<ImageDim> imageDim(const spirv::ImageType &type);

/// Components of an integer coordinate without the sample, of a float coordinate, and of a texel
/// offset.
unsigned texelCoordinates(const spirv::ImageType &type);
unsigned sampleCoordinates(const spirv::ImageType &type);

/// The image, or sampled image, that is value \p id.
llvm::Expected<ImageSource> imageSource(Translator &t, spirv::Id id);

/// The Image Operands that begin at operand \p first, if there are any.
llvm::Expected<ImageOperands> imageOperands(Translator &t, const spirv::Instruction &inst,
                                            size_t first);

/// \p value, of f16, as f32 (SPV_AMD_gpu_shader_half_float_fetch); any other value as it is.
llvm::Value *widenHalf(Builder &builder, llvm::Value *value);

/// The first \p count components of the integer value \p id as a vector of i32 (a scalar where
/// count is 1), plus \p offset, if given, then \p sample, if given.
llvm::Expected<llvm::Value *> texelCoordinate(Translator &t, spirv::Id id, unsigned count,
                                              llvm::Value *offset, llvm::Value *sample);

/// Unsupported unless \p type is a scalar or vector of f32, i32 or i64: what texels are made of.
llvm::Error checkTexelType(llvm::Type *type);

/// What an instruction gives that reads texels.
struct TexelResult {
  llvm::Type *read = nullptr;  ///< Of the texel that the op gives: f32, i32 or i64.
  llvm::Type *texel = nullptr; ///< Of the instruction's texel.
  llvm::StructType *sparse =
      nullptr; ///< Of its residency code and texel; null where it is not sparse.

  /// For ImageAccess.
  unsigned getFlags() const { return sparse ? unsigned(ImageSparse) : 0; }
};

/// Unsupported unless the texel is a scalar or vector of f16, f32, i16, i32 or i64.
llvm::Expected<TexelResult> texelResult(Translator &t, const spirv::Instruction &inst,
                                        bool isSparse);
/// The instruction's result, of what the op gave: \p read, or {read, residency}.
llvm::Value *finishTexel(Builder &builder, const TexelResult &result, llvm::Value *read);
/// The texel \p id as an op takes it.
llvm::Expected<llvm::Value *> texelToWrite(Translator &t, spirv::Id id);

/// The row for an atomic instruction on a pointer that OpImageTexelPointer made; null for any other
/// instruction.
const OpcodeRow *findTexelAtomic(const Translator &t, const spirv::Instruction &inst);
llvm::ArrayRef<OpcodeRow> texelAtomicOpcodes();

} // namespace assay
