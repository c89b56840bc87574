// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of GLSL.std.450, as tables.
#pragma once

#include "compiler/frontend/Translator.h"

namespace assay {

llvm::ArrayRef<ExtInstRow> glslCommonRows();
llvm::ArrayRef<ExtInstRow> glslExponentialRows();
llvm::ArrayRef<ExtInstRow> glslTrigonometryRows();
llvm::ArrayRef<ExtInstRow> glslGeometryRows();
llvm::ArrayRef<ExtInstRow> glslPackingRows();
/// The rows of all families.
std::vector<const ExtInstRow *> glslRows();

/// e^x and the natural logarithm.
llvm::Value *createExp(Builder &builder, llvm::Value *x);
llvm::Value *createLog(Builder &builder, llvm::Value *x);
/// Square root within 2.5 ULP.
llvm::Value *createSqrt(Builder &builder, llvm::Value *x);
/// \p constant of the type of \p like.
llvm::Constant *floatLike(llvm::Value *like, double constant);

} // namespace assay
