// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions that round toward zero, folded by LLVM and compared with its arbitrary-precision
// floats; and the attributes that carry a FloatMode.
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace assay;

/// A conversion that names its rounding, of a constant; null for what is none.
static Constant *foldTruncation(Instruction &instruction) {
  auto *op = dyn_cast<FPTruncOp>(&instruction);
  if (!op)
    return nullptr;
  APFloat number = cast<ConstantFP>(op->getX())->getValueAPF();
  bool losesInfo = false;
  number.convert(op->getType()->getFltSemantics(),
                 op->getTowardZero() ? RoundingMode::TowardZero : RoundingMode::NearestTiesToEven,
                 &losesInfo);
  return ConstantFP::get(instruction.getContext(), number);
}

namespace {
/// A function in which to build, and to fold what was built.
struct Scratch {
  LLVMContext context;
  Module module{"test", context};
  Function *function = nullptr;
  std::unique_ptr<Builder> builder = createBuilderImpl(context);

  Scratch() {
    initializeModule(module);
    function = Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                                GlobalValue::ExternalLinkage, "f", module);
    builder->SetInsertPoint(BasicBlock::Create(context, "", function));
    FloatMode mode;
    mode.single.towardZero = mode.others.towardZero = true;
    builder->setFloatMode(mode);
  }

  /// The bits of float \p value, zero-extended; the test fails where it is no constant.
  uint64_t fold(Value *value) {
    Constant *result = dyn_cast<Constant>(value);
    for (Instruction &instruction : make_early_inc_range(function->getEntryBlock())) {
      Constant *folded = foldTruncation(instruction);
      if (!folded)
        folded = ConstantFoldInstruction(&instruction, module.getDataLayout());
      if (!folded) {
        std::string text;
        raw_string_ostream(text) << instruction;
        ADD_FAILURE() << "not folded:" << text;
        return 1;
      }
      if (&instruction == value)
        result = folded;
      instruction.replaceAllUsesWith(folded);
      instruction.eraseFromParent();
    }
    auto *number = dyn_cast_or_null<ConstantFP>(result);
    if (!number) {
      ADD_FAILURE() << "no constant";
      return 1;
    }
    return number->getValueAPF().bitcastToAPInt().getZExtValue();
  }
};
} // namespace

static std::vector<uint64_t> makeNumbers(unsigned width) {
  std::vector<uint64_t> numbers = {0, 1, 2, 3, 65504, 65519, 65535, ~uint64_t(0)};
  for (unsigned bit = 0; bit < width; ++bit)
    for (int64_t delta : {-1, 0, 1, 3})
      numbers.push_back((uint64_t(1) << bit) + delta);
  std::mt19937_64 random(width);
  for (unsigned i = 0; i < 200; ++i)
    numbers.push_back(random() >> (random() % width));
  return numbers;
}

static void expectIntegersTowardZero(Scratch &scratch, unsigned width, Type *type) {
  Builder &builder = *scratch.builder;
  Type *integer = builder.getIntNTy(width);
  for (uint64_t number : makeNumbers(width)) {
    APInt bits(width, number, /*isSigned=*/false, /*implicitTrunc=*/true);
    Constant *constant = ConstantInt::get(integer, bits);
    for (bool isSigned : {false, true}) {
      APFloat wanted(type->getFltSemantics());
      wanted.convertFromAPInt(bits, isSigned, RoundingMode::TowardZero);
      Value *made =
          isSigned ? builder.CreateSIToFP(constant, type) : builder.CreateUIToFP(constant, type);
      EXPECT_EQ(scratch.fold(made), wanted.bitcastToAPInt().getZExtValue())
          << "i" << width << " " << number << " to " << type->getScalarSizeInBits() << " bits";
    }
  }
}

TEST(FloatBuilder, IntegersAreRoundedTowardZero) {
  Scratch scratch;
  Builder &builder = *scratch.builder;
  for (unsigned width : {8u, 16u, 32u, 64u})
    for (Type *type : {builder.getHalfTy(), builder.getFloatTy(), builder.getDoubleTy()})
      expectIntegersTowardZero(scratch, width, type);
}

/// A float of 64 bits near the range of f16, and its rounding toward zero.
static void expectHalfTowardZero(Scratch &scratch, double number) {
  Builder &builder = *scratch.builder;
  APFloat wanted(number);
  bool losesInfo = false;
  wanted.convert(APFloat::IEEEhalf(), RoundingMode::TowardZero, &losesInfo);
  Value *made = builder.createHalf(ConstantFP::get(builder.getDoubleTy(), number), true);
  EXPECT_EQ(scratch.fold(made), wanted.bitcastToAPInt().getZExtValue()) << number;
}

TEST(FloatBuilder, DoublesAreRoundedToHalvesTowardZero) {
  Scratch scratch;
  std::mt19937_64 random(7);
  for (int exponent = -40; exponent < 40; ++exponent) {
    for (double part : {1.0, 1.0009765624999, 1.9999999999, 1.5})
      for (double sign : {1.0, -1.0})
        expectHalfTowardZero(scratch, sign * std::ldexp(part, exponent));
    uint64_t significand = random() >> 12;
    expectHalfTowardZero(scratch, std::ldexp(1.0 + double(significand) * 0x1p-52, exponent));
  }
  for (double number : {65504.0, 65519.9, 65520.0, 1e300, -1e300, 0.0, -0.0, HUGE_VAL, -HUGE_VAL})
    expectHalfTowardZero(scratch, number);
}

TEST(FloatMode, SurvivesInAttributes) {
  Scratch scratch;
  for (Denormals single : {Denormals::Any, Denormals::Preserve, Denormals::Flush})
    for (Denormals others : {Denormals::Any, Denormals::Preserve, Denormals::Flush})
      for (unsigned rounding : {0u, 1u, 2u, 3u}) {
        FloatMode mode{{single, (rounding & 1) != 0}, {others, (rounding & 2) != 0}};
        Function *function = Function::Create(scratch.function->getFunctionType(),
                                              GlobalValue::ExternalLinkage, "g", scratch.module);
        setFloatMode(*function, mode);
        EXPECT_TRUE(getFloatMode(*function) == mode);
        EXPECT_EQ(function->hasFnAttribute(Attribute::StrictFP), rounding != 0);
      }
}
