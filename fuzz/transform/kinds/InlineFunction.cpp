// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// inline-function: a call is replaced by a copy of what it calls; several returns, or one from
// inside of a selection, leave a loop that runs once. Precondition: the call is reachable, and in
// no loop header or continue construct; the callee has a body, returns from no loop, and may be no
// part of the call's own function. Effect: none. Numbers: the call's result.
#include "fuzz/transform/Cloning.h"
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// True if the block returns to the caller.
static bool isReturn(const Block &block) {
  return block.terminator().opcode == spv::Op::OpReturn ||
         block.terminator().opcode == spv::Op::OpReturnValue;
}

/// Whether the callee returns, and from no loop: a branch to after the copy can replace each return
/// then.
static bool canLeave(const Function &callee, const Flow &flow) {
  for (auto [index, block] : enumerate(callee.blocks))
    if (isReturn(block) && any_of(flow.constructs(), [&, at = index](const auto &construct) {
          return construct.isLoop && construct.blocks[at];
        }))
      return false;
  return any_of(callee.blocks, isReturn);
}

/// Returns the function's index in the program, or nothing for other ids.
static std::optional<size_t> indexOfFunction(const Program &program, Id id) {
  const Function *found = program.findFunction(id);
  return found ? std::optional(static_cast<size_t>(found - program.functions.data()))
               : std::nullopt;
}

/// True if the call at \p place meets the precondition.
static bool canInline(const Context &context, Place place, const Instruction &call) {
  if (call.opcode != spv::Op::OpFunctionCall || !context.isReachable(place) ||
      !isSplittable(context, place) || context.flow(place.function).isInContinue(place.block))
    return false;
  std::optional<size_t> callee = indexOfFunction(context.program(), call.word(0));
  return callee && *callee != place.function &&
         !context.program().functions[*callee].blocks.empty() &&
         canLeave(context.program().functions[*callee], context.flow(*callee));
}

std::optional<Step> InlineFunction::propose(const Context &context, Random &random) {
  std::optional<Place> place =
      pickInstruction(context, random, [&](Place place, const Instruction &each) {
        return canInline(context, place, each);
      });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.at(*place)->result};
  return step;
}

bool InlineFunction::isApplicable(const Context &context, const Step &step) {
  const Place *place = context.definitions().place(step.id(0));
  return place && canInline(context, *place, *context.at(*place));
}

/// Whether the callee's only return is in no construct, so that after it goes on what called.
static bool isPlain(const Function &callee, const Flow &flow) {
  auto returns = count_if(callee.blocks, isReturn);
  for (auto [index, block] : enumerate(callee.blocks))
    if (isReturn(block) && (flow.innermost(index) || returns != 1))
      return false;
  return true;
}

namespace {
/// The copy of a callee under construction.
struct InlinedBody {
  std::vector<Block> blocks;                    ///< With new ids.
  std::vector<Instruction> variables;           ///< For the caller's entry block.
  Instruction result{spv::Op::OpPhi, 0, 0, {}}; ///< Of all returns.
};
} // namespace

/// Copies \p callee so that it leaves to \p leave. Its variables are taken out, and set at its
/// entry where they have an initial value.
static InlinedBody copyBody(const Function &callee, const Cloner &names, Id leave) {
  InlinedBody body;
  for (const Block &block : callee.blocks) {
    Block copy = names.clone(block);
    if (isReturn(copy)) {
      if (copy.terminator().opcode == spv::Op::OpReturnValue)
        append_range(body.result.operands,
                     ArrayRef<Operand>{copy.terminator().operands[0], id(copy.label)});
      copy.terminator() = {spv::Op::OpBranch, 0, 0, {id(leave)}};
    }
    std::vector<Instruction> stores;
    for (Instruction &each : copy.body)
      if (each.opcode == spv::Op::OpVariable) {
        if (each.operands.size() > 1)
          stores.push_back(
              {spv::Op::OpStore, 0, 0, {id(each.result), each.operands.pop_back_val()}});
        body.variables.push_back(each);
      }
    erase_if(copy.body, [](const Instruction &each) { return each.opcode == spv::Op::OpVariable; });
    copy.body.insert(copy.body.begin(), stores.begin(), stores.end());
    body.blocks.push_back(std::move(copy));
  }
  return body;
}

/// Puts \p blocks into a loop that runs once, with \p head before and \p merge after them.
static void wrapInLoop(Program &program, std::vector<Block> &blocks, Id head, Id merge) {
  Id next = program.fresh(), first = blocks.front().label;
  blocks.insert(blocks.begin(),
                Block{head,
                      {{spv::Op::OpLoopMerge, 0, 0, {id(merge), id(next), literal(0)}},
                       {spv::Op::OpBranch, 0, 0, {id(first)}}}});
  blocks.push_back({next, {{spv::Op::OpBranch, 0, 0, {id(head)}}}});
}

/// Broken: the result is 0.
void InlineFunction::apply(Context &context, const Step &step) {
  Place place = *context.definitions().place(step.id(0));
  Instruction call = *context.at(place);
  size_t number = *indexOfFunction(context.program(), call.word(0));
  bool needsLoop = !isPlain(context.program().functions[number], context.flow(number));
  Emitter emitter(context);
  Program &program = context.edit().program;
  const Function &callee = program.functions[number];
  Function &caller = program.functions[place.function];
  Cloner names(program);
  for (auto [index, parameter] : enumerate(callee.parameters))
    names.rename(parameter.result, call.word(index + 1));
  for (const Block &block : callee.blocks)
    names.renewAll(block);
  Id after = program.fresh(), merge = needsLoop ? program.fresh() : after,
     head = needsLoop ? program.fresh() : names.nameOf(callee.blocks.front().label);
  InlinedBody body = copyBody(callee, names, merge);
  names.cloneDecorations();
  splitBlock(caller, place.block, place.index, after);
  caller.blocks[place.block].terminator().operands[0] = id(head);
  std::vector<Instruction> &rest = caller.blocks[place.block + 1].body;
  rest.erase(rest.begin());
  if (needsLoop) {
    wrapInLoop(program, body.blocks, head, merge);
    body.blocks.push_back({merge, {{spv::Op::OpBranch, 0, 0, {id(after)}}}});
  }
  if (!body.result.operands.empty()) {
    body.result.type = call.type;
    body.result.result = call.result;
    if (context.isBroken())
      body.result.operands[0] = id(emitter.pool().constantNull(call.type));
    std::vector<Instruction> &join = needsLoop ? body.blocks.back().body : rest;
    join.insert(join.begin(), std::move(body.result));
  }
  insertBefore(caller, after, std::move(body.blocks));
  std::vector<Instruction> &entry = caller.blocks.front().body;
  entry.insert(entry.begin(), body.variables.begin(), body.variables.end());
}

} // namespace assay::fuzz
