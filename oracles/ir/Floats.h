// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars as floating-point numbers.
#pragma once

#include "oracles/ir/Elementwise.h"
#include "llvm/ADT/APFloat.h"

namespace assay::ir {

/// \p value, or a zero of its sign where it is denormal and \p flushes.
inline llvm::APFloat flushDenormal(bool flushes, const llvm::APFloat &value) {
  return flushes && value.isDenormal()
             ? llvm::APFloat::getZero(value.getSemantics(), value.isNegative())
             : value;
}

/// \p scalar as a number of the type of \p inst's result.
inline llvm::APFloat toFloat(const Inst &inst, const Scalar &scalar) {
  return flushDenormal(
      inst.flags & FlushesOperands,
      llvm::APFloat(inst.shape->elements.front().type->getFltSemantics(), scalar.bits));
}

/// \p scalar as a number of the type of \p inst's first operand.
inline llvm::APFloat toOperandFloat(const Inst &inst, const Scalar &scalar) {
  const llvm::Type *type = inst.ir->getOperand(0)->getType()->getScalarType();
  return flushDenormal(inst.flags & FlushesOperands,
                       llvm::APFloat(type->getFltSemantics(), scalar.bits));
}

/// Puts \p value into \p result; poison where the fast-math flags of \p inst exclude it.
void setFloat(const Inst &inst, const llvm::APFloat &value, Scalar &result);

/// Whether the fast-math flags of \p inst promise that \p value does not occur.
bool breaksFastMath(const Inst &inst, const llvm::APFloat &value);

} // namespace assay::ir
