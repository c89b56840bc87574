// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a shader's float controls (SPIR-V's execution modes DenormPreserve, RoundingModeRTZ and
// their like) ask of the hardware's MODE register, which has one field for f32 and one for f16 and
// f64 together. In the IR it is a set of attributes, the same on every function.
#pragma once

#include "llvm/IR/Type.h"

namespace llvm {
class Function;
}

namespace assay {

enum class Denormals : uint8_t {
  Any,      ///< As the compiler likes: flushed for f32, kept for the others.
  Preserve, ///< Kept in operands and results.
  Flush,    ///< Zero of their sign.
};

/// One field of the register.
struct FloatControl {
  Denormals denormals = Denormals::Any;
  bool towardZero = false; ///< Correctly rounded results are rounded so; else to nearest even.

  bool operator==(const FloatControl &) const = default;
};

struct FloatMode {
  FloatControl single; ///< f32
  FloatControl others; ///< f16 and f64

  bool operator==(const FloatMode &) const = default;
  bool roundsTowardZero() const { return single.towardZero || others.towardZero; }
  /// The control of \p type, a float or a vector of floats.
  const FloatControl &of(const llvm::Type *type) const {
    return type->getScalarType()->isFloatTy() ? single : others;
  }
};

/// Says \p mode by attributes of \p function. One that rounds toward zero is strictfp, so that LLVM
/// sets no rounding mode of its own.
void setFloatMode(llvm::Function &function, const FloatMode &mode);
FloatMode getFloatMode(const llvm::Function &function);

} // namespace assay
