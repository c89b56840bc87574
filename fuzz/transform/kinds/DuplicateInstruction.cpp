// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// duplicate-instruction: what is computed is computed once more right after it, and some uses name
// the second. Precondition: an instruction without effects, of a type that a phi may have. Effect:
// both results are synonyms. Numbers: the instruction's result, seed of which uses are changed.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// True for pure instructions with a result that may be a phi; false for null.
static bool mayDuplicate(const Context &context, const Instruction *each) {
  return each && isPure(*each) && mayBePhi(context, each->result);
}

std::optional<Step> DuplicateInstruction::propose(const Context &context, Random &random) {
  std::optional<Place> place =
      pickInstruction(context, random,
                      [&](Place, const Instruction &each) { return mayDuplicate(context, &each); });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.at(*place)->result, random.below(16)};
  return step;
}

bool DuplicateInstruction::isApplicable(const Context &context, const Step &step) {
  return context.definitions().place(step.id(0)) &&
         mayDuplicate(context, context.definitions().find(step.id(0)));
}

void DuplicateInstruction::apply(Context &context, const Step &step) {
  duplicateAfter(context, step.id(0), step.number(1));
}

} // namespace assay::fuzz
