// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/transform/Region.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// True for instructions from begin up to, and without, end.
bool Region::contains(Place place) const {
  if (place.function != begin.function || !blocks[place.block])
    return false;
  if (place.block == begin.block && place.index < begin.index)
    return false;
  return place.block != end.block || place.index < end.index;
}

/// Includes blocks from which \p end cannot be reached; blocks after \p end are not visited.
BitVector blocksBetween(const Flow &flow, size_t count, size_t begin, size_t end) {
  BitVector blocks(count);
  SmallVector<size_t, 16> open{begin};
  blocks.set(begin);
  blocks.set(end);
  while (!open.empty()) {
    size_t block = open.pop_back_val();
    if (block == end)
      continue;
    for (size_t successor : flow.successors(block))
      if (!blocks[successor]) {
        blocks.set(successor);
        open.push_back(successor);
      }
  }
  return blocks;
}

/// All edges into the blocks lead to their first one, all edges out leave from their last one.
static bool hasOneWay(const Flow &flow, const Region &region) {
  for (size_t block : region.blocks.set_bits()) {
    auto isInside = [&](size_t other) { return region.blocks[other]; };
    ArrayRef<size_t> sources = flow.predecessors(block), targets = flow.successors(block);
    if (block == region.begin.block ? any_of(sources, isInside) && region.blocks.count() > 1
                                    : !all_of(sources, isInside))
      return false;
    if (block != region.end.block && !all_of(targets, isInside))
      return false;
    if (block == region.end.block && region.blocks.count() > 1 && any_of(targets, isInside))
      return false;
  }
  return true;
}

/// True if no block of the region but its last one returns or terminates the invocation.
static bool isWithoutReturns(const Function &function, const Region &region) {
  static constexpr spv::Op harmless[] = {spv::Op::OpBranch, spv::Op::OpBranchConditional,
                                         spv::Op::OpSwitch, spv::Op::OpUnreachable};
  return all_of(region.blocks.set_bits(), [&](size_t block) {
    return block == region.end.block ||
           is_contained(harmless, function.blocks[block].terminator().opcode);
  });
}

/// Merge blocks and continue targets lie on the same side as the header that names them.
static bool keepsConstructs(const Flow &flow, const Function &function, const Region &region) {
  for (auto [header, block] : enumerate(function.blocks)) {
    const Instruction *merge = block.merge();
    if (!merge)
      continue;
    bool isInside = region.blocks[header] && header != region.end.block;
    unsigned labels = merge->opcode == spv::Op::OpLoopMerge ? 2 : 1;
    for (unsigned i = 0; i < labels; ++i) {
      size_t target = flow.index(merge->word(i));
      bool isTargetInside = region.blocks[target] && target != region.begin.block;
      if (isInside != isTargetInside)
        return false;
    }
  }
  return true;
}

/// Within one block no further check is needed: both ends are places where blocks may be split.
std::optional<Region> findRegion(const Context &context, Anchor beginAnchor, Anchor endAnchor) {
  std::optional<Place> begin = context.locate(beginAnchor), end = context.locate(endAnchor);
  if (!begin || !end || begin->function != end->function || !isSplittable(context, *begin) ||
      !isSplittable(context, *end) || !context.isReachable(*begin) || !context.isReachable(*end))
    return std::nullopt;
  if (begin->block == end->block && begin->index >= end->index)
    return std::nullopt;
  const Function &function = context.program().functions[begin->function];
  const Flow &flow = context.flow(begin->function);
  Region region{*begin, *end,
                blocksBetween(flow, function.blocks.size(), begin->block, end->block)};
  if (begin->block == end->block)
    return region;
  if (!hasOneWay(flow, region) || !isWithoutReturns(function, region) ||
      !keepsConstructs(flow, function, region))
    return std::nullopt;
  return region;
}

/// The block in which what begins in \p block goes on: after its construct, or the next one.
static std::optional<size_t> findNext(const Context &context, Place place) {
  const Block &block = context.block(place);
  const Flow &flow = context.flow(place.function);
  if (const Instruction *merge = block.merge())
    return flow.index(merge->word(0));
  if (block.terminator().opcode == spv::Op::OpBranch)
    return flow.index(block.terminator().word(0));
  return std::nullopt;
}

/// Follows up to three constructs or branches from a random place. The result need not be a region:
/// findRegion() decides.
std::optional<std::vector<uint64_t>> pickRegion(const Context &context, Random &random) {
  std::optional<Place> begin = pickInsertion(context, random);
  if (!begin)
    return std::nullopt;
  Place end = *begin;
  for (uint64_t steps = random.below(4); steps > 0; --steps)
    if (std::optional<size_t> next = findNext(context, end))
      end.block = *next;
  const Block &block = context.block(end);
  size_t first = end.block == begin->block ? begin->index + 1 : firstInsertion(block);
  if (first > lastInsertion(block))
    return std::nullopt;
  end.index = random.between(first, lastInsertion(block));
  std::vector<uint64_t> numbers;
  append(numbers, context.anchorOf(*begin));
  append(numbers, context.anchorOf(end));
  return numbers;
}

std::vector<Id> escapingValues(const Context &context, const Region &region) {
  std::vector<Id> values;
  const Function &function = context.program().functions[region.begin.function];
  for (size_t block : region.blocks.set_bits())
    for (auto [index, each] : enumerate(function.blocks[block].body))
      if (each.result && region.contains({region.begin.function, block, index}) &&
          any_of(context.usesOf(each.result),
                 [&](const Use &use) { return !region.contains(use.place); }))
        values.push_back(each.result);
  return values;
}

bool canEscapeByPhi(const Context &context, const Region &region) {
  return all_of(escapingValues(context, region),
                [&](Id value) { return mayBePhi(context, value); });
}

/// Splits the blocks at both ends, the second end first. The context's analyses are then out of
/// date.
IsolatedRegion isolate(Context &context, const Region &region) {
  Program &program = context.edit().program;
  Function &function = program.functions[region.begin.function];
  IsolatedRegion result;
  result.function = region.begin.function;
  result.before = function.blocks[region.begin.block].label;
  result.first = program.fresh();
  result.after = program.fresh();
  result.last = region.begin.block == region.end.block ? result.first
                                                       : function.blocks[region.end.block].label;
  splitBlock(function, region.end.block, region.end.index, result.after);
  // The split moved the blocks after it.
  size_t begin = region.begin.block;
  if (begin > region.end.block)
    ++begin;
  splitBlock(function, begin, region.begin.index, result.first);
  return result;
}

} // namespace assay::fuzz
