// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products and small matrices on LLVM values, for the matrix opcodes and GLSL.std.450. A matrix
// is an array of column vectors.
#pragma once

#include "compiler/lgc/Builder.h"

namespace assay {

/// Sum of the products of the components, from the first on; the product for scalars.
llvm::Value *createDot(Builder &builder, llvm::Value *x, llvm::Value *y);

unsigned matrixColumns(llvm::Value *matrix);
unsigned matrixRows(llvm::Value *matrix);
llvm::Value *matrixElement(Builder &builder, llvm::Value *matrix, unsigned column, unsigned row);
/// True for an array of float vectors.
bool isMatrix(llvm::Type *type);

/// \p matrix times column vector \p vector, which has as many components as it has columns.
llvm::Value *createMatrixTimesVector(Builder &builder, llvm::Value *matrix, llvm::Value *vector);
llvm::Value *createTranspose(Builder &builder, llvm::Value *matrix);

} // namespace assay
