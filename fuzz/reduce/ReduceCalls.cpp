// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of calls: they go or are put in place; parameters.
#include "fuzz/program/Definitions.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

// Calls that return data or nothing: at = result of the call.

/// True if \p type is OpTypeVoid.
static bool isVoid(const Program &program, Id type) {
  return any_of(program.globals, [&](const Instruction &each) {
    return each.result == type && each.opcode == spv::Op::OpTypeVoid;
  });
}

/// Proposes each call with a result that can be zero, or with none.
static std::vector<Chance> findCalls(const Program &program) {
  std::vector<Chance> chances;
  forEachInstruction(program, [&](const Instruction &instruction) {
    if (instruction.opcode == spv::Op::OpFunctionCall &&
        (isData(program, instruction.type) || isVoid(program, instruction.type)))
      chances.push_back({instruction.result});
  });
  return chances;
}

/// Calls \p edit with the instruction of a body that has result \p result.
template <typename EditT> static void withResult(Program &program, Id result, EditT edit) {
  for (Function &function : program.functions)
    for (Block &block : function.blocks)
      for (Instruction &instruction : block.body)
        if (instruction.result == result)
          return edit(instruction);
}

/// Removes the calls; uses of a result become zero.
static void dropCalls(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    withResult(program, chance.at, [&](Instruction &call) {
      Id type = call.type;
      Pool pool(program);
      if (isData(program, type))
        replaceUses(program, chance.at, zeroOf(pool, type));
      drop(call);
    });
}

// Calls of functions that return in one place: at = result of the call.

/// True if the block returns from the function.
static bool isReturn(const Block &block) {
  return block.terminator().opcode == spv::Op::OpReturn ||
         block.terminator().opcode == spv::Op::OpReturnValue;
}

/// The function that \p call, which is in \p block of \p caller, can be replaced by; or null.
static const Function *calleeOf(const Program &program, const Function &caller, const Block &block,
                                const Instruction &call) {
  const Function *callee = program.findFunction(call.word(0));
  if (!callee || callee == &caller || count_if(callee->blocks, isReturn) != 1)
    return nullptr;
  // A header of a loop is where its last block leads back to, and cannot be two.
  const Instruction *merge = block.merge();
  bool isLoop = merge && merge->opcode == spv::Op::OpLoopMerge;
  return isLoop && callee->blocks.size() > 1 ? nullptr : callee;
}

/// Proposes each call that calleeOf() accepts.
static std::vector<Chance> findInlines(const Program &program) {
  std::vector<Chance> chances;
  for (const Function &caller : program.functions)
    for (const Block &block : caller.blocks)
      for (const Instruction &instruction : block.body)
        if (instruction.opcode == spv::Op::OpFunctionCall &&
            calleeOf(program, caller, block, instruction))
          chances.push_back({instruction.result});
  return chances;
}

/// The blocks of \p callee with new results and labels, and with the arguments of \p call. The
/// first has the label \p entry.
static std::vector<Block> copyBlocks(Program &program, const Function &callee,
                                     const Instruction &call, Id entry) {
  DenseMap<Id, Id> renamed;
  for (auto [index, parameter] : enumerate(callee.parameters))
    renamed[parameter.result] = call.word(index + 1);
  std::vector<Block> blocks = callee.blocks;
  for (Block &block : blocks) {
    Id label = &block == &blocks.front() ? entry : program.fresh();
    block.label = renamed[block.label] = label;
    for (Instruction &instruction : block.body)
      if (instruction.result)
        instruction.result = renamed[instruction.result] = program.fresh();
  }
  for (Block &block : blocks)
    for (Instruction &instruction : block.body)
      for (Operand &operand : instruction.operands)
        if (Id other = operand.isId ? renamed.lookup(operand.word) : 0)
          operand.word = other;
  return blocks;
}

/// Variables of \p blocks are at the beginning of the entry block.
static void hoistVariables(Function &caller, std::vector<Block> &blocks) {
  std::vector<Instruction> &body = blocks.front().body, &entry = caller.blocks.front().body;
  auto isVariable = [](const Instruction &each) { return each.opcode == spv::Op::OpVariable; };
  std::vector<Instruction> variables;
  copy_if(body, std::back_inserter(variables), isVariable);
  erase_if(body, isVariable);
  entry.insert(entry.begin(), variables.begin(), variables.end());
}

/// Replaces \p from by \p to among the predecessors that phis name.
static void renamePredecessor(Function &function, Id from, Id to) {
  for (Block &block : function.blocks)
    for (Instruction &instruction : block.body)
      if (instruction.opcode == spv::Op::OpPhi)
        for (size_t i = 1; i < instruction.operands.size(); i += 2)
          if (instruction.word(i) == from)
            instruction.operands[i].word = to;
}

/// What is before the call goes before the callee's first block, what is after it takes
/// the place of its return.
static void inlineCall(Program &program, Function &caller, size_t block, size_t index) {
  Instruction call = caller.blocks[block].body[index];
  const Function *callee = calleeOf(program, caller, caller.blocks[block], call);
  if (!callee)
    return;
  Id label = caller.blocks[block].label;
  std::vector<Block> blocks = copyBlocks(program, *callee, call, label);
  Block &last = *find_if(blocks, isReturn);
  Instruction end = last.terminator();
  last.body.pop_back();
  renamePredecessor(caller, label, last.label);
  hoistVariables(caller, blocks);
  // The call may have moved with the entry block's variables.
  std::vector<Instruction> &body = caller.blocks[block].body;
  auto place = find_if(body, [&](const Instruction &each) { return each.result == call.result; });
  last.body.insert(last.body.end(), std::next(place), body.end());
  body.erase(place, body.end());
  append_range(body, blocks.front().body);
  caller.blocks.insert(caller.blocks.begin() + static_cast<ptrdiff_t>(block) + 1,
                       std::next(blocks.begin()), blocks.end());
  if (end.opcode == spv::Op::OpReturnValue)
    replaceUses(program, call.result, end.word(0));
}

/// Inlines one call after the other. A call is searched for again, because inlining moves
/// instructions.
static void inlineCalls(Program &program, ArrayRef<Chance> chances) {
  auto find = [&](const Chance &chance) {
    for (Function &function : program.functions)
      for (auto [number, block] : enumerate(function.blocks))
        for (auto [index, instruction] : enumerate(block.body))
          if (instruction.result == chance.at && instruction.opcode == spv::Op::OpFunctionCall)
            return inlineCall(program, function, number, index);
  };
  for_each(chances, find);
}

// Parameters: at = function, index = the parameter's number; those after it first.

/// Proposes parameters that are data or have no uses.
static std::vector<Chance> findParameters(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Function &function : program.functions)
    for (auto [index, parameter] : enumerate(function.parameters))
      if (isData(program, parameter.type) || definitions.uses(parameter.result) == 0)
        chances.push_back({function.result(), static_cast<uint32_t>(index)});
  std::ranges::reverse(chances);
  return chances;
}

/// Removes a parameter, its type from the function type, and the argument of each call.
static void dropParameter(Program &program, Function &function, uint32_t index) {
  Pool pool(program);
  Instruction parameter = function.parameters[index];
  if (isData(program, parameter.type))
    replaceUses(program, parameter.result, zeroOf(pool, parameter.type));
  function.parameters.erase(function.parameters.begin() + index);
  SmallVector<Id, 4> types;
  for (const Instruction &each : function.parameters)
    types.push_back(each.type);
  function.definition.operands[1].word = pool.functionType(function.definition.type, types);
  forEachInstruction(program, [&](Instruction &instruction) {
    if (instruction.opcode == spv::Op::OpFunctionCall && instruction.word(0) == function.result())
      instruction.operands.erase(instruction.operands.begin() + 1 + index);
  });
}

/// Removes parameters in the order of the chances: later ones of a function first, so indices hold.
static void dropParameters(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    if (Function *function = program.findFunction(chance.at))
      dropParameter(program, *function, chance.index);
}

ArrayRef<ProgramReduction> callReductions() {
  static constexpr ProgramReduction rows[] = {
      {"drop-calls", findCalls, dropCalls},
      {"inline-calls", findInlines, inlineCalls},
      {"drop-parameters", findParameters, dropParameters},
  };
  return rows;
}

} // namespace assay::fuzz
