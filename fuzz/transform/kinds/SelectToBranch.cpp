// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// select-to-branch: a selection by one bool becomes a branch and a phi. Precondition: the block may
// be split there, the result may be a phi, and the module asks nothing of subgroups: which
// invocations meet again after a branch, SPIR-V says of uniform flow only. Effect: none. Numbers:
// the selection's result, bits 0 and 1: a block of its own for the first and second way, bit 2: the
// merge says DontFlatten. One way has a block of its own in any case.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// True for the capabilities of subgroup operations and the older ballots and votes.
static bool isSubgroupCapability(uint32_t capability) {
  static constexpr std::pair<spv::Capability, spv::Capability> ranges[] = {
      {spv::Capability::GroupNonUniform, spv::Capability::GroupNonUniformQuad},
      {spv::Capability::SubgroupBallotKHR, spv::Capability::SubgroupBallotKHR},
      {spv::Capability::SubgroupVoteKHR, spv::Capability::SubgroupVoteKHR},
      {spv::Capability::GroupNonUniformRotateKHR, spv::Capability::GroupNonUniformRotateKHR}};
  return any_of(ranges, [&](auto range) {
    return capability >= uint32_t(range.first) && capability <= uint32_t(range.second);
  });
}

/// True if the instruction at \p place meets the precondition; false for null.
static bool mayBranch(const Context &context, const Place *place) {
  if (!place || !isSplittable(context, *place))
    return false;
  const Instruction &select = *context.at(*place);
  if (select.opcode != spv::Op::OpSelect || !mayBePhi(context, select.result))
    return false;
  const Instruction *condition = context.definitions().typeInstruction(select.word(0));
  return condition && condition->opcode == spv::Op::OpTypeBool &&
         none_of(context.program().capabilities,
                 [](const Instruction &each) { return isSubgroupCapability(each.word(0)); });
}

std::optional<Step> SelectToBranch::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInstruction(
      context, random, [&](Place each, const Instruction &) { return mayBranch(context, &each); });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.at(*place)->result, random.below(8)};
  return step;
}

bool SelectToBranch::isApplicable(const Context &context, const Step &step) {
  return mayBranch(context, context.definitions().place(step.id(0)));
}

/// Broken: each way has the other's value.
void SelectToBranch::apply(Context &context, const Step &step) {
  Place place = *context.definitions().place(step.id(0));
  const Instruction select = *context.at(place);
  uint64_t variant = step.number(1);
  Emitter emitter(context);
  Id merge = emitter.fresh();
  Function &function = context.edit().program.functions[place.function];
  splitBlock(function, place.block, place.index, merge);
  Id header = function.blocks[place.block].label;
  // A branch with two equal targets would leave the phi one source for both values.
  bool isOwn[2] = {(variant & 3) == 0 || (variant & 1), (variant & 2) != 0};
  Id ways[2], sources[2];
  std::vector<Block> blocks;
  for (int way = 0; way < 2; ++way) {
    ways[way] = isOwn[way] ? emitter.fresh() : merge;
    sources[way] = isOwn[way] ? ways[way] : header;
    if (isOwn[way])
      blocks.push_back({ways[way], {{spv::Op::OpBranch, 0, 0, {id(merge)}}}});
  }
  auto control =
      variant & 4 ? spv::SelectionControlMask::DontFlatten : spv::SelectionControlMask::MaskNone;
  Block &before = function.blocks[place.block];
  before.body.pop_back();
  emitter.emitVoid(spv::Op::OpSelectionMerge, {id(merge), literal(uint32_t(control))});
  emitter.emitVoid(spv::Op::OpBranchConditional, {select.operands[0], id(ways[0]), id(ways[1])});
  emitter.insertInto(before, before.body.size());
  size_t first = context.isBroken() ? 2 : 1;
  function.find(merge)->body.front() = {
      spv::Op::OpPhi,
      select.type,
      select.result,
      {select.operands[first], id(sources[0]), select.operands[3 - first], id(sources[1])}};
  insertBefore(function, merge, std::move(blocks));
}

} // namespace assay::fuzz
