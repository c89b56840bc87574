// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instructions of images know of dimensions and types.
#pragma once

#include "compiler/ir3/select/Selector.h"
#include "compiler/lgc/Image.h"

namespace assay::ir3 {

/// One dimension, as the texture unit and as loads and stores count its coordinates.
struct ImageShape {
  unsigned spatial; ///< Coordinates of sampling without the layer: of a cube a direction.
  unsigned sizes;   ///< Sizes without the layers.
  bool isArrayed;
  bool isCube;
  unsigned texel; ///< Coordinates of a texel, the layer among them; 0: multisampled.
};

/// Null, after Selector::fail(), for a dimension without instructions.
const ImageShape *findShape(Selector &selector, const llvm::Instruction &inst, uint64_t dim);

/// The type of texels of \p type, a scalar or vector; nothing, after Selector::fail(), for 64 bits.
std::optional<Type> texelType(Selector &selector, const llvm::Instruction &inst,
                              const llvm::Type *type, bool isSigned);

/// \p values in consecutive registers, or the only one.
Register joinRegisters(Selector &selector, llvm::ArrayRef<Register> values);

/// Gives \p op the results of \p access.
void setResults(Selector &selector, const llvm::Instruction &op, Instruction *access);

} // namespace assay::ir3
