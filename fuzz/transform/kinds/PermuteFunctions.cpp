// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// permute-functions: the order of the functions of the module changes.
// Precondition: none. Effect: none. Numbers: seed of the order.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

std::optional<Step> PermuteFunctions::propose(const Context &context, Random &random) {
  if (context.program().functions.size() < 2)
    return std::nullopt;
  Step step;
  step.numbers = {random.next() >> 40};
  return step;
}

bool PermuteFunctions::isApplicable(const Context &context, const Step &) {
  return context.program().functions.size() > 1;
}

/// Broken: the function that comes last loses its last store.
void PermuteFunctions::apply(Context &context, const Step &step) {
  std::vector<Function> &functions = context.edit().program.functions;
  Random random(step.number(0));
  for (size_t i = functions.size() - 1; i > 0; --i)
    std::swap(functions[i], functions[random.below(i + 1)]);
  if (context.isBroken())
    loseLastStore(functions.back());
}

} // namespace assay::fuzz
