// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// propagate-through-memory: a value is stored into memory of its own where it is made, and one use
// names what is loaded from there. Precondition: the value is plain data (Editing.h) that an
// instruction makes, and can be kept there (OwnMemory.h); the use is replaceable. Effect: none.
// Numbers: value, anchor of the user, operand, storage class.
#include "fuzz/transform/OwnMemory.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// Proposes a use of an instruction's result; constants and parameters are not kept in memory.
std::optional<Step> PropagateThroughMemory::propose(const Context &context, Random &random) {
  std::optional<Use> use = pickUse(context, random, [&](const Use &each) {
    Id value = context.at(each.place)->word(each.operand);
    return context.definitions().place(value) &&
           isPlainData(context, context.definitions().typeOf(value));
  });
  if (!use)
    return std::nullopt;
  Id value = context.at(use->place)->word(use->operand);
  Step step;
  step.numbers.push_back(value);
  append(step.numbers, context, *use);
  step.numbers.push_back(
      uint64_t(pickStorage(context, random, context.definitions().typeOf(value))));
  return step;
}

/// The use must still name the value of the step.
bool PropagateThroughMemory::isApplicable(const Context &context, const Step &step) {
  std::optional<Use> use = useIn(context, step, 1);
  return use && context.at(use->place)->word(use->operand) == step.id(0) &&
         context.definitions().place(step.id(0)) &&
         canKeep(context, static_cast<spv::StorageClass>(step.number(4)),
                 context.definitions().typeOf(step.id(0)));
}

/// Broken: what is stored is 0.
void PropagateThroughMemory::apply(Context &context, const Step &step) {
  Id value = step.id(0), type = context.definitions().typeOf(value);
  Use use = *useIn(context, step, 1);
  Place made = *context.definitions().place(value), used = context.placeOf(use);
  Program &program = context.edit().program;
  Function &function = program.functions[made.function];
  Emitter emitter(context);
  Id stored = context.isBroken() ? emitter.pool().constantNull(type) : value;
  Id loaded = emitter.fresh();
  replaceUse(program, use, loaded);
  OwnMemory memory(context, emitter, function, static_cast<spv::StorageClass>(step.number(4)),
                   type);
  if (made.block == 0)
    made.index += memory.shift();
  if (used.block == 0)
    used.index += memory.shift();
  // The later place first: it may be in the same block.
  Block &user = function.blocks[used.block], &maker = function.blocks[made.block];
  memory.emitLoad(emitter, loaded);
  emitter.insertInto(user, std::min(used.index, lastInsertion(user)));
  memory.emitStore(emitter, stored);
  emitter.insertInto(maker, std::max(made.index + 1, firstInsertion(maker)));
}

} // namespace assay::fuzz
