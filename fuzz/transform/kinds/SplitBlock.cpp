// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// split-block: a block becomes two, the first of which branches to the second.
// Precondition: the place is no phi, variable or merge instruction, and in no loop header.
// Effect: none but the branch. Numbers: anchor of the second block's first instruction.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// The block may be one that cannot be split: isApplicable() decides.
std::optional<Step> SplitBlock::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInsertion(context, random);
  if (!place)
    return std::nullopt;
  Step step;
  append(step.numbers, context.anchorOf(*place));
  return step;
}

bool SplitBlock::isApplicable(const Context &context, const Step &step) {
  std::optional<Place> place = context.locate(anchorIn(step, 0));
  return place && isSplittable(context, *place);
}

/// Broken: the last store is lost, which may have stood after the place.
void SplitBlock::apply(Context &context, const Step &step) {
  Place place = *context.locate(anchorIn(step, 0));
  Program &program = context.edit().program;
  Function &function = program.functions[place.function];
  splitBlock(function, place.block, place.index, program.fresh());
  if (context.isBroken())
    loseLastStore(function);
}

} // namespace assay::fuzz
