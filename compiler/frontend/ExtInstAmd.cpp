// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD's extended instruction sets, except SPV_AMD_shader_explicit_vertex_parameter: numbers and
// meaning as in the extensions of the same names.

#include "compiler/frontend/ExtInst.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

// --- SPV_AMD_shader_trinary_minmax

/// Returns the smallest or largest of three operands, by intrinsic \p Id applied twice.
template <Intrinsic::ID Id>
static Expected<Value *> extreme(Translator &t, const Inst &, Args args) {
  Value *two = t.builder().CreateBinaryIntrinsic(Id, args[0], args[1]);
  return t.builder().CreateBinaryIntrinsic(Id, two, args[2]);
}

/// max(min(x, y), min(max(x, y), z)).
template <Intrinsic::ID Min, Intrinsic::ID Max>
static Expected<Value *> middle(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *low = builder.CreateBinaryIntrinsic(Min, args[0], args[1]);
  Value *high = builder.CreateBinaryIntrinsic(Max, args[0], args[1]);
  return builder.CreateBinaryIntrinsic(Max, low, builder.CreateBinaryIntrinsic(Min, high, args[2]));
}

/// Numbers of SPV_AMD_shader_trinary_minmax.
static constexpr ExtInstRow TrinaryRows[] = {
    {1, 3, Shape::Float, "FMin3AMD", extreme<Intrinsic::minnum>},
    {2, 3, Shape::Int, "UMin3AMD", extreme<Intrinsic::umin>},
    {3, 3, Shape::Int, "SMin3AMD", extreme<Intrinsic::smin>},
    {4, 3, Shape::Float, "FMax3AMD", extreme<Intrinsic::maxnum>},
    {5, 3, Shape::Int, "UMax3AMD", extreme<Intrinsic::umax>},
    {6, 3, Shape::Int, "SMax3AMD", extreme<Intrinsic::smax>},
    {7, 3, Shape::Float, "FMid3AMD", middle<Intrinsic::minnum, Intrinsic::maxnum>},
    {8, 3, Shape::Int, "UMid3AMD", middle<Intrinsic::umin, Intrinsic::umax>},
    {9, 3, Shape::Int, "SMid3AMD", middle<Intrinsic::smin, Intrinsic::smax>},
};

ArrayRef<ExtInstRow> assay::trinaryRows() {
  return TrinaryRows;
}

// --- SPV_AMD_gcn_shader

namespace {
/// Where a direction meets a cube (Vulkan, "Cube Map Face Selection").
struct CubePlace {
  Value *face = nullptr; ///< f32.
  Value *s = nullptr;    ///< sc, tc and the magnitude of the major axis.
  Value *t = nullptr;
  Value *major = nullptr;
};
} // namespace

/// Of axes of equal magnitude z is the major one, then y.
static CubePlace findCubePlace(Builder &builder, Value *direction) {
  Value *part[3], *size[3];
  for (unsigned i = 0; i < 3; ++i) {
    part[i] = builder.CreateExtractElement(direction, uint64_t(i));
    size[i] = builder.CreateUnaryIntrinsic(Intrinsic::fabs, part[i]);
  }
  Value *isZ = builder.CreateAnd(builder.CreateFCmpOGE(size[2], size[0]),
                                 builder.CreateFCmpOGE(size[2], size[1]));
  Value *isY = builder.CreateFCmpOGE(size[1], size[0]);
  auto choose = [&](Value *x, Value *y, Value *z) {
    return builder.CreateSelect(isZ, z, builder.CreateSelect(isY, y, x));
  };
  Value *isNegative =
      builder.CreateFCmpOLT(choose(part[0], part[1], part[2]), floatLike(part[0], 0));
  auto negateIf = [&](bool ofNegative, Value *value) {
    Value *negated = builder.CreateFNeg(value);
    return ofNegative ? builder.CreateSelect(isNegative, negated, value)
                      : builder.CreateSelect(isNegative, value, negated);
  };
  auto number = [&](double value) { return floatLike(part[0], value); };
  CubePlace place;
  Value *positiveFace = choose(number(0), number(2), number(4));
  place.face =
      builder.CreateSelect(isNegative, builder.CreateFAdd(positiveFace, number(1)), positiveFace);
  place.s = choose(negateIf(false, part[2]), part[0], negateIf(true, part[0]));
  place.t =
      choose(builder.CreateFNeg(part[1]), negateIf(true, part[2]), builder.CreateFNeg(part[1]));
  place.major = choose(size[0], size[1], size[2]);
  return place;
}

/// Returns InvalidInput unless \p direction is a vector of three f32.
static Error checkDirection(Translator &t, Value *direction) {
  if (direction->getType() == FixedVectorType::get(t.builder().getFloatTy(), 3))
    return Error::success();
  return invalidInput("a direction that is no vector of three 32-bit floats");
}

/// Returns the number of the face as f32: 0 to 5 for +x, -x, +y, -y, +z, -z.
static Expected<Value *> cubeFaceIndex(Translator &t, const Inst &, Args args) {
  if (Error error = checkDirection(t, args[0]))
    return std::move(error);
  return findCubePlace(t.builder(), args[0]).face;
}

/// Returns the coordinates on the face, both from 0 to 1: sc / (2 |ma|) + 0.5, and the same for tc.
static Expected<Value *> cubeFaceCoord(Translator &t, const Inst &, Args args) {
  if (Error error = checkDirection(t, args[0]))
    return std::move(error);
  Builder &builder = t.builder();
  CubePlace place = findCubePlace(builder, args[0]);
  Value *twice = builder.CreateFMul(place.major, floatLike(place.major, 2));
  Value *result = PoisonValue::get(FixedVectorType::get(builder.getFloatTy(), 2));
  for (auto [i, value] : {std::pair(uint64_t(0), place.s), std::pair(uint64_t(1), place.t)}) {
    Value *centered = builder.createFDiv(value, twice);
    result = builder.CreateInsertElement(result,
                                         builder.CreateFAdd(centered, floatLike(centered, 0.5)), i);
  }
  return result;
}

/// Returns the 64-bit clock of the subgroup's hardware, which OpReadClockKHR reads for scope
/// Subgroup.
static Expected<Value *> readTime(Translator &t, const Inst &, Args) {
  return t.builder().createReadClock(/*isDevice=*/false);
}

/// Numbers of SPV_AMD_gcn_shader.
static constexpr ExtInstRow GcnShaderRows[] = {
    {1, 1, Shape::Free, "CubeFaceIndexAMD", cubeFaceIndex},
    {2, 1, Shape::Free, "CubeFaceCoordAMD", cubeFaceCoord},
    {3, 0, Shape::Free, "TimeAMD", readTime},
};

ArrayRef<ExtInstRow> assay::gcnShaderRows() {
  return GcnShaderRows;
}

// --- SPV_AMD_shader_ballot

/// Returns element \p index of the constant \p vector; InvalidInput where it is no integer
/// constant.
static Expected<uint32_t> constantElement(Value *vector, unsigned index) {
  auto *constant = dyn_cast<Constant>(vector);
  auto *element =
      constant ? dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(index)) : nullptr;
  if (!element)
    return invalidInput("an offset or mask that is no vector of integer constants");
  return static_cast<uint32_t>(element->getZExtValue());
}

/// What \p value is in \p lane; 0 where that lane is not active. Waves have at most 64 lanes.
static Expected<Value *> readLaneOrZero(Builder &builder, Value *value, Value *lane) {
  Value *active = builder.createSubgroupBallot(builder.getTrue());
  Value *isLow = builder.CreateICmpULT(lane, builder.getInt32(32));
  Value *word = builder.CreateSelect(isLow, builder.CreateExtractElement(active, uint64_t(0)),
                                     builder.CreateExtractElement(active, uint64_t(1)));
  Value *bit = builder.CreateLShr(word, builder.CreateAnd(lane, 31));
  Value *isActive = builder.CreateTrunc(bit, builder.getInt1Ty());
  Expected<Value *> there = readLanes(builder, value, lane);
  if (!there)
    return there.takeError();
  return builder.CreateSelect(isActive, *there, Constant::getNullValue((*there)->getType()));
}

/// Each invocation of a quad reads the one that its element of the offset names.
static Expected<Value *> swizzle(Translator &t, const Inst &, Args args) {
  constexpr unsigned QuadSize = 4;
  Builder &builder = t.builder();
  uint32_t table = 0; // Two bits for each invocation of a quad.
  for (unsigned i = 0; i < QuadSize; ++i) {
    Expected<uint32_t> from = constantElement(args[1], i);
    if (!from)
      return from.takeError();
    table |= (*from & 3) << (2 * i);
  }
  Value *lane = builder.createReadBuiltIn(BuiltIn::SubgroupLocalInvocationId);
  Value *place = builder.CreateShl(builder.CreateAnd(lane, builder.getInt32(3)), uint64_t(1));
  Value *from = builder.CreateAnd(builder.CreateLShr(builder.getInt32(table), place), 3);
  Value *first = builder.CreateAnd(lane, builder.getInt32(~3u));
  return readLaneOrZero(builder, args[0], builder.CreateOr(first, from));
}

/// Within 32 invocations: ((lane & x) | y) ^ z.
static Expected<Value *> swizzleMasked(Translator &t, const Inst &, Args args) {
  constexpr uint32_t InGroup = 31;
  uint32_t masks[3];
  for (unsigned i = 0; i < 3; ++i) {
    Expected<uint32_t> mask = constantElement(args[1], i);
    if (!mask)
      return mask.takeError();
    masks[i] = *mask & InGroup;
  }
  Builder &builder = t.builder();
  Value *lane = builder.createReadBuiltIn(BuiltIn::SubgroupLocalInvocationId);
  Value *moved = builder.CreateAnd(lane, builder.getInt32(masks[0]));
  moved = builder.CreateXor(builder.CreateOr(moved, builder.getInt32(masks[1])),
                            builder.getInt32(masks[2]));
  Value *first = builder.CreateAnd(lane, builder.getInt32(~InGroup));
  return readLaneOrZero(builder, args[0], builder.CreateOr(first, moved));
}

/// Returns the second operand in the lane that the third names, and the first in all others.
static Expected<Value *> writeInvocation(Translator &t, const Inst &, Args args) {
  if (args[0]->getType() != args[1]->getType() || !args[2]->getType()->isIntegerTy(32))
    return invalidInput("its operands are no two values of one type and an index");
  Builder &builder = t.builder();
  Value *lane = builder.createReadBuiltIn(BuiltIn::SubgroupLocalInvocationId);
  return builder.CreateSelect(builder.CreateICmpEQ(lane, args[2]), args[1], args[0]);
}

/// Returns the number of bits in a 64-bit mask that belong to lanes below this one.
static Expected<Value *> countBelow(Translator &t, const Inst &, Args args) {
  if (!args[0]->getType()->isIntegerTy(64))
    return invalidInput("a mask that is no 64-bit integer");
  Builder &builder = t.builder();
  Value *two = builder.CreateBitCast(args[0], FixedVectorType::get(builder.getInt32Ty(), 2));
  Value *mask = ConstantVector::getSplat(ElementCount::getFixed(4), builder.getInt32(0));
  for (uint64_t i = 0; i < 2; ++i)
    mask = builder.CreateInsertElement(mask, builder.CreateExtractElement(two, i), i);
  return builder.createSubgroupCountBelow(mask);
}

/// Numbers of SPV_AMD_shader_ballot.
static constexpr ExtInstRow ShaderBallotRows[] = {
    {1, 2, Shape::Free, "SwizzleInvocationsAMD", swizzle},
    {2, 2, Shape::Free, "SwizzleInvocationsMaskedAMD", swizzleMasked},
    {3, 3, Shape::Free, "WriteInvocationAMD", writeInvocation},
    {4, 1, Shape::Free, "MbcntAMD", countBelow},
};

ArrayRef<ExtInstRow> assay::shaderBallotRows() {
  return ShaderBallotRows;
}
