// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of sampling instructions, computed by walking the IR that makes them, against Vulkan's
// definition ("Cube Map Face Selection") and differences of it.
#include "compiler/amdgpu/passes/ImageCoordinates.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
struct Vec3 {
  double x, y, z;
  Vec3 plus(const Vec3 &other, double factor) const {
    return {x + other.x * factor, y + other.y * factor, z + other.z * factor};
  }
};

/// A place on a face, with s and t in [0, 1].
struct FacePlace {
  int face;
  double s, t;
};
} // namespace

/// Vulkan's table, row by row. Ties go to z, then y.
static FacePlace facePlaceOf(const Vec3 &r) {
  double ax = std::fabs(r.x), ay = std::fabs(r.y), az = std::fabs(r.z);
  int face = 0;
  double sc = 0, tc = 0, rc = 0;
  if (az >= ax && az >= ay) {
    face = r.z < 0 ? 5 : 4;
    sc = r.z < 0 ? -r.x : r.x;
    tc = -r.y;
    rc = r.z;
  } else if (ay >= ax) {
    face = r.y < 0 ? 3 : 2;
    sc = r.x;
    tc = r.y < 0 ? -r.z : r.z;
    rc = r.y;
  } else {
    face = r.x < 0 ? 1 : 0;
    sc = r.x < 0 ? r.z : -r.z;
    tc = -r.y;
    rc = r.x;
  }
  return {face, 0.5 * sc / std::fabs(rc) + 0.5, 0.5 * tc / std::fabs(rc) + 0.5};
}

/// What an instruction of the cube family gives, by the ISA's description.
static double cubeInstruction(Intrinsic::ID id, const Vec3 &r) {
  FacePlace place = facePlaceOf(r);
  double major = place.face < 2 ? r.x : place.face < 4 ? r.y : r.z;
  switch (id) {
  case Intrinsic::amdgcn_cubeid:
    return place.face;
  case Intrinsic::amdgcn_cubema:
    return 2 * major;
  case Intrinsic::amdgcn_cubesc:
    return (place.s - 0.5) * 2 * std::fabs(major);
  case Intrinsic::amdgcn_cubetc:
    return (place.t - 0.5) * 2 * std::fabs(major);
  default:
    ADD_FAILURE() << "an unknown intrinsic";
    return 0;
  }
}

/// The number that \p value represents.
static double evaluate(const Value *value);

static double evaluateCall(const CallInst &call) {
  double first = evaluate(call.getArgOperand(0));
  switch (call.getIntrinsicID()) {
  case Intrinsic::fabs:
    return std::fabs(first);
  case Intrinsic::rint:
    return std::nearbyint(first);
  case Intrinsic::amdgcn_rcp:
    return 1 / first;
  default:
    return cubeInstruction(call.getIntrinsicID(), {first, evaluate(call.getArgOperand(1)),
                                                   evaluate(call.getArgOperand(2))});
  }
}

static double evaluate(const Value *value) {
  if (const auto *number = dyn_cast<ConstantFP>(value))
    return number->getValueAPF().convertToDouble();
  if (const auto *bit = dyn_cast<ConstantInt>(value))
    return bit->isZero() ? 0 : 1;
  const auto *inst = cast<Instruction>(value);
  auto operand = [&](unsigned i) { return evaluate(inst->getOperand(i)); };
  switch (inst->getOpcode()) {
  case Instruction::FAdd:
    return operand(0) + operand(1);
  case Instruction::FSub:
    return operand(0) - operand(1);
  case Instruction::FMul:
    return operand(0) * operand(1);
  case Instruction::FNeg:
    return -operand(0);
  case Instruction::And:
    return operand(0) != 0 && operand(1) != 0;
  case Instruction::Xor:
    return operand(0) != operand(1);
  case Instruction::Select:
    return operand(0) != 0 ? operand(1) : operand(2);
  case Instruction::FCmp:
    return cast<FCmpInst>(inst)->getPredicate() == FCmpInst::FCMP_OLT ? operand(0) < operand(1)
                                                                      : operand(0) >= operand(1);
  case Instruction::Call:
    return evaluateCall(*cast<CallInst>(inst));
  default:
    ADD_FAILURE() << "an unknown instruction: " << inst->getOpcodeName();
    return 0;
  }
}

namespace {
struct Addresses : testing::Test {
  LLVMContext context;
  Module module{"test", context};
  IRBuilder<> builder{context};

  Addresses() {
    auto *type = FunctionType::get(Type::getVoidTy(context), false);
    auto *function = Function::Create(type, Function::ExternalLinkage, "main", module);
    builder.SetInsertPoint(BasicBlock::Create(context, "entry", function));
  }
  Value *vector(ArrayRef<double> numbers) {
    SmallVector<Constant *, 4> elements;
    for (double number : numbers)
      elements.push_back(ConstantFP::get(builder.getFloatTy(), number));
    return ConstantVector::get(elements);
  }
  /// The address of \p coordinate, as numbers: derivatives, then coordinates.
  std::vector<double> address(ImageDim dim, ArrayRef<double> coordinate,
                              std::optional<std::pair<Vec3, Vec3>> change = std::nullopt) {
    auto gradient = [&](const Vec3 &v) { return vector({v.x, v.y, v.z}); };
    SampleAddress made = makeSampleAddress(builder, dim, vector(coordinate),
                                           change ? gradient(change->first) : nullptr,
                                           change ? gradient(change->second) : nullptr);
    std::vector<double> numbers;
    for (const Value *value : made.gradients)
      numbers.push_back(evaluate(value));
    for (const Value *value : made.coordinates)
      numbers.push_back(evaluate(value));
    return numbers;
  }
};
} // namespace

TEST_F(Addresses, OfPlainDimensions) {
  std::vector<double> place = {0.25, 0.5, 0.75, 2.5};
  EXPECT_EQ(address(ImageDim::Dim1D, place), (std::vector<double>{0.25}));
  EXPECT_EQ(address(ImageDim::Dim3D, place), (std::vector<double>{0.25, 0.5, 0.75}));
  // Layers are rounded to the nearest even number.
  EXPECT_EQ(address(ImageDim::Dim1DArray, {0.25, 1.5, 9, 9}), (std::vector<double>{0.25, 2}));
  EXPECT_EQ(address(ImageDim::Dim2DArray, {0.25, 0.5, 2.5, 9}),
            (std::vector<double>{0.25, 0.5, 2}));
  EXPECT_EQ(address(ImageDim::Dim2D, place, std::pair(Vec3{1, 2, 9}, Vec3{3, 4, 9})),
            (std::vector<double>{1, 2, 3, 4, 0.25, 0.5}));
  EXPECT_EQ(address(ImageDim::Dim1DArray, {0.25, 1, 9, 9}, std::pair(Vec3{1, 9, 9}, Vec3{3, 9, 9})),
            (std::vector<double>{1, 3, 0.25, 1}));
}

TEST_F(Addresses, OfCubesLieOnTheRightFace) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> numbers(-3, 3);
  unsigned faces = 0;
  for (unsigned i = 0; i < 500; ++i) {
    Vec3 r{numbers(random), numbers(random), numbers(random)};
    FacePlace expected = facePlaceOf(r);
    faces |= 1u << expected.face;
    std::vector<double> cube = address(ImageDim::Cube, {r.x, r.y, r.z, 9});
    ASSERT_EQ(cube.size(), 3u);
    EXPECT_NEAR(cube[0], expected.s + 1, 1e-6);
    EXPECT_NEAR(cube[1], expected.t + 1, 1e-6);
    EXPECT_EQ(cube[2], expected.face);
    std::vector<double> array = address(ImageDim::CubeArray, {r.x, r.y, r.z, 2.4});
    EXPECT_EQ(array[2], expected.face + 16);
  }
  EXPECT_EQ(faces, 63u);
}

TEST_F(Addresses, OfCubesChangeAsTheDirectionDoes) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> numbers(-3, 3);
  constexpr double Step = 1e-6;
  unsigned compared = 0;
  for (unsigned i = 0; i < 500; ++i) {
    Vec3 r{numbers(random), numbers(random), numbers(random)};
    Vec3 dx{numbers(random), numbers(random), numbers(random)};
    Vec3 dy{numbers(random), numbers(random), numbers(random)};
    std::vector<double> made = address(ImageDim::Cube, {r.x, r.y, r.z, 9}, std::pair(dx, dy));
    ASSERT_EQ(made.size(), 7u);
    FacePlace at = facePlaceOf(r);
    for (unsigned axis = 0; axis < 2; ++axis) {
      const Vec3 &change = axis == 0 ? dx : dy;
      FacePlace next = facePlaceOf(r.plus(change, Step));
      FacePlace last = facePlaceOf(r.plus(change, -Step));
      double size = std::max({std::fabs(r.x), std::fabs(r.y), std::fabs(r.z)});
      if (next.face != at.face || last.face != at.face || size < 0.1)
        continue;
      ++compared;
      EXPECT_NEAR(made[axis * 2], (next.s - last.s) / (2 * Step), 1e-3) << at.face;
      EXPECT_NEAR(made[axis * 2 + 1], (next.t - last.t) / (2 * Step), 1e-3) << at.face;
    }
  }
  EXPECT_GT(compared, 900u);
}
