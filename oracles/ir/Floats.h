// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars as floating-point numbers.
#pragma once

#include "oracles/ir/Elementwise.h"
#include "llvm/ADT/APFloat.h"

namespace assay::ir {

/// \p scalar as a number of the type of \p inst's result.
inline llvm::APFloat toFloat(const Inst &inst, const Scalar &scalar) {
  return llvm::APFloat(inst.shape->elements.front().type->getFltSemantics(), scalar.bits);
}

/// Puts \p value into \p result; poison where the fast-math flags of \p inst exclude it.
void setFloat(const Inst &inst, const llvm::APFloat &value, Scalar &result);

/// Whether the fast-math flags of \p inst promise that \p value does not occur.
bool breaksFastMath(const Inst &inst, const llvm::APFloat &value);

} // namespace assay::ir
