// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// redundant-load: what is loaded is loaded once more right after it, and some uses name the second.
// Precondition: a load that is not volatile. Effect: none. Numbers: the load's result, seed of
// which uses are changed.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// True for loads without the Volatile bit; false for null.
static bool isPlainLoad(const Instruction *each) {
  return each && each->opcode == spv::Op::OpLoad &&
         (each->operands.size() < 2 ||
          !(each->word(1) & uint32_t(spv::MemoryAccessMask::Volatile)));
}

std::optional<Step> RedundantLoad::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInstruction(
      context, random, [](Place, const Instruction &each) { return isPlainLoad(&each); });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.at(*place)->result, random.below(16)};
  return step;
}

bool RedundantLoad::isApplicable(const Context &context, const Step &step) {
  return isPlainLoad(context.definitions().find(step.id(0))) &&
         context.definitions().place(step.id(0));
}

/// No instruction is between the two loads.
void RedundantLoad::apply(Context &context, const Step &step) {
  duplicateAfter(context, step.id(0), step.number(1));
}

} // namespace assay::fuzz
