// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subgroup operations of those who take a branch, or are still in a loop: structured control flow
// says who they are.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// What is asked of those who take part; from a word to a word.
struct GroupRow {
  spv::Op opcode;
  spv::Capability capability; ///< Of the operation.
  std::optional<spv::GroupOperation> operation = std::nullopt;
};
} // namespace

static constexpr auto arithmetic = spv::Capability::GroupNonUniformArithmetic;

/// Operations with a defined result for any set of active lanes.
static constexpr GroupRow groupRows[] = {
    {spv::Op::OpGroupNonUniformIAdd, arithmetic, spv::GroupOperation::Reduce},
    {spv::Op::OpGroupNonUniformIAdd, arithmetic, spv::GroupOperation::ExclusiveScan},
    {spv::Op::OpGroupNonUniformUMax, arithmetic, spv::GroupOperation::InclusiveScan},
    {spv::Op::OpGroupNonUniformSMin, arithmetic, spv::GroupOperation::Reduce},
    {spv::Op::OpGroupNonUniformBitwiseXor, arithmetic, spv::GroupOperation::Reduce},
    {spv::Op::OpGroupNonUniformBitwiseAnd, arithmetic, spv::GroupOperation::InclusiveScan},
    {spv::Op::OpGroupNonUniformBroadcastFirst, spv::Capability::GroupNonUniformBallot},
};

/// One of the rows on \p value; or how many take part.
static Id ask(Writer &writer, const Value &value) {
  constexpr uint32_t subgroupScope = 3;
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  Operand scope = fuzz::id(pool.number(subgroupScope));
  if (writer.random().oneIn(4)) {
    pool.require(spv::Capability::GroupNonUniformBallot);
    Id all = writer.emit(spv::Op::OpGroupNonUniformBallot, pool.vectorType(u32, 4),
                         {scope, fuzz::id(pool.constantBool(true))});
    return writer.emit(spv::Op::OpGroupNonUniformBallotBitCount, u32,
                       {scope, literal(uint32_t(spv::GroupOperation::Reduce)), fuzz::id(all)});
  }
  const GroupRow &row = writer.random().pick(ArrayRef(groupRows));
  pool.require(row.capability);
  SmallVector<Operand, 3> operands{scope};
  if (row.operation)
    operands.push_back(literal(uint32_t(*row.operation)));
  operands.push_back(fuzz::id(value.id));
  return writer.emit(row.opcode, u32, operands);
}

/// Performs an operation in both branches of a selection, each with its active lanes.
static void askInBranches(Writer &writer, const Value &value) {
  Id u32 = writer.pool().intType(32, false);
  std::pair<Id, Id> sources[2];
  auto branch = [&](std::pair<Id, Id> &source) {
    return [&] {
      Id answer = ask(writer, value);
      source = {answer, writer.currentLabel()};
    };
  };
  writer.select(writer.takeCondition(), branch(sources[0]), branch(sources[1]));
  writer.add({writer.phi(u32, sources), u32, false, 0});
}

/// Sums up the results of an operation in a loop that lanes leave at different iterations.
static void askInLoop(Writer &writer, const Value &value) {
  constexpr unsigned mostTurns = 4;
  Id u32 = writer.pool().intType(32, false);
  Id sum = writer.localVariable(u32);
  writer.emitVoid(spv::Op::OpStore, {fuzz::id(sum), fuzz::id(value.id)});
  writer.loop(writer.takeIndex(mostTurns + 1), mostTurns, [&](Value) {
    Value before{writer.emit(spv::Op::OpLoad, u32, {fuzz::id(sum)}), u32, false, 0};
    Id answer = ask(writer, before);
    Id after = writer.emit(spv::Op::OpIAdd, u32, {fuzz::id(before.id), fuzz::id(answer)});
    writer.emitVoid(spv::Op::OpStore, {fuzz::id(sum), fuzz::id(after)});
  });
  writer.add({writer.emit(spv::Op::OpLoad, u32, {fuzz::id(sum)}), u32, false, 0});
}

/// Performs subgroup operations in divergent control flow, on a word in scope.
void writeSubgroupDivergent(Writer &writer) {
  Value value = writer.take(writer.pool().intType(32, false));
  if (writer.random().oneIn(2))
    askInBranches(writer, value);
  else
    askInLoop(writer, value);
}

} // namespace assay::fuzz
