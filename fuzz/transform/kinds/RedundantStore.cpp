// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// redundant-store: what was loaded is stored again where it came from.
// Precondition: a load of plain data (Editing.h) from memory that only this invocation has
// (Function, Private), not volatile. Effect: none. Numbers: the load's result.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// True for a load that meets the precondition. Loads with memory operands are refused.
static bool isOwnLoad(const Context &context, const Instruction *each) {
  if (!each || each->opcode != spv::Op::OpLoad || each->operands.size() > 1 ||
      !isPlainData(context, each->type))
    return false;
  const Instruction *pointer = context.definitions().typeInstruction(each->word(0));
  if (!pointer || pointer->opcode != spv::Op::OpTypePointer)
    return false;
  auto storage = static_cast<spv::StorageClass>(pointer->word(0));
  return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
}

std::optional<Step> RedundantStore::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInstruction(
      context, random, [&](Place, const Instruction &each) { return isOwnLoad(context, &each); });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.at(*place)->result};
  return step;
}

bool RedundantStore::isApplicable(const Context &context, const Step &step) {
  return context.definitions().place(step.id(0)) &&
         isOwnLoad(context, context.definitions().find(step.id(0)));
}

/// Broken: 0 is stored, in front of the load.
void RedundantStore::apply(Context &context, const Step &step) {
  Place place = *context.definitions().place(step.id(0));
  Instruction load = *context.at(place);
  Emitter emitter(context);
  Id value = context.isBroken() ? emitter.pool().constantNull(load.type) : load.result;
  emitter.emitVoid(spv::Op::OpStore, {id(load.word(0)), id(value)});
  emitter.insertInto(context.edit().program.functions[place.function].blocks[place.block],
                     place.index + !context.isBroken());
}

} // namespace assay::fuzz
