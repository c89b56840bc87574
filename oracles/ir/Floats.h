// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars as floating-point numbers.
#pragma once

#include "oracles/ir/Elementwise.h"
#include "llvm/ADT/APFloat.h"

namespace assay::ir {

/// \p value, or the zero that \p kind makes of it where it is denormal. Dynamic modes are IEEE.
inline llvm::APFloat flushDenormal(llvm::DenormalMode::DenormalModeKind kind,
                                   const llvm::APFloat &value) {
  bool isPositive = kind == llvm::DenormalMode::PositiveZero;
  if (!value.isDenormal() || (!isPositive && kind != llvm::DenormalMode::PreserveSign))
    return value;
  return llvm::APFloat::getZero(value.getSemantics(), !isPositive && value.isNegative());
}

/// \p scalar as a number of the type of \p inst's result.
inline llvm::APFloat toFloat(const Inst &inst, const Scalar &scalar) {
  return flushDenormal(
      inst.denormals.Input,
      llvm::APFloat(inst.shape->elements.front().type->getFltSemantics(), scalar.bits));
}

/// \p scalar as a number of the type of \p inst's first operand.
inline llvm::APFloat toOperandFloat(const Inst &inst, const Scalar &scalar) {
  const llvm::Type *type = inst.ir->getOperand(0)->getType()->getScalarType();
  return flushDenormal(inst.denormals.Input, llvm::APFloat(type->getFltSemantics(), scalar.bits));
}

/// Puts \p value into \p result; poison where the fast-math flags of \p inst exclude it.
void setFloat(const Inst &inst, const llvm::APFloat &value, Scalar &result);

/// Whether the fast-math flags of \p inst promise that \p value does not occur.
bool breaksFastMath(const Inst &inst, const llvm::APFloat &value);

} // namespace assay::ir
