// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// propagate-through-memory: a value is stored into a variable of its own where it is made, and one
// use names what is loaded from there. Precondition: the value is plain data (Editing.h) that an
// instruction makes; the use is replaceable. Effect: none. Numbers: value, anchor of the user,
// operand, storage class (Function or Private).
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

std::optional<Step> PropagateThroughMemory::propose(const Context &context, Random &random) {
  std::optional<Use> use = pickUse(context, random, [&](const Use &each) {
    Id value = context.at(each.place)->word(each.operand);
    return context.definitions().place(value) &&
           isPlainData(context, context.definitions().typeOf(value));
  });
  if (!use)
    return std::nullopt;
  Step step;
  step.numbers.push_back(context.at(use->place)->word(use->operand));
  append(step.numbers, context, *use);
  step.numbers.push_back(
      uint64_t(random.oneIn(2) ? spv::StorageClass::Function : spv::StorageClass::Private));
  return step;
}

bool PropagateThroughMemory::isApplicable(const Context &context, const Step &step) {
  std::optional<Use> use = useIn(context, step, 1);
  auto storage = static_cast<spv::StorageClass>(step.number(4));
  return use && context.at(use->place)->word(use->operand) == step.id(0) &&
         context.definitions().place(step.id(0)) &&
         isPlainData(context, context.definitions().typeOf(step.id(0))) &&
         (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private);
}

/// Broken: what is stored is 0.
void PropagateThroughMemory::apply(Context &context, const Step &step) {
  Id value = step.id(0), type = context.definitions().typeOf(value);
  Use use = *useIn(context, step, 1);
  Place made = *context.definitions().place(value), used = context.placeOf(use);
  Program &program = context.edit().program;
  std::vector<Block> &blocks = program.functions[made.function].blocks;
  Block &userBlock = blocks[used.block], &makerBlock = blocks[made.block];
  Emitter emitter(context);
  Id stored = context.isBroken() ? emitter.pool().constantNull(type) : value;
  Id loaded = emitter.fresh();
  replaceUse(program, use, loaded);
  // Both are behind the entry block's variables, of which the new one becomes the first.
  auto storage = static_cast<spv::StorageClass>(step.number(4));
  Id variable = emitter.variable(program.functions[made.function], storage, type);
  bool shifts = storage == spv::StorageClass::Function;
  size_t usedAt = std::min(used.index + (shifts && used.block == 0), lastInsertion(userBlock));
  size_t madeAt = made.index + (shifts && made.block == 0) + 1;
  Instruction load{spv::Op::OpLoad, type, loaded, {id(variable)}};
  userBlock.body.insert(userBlock.body.begin() + static_cast<ptrdiff_t>(usedAt), std::move(load));
  emitter.emitVoid(spv::Op::OpStore, {id(variable), id(stored)});
  emitter.insertInto(makerBlock, std::max(madeAt, firstInsertion(makerBlock)));
}

} // namespace assay::fuzz
