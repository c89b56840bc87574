// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// select-opaque: a use of a value names a selection between it and another one, by a condition that
// a buffer decides. Precondition: a replaceable use (Editing.h) of a scalar, or from SPIR-V 1.4 on
// of any value that a phi may have; another value of its type is available there; a word of a
// read-only buffer. Effect: none. Numbers: the use (3), the other value, word (2), variant of the
// guard, of which bit 2 says which side the value is on.
#include "fuzz/transform/Opaque.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// OpSelect takes a scalar condition for every type from SPIR-V 1.4 on, before for scalars alone.
static bool mayBeSelected(const Context &context, const Use &use) {
  constexpr uint32_t Version14 = 0x00010400;
  const Definitions &definitions = context.definitions();
  Id value = context.at(use.place)->word(use.operand);
  spv::Op type = definitions.typeInstruction(value)->opcode;
  bool isScalar =
      type == spv::Op::OpTypeBool || type == spv::Op::OpTypeInt || type == spv::Op::OpTypeFloat;
  return mayBePhi(context, value) && (isScalar || context.program().version >= Version14);
}

/// The other value may be the same one.
std::optional<Step> SelectOpaque::propose(const Context &context, Random &random) {
  std::optional<Use> use =
      pickUse(context, random, [&](const Use &each) { return mayBeSelected(context, each); });
  std::optional<WordChoice> word = pickWord(context, random);
  if (!use || !word)
    return std::nullopt;
  Id type = context.definitions().typeOf(context.at(use->place)->word(use->operand));
  std::vector<Id> others = context.valuesAt(context.placeOf(*use), type);
  if (others.empty())
    return std::nullopt;
  Step step;
  append(step.numbers, context, *use);
  step.numbers.push_back(random.pick(ArrayRef(others)));
  append(step.numbers, *word);
  step.numbers.push_back(random.below(8));
  return step;
}

bool SelectOpaque::isApplicable(const Context &context, const Step &step) {
  std::optional<Use> use = useIn(context, step, 0);
  if (!use || !mayBeSelected(context, *use) || !findWord(context, wordIn(step, 4)))
    return false;
  Id value = context.at(use->place)->word(use->operand), other = step.id(3);
  return context.definitions().typeOf(value) == context.definitions().typeOf(other) &&
         context.isAvailable(other, context.placeOf(*use));
}

/// Broken: null is selected.
void SelectOpaque::apply(Context &context, const Step &step) {
  Use use = *useIn(context, step, 0);
  KnownWord word = *findWord(context, wordIn(step, 4));
  Id value = context.at(use.place)->word(use.operand), other = step.id(3);
  Id type = context.definitions().typeOf(value);
  Emitter emitter(context);
  bool isFirst = step.number(6) & 4;
  if (context.isBroken())
    other = emitter.pool().constantNull(type);
  Id condition = emitOpaqueBool(emitter, word, isFirst != context.isBroken(), step.number(6));
  Id to = emitter.emit(spv::Op::OpSelect, type,
                       {id(condition), id(isFirst ? value : other), id(isFirst ? other : value)});
  substitute(context, use, to, emitter);
}

} // namespace assay::fuzz
