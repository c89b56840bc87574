// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's constant folder as a second opinion: each operation on edge values and random ones, in one
// lane each, against what the folder makes of the same constants.
#include "oracles/ir/TestRun.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

/// A number that tends to be special.
APInt draw(unsigned bits, std::mt19937_64 &random) {
  switch (random() % 8) {
  case 0:
    return APInt::getZero(bits);
  case 1:
    return APInt::getAllOnes(bits);
  case 2:
    return APInt::getSignedMinValue(bits);
  case 3:
    return APInt::getSignedMaxValue(bits);
  case 4:
    return APInt(bits, random() % 40, false, true);
  case 5:
    return APInt::getOneBitSet(bits, random() % bits);
  default:
    SmallVector<uint64_t, 4> words;
    for (unsigned i = 0; i * 64 < bits; ++i)
      words.push_back(random());
    return APInt(bits, words);
  }
}

/// A float that tends to be special, or small enough to keep its digits.
APInt drawFloat(Type *type, std::mt19937_64 &random) {
  const fltSemantics &semantics = type->getFltSemantics();
  switch (random() % 8) {
  case 0:
    return APFloat::getInf(semantics, random() & 1).bitcastToAPInt();
  case 1:
    return APFloat::getQNaN(semantics).bitcastToAPInt();
  case 2:
    return APFloat::getSmallest(semantics, random() & 1).bitcastToAPInt();
  case 3:
    return APFloat::getZero(semantics, random() & 1).bitcastToAPInt();
  case 4:
    return APFloat::getLargest(semantics, random() & 1).bitcastToAPInt();
  default:
    APFloat value(static_cast<double>(static_cast<int64_t>(random() % 4001) - 2000) / 8);
    bool losesInfo = false;
    value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    return value.bitcastToAPInt();
  }
}

Constant *toConstant(Type *type, const Scalar &scalar) {
  if (type->isIntegerTy())
    return ConstantInt::get(type->getContext(), scalar.bits);
  return ConstantFP::get(type->getContext(), APFloat(type->getFltSemantics(), scalar.bits));
}

Constant *toConstant(Type *type, const Value &value) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return toConstant(type, value[0]);
  SmallVector<Constant *, 8> parts;
  for (const Scalar &scalar : value)
    parts.push_back(toConstant(vector->getElementType(), scalar));
  return ConstantVector::get(parts);
}

Value drawValue(Type *type, std::mt19937_64 &random) {
  Value value;
  auto *vector = dyn_cast<FixedVectorType>(type);
  Type *element = type->getScalarType();
  for (unsigned i = 0; i < (vector ? vector->getNumElements() : 1); ++i)
    value.push_back({element->isIntegerTy() ? draw(element->getIntegerBitWidth(), random)
                                            : drawFloat(element, random)});
  return value;
}

/// Whether \p scalar is what the folder says; NaNs are equal to each other.
bool isSame(const Scalar &scalar, Constant *constant) {
  if (isa<UndefValue>(constant))
    return scalar.isPoison;
  if (scalar.isPoison)
    return false;
  if (auto *integer = dyn_cast<ConstantInt>(constant))
    return integer->getValue() == scalar.bits;
  if (auto *real = dyn_cast<ConstantFP>(constant)) {
    APFloat value(real->getValueAPF().getSemantics(), scalar.bits);
    return (value.isNaN() && real->isNaN()) || value.bitwiseIsEqual(real->getValueAPF());
  }
  return false;
}

void flatten(Constant *constant, std::vector<Constant *> &parts) {
  if (!constant->getType()->isAggregateType() && !constant->getType()->isVectorTy())
    return parts.push_back(constant);
  for (unsigned i = 0; Constant *part = constant->getAggregateElement(i); ++i)
    flatten(part, parts);
}

/// \p instruction on the constants of \p arguments; null if the folder does not know.
Constant *fold(Instruction &instruction, const std::vector<Value> &arguments,
               const TargetLibraryInfo &library) {
  SmallVector<Constant *, 4> operands;
  for (const Use &use : instruction.operands()) {
    if (auto *argument = dyn_cast<Argument>(use))
      operands.push_back(toConstant(argument->getType(), arguments[argument->getArgNo()]));
    else
      operands.push_back(cast<Constant>(use));
  }
  return ConstantFoldInstOperands(&instruction, operands, instruction.getDataLayout(), &library);
}

struct FolderCase {
  const char *parameters;
  const char *result;
  const char *expression;
};

class Folder : public testing::TestWithParam<FolderCase> {};

TEST_P(Folder, Agrees) {
  const FolderCase &entry = GetParam();
  std::string text = "define " + std::string(entry.result) + " @f(" + entry.parameters +
                     ") { %r = " + entry.expression + " ret " + entry.result + " %r }";
  std::mt19937_64 random(7);
  TargetLibraryInfoImpl libraryImpl{Triple("amdgcn--amdpal")};
  TargetLibraryInfo library(libraryImpl);
  unsigned compared = 0;
  for (unsigned round = 0; round < 8; ++round) {
    TestRun test(text);
    ASSERT_EQ(test.error, "") << text;
    Function &function = *test.module->getFunction("f");
    Instruction &instruction = *inst_begin(function);
    for (unsigned lane = 0; lane < 64; ++lane) {
      std::vector<Value> &values = test.arguments.emplace_back();
      for (const Argument &argument : function.args())
        values.push_back(drawValue(argument.getType(), random));
      // What is undefined would end the run for all lanes.
      if (Instruction::isIntDivRem(instruction.getOpcode()))
        for (Scalar &scalar : values[1])
          if (scalar.bits.isZero() || scalar.bits.isAllOnes())
            scalar.bits = APInt(scalar.bits.getBitWidth(), 3);
    }
    ASSERT_EQ(test.run().state, RunState::Returned) << text << test.result.reason;
    for (unsigned lane = 0; lane < 64; ++lane) {
      Constant *constant = fold(instruction, test.arguments[lane], library);
      if (!constant)
        continue;
      std::vector<Constant *> parts;
      flatten(constant, parts);
      ASSERT_EQ(parts.size(), test.result.returned[lane].size());
      ++compared;
      for (unsigned i = 0; i < parts.size(); ++i) {
        if (isSame(test.result.returned[lane][i], parts[i]))
          continue;
        std::string folded;
        raw_string_ostream(folded) << *constant;
        FAIL() << text << ": lane " << lane << " element " << i << ": "
               << toString(test.result.returned[lane][i].bits, 16, false) << " poison "
               << test.result.returned[lane][i].isPoison << ", folder " << folded;
      }
    }
  }
  EXPECT_GT(compared, 64u) << text << ": the folder knows too little";
}

#define I32 "i32 %a, i32 %b", "i32"
#define I8 "i8 %a, i8 %b", "i8"
#define I160 "i160 %a, i160 %b", "i160"
#define V3 "<3 x i16> %a, <3 x i16> %b", "<3 x i16>"
#define F32 "float %a, float %b", "float"
#define F16 "half %a, half %b", "half"
#define F64 "double %a, double %b", "double"

constexpr FolderCase Cases[] = {
    {I32, "add i32 %a, %b"},
    {I160, "add i160 %a, %b"},
    {V3, "add <3 x i16> %a, %b"},
    {I32, "sub i32 %a, %b"},
    {I160, "sub i160 %a, %b"},
    {I32, "mul i32 %a, %b"},
    {I160, "mul i160 %a, %b"},
    {V3, "mul <3 x i16> %a, %b"},
    {I32, "udiv i32 %a, %b"},
    {I160, "udiv i160 %a, %b"},
    {V3, "sdiv <3 x i16> %a, %b"},
    {I32, "sdiv i32 %a, %b"},
    {I8, "urem i8 %a, %b"},
    {I8, "srem i8 %a, %b"},
    {I160, "srem i160 %a, %b"},
    {I8, "shl i8 %a, %b"},
    {I32, "shl i32 %a, %b"},
    {I160, "shl i160 %a, %b"},
    {I8, "lshr i8 %a, %b"},
    {I160, "lshr i160 %a, %b"},
    {I8, "ashr i8 %a, %b"},
    {V3, "ashr <3 x i16> %a, %b"},
    {I160, "and i160 %a, %b"},
    {I32, "or i32 %a, %b"},
    {V3, "xor <3 x i16> %a, %b"},
    {"i32 %a, i32 %b", "i1", "icmp eq i32 %a, %b"},
    {"i32 %a, i32 %b", "i1", "icmp ult i32 %a, %b"},
    {"i32 %a, i32 %b", "i1", "icmp sge i32 %a, %b"},
    {"i160 %a, i160 %b", "i1", "icmp ugt i160 %a, %b"},
    {"i160 %a, i160 %b", "i1", "icmp slt i160 %a, %b"},
    {"<3 x i16> %a, <3 x i16> %b", "<3 x i1>", "icmp ne <3 x i16> %a, %b"},
    {"float %a, float %b", "i1", "fcmp olt float %a, %b"},
    {"float %a, float %b", "i1", "fcmp une float %a, %b"},
    {"half %a, half %b", "i1", "fcmp uno half %a, %b"},
    {"double %a, double %b", "i1", "fcmp uge double %a, %b"},
    {F32, "fadd float %a, %b"},
    {F16, "fadd half %a, %b"},
    {F64, "fsub double %a, %b"},
    {F32, "fmul float %a, %b"},
    {F16, "fdiv half %a, %b"},
    {F32, "fdiv float %a, %b"},
    {F32, "frem float %a, %b"},
    {"float %a", "float", "fneg float %a"},
    {"bfloat %a, bfloat %b", "bfloat", "fadd bfloat %a, %b"},
    {"i160 %a", "i32", "trunc i160 %a to i32"},
    {"i32 %a", "i160", "zext i32 %a to i160"},
    {"i32 %a", "i160", "sext i32 %a to i160"},
    {"<3 x i16> %a", "<3 x i8>", "trunc <3 x i16> %a to <3 x i8>"},
    {"float %a", "i32", "fptoui float %a to i32"},
    {"float %a", "i8", "fptosi float %a to i8"},
    {"double %a", "i64", "fptosi double %a to i64"},
    {"i32 %a", "float", "uitofp i32 %a to float"},
    {"i64 %a", "half", "sitofp i64 %a to half"},
    {"double %a", "float", "fptrunc double %a to float"},
    {"float %a", "half", "fptrunc float %a to half"},
    {"half %a", "double", "fpext half %a to double"},
    {"i32 %a", "float", "bitcast i32 %a to float"},
    {"<2 x i32> %a", "<8 x i8>", "bitcast <2 x i32> %a to <8 x i8>"},
    {"<8 x i1> %a", "i8", "bitcast <8 x i1> %a to i8"},
    {"i8 %a", "<8 x i1>", "bitcast i8 %a to <8 x i1>"},
    {"<5 x i32> %a", "i160", "bitcast <5 x i32> %a to i160"},
    {"i160 %a", "<10 x i16>", "bitcast i160 %a to <10 x i16>"},
    {"i96 %a", "<3 x float>", "bitcast i96 %a to <3 x float>"},
    {"<4 x i32> %a, i32 %i", "i32", "extractelement <4 x i32> %a, i32 %i"},
    {"<4 x i32> %a, i32 %b", "<4 x i32>", "insertelement <4 x i32> %a, i32 %b, i32 2"},
    {"<4 x i32> %a, <4 x i32> %b", "<3 x i32>",
     "shufflevector <4 x i32> %a, <4 x i32> %b, <3 x i32> <i32 7, i32 poison, i32 2>"},
    {"i1 %c, i32 %a, i32 %b", "i32", "select i1 %c, i32 %a, i32 %b"},
    {"<2 x i1> %c, <2 x half> %a, <2 x half> %b", "<2 x half>",
     "select <2 x i1> %c, <2 x half> %a, <2 x half> %b"},
    {"i32 %a", "i32", "freeze i32 %a"},
    {I32, "call i32 @llvm.umin.i32(i32 %a, i32 %b)"},
    {I32, "call i32 @llvm.umax.i32(i32 %a, i32 %b)"},
    {I8, "call i8 @llvm.smin.i8(i8 %a, i8 %b)"},
    {V3, "call <3 x i16> @llvm.smax.v3i16(<3 x i16> %a, <3 x i16> %b)"},
    {"i8 %a", "i8", "call i8 @llvm.abs.i8(i8 %a, i1 true)"},
    {"i8 %a", "i8", "call i8 @llvm.abs.i8(i8 %a, i1 false)"},
    {"i32 %a", "i32", "call i32 @llvm.ctlz.i32(i32 %a, i1 true)"},
    {"i32 %a", "i32", "call i32 @llvm.ctlz.i32(i32 %a, i1 false)"},
    {"i64 %a", "i64", "call i64 @llvm.cttz.i64(i64 %a, i1 true)"},
    {"i64 %a", "i64", "call i64 @llvm.ctpop.i64(i64 %a)"},
    {"i48 %a", "i48", "call i48 @llvm.bswap.i48(i48 %a)"},
    {"i32 %a", "i32", "call i32 @llvm.bitreverse.i32(i32 %a)"},
    {"i32 %a, i32 %b, i32 %c", "i32", "call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 %c)"},
    {"i8 %a, i8 %b, i8 %c", "i8", "call i8 @llvm.fshr.i8(i8 %a, i8 %b, i8 %c)"},
    {"i128 %a, i128 %b, i128 %c", "i128", "call i128 @llvm.fshr.i128(i128 %a, i128 %b, i128 %c)"},
    {I8, "call i8 @llvm.uadd.sat.i8(i8 %a, i8 %b)"},
    {I8, "call i8 @llvm.sadd.sat.i8(i8 %a, i8 %b)"},
    {I8, "call i8 @llvm.usub.sat.i8(i8 %a, i8 %b)"},
    {I8, "call i8 @llvm.ssub.sat.i8(i8 %a, i8 %b)"},
    {"i16 %a, i16 %b", "{i16, i1}", "call {i16, i1} @llvm.uadd.with.overflow.i16(i16 %a, i16 %b)"},
    {"i16 %a, i16 %b", "{i16, i1}", "call {i16, i1} @llvm.ssub.with.overflow.i16(i16 %a, i16 %b)"},
    {"i16 %a, i16 %b", "{i16, i1}", "call {i16, i1} @llvm.smul.with.overflow.i16(i16 %a, i16 %b)"},
    {"i16 %a, i16 %b", "i8", "call i8 @llvm.scmp.i8.i16(i16 %a, i16 %b)"},
    {"i16 %a, i16 %b", "i8", "call i8 @llvm.ucmp.i8.i16(i16 %a, i16 %b)"},
    {"float %a", "float", "call float @llvm.fabs.f32(float %a)"},
    {F32, "call float @llvm.copysign.f32(float %a, float %b)"},
    {"float %a", "float", "call float @llvm.floor.f32(float %a)"},
    {"float %a", "float", "call float @llvm.ceil.f32(float %a)"},
    {"half %a", "half", "call half @llvm.trunc.f16(half %a)"},
    {"float %a", "float", "call float @llvm.rint.f32(float %a)"},
    {"float %a", "float", "call float @llvm.round.f32(float %a)"},
    {"float %a", "float", "call float @llvm.roundeven.f32(float %a)"},
    {F32, "call float @llvm.minnum.f32(float %a, float %b)"},
    {F32, "call float @llvm.maxnum.f32(float %a, float %b)"},
    {F64, "call double @llvm.minimum.f64(double %a, double %b)"},
    {F64, "call double @llvm.maximum.f64(double %a, double %b)"},
    {"float %a, float %b, float %c", "float",
     "call float @llvm.fma.f32(float %a, float %b, float %c)"},
    {"float %a, i32 %b", "float", "call float @llvm.ldexp.f32.i32(float %a, i32 %b)"},
    {"float %a", "i1", "call i1 @llvm.is.fpclass.f32(float %a, i32 261)"},
    {"float %a", "i8", "call i8 @llvm.fptosi.sat.i8.f32(float %a)"},
    {"float %a", "i32", "call i32 @llvm.fptoui.sat.i32.f32(float %a)"},
    {"<4 x i32> %a", "i32", "call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %a)"},
    {"<4 x i32> %a", "i32", "call i32 @llvm.vector.reduce.umax.v4i32(<4 x i32> %a)"},
    {"<3 x i8> %a", "i8", "call i8 @llvm.vector.reduce.xor.v3i8(<3 x i8> %a)"},
    {"<3 x i8> %a", "i8", "call i8 @llvm.vector.reduce.smin.v3i8(<3 x i8> %a)"},
    {"double %a", "double", "call double @llvm.sqrt.f64(double %a)"},
};

INSTANTIATE_TEST_SUITE_P(Interpreter, Folder, testing::ValuesIn(Cases));

} // namespace
} // namespace assay::ir
