// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Derivative Instructions", and what ends or demotes invocations of fragment shaders.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// Returns Unsupported in any stage except Fragment.
static Error checkStage(const Translator &t) {
  if (t.stage() == ShaderStage::Fragment)
    return Error::success();
  return unsupported("this instruction in a " + getStageName(t.stage()) + " shader");
}

/// Returns the derivative \p Kind (direction and precision) of a float scalar or vector.
template <Derivative Kind>
static Expected<Value *> derivative(Translator &t, const Inst &, Args args) {
  if (Error error = checkStage(t))
    return std::move(error);
  return t.builder().createDerivative(args[0], Kind);
}

/// The sum of the magnitudes of both derivatives.
template <Derivative X, Derivative Y>
static Expected<Value *> width(Translator &t, const Inst &, Args args) {
  if (Error error = checkStage(t))
    return std::move(error);
  Builder &builder = t.builder();
  Value *x = builder.CreateUnaryIntrinsic(Intrinsic::fabs, builder.createDerivative(args[0], X));
  Value *y = builder.CreateUnaryIntrinsic(Intrinsic::fabs, builder.createDerivative(args[0], Y));
  return builder.CreateFAdd(x, y);
}

/// The function returns afterwards: LLVM would remove an op before what is unreachable. What a
/// terminated invocation computes then, and its outputs, are discarded.
static Error terminate(Translator &t, const Inst &) {
  if (Error error = checkStage(t))
    return error;
  t.builder().createTerminateInvocation();
  Type *result = t.builder().GetInsertBlock()->getParent()->getReturnType();
  if (result->isVoidTy())
    t.builder().CreateRetVoid();
  else
    t.builder().CreateRet(Constant::getNullValue(result));
  return Error::success();
}

/// The invocation continues as a helper: it still takes part in derivatives, and its outputs and
/// stores are discarded.
static Error demote(Translator &t, const Inst &) {
  if (Error error = checkStage(t))
    return error;
  t.builder().createDemote();
  return Error::success();
}

/// Returns whether the invocation is a helper at this point; one that was demoted earlier is.
static Error isHelper(Translator &t, const Inst &inst) {
  if (Error error = checkStage(t))
    return error;
  return t.define(inst, t.builder().createIsHelper());
}

/// Returns the row of a derivative opcode.
template <Derivative Kind> static constexpr OpcodeRow row(spv::Op opcode) {
  return {.opcode = opcode, .values = 1, .shape = Shape::Float, .value = derivative<Kind>};
}

/// Returns the row of an Fwidth opcode, computed from the two derivatives.
template <Derivative X, Derivative Y> static constexpr OpcodeRow widthRow(spv::Op opcode) {
  return {.opcode = opcode, .values = 1, .shape = Shape::Float, .value = width<X, Y>};
}

static constexpr OpcodeRow DerivativeRows[] = {
    row<Derivative::X>(spv::Op::OpDPdx),
    row<Derivative::Y>(spv::Op::OpDPdy),
    row<Derivative::XFine>(spv::Op::OpDPdxFine),
    row<Derivative::YFine>(spv::Op::OpDPdyFine),
    row<Derivative::XCoarse>(spv::Op::OpDPdxCoarse),
    row<Derivative::YCoarse>(spv::Op::OpDPdyCoarse),
    widthRow<Derivative::X, Derivative::Y>(spv::Op::OpFwidth),
    widthRow<Derivative::XFine, Derivative::YFine>(spv::Op::OpFwidthFine),
    widthRow<Derivative::XCoarse, Derivative::YCoarse>(spv::Op::OpFwidthCoarse),
    {.opcode = spv::Op::OpKill, .effect = terminate},
    {.opcode = spv::Op::OpTerminateInvocation, .effect = terminate},
    {.opcode = spv::Op::OpDemoteToHelperInvocation, .effect = demote},
    {.opcode = spv::Op::OpIsHelperInvocationEXT, .effect = isHelper},
};

ArrayRef<OpcodeRow> assay::derivativeOpcodes() {
  return DerivativeRows;
}
