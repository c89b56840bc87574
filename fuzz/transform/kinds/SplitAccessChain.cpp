// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// split-access-chain: a chain of several indices becomes two, one on the other. Precondition: an
// access chain with that many indices, whose result nothing decorates. Effect: none. Numbers: the
// chain's result, how many indices the first one takes.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// True for an undecorated access chain with more than \p count indices; false for null.
static bool isSplit(const Context &context, const Instruction *each, uint64_t count) {
  return each &&
         (each->opcode == spv::Op::OpAccessChain ||
          each->opcode == spv::Op::OpInBoundsAccessChain) &&
         count >= 1 && count + 1 < each->operands.size() &&
         none_of(context.program().decorations, [&](const Instruction &decoration) {
           return decoration.opcode == spv::Op::OpDecorate && decoration.word(0) == each->result;
         });
}

/// Every position of the split is equally likely.
std::optional<Step> SplitAccessChain::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInstruction(
      context, random, [&](Place, const Instruction &each) { return isSplit(context, &each, 1); });
  if (!place)
    return std::nullopt;
  const Instruction &chain = *context.at(*place);
  Step step;
  step.numbers = {chain.result, random.between(1, chain.operands.size() - 2)};
  return step;
}

bool SplitAccessChain::isApplicable(const Context &context, const Step &step) {
  return context.definitions().place(step.id(0)) &&
         isSplit(context, context.definitions().find(step.id(0)), step.number(1));
}

/// What \p index selects in an object of \p type.
static const Instruction &memberType(const Context &context, const Instruction &type, Id index) {
  const Definitions &definitions = context.definitions();
  size_t member = type.opcode == spv::Op::OpTypeStruct ? definitions.find(index)->word(0) : 0;
  return *definitions.find(type.word(member));
}

/// Broken: the last index, where it selects an element and no member, is 0.
void SplitAccessChain::apply(Context &context, const Step &step) {
  Place place = *context.definitions().place(step.id(0));
  const Instruction chain = *context.at(place);
  size_t count = step.number(1);
  const Instruction pointer = *context.definitions().typeInstruction(chain.word(0));
  const Instruction *type = context.definitions().find(pointer.word(1)), *last = type;
  Id between = 0;
  for (size_t index = 1; index < chain.operands.size(); ++index) {
    last = type;
    type = &memberType(context, *type, chain.word(index));
    if (index == count)
      between = type->result;
  }
  bool isElement = last->opcode != spv::Op::OpTypeStruct;
  Emitter emitter(context);
  Id base = emitter.emit(
      chain.opcode,
      emitter.pool().pointerType(static_cast<spv::StorageClass>(pointer.word(0)), between),
      ArrayRef(chain.operands).take_front(1 + count));
  SmallVector<Operand, 4> rest{id(base)};
  append_range(rest, ArrayRef(chain.operands).drop_front(1 + count));
  if (context.isBroken() && isElement)
    rest.back() = id(emitter.pool().number(0));
  Block &block = context.edit().program.functions[place.function].blocks[place.block];
  block.body[place.index].operands = std::move(rest);
  emitter.insertInto(block, place.index);
}

} // namespace assay::fuzz
