// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of GLSL.std.450, and the extended instruction sets of AMD, as tables.
#pragma once

#include "compiler/frontend/Translator.h"

namespace assay {

llvm::ArrayRef<ExtInstRow> glslCommonRows();
llvm::ArrayRef<ExtInstRow> glslExponentialRows();
llvm::ArrayRef<ExtInstRow> glslTrigonometryRows();
llvm::ArrayRef<ExtInstRow> glslGeometryRows();
llvm::ArrayRef<ExtInstRow> glslPackingRows();
llvm::ArrayRef<ExtInstRow> glslInterpolationRows();
/// The rows of all families.
std::vector<const ExtInstRow *> glslRows();

/// SPV_AMD_shader_explicit_vertex_parameter, SPV_AMD_shader_trinary_minmax, SPV_AMD_gcn_shader,
/// SPV_AMD_shader_ballot.
llvm::ArrayRef<ExtInstRow> explicitVertexRows();
llvm::ArrayRef<ExtInstRow> trinaryRows();
llvm::ArrayRef<ExtInstRow> gcnShaderRows();
llvm::ArrayRef<ExtInstRow> shaderBallotRows();

/// e^x and the natural logarithm.
llvm::Value *createExp(Builder &builder, llvm::Value *x);
llvm::Value *createLog(Builder &builder, llvm::Value *x);
/// Square root within 2.5 ULP.
llvm::Value *createSqrt(Builder &builder, llvm::Value *x);
/// \p constant of the type of \p like.
llvm::Constant *floatLike(llvm::Value *like, double constant);

} // namespace assay
