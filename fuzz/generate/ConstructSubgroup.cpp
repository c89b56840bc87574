// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subgroup operations where all of a workgroup take part. What depends on an invocation that the
// last subgroup lacks is replaced before anything uses it.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;

namespace assay::fuzz {

static constexpr unsigned subgroupScope = 3;

/// Scope Subgroup as an operand.
static Operand scope(Writer &writer) {
  return fuzz::id(writer.pool().number(subgroupScope));
}

/// Returns the ballot of the invocations that are active.
static Id everyone(Writer &writer) {
  Pool &pool = writer.pool();
  pool.require(spv::Capability::GroupNonUniformBallot);
  return writer.emit(spv::Op::OpGroupNonUniformBallot, pool.vectorType(pool.intType(32, false), 4),
                     {scope(writer), fuzz::id(pool.constantBool(true))});
}

/// How many invocations this subgroup has: they are its first.
static Id members(Writer &writer) {
  return writer.emit(
      spv::Op::OpGroupNonUniformBallotBitCount, writer.pool().intType(32, false),
      {scope(writer), literal(uint32_t(spv::GroupOperation::Reduce)), fuzz::id(everyone(writer))});
}

/// Returns the invocation's index in its subgroup.
static Id lane(Writer &writer) {
  writer.pool().require(spv::Capability::GroupNonUniform);
  return writer.loadBuiltIn(spv::BuiltIn::SubgroupLocalInvocationId,
                            writer.pool().intType(32, false));
}

/// What \p ask makes of \p value in clusters of \p cluster lanes. Where a subgroup has fewer, that
/// would be undefined (SPIR-V, Group Operation, ClusteredReduce): then it is the value itself. All
/// have the four lanes that quads need.
static Id askClusters(Writer &writer, const Value &value, uint32_t cluster,
                      function_ref<Id()> ask) {
  constexpr uint32_t leastSubgroup = 4;
  if (cluster <= leastSubgroup)
    return ask();
  Pool &pool = writer.pool();
  pool.require(spv::Capability::GroupNonUniform);
  Id size = writer.loadBuiltIn(spv::BuiltIn::SubgroupSize, pool.intType(32, false));
  Id isLarge = writer.emit(spv::Op::OpUGreaterThanEqual, pool.boolType(),
                           {fuzz::id(size), fuzz::id(pool.number(cluster))});
  std::pair<Id, Id> sources[2];
  writer.select(
      {isLarge, pool.boolType(), true, 0},
      [&] {
        Id answer = ask();
        sources[0] = {answer, writer.currentLabel()};
      },
      [&] { sources[1] = {value.id, writer.currentLabel()}; });
  return writer.phi(value.type, sources);
}

/// Reductions and scans; of floats the least and the greatest, and sums whose terms are so small
/// that every order gives the same.
void writeSubgroupReduce(Writer &writer) {
  static constexpr spv::Op integers[] = {
      spv::Op::OpGroupNonUniformIAdd,      spv::Op::OpGroupNonUniformIMul,
      spv::Op::OpGroupNonUniformSMin,      spv::Op::OpGroupNonUniformUMin,
      spv::Op::OpGroupNonUniformSMax,      spv::Op::OpGroupNonUniformUMax,
      spv::Op::OpGroupNonUniformBitwiseOr, spv::Op::OpGroupNonUniformBitwiseXor,
      spv::Op::OpGroupNonUniformBitwiseAnd};
  static constexpr spv::Op floats[] = {
      spv::Op::OpGroupNonUniformFMin, spv::Op::OpGroupNonUniformFMax,
      spv::Op::OpGroupNonUniformFAdd, spv::Op::OpGroupNonUniformFMul};
  static constexpr spv::Op bools[] = {spv::Op::OpGroupNonUniformLogicalAnd,
                                      spv::Op::OpGroupNonUniformLogicalOr,
                                      spv::Op::OpGroupNonUniformLogicalXor};
  static constexpr spv::GroupOperation groups[] = {
      spv::GroupOperation::Reduce, spv::GroupOperation::InclusiveScan,
      spv::GroupOperation::ExclusiveScan, spv::GroupOperation::ClusteredReduce};
  Pool &pool = writer.pool();
  Random &random = writer.random();
  static constexpr TypeInfo::Kind kinds[] = {TypeInfo::Int, TypeInfo::Int, TypeInfo::Bool,
                                             TypeInfo::Float};
  TypeInfo::Kind kind = random.pick(ArrayRef(kinds));
  Value value = kind == TypeInfo::Float ? takeExact(writer) : takeNumeric(writer, kind);
  spv::Op opcode = random.pick(kind == TypeInfo::Int    ? ArrayRef(integers)
                               : kind == TypeInfo::Bool ? ArrayRef(bools)
                                                        : ArrayRef(floats));
  if (opcode == spv::Op::OpGroupNonUniformFMul) // Of -1, 0, 1: in every order the same.
    value = {writer.emitExtended(GLSLstd450FSign, value.type, {value.id}), value.type,
             value.isUniform, 1};
  spv::GroupOperation group = random.pick(ArrayRef(groups));
  uint32_t magnitude = value.magnitude;
  if (opcode == spv::Op::OpGroupNonUniformFAdd)
    magnitude = magnitude * 128 < maxMagnitude ? magnitude * 128 : 0;
  // An exclusive scan of nothing is infinite for the least and the greatest.
  if (group == spv::GroupOperation::ExclusiveScan &&
      (opcode == spv::Op::OpGroupNonUniformFMin || opcode == spv::Op::OpGroupNonUniformFMax))
    magnitude = 0;
  pool.require(spv::Capability::GroupNonUniformArithmetic);
  SmallVector<Operand, 4> operands{scope(writer), literal(uint32_t(group)), fuzz::id(value.id)};
  uint32_t cluster = 1;
  if (group == spv::GroupOperation::ClusteredReduce) {
    pool.require(spv::Capability::GroupNonUniformClustered);
    cluster = 1u << random.below(6);
    operands.push_back(fuzz::id(pool.number(cluster)));
  }
  Id result = askClusters(writer, value, cluster,
                          [&] { return writer.emit(opcode, value.type, operands); });
  writer.add({result, value.type, false, magnitude});
}

/// Emits Elect, All, Any or AllEqual; the latter on integers, where equality is exact.
void writeSubgroupVote(Writer &writer) {
  Pool &pool = writer.pool();
  Id truth = pool.boolType();
  auto ask = [&](spv::Op opcode, ArrayRef<Operand> more) {
    SmallVector<Operand, 3> operands{scope(writer)};
    append_range(operands, more);
    writer.add({writer.emit(opcode, truth, operands), truth, false, 0});
  };
  pool.require(spv::Capability::GroupNonUniform);
  pool.require(spv::Capability::GroupNonUniformVote);
  switch (writer.random().below(4)) {
  case 0:
    return ask(spv::Op::OpGroupNonUniformElect, {});
  case 1:
    return ask(spv::Op::OpGroupNonUniformAll, {fuzz::id(writer.takeCondition().id)});
  case 2:
    return ask(spv::Op::OpGroupNonUniformAny, {fuzz::id(writer.takeCondition().id)});
  default:
    return ask(spv::Op::OpGroupNonUniformAllEqual,
               {fuzz::id(takeNumeric(writer, TypeInfo::Int).id)});
  }
}

/// A ballot, and what can be asked of it. Of its first and last bit only where it has one: the
/// bits of all are added where that is asked.
void writeSubgroupBallot(Writer &writer) {
  static constexpr spv::GroupOperation groups[] = {spv::GroupOperation::Reduce,
                                                   spv::GroupOperation::InclusiveScan,
                                                   spv::GroupOperation::ExclusiveScan};
  Pool &pool = writer.pool();
  Random &random = writer.random();
  Id u32 = pool.intType(32, false), mask = pool.vectorType(u32, 4);
  Id all = everyone(writer);
  Id ballot = writer.emit(spv::Op::OpGroupNonUniformBallot, mask,
                          {scope(writer), fuzz::id(writer.takeCondition().id)});
  auto ask = [&](spv::Op opcode, Id type, ArrayRef<Operand> operands) {
    writer.add({writer.emit(opcode, type, operands), type, false, 0});
  };
  switch (random.below(4)) {
  case 0:
    return ask(spv::Op::OpGroupNonUniformBallotBitCount, u32,
               {scope(writer), literal(uint32_t(random.pick(ArrayRef(groups)))), fuzz::id(ballot)});
  case 1:
    return ask(spv::Op::OpGroupNonUniformInverseBallot, pool.boolType(),
               {scope(writer), fuzz::id(ballot)});
  case 2:
    return ask(spv::Op::OpGroupNonUniformBallotBitExtract, pool.boolType(),
               {scope(writer), fuzz::id(ballot), fuzz::id(lane(writer))});
  default: {
    Id none = writer.emit(
        spv::Op::OpGroupNonUniformBallotBitCount, u32,
        {scope(writer), literal(uint32_t(spv::GroupOperation::Reduce)), fuzz::id(ballot)});
    Id isEmpty =
        writer.emit(spv::Op::OpIEqual, pool.boolType(), {fuzz::id(none), fuzz::id(pool.number(0))});
    Id some =
        writer.emit(spv::Op::OpSelect, mask, {fuzz::id(isEmpty), fuzz::id(all), fuzz::id(ballot)});
    return ask(random.oneIn(2) ? spv::Op::OpGroupNonUniformBallotFindLSB
                               : spv::Op::OpGroupNonUniformBallotFindMSB,
               u32, {scope(writer), fuzz::id(some)});
  }
  }
}

namespace {
/// An operation by whose \p second operand the source lane of another is found.
struct MoveRow {
  spv::Op opcode;
  spv::Capability capability;
  spv::Op toLane; ///< From this lane and the operand to the lane that is read.
};
} // namespace

/// The lane that is read may be inactive or outside of the subgroup.
static constexpr MoveRow moveRows[] = {
    {spv::Op::OpGroupNonUniformShuffleXor, spv::Capability::GroupNonUniformShuffle,
     spv::Op::OpBitwiseXor},
    {spv::Op::OpGroupNonUniformShuffleUp, spv::Capability::GroupNonUniformShuffleRelative,
     spv::Op::OpISub},
    {spv::Op::OpGroupNonUniformShuffleDown, spv::Capability::GroupNonUniformShuffleRelative,
     spv::Op::OpIAdd},
    {spv::Op::OpGroupNonUniformQuadSwap, spv::Capability::GroupNonUniformQuad,
     spv::Op::OpBitwiseXor},
};

/// From a lane that may not be there: then the own value is taken.
static void moveGuarded(Writer &writer, const Value &value) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  const MoveRow &row = random.pick(ArrayRef(moveRows));
  Id u32 = pool.intType(32, false);
  pool.require(row.capability);
  bool isSwap = row.opcode == spv::Op::OpGroupNonUniformQuadSwap;
  auto amount = static_cast<uint32_t>(random.below(isSwap ? 3 : 16));
  Id moved = writer.emit(row.opcode, value.type,
                         {scope(writer), fuzz::id(value.id), fuzz::id(pool.number(amount))});
  // Directions 0 to 2 of a quad swap are horizontal, vertical, diagonal: by 1, 2, 3.
  Id by = pool.number(isSwap ? amount + 1 : amount);
  Id from = writer.emit(row.toLane, u32, {fuzz::id(lane(writer)), fuzz::id(by)});
  Id isThere = writer.emit(spv::Op::OpULessThan, pool.boolType(),
                           {fuzz::id(from), fuzz::id(members(writer))});
  writer.add({writer.emit(spv::Op::OpSelect, value.type,
                          {fuzz::id(isThere), fuzz::id(moved), fuzz::id(value.id)}),
              value.type, false, value.magnitude});
}

/// Moves values between lanes by broadcast, shuffle, rotation or quad operations. The source lane
/// is always active, or the lane's previous value is selected.
void writeSubgroupMove(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  Id u32 = pool.intType(32, false);
  static constexpr TypeInfo::Kind kinds[] = {TypeInfo::Int, TypeInfo::Int, TypeInfo::Float};
  Value value = takeNumeric(writer, random.pick(ArrayRef(kinds)));
  auto move = [&](spv::Op opcode, ArrayRef<Operand> more) {
    SmallVector<Operand, 3> operands{scope(writer), fuzz::id(value.id)};
    append_range(operands, more);
    writer.add({writer.emit(opcode, value.type, operands), value.type, false, value.magnitude});
  };
  switch (random.below(7)) {
  case 5: // The first of a quad is there where any of it is.
    pool.require(spv::Capability::GroupNonUniformQuad);
    return move(spv::Op::OpGroupNonUniformQuadBroadcast, {fuzz::id(pool.number(0))});
  case 4: { // Within clusters of which the workgroup has whole ones only: nobody is missing.
    uint32_t cluster = 16;
    while (writer.invocationsPerGroup() % cluster)
      cluster /= 2;
    pool.require(spv::Capability::GroupNonUniformRotateKHR);
    auto delta = static_cast<uint32_t>(random.below(20));
    Operand operands[] = {scope(writer), fuzz::id(value.id), fuzz::id(pool.number(delta)),
                          fuzz::id(pool.number(cluster))};
    Id rotated = askClusters(writer, value, cluster, [&] {
      return writer.emit(spv::Op::OpGroupNonUniformRotateKHR, value.type, operands);
    });
    return writer.add({rotated, value.type, false, value.magnitude});
  }
  case 0:
    pool.require(spv::Capability::GroupNonUniformBallot);
    return move(spv::Op::OpGroupNonUniformBroadcastFirst, {});
  case 1: // Lane 0 is always there.
    pool.require(spv::Capability::GroupNonUniformBallot);
    return move(spv::Op::OpGroupNonUniformBroadcast, {fuzz::id(pool.number(0))});
  case 2: { // Any lane that is there.
    pool.require(spv::Capability::GroupNonUniformShuffle);
    Id count = members(writer);
    Id from = writer.emit(spv::Op::OpUMod, u32, {fuzz::id(writer.take(u32).id), fuzz::id(count)});
    return move(spv::Op::OpGroupNonUniformShuffle, {fuzz::id(from)});
  }
  default:
    return moveGuarded(writer, value);
  }
}

} // namespace assay::fuzz
