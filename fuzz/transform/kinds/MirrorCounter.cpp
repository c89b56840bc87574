// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mirror-counter: an integer that a loop carries is carried as its distance from a constant, so
// that what was counted up is counted down. Precondition: a phi of scalar integer type with two
// reachable sources at a loop's head, one of them inside of the loop. Effect: none: i is everywhere
// (a + k) - j, where a is what i begins with, j begins with k and continues with (a + k) minus what
// i went on with. Numbers: the phi, k.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// The phi of a loop: its values from outside and from the latch, and the labels of these blocks.
struct Counter {
  Place place;
  Id type = 0, initial = 0, next = 0, before = 0, latch = 0;
};
} // namespace

/// Returns the counter with result \p phi, or nothing where it does not meet the precondition.
static std::optional<Counter> findCounter(const Context &context, Id phi) {
  const Place *place = context.definitions().place(phi);
  if (!place)
    return std::nullopt;
  const Instruction &each = *context.at(*place);
  const Block &head = context.block(*place);
  const Instruction *type = context.definitions().find(each.type);
  if (each.opcode != spv::Op::OpPhi || each.operands.size() != 4 || !head.merge() ||
      head.merge()->opcode != spv::Op::OpLoopMerge || !context.isReachable(*place) ||
      type->opcode != spv::Op::OpTypeInt)
    return std::nullopt;
  const Flow &flow = context.flow(place->function);
  std::optional<Place> first = context.findBlock(each.word(1));
  std::optional<Place> second = context.findBlock(each.word(3));
  if (!first || !second || !flow.isReachable(first->block) || !flow.isReachable(second->block))
    return std::nullopt;
  // The latch is the source that the head dominates.
  bool isFirst = flow.dominates(place->block, first->block);
  if (isFirst == flow.dominates(place->block, second->block))
    return std::nullopt;
  unsigned latch = isFirst ? 0 : 2, before = 2 - latch;
  return Counter{*place,
                 each.type,
                 each.word(before),
                 each.word(latch),
                 each.word(before + 1),
                 each.word(latch + 1)};
}

/// Proposes a start below 9 for most counters, else any number.
std::optional<Step> MirrorCounter::propose(const Context &context, Random &random) {
  std::optional<Place> place =
      pickInstruction(context, random, [&](Place, const Instruction &each) {
        return each.opcode == spv::Op::OpPhi && findCounter(context, each.result);
      });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.at(*place)->result, random.oneIn(4) ? random.next() : random.below(9)};
  return step;
}

bool MirrorCounter::isApplicable(const Context &context, const Step &step) {
  return findCounter(context, step.id(0)).has_value();
}

/// Broken: the distance does not grow by what the counter grows by, but shrinks.
void MirrorCounter::apply(Context &context, const Step &step) {
  Counter counter = *findCounter(context, step.id(0));
  Program &program = context.edit().program;
  Function &function = program.functions[counter.place.function];
  Block &head = function.blocks[counter.place.block];
  Emitter emitter(context);
  Id distance = emitter.fresh(), next = emitter.fresh();
  Id start = emitter.pool().constant(counter.type, step.number(1));
  head.body[counter.place.index] = {spv::Op::OpPhi,
                                    counter.type,
                                    distance,
                                    {id(start), id(counter.before), id(next), id(counter.latch)}};
  Id sum = emitter.emit(spv::Op::OpIAdd, counter.type, {id(counter.initial), id(start)});
  emitter.insertInto(head, firstInsertion(head));
  Instruction value{spv::Op::OpISub, counter.type, step.id(0), {id(sum), id(distance)}};
  head.body.insert(head.body.begin() + static_cast<ptrdiff_t>(firstInsertion(head)) + 1,
                   std::move(value));
  Block &latch = *function.find(counter.latch);
  bool isBroken = context.isBroken();
  Instruction step2{spv::Op::OpISub,
                    counter.type,
                    next,
                    {id(isBroken ? counter.next : sum), id(isBroken ? sum : counter.next)}};
  latch.body.insert(latch.body.begin() + static_cast<ptrdiff_t>(lastInsertion(latch)),
                    std::move(step2));
}

} // namespace assay::fuzz
