// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wrap-in-selection: a region is put under a condition that is always true, because of what a
// buffer holds; what it makes for others goes through phis. Precondition: a region (Region.h) whose
// escaping values can go through phis; a word of a read-only buffer. Effect: none. Numbers: the
// region's ends (4), word (2), variant: of the guard, and bit 3: the other way is a block of its
// own, bit 4: what comes from there is OpUndef and not null.
#include "fuzz/transform/Opaque.h"
#include "fuzz/transform/Region.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// Draws the ends only; isApplicable() decides whether they bound a region.
std::optional<Step> WrapInSelection::propose(const Context &context, Random &random) {
  std::optional<std::vector<uint64_t>> ends = pickRegion(context, random);
  std::optional<WordChoice> word = pickWord(context, random);
  if (!ends || !word)
    return std::nullopt;
  Step step;
  step.numbers = std::move(*ends);
  append(step.numbers, *word);
  step.numbers.push_back(random.below(32));
  return step;
}

bool WrapInSelection::isApplicable(const Context &context, const Step &step) {
  std::optional<Region> region = regionIn(context, step, 0);
  return region && findWord(context, wordIn(step, 4)) && canEscapeByPhi(context, *region);
}

/// Broken: the condition is false.
void WrapInSelection::apply(Context &context, const Step &step) {
  Region region = *regionIn(context, step, 0);
  KnownWord word = *findWord(context, wordIn(step, 4));
  uint64_t variant = step.number(6);
  std::vector<Id> values = escapingValues(context, region);
  std::vector<std::pair<Use, Id>> uses; // And what they name from now on.
  Emitter emitter(context);
  std::vector<Instruction> phis;
  Id merge = emitter.fresh(), otherwise = variant & 8 ? emitter.fresh() : 0;
  for (Id value : values) {
    Id type = context.definitions().typeOf(value), joined = emitter.fresh();
    for (const Use &use : context.usesOf(value))
      if (!region.contains(use.place))
        uses.push_back({use, joined});
    Id nothing = variant & 16 ? emitter.undefined(type) : emitter.pool().constantNull(type);
    phis.push_back({spv::Op::OpPhi, type, joined, {id(value), id(0), id(nothing), id(0)}});
  }
  Program &program = context.edit().program;
  for (const auto &[use, to] : uses)
    replaceUse(program, use, to);
  IsolatedRegion cut = isolate(context, region);
  Function &function = program.functions[cut.function];
  for (Instruction &phi : phis) {
    phi.operands[1] = id(cut.last);
    phi.operands[3] = id(otherwise ? otherwise : cut.before);
  }
  Block &before = *function.find(cut.before);
  bool isFirst = variant & 4; // Whether the region is where one goes when the guard is true.
  Id condition = emitOpaqueBool(emitter, word, isFirst != context.isBroken(), variant);
  Id other = otherwise ? otherwise : merge;
  before.body.pop_back();
  emitter.emitVoid(spv::Op::OpSelectionMerge, {id(merge), literal(0)});
  emitter.emitVoid(spv::Op::OpBranchConditional, {id(condition), id(isFirst ? cut.first : other),
                                                  id(isFirst ? other : cut.first)});
  emitter.insertInto(before, before.body.size());
  function.find(cut.last)->terminator().operands[0] = id(merge);
  phis.push_back({spv::Op::OpBranch, 0, 0, {id(cut.after)}});
  if (otherwise) {
    insertBefore(function, cut.after, {{otherwise, {{spv::Op::OpBranch, 0, 0, {id(merge)}}}}});
    context.addDeadBlock(otherwise);
  }
  insertBefore(function, cut.after, {{merge, std::move(phis)}});
}

} // namespace assay::fuzz
