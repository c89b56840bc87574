// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// branch-to-switch: a conditional branch becomes a switch over two numbers. Precondition: it is the
// header of a selection, each way is the merge block or has no other predecessor, and nothing
// inside leaves for an outer construct, which it could not from inside of a switch to everywhere.
// Effect: none. Numbers: the header's label, the number for true; any other one represents false.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// True if each edge from inside of the construct leads to its inside or its merge block.
static bool staysInside(const Flow &flow, const Flow::Construct &construct) {
  return all_of(construct.blocks.set_bits(), [&](unsigned block) {
    return !flow.isReachable(block) || all_of(flow.successors(block), [&](size_t next) {
      return next == construct.merge || construct.blocks[next];
    });
  });
}

/// True if the block at \p place meets the precondition.
static bool maySwitch(const Context &context, Place place) {
  if (!context.isReachable(place))
    return false;
  const Block &block = context.block(place);
  const Instruction *merge = block.merge();
  const Instruction &branch = block.terminator();
  if (!merge || merge->opcode != spv::Op::OpSelectionMerge ||
      branch.opcode != spv::Op::OpBranchConditional || branch.word(1) == branch.word(2))
    return false;
  const Flow &flow = context.flow(place.function);
  for (Id way : {branch.word(1), branch.word(2)})
    if (way != merge->word(0) && flow.predecessors(flow.index(way)).size() != 1)
      return false;
  const auto *construct = find_if(flow.constructs(), [&](const Flow::Construct &each) {
    return each.header == place.block && !each.isLoop;
  });
  return construct != flow.constructs().end() && staysInside(flow, *construct);
}

/// The number is any word; the one for false is greater by 1 and may wrap to 0.
std::optional<Step> BranchToSwitch::propose(const Context &context, Random &random) {
  std::optional<Place> place =
      pickInstruction(context, random, [&](Place each, const Instruction &instruction) {
        return instruction.opcode == spv::Op::OpBranchConditional && maySwitch(context, each);
      });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.block(*place).label, random.below(uint64_t(1) << 32)};
  return step;
}

bool BranchToSwitch::isApplicable(const Context &context, const Step &step) {
  std::optional<Place> place = context.findBlock(step.id(0));
  return place && maySwitch(context, *place);
}

/// Broken: the ways are exchanged.
void BranchToSwitch::apply(Context &context, const Step &step) {
  Place place = *context.findBlock(step.id(0));
  Block &block = context.edit().program.functions[place.function].blocks[place.block];
  const Instruction branch = block.terminator();
  auto number = static_cast<uint32_t>(step.number(1));
  Emitter emitter(context);
  Pool &pool = emitter.pool();
  Id selector =
      emitter.emit(spv::Op::OpSelect, pool.intType(32, false),
                   {branch.operands[0], id(pool.number(number)), id(pool.number(number + 1))});
  size_t whenTrue = context.isBroken() ? 2 : 1;
  block.terminator() = {
      spv::Op::OpSwitch,
      0,
      0,
      {id(selector), branch.operands[3 - whenTrue], literal(number), branch.operands[whenTrue]}};
  emitter.insertInto(block, lastInsertion(block));
}

} // namespace assay::fuzz
