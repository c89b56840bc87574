// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/FloatMode.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

using namespace llvm;
using namespace assay;

/// LLVM's own; without them it keeps denormals.
static constexpr StringLiteral singleDenormals = "denormal-fp-math-f32";
static constexpr StringLiteral otherDenormals = "denormal-fp-math";
static constexpr StringLiteral preserving = "ieee,ieee";
static constexpr StringLiteral flushing = "preserve-sign,preserve-sign";
/// Ours.
static constexpr StringLiteral singleTowardZero = "lgc-toward-zero-f32";
static constexpr StringLiteral otherTowardZero = "lgc-toward-zero-f16-f64";

/// Any needs no attribute.
static void setDenormals(Function &function, StringRef name, Denormals denormals) {
  if (denormals != Denormals::Any)
    function.addFnAttr(name, denormals == Denormals::Flush ? flushing : preserving);
}

/// All values but that for flushing mean preserving.
static Denormals getDenormals(const Function &function, StringRef name) {
  Attribute attribute = function.getFnAttribute(name);
  if (!attribute.isValid())
    return Denormals::Any;
  return attribute.getValueAsString() == flushing ? Denormals::Flush : Denormals::Preserve;
}

/// Functions that round toward zero become strictfp, so that LLVM does not fold their operations.
void assay::setFloatMode(Function &function, const FloatMode &mode) {
  setDenormals(function, singleDenormals, mode.single.denormals);
  setDenormals(function, otherDenormals, mode.others.denormals);
  if (mode.single.towardZero)
    function.addFnAttr(singleTowardZero);
  if (mode.others.towardZero)
    function.addFnAttr(otherTowardZero);
  if (mode.roundsTowardZero())
    function.addFnAttr(Attribute::StrictFP);
}

FloatMode assay::getFloatMode(const Function &function) {
  FloatMode mode;
  mode.single = {getDenormals(function, singleDenormals),
                 function.hasFnAttribute(singleTowardZero)};
  mode.others = {getDenormals(function, otherDenormals), function.hasFnAttribute(otherTowardZero)};
  return mode;
}
