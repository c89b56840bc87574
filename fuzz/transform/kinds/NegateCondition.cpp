// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// negate-condition: a conditional branch, or a selection by one bool, gets the opposite condition,
// and its two ways change places. Precondition: such an instruction. Effect: none. Numbers: anchor
// of the instruction.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// True for conditional branches and for OpSelect with a scalar condition.
static bool isConditional(const Context &context, const Instruction &each) {
  if (each.opcode != spv::Op::OpBranchConditional && each.opcode != spv::Op::OpSelect)
    return false;
  const Instruction *type = context.definitions().typeInstruction(each.word(0));
  return type && type->opcode == spv::Op::OpTypeBool;
}

/// Names the instruction by an anchor, because branches have no result.
std::optional<Step> NegateCondition::propose(const Context &context, Random &random) {
  std::optional<Place> place =
      pickInstruction(context, random,
                      [&](Place, const Instruction &each) { return isConditional(context, each); });
  if (!place)
    return std::nullopt;
  Step step;
  append(step.numbers, context.anchorOf(*place));
  return step;
}

bool NegateCondition::isApplicable(const Context &context, const Step &step) {
  std::optional<Place> place = context.locate(anchorIn(step, 0));
  const Instruction *found = place ? context.at(*place) : nullptr;
  return found && isConditional(context, *found);
}

/// Broken: the two ways stay where they are.
void NegateCondition::apply(Context &context, const Step &step) {
  Place place = *context.locate(anchorIn(step, 0));
  Instruction &changed =
      context.edit().program.functions[place.function].blocks[place.block].body[place.index];
  Emitter emitter(context);
  Id negated =
      emitter.emit(spv::Op::OpLogicalNot, emitter.pool().boolType(), {changed.operands[0]});
  if (!context.isBroken()) {
    std::swap(changed.operands[1], changed.operands[2]);
    if (changed.operands.size() == 5) // Branch weights.
      std::swap(changed.operands[3], changed.operands[4]);
  }
  substitute(context, {place, 0}, negated, emitter);
}

} // namespace assay::fuzz
