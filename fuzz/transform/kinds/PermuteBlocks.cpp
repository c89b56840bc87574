// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// permute-blocks: the order of the blocks of a function changes.
// Precondition: none. Effect: none; each block still is after its dominators. Numbers: the
// function, seed of the order.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// Any function, also one with a single block, which stays as it is.
std::optional<Step> PermuteBlocks::propose(const Context &context, Random &random) {
  Step step;
  step.numbers = {random.pick(ArrayRef(context.program().functions)).result(), random.next() >> 40};
  return step;
}

bool PermuteBlocks::isApplicable(const Context &context, const Step &step) {
  return context.program().findFunction(step.id(0));
}

/// Those that nobody reaches come last.
static std::vector<size_t> drawOrder(const Flow &flow, size_t count, Random &random) {
  std::vector<size_t> order, open(flow.order().begin(), flow.order().end());
  BitVector isPlaced(count);
  auto mayCome = [&](size_t block) {
    return none_of(open, [&](size_t other) {
      return other != block && !isPlaced[other] && flow.dominates(other, block);
    });
  };
  while (!open.empty()) {
    std::vector<size_t> choices;
    copy_if(open, std::back_inserter(choices), mayCome);
    size_t chosen = random.pick(ArrayRef(choices));
    isPlaced.set(chosen);
    order.push_back(chosen);
    erase(open, chosen);
  }
  for (size_t block = 0; block < count; ++block)
    if (!isPlaced[block])
      order.push_back(block);
  return order;
}

/// Broken: the last store is lost on the way.
void PermuteBlocks::apply(Context &context, const Step &step) {
  std::vector<Function> &functions = context.edit().program.functions;
  size_t number = 0;
  while (functions[number].result() != step.id(0))
    ++number;
  std::vector<Block> &blocks = functions[number].blocks;
  Random random(step.number(1));
  std::vector<Block> permuted;
  for (size_t block : drawOrder(context.flow(number), blocks.size(), random))
    permuted.push_back(std::move(blocks[block]));
  blocks = std::move(permuted);
  if (context.isBroken())
    loseLastStore(functions[number]);
}

} // namespace assay::fuzz
