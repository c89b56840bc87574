// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point arithmetic and comparisons, by APFloat: IEEE, round to nearest, denormals as the
// function's attributes have them.
#include "oracles/ir/Floats.h"
#include "oracles/ir/Handlers.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

/// Flushes denormal results as the function's attributes say. A result that breaks fast-math flags
/// is poison.
void setFloat(const Inst &inst, const APFloat &value, Scalar &result) {
  result.bits = flushDenormal(inst.denormals.Output, value).bitcastToAPInt();
  if ((inst.flags & NoNans && value.isNaN()) || (inst.flags & NoInfs && value.isInfinity()))
    setPoison(result, result.bits.getBitWidth());
}

bool breaksFastMath(const Inst &inst, const APFloat &value) {
  return (inst.flags & NoNans && value.isNaN()) || (inst.flags & NoInfs && value.isInfinity());
}

using Operation = APFloat::opStatus (*)(APFloat &, const APFloat &);

/// By fmod of APFloat, whose sign is that of the dividend as frem's is.
static APFloat::opStatus remainder(APFloat &a, const APFloat &b) {
  return a.mod(b);
}
static APFloat::opStatus sum(APFloat &a, const APFloat &b) {
  return a.add(b, APFloat::rmNearestTiesToEven);
}
static APFloat::opStatus difference(APFloat &a, const APFloat &b) {
  return a.subtract(b, APFloat::rmNearestTiesToEven);
}
static APFloat::opStatus product(APFloat &a, const APFloat &b) {
  return a.multiply(b, APFloat::rmNearestTiesToEven);
}
static APFloat::opStatus quotient(APFloat &a, const APFloat &b) {
  return a.divide(b, APFloat::rmNearestTiesToEven);
}

/// One binary operation, to nearest even.
template <Operation operation>
static void compute(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  APFloat x = toFloat(inst, a), y = toFloat(inst, b);
  bool isPoison = inst.flags && (breaksFastMath(inst, x) || breaksFastMath(inst, y));
  operation(x, y);
  setFloat(inst, x, result);
  if (isPoison)
    setPoison(result, inst.bits);
}

/// fneg flips the sign bit, also of NaNs; denormals are kept.
static void negate(Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  result.bits = a.bits;
  result.bits.flipBit(a.bits.getBitWidth() - 1);
  if (inst.flags && breaksFastMath(inst, toFloat(inst, a)))
    setPoison(result, inst.bits);
}

/// fcmp, by its predicate.
static void compare(Machine &, const Inst &inst, const Scalar &a, const Scalar &b, Scalar &result) {
  APFloat x = toOperandFloat(inst, a), y = toOperandFloat(inst, b);
  result.bits = APInt(1, FCmpInst::compare(x, y, cast<FCmpInst>(inst.ir)->getPredicate()));
  if (inst.flags && (breaksFastMath(inst, x) || breaksFastMath(inst, y)))
    setPoison(result, 1);
}

ArrayRef<OpcodeRow> floatOpcodes() {
  static constexpr OpcodeRow Rows[] = {
      {Instruction::FAdd, mapBinary<compute<sum>>},
      {Instruction::FSub, mapBinary<compute<difference>>},
      {Instruction::FMul, mapBinary<compute<product>>},
      {Instruction::FDiv, mapBinary<compute<quotient>>},
      {Instruction::FRem, mapBinary<compute<remainder>>},
      {Instruction::FNeg, mapUnary<negate>},
      {Instruction::FCmp, mapBinary<compare>},
  };
  return Rows;
}

} // namespace assay::ir
