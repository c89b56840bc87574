// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of functions and statements: calls that go or are put in place, instructions that are
// there for their effect, parameters.
#include "fuzz/program/Definitions.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

// Calls that return data or nothing: at = result of the call.

static bool isVoid(const Program &program, Id type) {
  return any_of(program.globals, [&](const Instruction &each) {
    return each.result == type && each.opcode == spv::Op::OpTypeVoid;
  });
}

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

// Calls of functions of one block: at = result of the call.

static const Function *calleeOf(const Program &program, const Instruction &call) {
  const Function *callee = program.findFunction(call.word(0));
  bool isSimple = callee && callee->blocks.size() == 1 &&
                  (callee->blocks[0].terminator().opcode == spv::Op::OpReturn ||
                   callee->blocks[0].terminator().opcode == spv::Op::OpReturnValue);
  return isSimple ? callee : nullptr;
}

static std::vector<Chance> findInlines(const Program &program) {
  std::vector<Chance> chances;
  forEachInstruction(program, [&](const Instruction &instruction) {
    if (instruction.opcode == spv::Op::OpFunctionCall && calleeOf(program, instruction))
      chances.push_back({instruction.result});
  });
  return chances;
}

/// The body of \p callee with new results and the arguments of \p call; the terminator is left out.
static std::vector<Instruction> copyBody(Program &program, const Function &callee,
                                         const Instruction &call, DenseMap<Id, Id> &renamed) {
  for (auto [index, parameter] : enumerate(callee.parameters))
    renamed[parameter.result] = call.word(index + 1);
  std::vector<Instruction> body(callee.blocks[0].body.begin(), callee.blocks[0].body.end() - 1);
  for (Instruction &instruction : body)
    if (instruction.result)
      instruction.result = renamed[instruction.result] = program.fresh();
  for (Instruction &instruction : body)
    for (Operand &operand : instruction.operands)
      if (Id other = operand.isId ? renamed.lookup(operand.word) : 0)
        operand.word = other;
  return body;
}

static void inlineAt(Program &program, Function &caller, Block &block, size_t index) {
  Instruction call = block.body[index];
  const Function *callee = calleeOf(program, call);
  if (!callee)
    return;
  Instruction end = callee->blocks[0].terminator();
  DenseMap<Id, Id> renamed;
  std::vector<Instruction> body = copyBody(program, *callee, call, renamed);
  // Variables stand at the beginning of the entry block.
  std::vector<Instruction> variables, rest;
  for (Instruction &instruction : body)
    (instruction.opcode == spv::Op::OpVariable ? variables : rest)
        .push_back(std::move(instruction));
  block.body[index] = {};
  block.body.insert(block.body.begin() + static_cast<ptrdiff_t>(index), rest.begin(), rest.end());
  std::vector<Instruction> &entry = caller.blocks[0].body;
  entry.insert(entry.begin(), variables.begin(), variables.end());
  if (end.opcode != spv::Op::OpReturnValue)
    return;
  Id value = end.word(0);
  if (Id other = renamed.lookup(value))
    value = other;
  replaceUses(program, call.result, value);
}

static void inlineCalls(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    for (Function &function : program.functions)
      for (Block &block : function.blocks)
        for (size_t i = 0; i < block.body.size(); ++i)
          if (block.body[i].result == chance.at &&
              block.body[i].opcode == spv::Op::OpFunctionCall) {
            inlineAt(program, function, block, i);
            break;
          }
}

// Statements: at = label, index = place in the block.

static bool isStatement(const Instruction &instruction, const Definitions &definitions) {
  if (isTerminator(instruction.opcode) || isMerge(instruction.opcode))
    return false;
  return !instruction.result ||
         (!isPure(instruction.opcode) && definitions.uses(instruction.result) == 0);
}

static std::vector<Chance> findStatements(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      for (auto [index, instruction] : enumerate(block.body))
        if (isStatement(instruction, definitions))
          chances.push_back({block.label, static_cast<uint32_t>(index)});
  return chances;
}

static void dropInstructions(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    if (Block *block = findBlock(program, chance.at))
      drop(block->body[chance.index]);
}

// Dead results, one by one, for bugs that need the others: at = label, index = place.

static std::vector<Chance> findUnused(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      for (auto [index, instruction] : enumerate(block.body))
        if (instruction.result && isPure(instruction.opcode) &&
            definitions.uses(instruction.result) == 0)
          chances.push_back({block.label, static_cast<uint32_t>(index)});
  return chances;
}

// Parameters: at = function, index = the parameter's number; those behind it first.

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

static void dropParameters(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    if (Function *function = program.findFunction(chance.at))
      dropParameter(program, *function, chance.index);
}

ArrayRef<ProgramReduction> codeReductions() {
  static constexpr ProgramReduction rows[] = {
      {"drop-calls", findCalls, dropCalls},
      {"drop-statements", findStatements, dropInstructions},
      {"drop-unused", findUnused, dropInstructions},
      {"inline-calls", findInlines, inlineCalls},
      {"drop-parameters", findParameters, dropParameters},
  };
  return rows;
}

} // namespace assay::fuzz
