// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Non-Uniform Instructions", and the instructions of SPV_KHR_shader_ballot,
// SPV_KHR_subgroup_vote and SPV_AMD_shader_ballot. Vectors are taken apart, bools become i32, for
// the Builder's operations.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// Returns Unsupported unless \p scope is the constant Subgroup.
static Error checkScope(Value *scope) {
  auto *constant = dyn_cast<ConstantInt>(scope);
  if (!constant)
    return unsupported("an execution scope that is no constant");
  if (constant->getZExtValue() != static_cast<uint64_t>(spv::Scope::Subgroup))
    return unsupported("execution scope " + Twine(constant->getZExtValue()));
  return Error::success();
}

/// A handler that ignores its scope, which must be Subgroup.
template <Expected<Value *> (*Handler)(Translator &, const Inst &, Args)>
static Expected<Value *> scoped(Translator &t, const Inst &inst, Args args) {
  if (Error error = checkScope(args[0]))
    return std::move(error);
  return Handler(t, inst, args.drop_front());
}

/// Returns whether \p value has the type of lane numbers, i32.
static bool isLane(Value *value) {
  return value->getType()->isIntegerTy(32);
}

/// Returns whether \p value has the type of ballots: four i32, lane 0 in the lowest bit of the
/// first.
static bool isMask(Value *value) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return type && type->getNumElements() == 4 && type->getElementType()->isIntegerTy(32);
}

/// Applies \p make to each component of \p value. Bools are extended to i32 and truncated after.
/// InvalidInput for values that are neither numbers nor bools.
static Expected<Value *> perComponent(Builder &builder, Value *value,
                                      function_ref<Value *(Value *)> make) {
  Type *scalar = value->getType()->getScalarType();
  if (!scalar->isIntegerTy() && !scalar->isFloatingPointTy())
    return invalidInput("its value is neither number nor bool");
  return forEachComponent(builder, {value}, [&](Args component) {
    if (!scalar->isIntegerTy(1))
      return make(component[0]);
    Value *made = make(builder.CreateZExt(component[0], builder.getInt32Ty()));
    return builder.CreateTrunc(made, scalar);
  });
}

// --- Votes

/// Returns whether no bit of a lane mask is set.
static Value *isNone(Builder &builder, Value *mask) {
  Value *words = builder.CreateExtractElement(mask, uint64_t(0));
  for (uint64_t i = 1; i < 4; ++i)
    words = builder.CreateOr(words, builder.CreateExtractElement(mask, i));
  return builder.CreateICmpEQ(words, builder.getInt32(0));
}

/// Returns true in the lowest active lane: the one below which no lane is active.
static Expected<Value *> elect(Translator &t, const Inst &, Args) {
  Builder &builder = t.builder();
  Value *active = builder.createSubgroupBallot(builder.getTrue());
  return builder.CreateICmpEQ(builder.createSubgroupCountBelow(active), builder.getInt32(0));
}

/// Returns whether \p predicate holds in all active lanes.
static Value *all(Builder &builder, Value *predicate) {
  return isNone(builder, builder.createSubgroupBallot(builder.CreateNot(predicate)));
}

/// The predicate must be a bool scalar.
static Expected<Value *> voteAll(Translator &t, const Inst &, Args args) {
  if (!args[0]->getType()->isIntegerTy(1))
    return invalidInput("its predicate is no bool");
  return all(t.builder(), args[0]);
}

/// Returns whether the ballot has a bit.
static Expected<Value *> voteAny(Translator &t, const Inst &, Args args) {
  if (!args[0]->getType()->isIntegerTy(1))
    return invalidInput("its predicate is no bool");
  Builder &builder = t.builder();
  return builder.CreateNot(isNone(builder, builder.createSubgroupBallot(args[0])));
}

/// Floats are compared as floats: zeros of either sign are equal, a NaN equals nothing.
static Expected<Value *> voteAllEqual(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  auto first = perComponent(builder, args[0], [&](Value *component) {
    return builder.createSubgroupBroadcastFirst(component);
  });
  if (!first)
    return first.takeError();
  bool isFloat = args[0]->getType()->isFPOrFPVectorTy();
  Value *isEqual =
      isFloat ? builder.CreateFCmpOEQ(args[0], *first) : builder.CreateICmpEQ(args[0], *first);
  if (isEqual->getType()->isVectorTy())
    isEqual = builder.CreateAndReduce(isEqual);
  return all(builder, isEqual);
}

// --- Ballots

/// Returns the mask of active lanes in which the predicate holds.
static Expected<Value *> ballot(Translator &t, const Inst &, Args args) {
  if (!args[0]->getType()->isIntegerTy(1))
    return invalidInput("its predicate is no bool");
  return t.builder().createSubgroupBallot(args[0]);
}

/// Returns bit \p index of the mask. It is chosen from the first two words, as no wave has more
/// than 64 lanes.
static Value *maskBit(Builder &builder, Value *mask, Value *index) {
  Value *low = builder.CreateExtractElement(mask, uint64_t(0));
  Value *high = builder.CreateExtractElement(mask, uint64_t(1));
  Value *isLow = builder.CreateICmpULT(index, builder.getInt32(32));
  Value *word = builder.CreateSelect(isLow, low, high);
  Value *bit = builder.CreateLShr(word, builder.CreateAnd(index, 31));
  return builder.CreateTrunc(bit, builder.getInt1Ty());
}

/// Returns the bit of this lane in a mask that is the same in all lanes.
static Expected<Value *> inverseBallot(Translator &t, const Inst &, Args args) {
  if (!isMask(args[0]))
    return invalidInput("its value is no vector of four 32-bit integers");
  Builder &builder = t.builder();
  return maskBit(builder, args[0], builder.createReadBuiltIn(BuiltIn::SubgroupLocalInvocationId));
}

static Expected<Value *> ballotBitExtract(Translator &t, const Inst &, Args args) {
  if (!isMask(args[0]) || !isLane(args[1]))
    return invalidInput("its operands are no mask and no index");
  return maskBit(t.builder(), args[0], args[1]);
}

/// Returns the bits of \p mask that represent lanes of the subgroup, as i64. All others are 0.
static Value *laneBits(Builder &builder, Value *mask) {
  Type *i64 = builder.getInt64Ty();
  Value *low = builder.CreateZExt(builder.CreateExtractElement(mask, uint64_t(0)), i64);
  Value *high = builder.CreateZExt(builder.CreateExtractElement(mask, uint64_t(1)), i64);
  Value *size = builder.createReadBuiltIn(BuiltIn::SubgroupSize);
  Value *isWide = builder.CreateICmpUGT(size, builder.getInt32(32));
  high = builder.CreateSelect(isWide, builder.CreateShl(high, 32), builder.getInt64(0));
  return builder.CreateOr(high, low);
}

/// Counts the bits of the whole mask (Reduce), up to this lane (InclusiveScan), or below it
/// (ExclusiveScan).
static Expected<Value *> ballotBitCount(Translator &t, const Inst &inst, Args) {
  Expected<Value *> mask = t.value(inst.operand(2));
  if (!mask)
    return mask.takeError();
  if (!isMask(*mask))
    return invalidInput("its value is no vector of four 32-bit integers");
  Builder &builder = t.builder();
  switch (static_cast<spv::GroupOperation>(inst.operand(1))) {
  case spv::GroupOperation::Reduce: {
    Value *bits = laneBits(builder, *mask);
    return builder.CreateTrunc(builder.CreateUnaryIntrinsic(Intrinsic::ctpop, bits),
                               builder.getInt32Ty());
  }
  case spv::GroupOperation::InclusiveScan: {
    Value *lane = builder.createReadBuiltIn(BuiltIn::SubgroupLocalInvocationId);
    Value *own = builder.CreateZExt(maskBit(builder, *mask, lane), builder.getInt32Ty());
    return builder.CreateAdd(builder.createSubgroupCountBelow(*mask), own);
  }
  case spv::GroupOperation::ExclusiveScan:
    return builder.createSubgroupCountBelow(*mask);
  default:
    return unsupported("group operation " + Twine(inst.operand(1)));
  }
}

/// Returns the lowest lane in the mask. SPIR-V leaves an empty mask undefined; the result is 64
/// then.
static Expected<Value *> ballotFindLsb(Translator &t, const Inst &, Args args) {
  if (!isMask(args[0]))
    return invalidInput("its value is no vector of four 32-bit integers");
  Builder &builder = t.builder();
  Value *bits = laneBits(builder, args[0]);
  Value *zeros = builder.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder.getFalse());
  return builder.CreateTrunc(zeros, builder.getInt32Ty());
}

/// Returns the highest lane in the mask; -1 for an empty one.
static Expected<Value *> ballotFindMsb(Translator &t, const Inst &, Args args) {
  if (!isMask(args[0]))
    return invalidInput("its value is no vector of four 32-bit integers");
  Builder &builder = t.builder();
  Value *bits = laneBits(builder, args[0]);
  Value *zeros = builder.CreateBinaryIntrinsic(Intrinsic::ctlz, bits, builder.getFalse());
  return builder.CreateTrunc(builder.CreateSub(builder.getInt64(63), zeros), builder.getInt32Ty());
}

// --- Values of other lanes

/// Returns the value of the lowest active lane.
static Expected<Value *> broadcastFirst(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  return perComponent(builder, args[0], [&](Value *component) {
    return builder.createSubgroupBroadcastFirst(component);
  });
}

/// Returns the value of the lane in the second operand, which is the same in all active lanes.
static Expected<Value *> broadcast(Translator &t, const Inst &, Args args) {
  if (!isLane(args[1]))
    return invalidInput("its index is no 32-bit integer");
  Builder &builder = t.builder();
  return perComponent(builder, args[0], [&](Value *component) {
    return builder.createSubgroupBroadcast(component, args[1]);
  });
}

Expected<Value *> assay::readLanes(Builder &builder, Value *value, Value *lane) {
  return perComponent(builder, value, [&](Value *component) {
    return builder.createSubgroupShuffle(component, lane);
  });
}

static Expected<Value *> shuffle(Translator &t, const Inst &, Args args) {
  if (!isLane(args[1]))
    return invalidInput("its index is no 32-bit integer");
  return readLanes(t.builder(), args[0], args[1]);
}

/// Returns the value of the lane whose number differs by the mask.
static Expected<Value *> shuffleXor(Translator &t, const Inst &, Args args) {
  if (!isLane(args[1]))
    return invalidInput("its mask is no 32-bit integer");
  Builder &builder = t.builder();
  return perComponent(builder, args[0], [&](Value *component) {
    return builder.createSubgroupShuffleXor(component, args[1]);
  });
}

/// Returns the value of the lane that is delta below (IsUp) or above this one. There is no
/// wrap-around.
template <bool IsUp>
static Expected<Value *> shuffleRelative(Translator &t, const Inst &, Args args) {
  if (!isLane(args[1]))
    return invalidInput("its delta is no 32-bit integer");
  Builder &builder = t.builder();
  Value *lane = builder.createReadBuiltIn(BuiltIn::SubgroupLocalInvocationId);
  bool isUp = IsUp && !faultPlanted(Fault::ShuffleUp);
  Value *from = isUp ? builder.CreateSub(lane, args[1]) : builder.CreateAdd(lane, args[1]);
  return readLanes(builder, args[0], from);
}

/// Returns the value of the lane with this lane's number plus delta, modulo the size of the
/// cluster. Without a cluster size it is that of the subgroup. InvalidInput for a cluster size that
/// is no constant power of two.
static Expected<Value *> rotate(Translator &t, const Inst &inst, Args args) {
  if (!isLane(args[1]))
    return invalidInput("its delta is no 32-bit integer");
  Builder &builder = t.builder();
  Value *size = builder.createReadBuiltIn(BuiltIn::SubgroupSize);
  if (inst.size() > 3) {
    Expected<Value *> cluster = t.value(inst.operand(3));
    if (!cluster)
      return cluster.takeError();
    auto *constant = dyn_cast<ConstantInt>(*cluster);
    if (!constant || !constant->getValue().isPowerOf2() || constant->getBitWidth() != 32)
      return invalidInput("its cluster size is no constant power of two");
    size = constant;
  }
  Value *inCluster = builder.CreateSub(size, builder.getInt32(1));
  Value *lane = builder.createReadBuiltIn(BuiltIn::SubgroupLocalInvocationId);
  Value *moved = builder.CreateAnd(builder.CreateAdd(lane, args[1]), inCluster);
  Value *base = builder.CreateAnd(lane, builder.CreateNot(inCluster));
  return readLanes(builder, args[0], builder.CreateOr(base, moved));
}

/// Permutes the lanes of each quad: bits 2 * i and 2 * i + 1 of \p pattern name the source of lane
/// i.
static Expected<Value *> permuteQuad(Builder &builder, Value *value, uint32_t pattern) {
  return perComponent(builder, value, [&](Value *component) {
    return builder.createSubgroupQuadPermute(component, pattern);
  });
}

/// A constant index becomes a permutation of the quad, any other a shuffle.
static Expected<Value *> quadBroadcast(Translator &t, const Inst &, Args args) {
  if (!isLane(args[1]))
    return invalidInput("its index is no 32-bit integer");
  Builder &builder = t.builder();
  if (auto *constant = dyn_cast<ConstantInt>(args[1]))
    return permuteQuad(builder, args[0], uint32_t(constant->getZExtValue() & 3) * 0x55);
  Value *lane = builder.createReadBuiltIn(BuiltIn::SubgroupLocalInvocationId);
  Value *from = builder.CreateOr(builder.CreateAnd(lane, builder.getInt32(~3u)),
                                 builder.CreateAnd(args[1], builder.getInt32(3)));
  return readLanes(builder, args[0], from);
}

/// The direction is a constant: 0 horizontal, 1 vertical, 2 diagonal.
static Expected<Value *> quadSwap(Translator &t, const Inst &, Args args) {
  // Direction: horizontal, vertical, diagonal, in a quad of 0 1 over 2 3.
  constexpr uint32_t patterns[] = {0xb1, 0x4e, 0x1b};
  auto *direction = dyn_cast<ConstantInt>(args[1]);
  if (!direction || direction->getValue().uge(std::size(patterns)))
    return invalidInput("its direction is no constant below 3");
  return permuteQuad(t.builder(), args[0], patterns[direction->getZExtValue()]);
}

// --- Reductions and scans

/// Reduces clusters of consecutive lanes. Their size, operand 3, must be a constant power of two.
static Expected<Value *> clustered(Translator &t, const Inst &inst, SubgroupOperation operation,
                                   Value *value) {
  if (inst.size() < 4)
    return invalidInput("it lacks a cluster size");
  Expected<uint32_t> size = t.constantInt(inst.operand(3));
  if (!size)
    return size.takeError();
  if (!isPowerOf2_32(*size))
    return invalidInput("a cluster of " + Twine(*size));
  Builder &builder = t.builder();
  return perComponent(builder, value, [&](Value *component) {
    return builder.createSubgroupReduce(operation, component, *size);
  });
}

/// Classes of values that a group operation accepts.
enum class Numbers : uint8_t { Int, Float, Bool };

/// Returns whether the scalars of \p type belong to the class \p numbers; bools are no ints.
static bool isOf(Numbers numbers, Type *type) {
  Type *scalar = type->getScalarType();
  if (numbers == Numbers::Float)
    return scalar->isFloatingPointTy();
  return scalar->isIntegerTy() && scalar->isIntegerTy(1) == (numbers == Numbers::Bool);
}

/// Handles reductions and scans; the literal operand 1 says which, operand 2 is the value.
template <SubgroupOperation Operation, Numbers Class>
static Expected<Value *> combine(Translator &t, const Inst &inst, Args) {
  if (inst.size() < 3)
    return invalidInput("it lacks operands");
  Expected<Value *> value = t.value(inst.operand(2));
  if (!value)
    return value.takeError();
  if (!isOf(Class, (*value)->getType()))
    return invalidInput("its value has the wrong type");
  Builder &builder = t.builder();
  auto group = static_cast<spv::GroupOperation>(inst.operand(1));
  switch (group) {
  case spv::GroupOperation::Reduce:
    return perComponent(builder, *value, [&](Value *component) {
      return builder.createSubgroupReduce(Operation, component, 0);
    });
  case spv::GroupOperation::InclusiveScan:
  case spv::GroupOperation::ExclusiveScan:
    return perComponent(builder, *value, [&](Value *component) {
      bool isExclusive =
          group == spv::GroupOperation::ExclusiveScan || faultPlanted(Fault::ScanExclusive);
      return builder.createSubgroupScan(Operation, component, isExclusive);
    });
  case spv::GroupOperation::ClusteredReduce:
    return clustered(t, inst, Operation, *value);
  default:
    return unsupported("group operation " + Twine(inst.operand(1)));
  }
}

template <SubgroupOperation Operation>
static constexpr ValueHandler ints = scoped<combine<Operation, Numbers::Int>>;
template <SubgroupOperation Operation>
static constexpr ValueHandler floats = scoped<combine<Operation, Numbers::Float>>;
template <SubgroupOperation Operation>
static constexpr ValueHandler bools = scoped<combine<Operation, Numbers::Bool>>;

using spv::Op;
using Operation = SubgroupOperation;

/// Of the KHR extensions' opcodes none has a scope operand.
static constexpr OpcodeRow SubgroupRows[] = {
    {Op::OpGroupNonUniformElect, 1, Shape::Free, scoped<elect>},
    {Op::OpGroupNonUniformAll, 2, Shape::Free, scoped<voteAll>},
    {Op::OpGroupNonUniformAny, 2, Shape::Free, scoped<voteAny>},
    {Op::OpGroupNonUniformAllEqual, 2, Shape::Free, scoped<voteAllEqual>},
    {Op::OpGroupNonUniformBroadcast, 3, Shape::Free, scoped<broadcast>},
    {Op::OpGroupNonUniformBroadcastFirst, 2, Shape::Free, scoped<broadcastFirst>},
    {Op::OpGroupNonUniformBallot, 2, Shape::Free, scoped<ballot>},
    {Op::OpGroupNonUniformInverseBallot, 2, Shape::Free, scoped<inverseBallot>},
    {Op::OpGroupNonUniformBallotBitExtract, 3, Shape::Free, scoped<ballotBitExtract>},
    {Op::OpGroupNonUniformBallotBitCount, 1, Shape::Free, scoped<ballotBitCount>},
    {Op::OpGroupNonUniformBallotFindLSB, 2, Shape::Free, scoped<ballotFindLsb>},
    {Op::OpGroupNonUniformBallotFindMSB, 2, Shape::Free, scoped<ballotFindMsb>},
    {Op::OpGroupNonUniformShuffle, 3, Shape::Free, scoped<shuffle>},
    {Op::OpGroupNonUniformShuffleXor, 3, Shape::Free, scoped<shuffleXor>},
    {Op::OpGroupNonUniformShuffleUp, 3, Shape::Free, scoped<shuffleRelative<true>>},
    {Op::OpGroupNonUniformShuffleDown, 3, Shape::Free, scoped<shuffleRelative<false>>},
    {Op::OpGroupNonUniformRotateKHR, 3, Shape::Free, scoped<rotate>},
    {Op::OpGroupNonUniformQuadBroadcast, 3, Shape::Free, scoped<quadBroadcast>},
    {Op::OpGroupNonUniformQuadSwap, 3, Shape::Free, scoped<quadSwap>},
    {Op::OpGroupNonUniformIAdd, 1, Shape::Free, ints<Operation::IAdd>},
    {Op::OpGroupNonUniformFAdd, 1, Shape::Free, floats<Operation::FAdd>},
    {Op::OpGroupNonUniformIMul, 1, Shape::Free, ints<Operation::IMul>},
    {Op::OpGroupNonUniformFMul, 1, Shape::Free, floats<Operation::FMul>},
    {Op::OpGroupNonUniformSMin, 1, Shape::Free, ints<Operation::SMin>},
    {Op::OpGroupNonUniformUMin, 1, Shape::Free, ints<Operation::UMin>},
    {Op::OpGroupNonUniformFMin, 1, Shape::Free, floats<Operation::FMin>},
    {Op::OpGroupNonUniformSMax, 1, Shape::Free, ints<Operation::SMax>},
    {Op::OpGroupNonUniformUMax, 1, Shape::Free, ints<Operation::UMax>},
    {Op::OpGroupNonUniformFMax, 1, Shape::Free, floats<Operation::FMax>},
    {Op::OpGroupNonUniformBitwiseAnd, 1, Shape::Free, ints<Operation::And>},
    {Op::OpGroupNonUniformBitwiseOr, 1, Shape::Free, ints<Operation::Or>},
    {Op::OpGroupNonUniformBitwiseXor, 1, Shape::Free, ints<Operation::Xor>},
    {Op::OpGroupNonUniformLogicalAnd, 1, Shape::Free, bools<Operation::And>},
    {Op::OpGroupNonUniformLogicalOr, 1, Shape::Free, bools<Operation::Or>},
    {Op::OpGroupNonUniformLogicalXor, 1, Shape::Free, bools<Operation::Xor>},
    {Op::OpSubgroupBallotKHR, 1, Shape::Free, ballot},
    {Op::OpSubgroupFirstInvocationKHR, 1, Shape::Free, broadcastFirst},
    {Op::OpSubgroupReadInvocationKHR, 2, Shape::Free, broadcast},
    {Op::OpSubgroupAllKHR, 1, Shape::Free, voteAll},
    {Op::OpSubgroupAnyKHR, 1, Shape::Free, voteAny},
    {Op::OpSubgroupAllEqualKHR, 1, Shape::Free, voteAllEqual},
};

ArrayRef<OpcodeRow> assay::subgroupOpcodes() {
  return SubgroupRows;
}

/// Scope and group operation are as in the non-uniform instructions.
static constexpr OpcodeRow GroupRows[] = {
    {Op::OpGroupIAdd, 1, Shape::Free, ints<Operation::IAdd>},
    {Op::OpGroupIAddNonUniformAMD, 1, Shape::Free, ints<Operation::IAdd>},
    {Op::OpGroupFAdd, 1, Shape::Free, floats<Operation::FAdd>},
    {Op::OpGroupFAddNonUniformAMD, 1, Shape::Free, floats<Operation::FAdd>},
    {Op::OpGroupFMin, 1, Shape::Free, floats<Operation::FMin>},
    {Op::OpGroupFMinNonUniformAMD, 1, Shape::Free, floats<Operation::FMin>},
    {Op::OpGroupUMin, 1, Shape::Free, ints<Operation::UMin>},
    {Op::OpGroupUMinNonUniformAMD, 1, Shape::Free, ints<Operation::UMin>},
    {Op::OpGroupSMin, 1, Shape::Free, ints<Operation::SMin>},
    {Op::OpGroupSMinNonUniformAMD, 1, Shape::Free, ints<Operation::SMin>},
    {Op::OpGroupFMax, 1, Shape::Free, floats<Operation::FMax>},
    {Op::OpGroupFMaxNonUniformAMD, 1, Shape::Free, floats<Operation::FMax>},
    {Op::OpGroupUMax, 1, Shape::Free, ints<Operation::UMax>},
    {Op::OpGroupUMaxNonUniformAMD, 1, Shape::Free, ints<Operation::UMax>},
    {Op::OpGroupSMax, 1, Shape::Free, ints<Operation::SMax>},
    {Op::OpGroupSMaxNonUniformAMD, 1, Shape::Free, ints<Operation::SMax>},
};

ArrayRef<OpcodeRow> assay::groupOpcodes() {
  return GroupRows;
}
