// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL.std.450: powers, logarithms, angles. What Vulkan derives from other operations ("Precision
// of GLSL.std.450 Instructions") is built from just those.

#include "compiler/frontend/ExtInst.h"
#include "llvm/IR/MDBuilder.h"
#include <numbers>
#include <optional>
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

Value *assay::createExp(Builder &builder, Value *x) {
  return builder.createExp2(builder.CreateFMul(x, floatLike(x, std::numbers::log2e)));
}

Value *assay::createLog(Builder &builder, Value *x) {
  return builder.CreateFMul(builder.createLog2(x), floatLike(x, std::numbers::ln2));
}

/// For f32 the call has !fpmath 2.5, which allows LLVM an approximation. The metadata is for f32
/// alone, and a constant operand folds to no call.
Value *assay::createSqrt(Builder &builder, Value *x) {
  Value *root = builder.CreateUnaryIntrinsic(Intrinsic::sqrt, x);
  if (auto *call = dyn_cast<CallInst>(root); call && x->getType()->getScalarType()->isFloatTy())
    call->setMetadata(LLVMContext::MD_fpmath, MDBuilder(x->getContext()).createFPMath(2.5F));
  return root;
}

/// Functions that the hardware has for f32 alone are computed in it for f16.
static constexpr bool HalfAsFloat = true;

static Expected<Value *> exp(Translator &t, const Inst &, Args args) {
  return createExp(t.builder(), args[0]);
}
static Expected<Value *> log(Translator &t, const Inst &, Args args) {
  return createLog(t.builder(), args[0]);
}
static Expected<Value *> exp2(Translator &t, const Inst &, Args args) {
  return t.builder().createExp2(args[0]);
}
static Expected<Value *> log2(Translator &t, const Inst &, Args args) {
  return t.builder().createLog2(args[0]);
}
static Expected<Value *> sqrt(Translator &t, const Inst &, Args args) {
  return createSqrt(t.builder(), args[0]);
}
static Expected<Value *> inverseSqrt(Translator &t, const Inst &, Args args) {
  return t.builder().createInverseSqrt(args[0]);
}

/// The value of a constant, or of a vector's equal elements; nullopt if there is none.
static std::optional<double> constantOf(const Value *value) {
  const auto *constant = dyn_cast<Constant>(value);
  if (constant && value->getType()->isVectorTy())
    constant = constant->getSplatValue();
  const auto *number = dyn_cast_or_null<ConstantFP>(constant);
  return number ? std::optional(number->getValueAPF().convertToDouble()) : std::nullopt;
}

/// Returns x to the power of 1, 2, 3 or 4 as a product, which is more precise than Vulkan asks for,
/// and null for any other power.
static Value *productOf(Builder &builder, Value *x, double power) {
  if (power == 1)
    return x;
  if (power != 2 && power != 3 && power != 4)
    return nullptr;
  Value *square = builder.CreateFMul(x, x);
  return power == 2 ? square : builder.CreateFMul(square, power == 3 ? x : square);
}

/// Returns 2^(y * log2(x)), the derivation that Vulkan gives for its precision. So negative x gives
/// a NaN, unless y is a constant of which productOf() makes a product: many shaders square numbers
/// of either sign in this way, undefined though it is, and drivers multiply (Mesa,
/// nir_opt_algebraic.py; LLVM, SimplifyLibCalls.cpp).
static Expected<Value *> pow(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  if (std::optional<double> power = constantOf(args[1]))
    if (Value *product = productOf(builder, args[0], *power))
      return product;
  return builder.createExp2(builder.CreateFMul(args[1], builder.createLog2(args[0])));
}

/// HalfAsFloat where the hardware instruction exists for f32 alone; square roots exist for f16.
static constexpr ExtInstRow ExponentialRows[] = {
    {GLSLstd450Pow, 2, Shape::Float, "Pow", pow, HalfAsFloat},
    {GLSLstd450Exp, 1, Shape::Float, "Exp", exp, HalfAsFloat},
    {GLSLstd450Log, 1, Shape::Float, "Log", log, HalfAsFloat},
    {GLSLstd450Exp2, 1, Shape::Float, "Exp2", exp2, HalfAsFloat},
    {GLSLstd450Log2, 1, Shape::Float, "Log2", log2, HalfAsFloat},
    {GLSLstd450Sqrt, 1, Shape::Float, "Sqrt", sqrt},
    {GLSLstd450InverseSqrt, 1, Shape::Float, "InverseSqrt", inverseSqrt},
};

ArrayRef<ExtInstRow> assay::glslExponentialRows() {
  return ExponentialRows;
}

/// atan(q) / q for q in [0, 1] as a polynomial in q * q; a minimax fit with a relative error of
/// 1.6e-8 before rounding.
static constexpr double AtanCoefficients[] = {
    0.999999985,  -0.333330733, 0.199926194,   -0.142036445,  0.106409341,
    -0.075042946, 0.04269152,   -0.0160686294, 0.00284988974,
};

/// Returns the magnitude of a float scalar or vector.
static Value *fabs(Builder &builder, Value *x) {
  return builder.CreateUnaryIntrinsic(Intrinsic::fabs, x);
}

/// atan of \p q in [0, 1].
static Value *createUnitAtan(Builder &builder, Value *q) {
  Value *square = builder.CreateFMul(q, q);
  Value *sum = nullptr;
  for (double coefficient : reverse(AtanCoefficients)) {
    Constant *constant = floatLike(q, coefficient);
    sum = sum ? builder.CreateFAdd(builder.CreateFMul(sum, square), constant) : constant;
  }
  return builder.CreateFMul(sum, q);
}

/// smaller / larger, both not negative; 0 for 0 / 0 and 1 for infinity / infinity. Operands beyond
/// the range of createFDiv are brought into it.
static Value *createUnitQuotient(Builder &builder, Value *smaller, Value *larger) {
  Value *isHuge = builder.CreateFCmpOGT(larger, floatLike(larger, 0x1p100));
  Value *scale = builder.CreateSelect(isHuge, floatLike(larger, 0x1p-30), floatLike(larger, 1.0));
  Value *quotient =
      builder.createFDiv(builder.CreateFMul(smaller, scale), builder.CreateFMul(larger, scale));
  Value *infinity = ConstantFP::getInfinity(larger->getType());
  Value *bothInfinite = builder.CreateFCmpOEQ(smaller, infinity);
  quotient = builder.CreateSelect(bothInfinite, floatLike(larger, 1.0), quotient);
  Value *isZero = builder.CreateFCmpOEQ(larger, floatLike(larger, 0.0));
  return builder.CreateSelect(isZero, floatLike(larger, 0.0), quotient);
}

/// Returns the angle of the point (x, y) in radians, from -pi to pi. Its sign is that of \p y, also
/// for zeros. The quotient of the smaller and the larger coordinate is mapped to the octant.
static Value *createAtan2(Builder &builder, Value *y, Value *x) {
  Value *absY = fabs(builder, y);
  Value *absX = fabs(builder, x);
  Value *isSteep = builder.CreateFCmpOGT(absY, absX);
  Value *smaller = builder.CreateSelect(isSteep, absX, absY);
  Value *larger = builder.CreateSelect(isSteep, absY, absX);
  Value *angle = createUnitAtan(builder, createUnitQuotient(builder, smaller, larger));
  Value *steep = builder.CreateFSub(floatLike(x, std::numbers::pi / 2), angle);
  angle = builder.CreateSelect(isSteep, steep, angle);
  Value *isLeft = builder.CreateFCmpOLT(x, floatLike(x, 0.0));
  Value *left = builder.CreateFSub(floatLike(x, std::numbers::pi), angle);
  angle = builder.CreateSelect(isLeft, left, angle);
  return builder.CreateBinaryIntrinsic(Intrinsic::copysign, angle, y);
}

/// sqrt(1 - x * x), without cancellation near 1.
static Value *createOtherLeg(Builder &builder, Value *x) {
  Value *one = floatLike(x, 1.0);
  return createSqrt(builder,
                    builder.CreateFMul(builder.CreateFSub(one, x), builder.CreateFAdd(one, x)));
}

/// Returns atan2(x, sqrt(1 - x * x)).
static Expected<Value *> asin(Translator &t, const Inst &, Args args) {
  return createAtan2(t.builder(), args[0], createOtherLeg(t.builder(), args[0]));
}
/// Returns atan2(sqrt(1 - x * x), x).
static Expected<Value *> acos(Translator &t, const Inst &, Args args) {
  return createAtan2(t.builder(), createOtherLeg(t.builder(), args[0]), args[0]);
}
static Expected<Value *> atan(Translator &t, const Inst &, Args args) {
  return createAtan2(t.builder(), args[0], floatLike(args[0], 1.0));
}
static Expected<Value *> atan2(Translator &t, const Inst &, Args args) {
  return createAtan2(t.builder(), args[0], args[1]);
}
static Expected<Value *> sin(Translator &t, const Inst &, Args args) {
  return t.builder().createSin(args[0]);
}
static Expected<Value *> cos(Translator &t, const Inst &, Args args) {
  return t.builder().createCos(args[0]);
}
static Expected<Value *> tan(Translator &t, const Inst &, Args args) {
  return t.builder().createFDiv(t.builder().createSin(args[0]), t.builder().createCos(args[0]));
}

/// Returns an angle converted to degrees if IsDegrees, otherwise to radians.
template <bool IsDegrees>
static Expected<Value *> convertAngle(Translator &t, const Inst &, Args args) {
  constexpr double Factor = IsDegrees ? 180.0 / std::numbers::pi : std::numbers::pi / 180.0;
  return t.builder().CreateFMul(args[0], floatLike(args[0], Factor));
}

/// (e^x + sign e^-x) / 2
static Value *createHyperbolic(Builder &builder, Value *x, double sign) {
  Value *up = createExp(builder, x);
  Value *down = createExp(builder, builder.CreateFNeg(x));
  Value *sum = sign > 0 ? builder.CreateFAdd(up, down) : builder.CreateFSub(up, down);
  return builder.CreateFMul(sum, floatLike(x, 0.5));
}

static Expected<Value *> sinh(Translator &t, const Inst &, Args args) {
  return createHyperbolic(t.builder(), args[0], -1);
}
static Expected<Value *> cosh(Translator &t, const Inst &, Args args) {
  return createHyperbolic(t.builder(), args[0], 1);
}

/// From 16 on tanh is 1 in f32, long before the powers overflow. NaN stays NaN.
static Expected<Value *> tanh(Translator &t, const Inst &, Args args) {
  constexpr double Bound = 16.0;
  Builder &builder = t.builder();
  Value *x = args[0];
  Value *isBig = builder.CreateFCmpOGT(fabs(builder, x), floatLike(x, Bound));
  Value *bound = builder.CreateBinaryIntrinsic(Intrinsic::copysign, floatLike(x, Bound), x);
  x = builder.CreateSelect(isBig, bound, x);
  return builder.createFDiv(createHyperbolic(builder, x, -1), createHyperbolic(builder, x, 1));
}

/// sign(x) log(|x| + sqrt(x * x + 1)): the form without cancellation for negative x.
static Expected<Value *> asinh(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *x = args[0];
  Value *square = builder.CreateFAdd(builder.CreateFMul(x, x), floatLike(x, 1.0));
  Value *sum = builder.CreateFAdd(fabs(builder, x), createSqrt(builder, square));
  return builder.CreateBinaryIntrinsic(Intrinsic::copysign, createLog(builder, sum), x);
}

/// Returns log(x + sqrt(x * x - 1)); a NaN for x < 1.
static Expected<Value *> acosh(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *x = args[0];
  Value *square = builder.CreateFSub(builder.CreateFMul(x, x), floatLike(x, 1.0));
  return createLog(builder, builder.CreateFAdd(x, createSqrt(builder, square)));
}

/// Returns log((1 + x) / (1 - x)) / 2.
static Expected<Value *> atanh(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *one = floatLike(args[0], 1.0);
  Value *quotient =
      builder.createFDiv(builder.CreateFAdd(one, args[0]), builder.CreateFSub(one, args[0]));
  return builder.CreateFMul(createLog(builder, quotient), floatLike(args[0], 0.5));
}

/// All but the conversions of angles are computed in f32 for f16 operands.
static constexpr ExtInstRow TrigonometryRows[] = {
    {GLSLstd450Radians, 1, Shape::Float, "Radians", convertAngle<false>},
    {GLSLstd450Degrees, 1, Shape::Float, "Degrees", convertAngle<true>},
    {GLSLstd450Sin, 1, Shape::Float, "Sin", sin, HalfAsFloat},
    {GLSLstd450Cos, 1, Shape::Float, "Cos", cos, HalfAsFloat},
    {GLSLstd450Tan, 1, Shape::Float, "Tan", tan, HalfAsFloat},
    {GLSLstd450Asin, 1, Shape::Float, "Asin", asin, HalfAsFloat},
    {GLSLstd450Acos, 1, Shape::Float, "Acos", acos, HalfAsFloat},
    {GLSLstd450Atan, 1, Shape::Float, "Atan", atan, HalfAsFloat},
    {GLSLstd450Sinh, 1, Shape::Float, "Sinh", sinh, HalfAsFloat},
    {GLSLstd450Cosh, 1, Shape::Float, "Cosh", cosh, HalfAsFloat},
    {GLSLstd450Tanh, 1, Shape::Float, "Tanh", tanh, HalfAsFloat},
    {GLSLstd450Asinh, 1, Shape::Float, "Asinh", asinh, HalfAsFloat},
    {GLSLstd450Acosh, 1, Shape::Float, "Acosh", acosh, HalfAsFloat},
    {GLSLstd450Atanh, 1, Shape::Float, "Atanh", atanh, HalfAsFloat},
    {GLSLstd450Atan2, 2, Shape::Float, "Atan2", atan2, HalfAsFloat},
};

ArrayRef<ExtInstRow> assay::glslTrigonometryRows() {
  return TrigonometryRows;
}
