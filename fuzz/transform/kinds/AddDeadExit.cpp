// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// add-dead-exit: a dead block does not go on to where it went, but leaves the function, its
// innermost loop or the turn of that, or ends in OpUnreachable. Precondition: the block is dead and
// ends with a branch, which is not the only way to its target nor a back edge; a loop is left from
// outside of its continue construct, and what is used after it is still made before. Effect: none.
// Numbers: the block's label, how (0 return, 1 unreachable, 2 break, 3 continue).
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

enum class ExitKind : uint8_t { Return, Unreachable, Break, Continue };

/// The label that \p kind leads to: 0 for none, nothing where there is no such exit.
static std::optional<Id> targetOf(const Context &context, Place place, ExitKind kind) {
  if (kind == ExitKind::Return || kind == ExitKind::Unreachable)
    return 0;
  const Flow &flow = context.flow(place.function);
  const Flow::Construct *loop = nullptr;
  for (const Flow::Construct &each : flow.constructs())
    if (each.isLoop && each.blocks[place.block] &&
        (!loop || each.blocks.count() < loop->blocks.count()))
      loop = &each;
  if (!loop)
    return std::nullopt;
  size_t target = kind == ExitKind::Break ? loop->merge : loop->continueTarget;
  if (!flow.isReachable(target))
    return std::nullopt;
  return context.program().functions[place.function].blocks[target].label;
}

/// \p block ends as \p kind says. \p undefined gives a value of a type, for phis of the target.
static void writeExit(Function &function, Block &block, ExitKind kind, Id target,
                      function_ref<Id(Id)> undefined) {
  Block *old = function.find(block.terminator().word(0));
  if (old->label == target)
    return;
  for (Instruction &each : old->body)
    if (each.opcode == spv::Op::OpPhi)
      for (size_t i = 0; i + 1 < each.operands.size(); i += 2)
        if (each.word(i + 1) == block.label) {
          each.operands.erase(each.operands.begin() + i, each.operands.begin() + i + 2);
          break;
        }
  if (target) {
    for (Instruction &each : function.find(target)->body)
      if (each.opcode == spv::Op::OpPhi)
        each.operands.append({id(undefined(each.type)), id(block.label)});
    block.terminator().operands[0] = id(target);
    return;
  }
  Id type = function.definition.type;
  if (kind == ExitKind::Unreachable)
    block.terminator() = {spv::Op::OpUnreachable, 0, 0, {}};
  else if (Id value = undefined(type))
    block.terminator() = {spv::Op::OpReturnValue, 0, 0, {id(value)}};
  else
    block.terminator() = {spv::Op::OpReturn, 0, 0, {}};
}

/// Whether every use in reachable code is after its definition.
static bool isWellFormed(const Function &function) {
  Flow flow(function);
  DenseMap<Id, std::pair<size_t, size_t>> made;
  for (auto [block, body] : enumerate(function.blocks))
    for (auto [index, each] : enumerate(body.body))
      if (each.result)
        made[each.result] = {block, index};
  auto isDefinedBefore = [&](Id value, size_t block, size_t index) {
    auto found = made.find(value);
    if (found == made.end() || !flow.isReachable(block))
      return true;
    auto [from, at] = found->second;
    return from == block ? at < index : flow.isReachable(from) && flow.dominates(from, block);
  };
  for (auto [block, body] : enumerate(function.blocks))
    for (auto [index, each] : enumerate(body.body))
      for (auto [number, operand] : enumerate(each.operands)) {
        bool isPhi = each.opcode == spv::Op::OpPhi;
        if (!operand.isId || (isPhi && number % 2))
          continue;
        size_t user = isPhi ? flow.index(each.word(number + 1)) : block;
        if (!isDefinedBefore(operand.word, user, isPhi ? ~size_t(0) : index))
          return false;
      }
  return true;
}

/// Proposes an exit for the block of a random dead place; none where that block has no such exit.
std::optional<Step> AddDeadExit::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInsertion(context, random);
  if (!place || !context.isDead(*place))
    return std::nullopt;
  Step step;
  step.numbers = {context.block(*place).label, random.below(4)};
  return isApplicable(context, step) ? std::optional(step) : std::nullopt;
}

/// Tries the exit on a copy of the function, because whether dominance still holds depends on it.
bool AddDeadExit::isApplicable(const Context &context, const Step &step) {
  std::optional<Place> place = context.findBlock(step.id(0));
  auto kind = static_cast<ExitKind>(step.number(1));
  if (!place || !context.isDead(*place) || step.number(1) > uint64_t(ExitKind::Continue) ||
      context.block(*place).terminator().opcode != spv::Op::OpBranch)
    return false;
  const Flow &flow = context.flow(place->function);
  size_t old = flow.successors(place->block).front();
  bool hasOtherWay = any_of(flow.predecessors(old), [&](size_t source) {
    return source != place->block && flow.isReachable(source) && !flow.dominates(old, source);
  });
  std::optional<Id> target = targetOf(context, *place, kind);
  if (!hasOtherWay || flow.isInContinue(place->block) || flow.dominates(old, place->block) ||
      !target)
    return false;
  Function changed = context.program().functions[place->function];
  writeExit(changed, changed.blocks[place->block], kind, *target, [](Id) { return 0; });
  return isWellFormed(changed);
}

/// Broken: the code is not dead.
void AddDeadExit::apply(Context &context, const Step &step) {
  Place place = *context.findBlock(step.id(0));
  auto kind = static_cast<ExitKind>(step.number(1));
  Id target = *targetOf(context, place, kind);
  if (context.isBroken())
    reviveDeadCode(context, place);
  Emitter emitter(context);
  Id nothing = emitter.pool().voidType();
  Function &function = context.edit().program.functions[place.function];
  writeExit(function, function.blocks[place.block], kind, target,
            [&](Id type) { return type == nothing ? 0 : emitter.pool().constantNull(type); });
}

} // namespace assay::fuzz
