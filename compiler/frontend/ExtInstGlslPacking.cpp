// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL.std.450: vectors of small numbers packed into 32 bits. The first component stands lowest.

#include "compiler/frontend/ExtInst.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// Size of the packed value.
static constexpr unsigned WordBits = 32;

/// The largest number of a signed or unsigned normalized format.
static constexpr double largest(unsigned bits, bool isSigned) {
  return static_cast<double>((1u << (isSigned ? bits - 1 : bits)) - 1);
}

/// Returns whether \p value is a vector of \p count times the type \p component.
static bool isVectorOf(Value *value, Type *component, unsigned count) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return type && type->getElementType() == component && type->getNumElements() == count;
}

/// Clamps each f32 to [0, 1], or [-1, 1] if IsSigned, scales it to the largest number of \p Bits
/// bits and rounds to the nearest integer, halves to even. Components: 32 / Bits.
template <unsigned Bits, bool IsSigned>
static Expected<Value *> packNorm(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  if (!isVectorOf(args[0], builder.getFloatTy(), WordBits / Bits))
    return invalidInput("its operand has the wrong number of components");
  Value *x = builder.createFClamp(args[0], floatLike(args[0], IsSigned ? -1.0 : 0.0),
                                  floatLike(args[0], 1.0));
  x = builder.CreateFMul(x, floatLike(x, largest(Bits, IsSigned)));
  x = builder.CreateUnaryIntrinsic(Intrinsic::roundeven, x);
  // Frozen, as a NaN may come through the clamp.
  auto *words = FixedVectorType::get(builder.getInt32Ty(), WordBits / Bits);
  x = builder.CreateFreeze(IsSigned ? builder.CreateFPToSI(x, words)
                                    : builder.CreateFPToUI(x, words));
  Value *result = nullptr;
  for (unsigned i = 0; i < WordBits / Bits; ++i) {
    Value *part = builder.CreateExtractElement(x, uint64_t(i));
    part = builder.CreateAnd(part, builder.getInt32((1u << Bits) - 1));
    part = builder.CreateShl(part, builder.getInt32(i * Bits));
    result = result ? builder.CreateOr(result, part) : part;
  }
  return result;
}

/// Divides by the largest number. The ends are exactly 1 and -1: the product of each largest number
/// and its rounded reciprocal rounds to 1.
template <unsigned Bits, bool IsSigned>
static Expected<Value *> unpackNorm(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  if (!args[0]->getType()->isIntegerTy(WordBits))
    return invalidInput("its operand is no 32-bit integer");
  constexpr unsigned Count = WordBits / Bits;
  Value *result = PoisonValue::get(FixedVectorType::get(builder.getFloatTy(), Count));
  for (unsigned i = 0; i < Count; ++i) {
    // Up to the top, then down with or without the sign.
    Value *part = builder.CreateShl(args[0], builder.getInt32(WordBits - (i + 1) * Bits));
    Value *down = builder.getInt32(WordBits - Bits);
    part = IsSigned ? builder.CreateAShr(part, down) : builder.CreateLShr(part, down);
    part = IsSigned ? builder.CreateSIToFP(part, builder.getFloatTy())
                    : builder.CreateUIToFP(part, builder.getFloatTy());
    result = builder.CreateInsertElement(result, part, uint64_t(i));
  }
  result = builder.createFDiv(result, floatLike(result, largest(Bits, IsSigned)));
  if (!IsSigned)
    return result;
  return builder.createFClamp(result, floatLike(result, -1.0), floatLike(result, 1.0));
}

/// Rounds two f32 to the nearest f16 and packs them. Fault::PackSwapped swaps the components.
static Expected<Value *> packHalf(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  if (!isVectorOf(args[0], builder.getFloatTy(), 2))
    return invalidInput("its operand has the wrong number of components");
  Value *halves = builder.createHalf(args[0], /*towardZero=*/false);
  if (faultPlanted(Fault::PackSwapped))
    halves = builder.CreateShuffleVector(halves, {1, 0});
  return builder.CreateBitCast(halves, builder.getInt32Ty());
}

/// Returns both f16 in a 32-bit integer as f32.
static Expected<Value *> unpackHalf(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  if (!args[0]->getType()->isIntegerTy(WordBits))
    return invalidInput("its operand is no 32-bit integer");
  Value *halves = builder.CreateBitCast(args[0], FixedVectorType::get(builder.getHalfTy(), 2));
  return builder.CreateFPExt(halves, FixedVectorType::get(builder.getFloatTy(), 2));
}

/// Returns the f64 whose low word is component 0.
static Expected<Value *> packDouble(Translator &t, const Inst &, Args args) {
  if (!isVectorOf(args[0], t.builder().getInt32Ty(), 2))
    return invalidInput("its operand is no vector of two 32-bit integers");
  return t.builder().CreateBitCast(args[0], t.builder().getDoubleTy());
}

/// Returns the words of an f64, the low one in component 0.
static Expected<Value *> unpackDouble(Translator &t, const Inst &, Args args) {
  if (!args[0]->getType()->isDoubleTy())
    return invalidInput("its operand is no 64-bit float");
  return t.builder().CreateBitCast(args[0], FixedVectorType::get(t.builder().getInt32Ty(), 2));
}

/// Free: the handlers check the exact types, which are fixed.
static constexpr ExtInstRow Rows[] = {
    {GLSLstd450PackSnorm4x8, 1, Shape::Free, "PackSnorm4x8", packNorm<8, true>},
    {GLSLstd450PackUnorm4x8, 1, Shape::Free, "PackUnorm4x8", packNorm<8, false>},
    {GLSLstd450PackSnorm2x16, 1, Shape::Free, "PackSnorm2x16", packNorm<16, true>},
    {GLSLstd450PackUnorm2x16, 1, Shape::Free, "PackUnorm2x16", packNorm<16, false>},
    {GLSLstd450PackHalf2x16, 1, Shape::Free, "PackHalf2x16", packHalf},
    {GLSLstd450UnpackSnorm2x16, 1, Shape::Free, "UnpackSnorm2x16", unpackNorm<16, true>},
    {GLSLstd450UnpackUnorm2x16, 1, Shape::Free, "UnpackUnorm2x16", unpackNorm<16, false>},
    {GLSLstd450UnpackHalf2x16, 1, Shape::Free, "UnpackHalf2x16", unpackHalf},
    {GLSLstd450UnpackSnorm4x8, 1, Shape::Free, "UnpackSnorm4x8", unpackNorm<8, true>},
    {GLSLstd450UnpackUnorm4x8, 1, Shape::Free, "UnpackUnorm4x8", unpackNorm<8, false>},
    {GLSLstd450PackDouble2x32, 1, Shape::Free, "PackDouble2x32", packDouble},
    {GLSLstd450UnpackDouble2x32, 1, Shape::Free, "UnpackDouble2x32", unpackDouble},
};

ArrayRef<ExtInstRow> assay::glslPackingRows() {
  return Rows;
}
