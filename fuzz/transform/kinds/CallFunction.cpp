// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// call-function: a call whose result nobody needs.
// Precondition: in live code, outside of loops, of a function that a step brought in and that may
// be called with anything; in dead code of any function that does not come back to the caller. The
// arguments are available and no pointers. Effect: none. Numbers: anchor, function, arguments (0:
// null).
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// Whether a call of \p from may lead to \p to.
static bool reaches(const Program &program, Id from, Id to, unsigned depth = 0) {
  constexpr unsigned Deepest = 64;
  const Function *function = program.findFunction(from);
  if (!function || from == to || depth > Deepest)
    return true;
  for (const Block &block : function->blocks)
    for (const Instruction &each : block.body)
      if (each.opcode == spv::Op::OpFunctionCall && reaches(program, each.word(0), to, depth + 1))
        return true;
  return false;
}

/// True if \p callee may be called at \p place without effect: it has no pointer parameters and
/// does not call back; in live code it must be a safe function, and the place in no loop.
static bool mayCall(const Context &context, Place place, const Function &callee) {
  const Program &program = context.program();
  bool isEntry = any_of(program.entryPoints,
                        [&](const Instruction &each) { return each.word(1) == callee.result(); });
  if (callee.blocks.empty() || isEntry ||
      reaches(program, callee.result(), program.functions[place.function].result()) ||
      any_of(callee.parameters, [&](const Instruction &each) {
        return context.definitions().find(each.type)->opcode == spv::Op::OpTypePointer;
      }))
    return false;
  if (context.isDead(place))
    return true;
  return context.isSafeFunction(callee.result()) &&
         none_of(context.flow(place.function).constructs(), [&](const Flow::Construct &each) {
           return each.isLoop && each.blocks[place.block];
         });
}

/// Proposes a call of a random function at a random place with random arguments.
std::optional<Step> CallFunction::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInsertion(context, random);
  const Function &callee = random.pick(ArrayRef(context.program().functions));
  if (!place || !mayCall(context, *place, callee))
    return std::nullopt;
  Step step;
  append(step.numbers, context.anchorOf(*place));
  step.numbers.push_back(callee.result());
  for (const Instruction &parameter : callee.parameters) {
    std::vector<Id> values = context.valuesAt(*place, parameter.type);
    step.numbers.push_back(values.empty() ? 0 : random.pick(ArrayRef(values)));
  }
  return step;
}

/// An argument that the step lacks is null.
bool CallFunction::isApplicable(const Context &context, const Step &step) {
  std::optional<Place> place = context.locate(anchorIn(step, 0));
  const Function *callee = context.program().findFunction(step.id(2));
  if (!place || !callee || !context.isReachable(*place) || !isInsertion(context, *place) ||
      !mayCall(context, *place, *callee))
    return false;
  for (auto [index, parameter] : enumerate(callee->parameters)) {
    Id argument = step.id(3 + index);
    if (step.number(3 + index) && (context.definitions().typeOf(argument) != parameter.type ||
                                   !context.isAvailable(argument, *place)))
      return false;
  }
  return true;
}

/// Broken: values of the result's type after it name the result.
void CallFunction::apply(Context &context, const Step &step) {
  Place place = *context.locate(anchorIn(step, 0));
  Program &program = context.edit().program;
  const Function &callee = *program.findFunction(step.id(2));
  Id type = callee.definition.type;
  Emitter emitter(context);
  SmallVector<Operand, 6> operands{id(callee.result())};
  for (auto [index, parameter] : enumerate(callee.parameters)) {
    Id argument = step.id(3 + index);
    operands.push_back(id(argument ? argument : emitter.pool().constantNull(parameter.type)));
  }
  Id result = emitter.emit(spv::Op::OpFunctionCall, type, operands);
  if (context.isBroken())
    for (Id value : context.valuesAt(place, type))
      for (const Use &use : replaceableUsesAfter(context, value, place))
        replaceUse(program, use, result);
  emitter.insertInto(program.functions[place.function].blocks[place.block], place.index);
}

} // namespace assay::fuzz
