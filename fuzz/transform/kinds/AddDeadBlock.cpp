// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// add-dead-block: a branch around a block that nobody enters, because of what a buffer holds; a
// value that is used after may come from a phi whose other source is the dead block. Precondition:
// a splittable place in reachable code; a word of a read-only buffer; the two values have one type
// and are available there, or both are 0. Effect: none. Numbers: anchor, word (2), variant of the
// guard, value, its replacement from the dead block.
#include "fuzz/transform/Opaque.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// Proposes a block without a phi where no available value is used after the place.
std::optional<Step> AddDeadBlock::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInsertion(context, random);
  std::optional<WordChoice> word = pickWord(context, random);
  if (!place || !word)
    return std::nullopt;
  Step step;
  append(step.numbers, context.anchorOf(*place));
  append(step.numbers, *word);
  step.numbers.push_back(random.next() % 8);
  std::vector<Id> values;
  const Function &function = context.program().functions[place->function];
  for (const Block &block : function.blocks)
    for (const Instruction &each : block.body)
      if (each.result && each.type && context.isAvailable(each.result, *place) &&
          !replaceableUsesAfter(context, each.result, *place).empty())
        values.push_back(each.result);
  if (values.empty())
    return step;
  Id value = random.pick(ArrayRef(values));
  std::vector<Id> others = context.valuesAt(*place, context.definitions().typeOf(value));
  step.numbers.push_back(value);
  step.numbers.push_back(random.pick(ArrayRef(others)));
  return step;
}

/// Both values are 0 in steps without a phi.
bool AddDeadBlock::isApplicable(const Context &context, const Step &step) {
  std::optional<Place> place = context.locate(anchorIn(step, 0));
  if (!place || !isSplittable(context, *place) || !context.isReachable(*place) ||
      !findWord(context, wordIn(step, 2)))
    return false;
  Id value = step.id(5), other = step.id(6);
  if (!value && !other)
    return true;
  return mayBePhi(context, value) && context.isAvailable(value, *place) &&
         context.isAvailable(other, *place) &&
         context.definitions().typeOf(value) == context.definitions().typeOf(other);
}

/// Broken: the block is entered, and what it gives is 0.
void AddDeadBlock::apply(Context &context, const Step &step) {
  Place place = *context.locate(anchorIn(step, 0));
  KnownWord word = *findWord(context, wordIn(step, 2));
  Id value = step.id(5), other = step.id(6);
  std::vector<Use> uses = value ? replaceableUsesAfter(context, value, place) : std::vector<Use>();
  Id type = context.definitions().typeOf(value);
  Program &program = context.edit().program;
  Emitter emitter(context);
  if (value && context.isBroken())
    other = emitter.pool().constantNull(type);
  Id dead = emitter.fresh(), after = emitter.fresh(), joined = emitter.fresh();
  for (const Use &use : uses)
    replaceUse(program, use, joined);
  Function &function = program.functions[place.function];
  splitBlock(function, place.block, place.index, after);
  bool isPast = step.number(4) / 4 % 2; // What the guard is when the block is passed by.
  Id condition = emitOpaqueBool(emitter, word, isPast != context.isBroken(), step.number(4));
  Block &before = function.blocks[place.block];
  before.body.pop_back();
  emitter.emitVoid(spv::Op::OpSelectionMerge, {id(after), literal(0)});
  emitter.emitVoid(spv::Op::OpBranchConditional,
                   {id(condition), id(isPast ? after : dead), id(isPast ? dead : after)});
  emitter.insertInto(before, before.body.size());
  if (!uses.empty()) {
    std::vector<Instruction> &body = function.blocks[place.block + 1].body;
    body.insert(body.begin(),
                {spv::Op::OpPhi, type, joined, {id(value), id(before.label), id(other), id(dead)}});
  }
  insertBefore(function, after, {{dead, {{spv::Op::OpBranch, 0, 0, {id(after)}}}}});
  context.addDeadBlock(dead);
}

} // namespace assay::fuzz
