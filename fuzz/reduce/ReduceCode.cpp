// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of statements: instructions that are there for their effect, or for nothing.
#include "fuzz/program/Definitions.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

// Statements: at = label, index = place in the block.

/// True for instructions without a result, and for impure ones with an unused result.
static bool isStatement(const Instruction &instruction, const Definitions &definitions) {
  if (isTerminator(instruction.opcode) || isMerge(instruction.opcode))
    return false;
  return !instruction.result ||
         (!isRemovableIfUnused(instruction.opcode) && definitions.uses(instruction.result) == 0);
}

/// Proposes each statement.
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

/// Turns the instructions into OpNop, which keeps the indices of the others.
static void dropInstructions(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    if (Block *block = findBlock(program, chance.at))
      drop(block->body[chance.index]);
}

// Dead results, one by one, for bugs that need the others: at = label, index = place.

/// Proposes each pure instruction with an unused result. sweep() would remove all of them at once.
static std::vector<Chance> findUnused(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      for (auto [index, instruction] : enumerate(block.body))
        if (instruction.result && isRemovableIfUnused(instruction.opcode) &&
            definitions.uses(instruction.result) == 0)
          chances.push_back({block.label, static_cast<uint32_t>(index)});
  return chances;
}

ArrayRef<ProgramReduction> codeReductions() {
  static constexpr ProgramReduction rows[] = {
      {"drop-statements", findStatements, dropInstructions},
      {"drop-unused", findUnused, dropInstructions},
  };
  return rows;
}

} // namespace assay::fuzz
