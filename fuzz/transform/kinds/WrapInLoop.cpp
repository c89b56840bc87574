// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wrap-in-loop: a region becomes the body of a loop that runs once.
// Precondition: a region (Region.h); a word of a read-only buffer. Effect: none. Numbers: the
// region's ends (4), word (2), variant of the comparison, shape: 0 do while (false), 1 break at the
// end, 2 break by a condition, 3 a counter from 0 to 1.
#include "fuzz/transform/Opaque.h"
#include "fuzz/transform/Region.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// How the loop ends after its only iteration; the numbers are those of the step.
enum class LoopShape : uint8_t { DoWhile, Break, ConditionalBreak, Counter };

/// Draws a word for each shape, although a counter does not read it.
std::optional<Step> WrapInLoop::propose(const Context &context, Random &random) {
  std::optional<std::vector<uint64_t>> ends = pickRegion(context, random);
  std::optional<WordChoice> word = pickWord(context, random);
  if (!ends || !word)
    return std::nullopt;
  Step step;
  step.numbers = std::move(*ends);
  append(step.numbers, *word);
  step.numbers.push_back(random.below(4));
  step.numbers.push_back(random.below(4));
  return step;
}

/// Refuses regions in a continue construct, where a loop would break its structure.
bool WrapInLoop::isApplicable(const Context &context, const Step &step) {
  std::optional<Region> region = regionIn(context, step, 0);
  return region && findWord(context, wordIn(step, 4)) &&
         step.number(7) <= uint64_t(LoopShape::Counter) &&
         !context.flow(region->begin.function).isInContinue(region->begin.block);
}

namespace {
/// The blocks of the new loop besides the region.
struct LoopBlocks {
  Block head, next, merge;
};
} // namespace

/// Ends of the region's last block and of the continue target, by the shape.
static void writeEnds(Emitter &emitter, LoopShape shape, const KnownWord &word, uint64_t variant,
                      LoopBlocks &blocks, Block &last) {
  Id head = blocks.head.label, next = blocks.next.label, merge = blocks.merge.label;
  switch (shape) {
  case LoopShape::Break:
    last.terminator().operands[0] = id(merge);
    blocks.next.body.push_back({spv::Op::OpBranch, 0, 0, {id(head)}});
    return;
  case LoopShape::ConditionalBreak: {
    Id leaves = emitOpaqueBool(emitter, word, true, variant);
    last.body.pop_back();
    emitter.emitVoid(spv::Op::OpBranchConditional, {id(leaves), id(merge), id(next)});
    emitter.insertInto(last, last.body.size());
    blocks.next.body.push_back({spv::Op::OpBranch, 0, 0, {id(head)}});
    return;
  }
  default: {
    Id again = emitOpaqueBool(emitter, word, false, variant);
    last.terminator().operands[0] = id(next);
    emitter.emitVoid(spv::Op::OpBranchConditional, {id(again), id(head), id(merge)});
    emitter.insertInto(blocks.next, 0);
    return;
  }
  }
}

/// for (i = 0; ++i < turns;)
static void writeCounter(Emitter &emitter, Id before, uint32_t turns, LoopBlocks &blocks,
                         Block &last) {
  Pool &pool = emitter.pool();
  Id u32 = pool.intType(32, false), counter = emitter.fresh();
  Id increased = emitter.emit(spv::Op::OpIAdd, u32, {id(counter), id(pool.number(1))});
  Id again =
      emitter.emit(spv::Op::OpULessThan, pool.boolType(), {id(increased), id(pool.number(turns))});
  blocks.head.body.push_back(
      {spv::Op::OpPhi,
       u32,
       counter,
       {id(pool.number(0)), id(before), id(increased), id(blocks.next.label)}});
  last.terminator().operands[0] = id(blocks.next.label);
  emitter.emitVoid(spv::Op::OpBranchConditional,
                   {id(again), id(blocks.head.label), id(blocks.merge.label)});
  emitter.insertInto(blocks.next, 0);
}

/// Broken: the loop counts to 2.
void WrapInLoop::apply(Context &context, const Step &step) {
  Region region = *regionIn(context, step, 0);
  KnownWord word = *findWord(context, wordIn(step, 4));
  IsolatedRegion cut = isolate(context, region);
  Emitter emitter(context);
  LoopBlocks blocks{{emitter.fresh(), {}}, {emitter.fresh(), {}}, {emitter.fresh(), {}}};
  Function &function = context.edit().program.functions[cut.function];
  Block &last = *function.find(cut.last);
  auto shape = static_cast<LoopShape>(step.number(7));
  if (shape == LoopShape::Counter || context.isBroken())
    writeCounter(emitter, cut.before, context.isBroken() ? 2 : 1, blocks, last);
  else
    writeEnds(emitter, shape, word, step.number(6), blocks, last);
  blocks.head.body.push_back(
      {spv::Op::OpLoopMerge, 0, 0, {id(blocks.merge.label), id(blocks.next.label), literal(0)}});
  blocks.head.body.push_back({spv::Op::OpBranch, 0, 0, {id(cut.first)}});
  blocks.merge.body.push_back({spv::Op::OpBranch, 0, 0, {id(cut.after)}});
  function.find(cut.before)->terminator().operands[0] = id(blocks.head.label);
  insertBefore(function, cut.first, {std::move(blocks.head)});
  insertBefore(function, cut.after, {std::move(blocks.next), std::move(blocks.merge)});
}

} // namespace assay::fuzz
