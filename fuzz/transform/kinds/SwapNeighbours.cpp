// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// swap-neighbours: an instruction and the next change places. Precondition: one of them has no
// effects and does not look at memory, the second does not use the first, and both are ordinary
// instructions of their block. Effect: none. Numbers: anchor of the first.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// True if the instruction at \p place and the next one meet the precondition.
static bool maySwap(const Context &context, Place place) {
  const Block &block = context.block(place);
  if (place.index < block.firstOrdinary() || place.index + 1 >= lastInsertion(block))
    return false;
  const Instruction &first = block.body[place.index], &second = block.body[place.index + 1];
  return (isPure(first) || isPure(second)) &&
         !(first.result && is_contained(second.operands, id(first.result)));
}

std::optional<Step> SwapNeighbours::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInstruction(
      context, random, [&](Place each, const Instruction &) { return maySwap(context, each); });
  if (!place)
    return std::nullopt;
  Step step;
  append(step.numbers, context.anchorOf(*place));
  return step;
}

bool SwapNeighbours::isApplicable(const Context &context, const Step &step) {
  std::optional<Place> place = context.locate(anchorIn(step, 0));
  return place && maySwap(context, *place);
}

/// Broken: the first goes after all that follow, whoever uses it.
void SwapNeighbours::apply(Context &context, const Step &step) {
  Place place = *context.locate(anchorIn(step, 0));
  Block &block = context.edit().program.functions[place.function].blocks[place.block];
  auto first = block.body.begin() + static_cast<ptrdiff_t>(place.index);
  auto end = context.isBroken() ? block.body.begin() + static_cast<ptrdiff_t>(lastInsertion(block))
                                : first + 2;
  std::rotate(first, first + 1, end);
}

} // namespace assay::fuzz
