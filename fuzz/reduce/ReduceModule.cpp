// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of what stands around the code: names, decorations, modes, capabilities, members that
// nobody needs, hints.
#include "fuzz/program/Definitions.h"
#include "fuzz/reduce/Chances.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

// A section's instructions, each for itself: index = its number.

template <std::vector<Instruction> Program::*Section>
static std::vector<Chance> findInSection(const Program &program) {
  return chancesBelow((program.*Section).size());
}

template <std::vector<Instruction> Program::*Section>
static void dropFromSection(Program &program, ArrayRef<Chance> chances) {
  dropElements(program.*Section, chances);
}

// Globals and functions that nothing uses, one by one, for bugs that need the others: at = the id.

/// Proposes each global without uses, the last first: a type then follows its users.
static std::vector<Chance> findUnusedGlobals(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Instruction &global : reverse(program.globals))
    if (global.result && definitions.uses(global.result) == 0)
      chances.push_back({global.result});
  return chances;
}

/// Removes the globals with their names and decorations.
static void dropGlobals(Program &program, ArrayRef<Chance> chances) {
  auto isGone = [&](Id id) {
    return any_of(chances, [&](const Chance &chance) { return chance.at == id; });
  };
  erase_if(program.globals, [&](const Instruction &each) { return isGone(each.result); });
  dropAnnotations(program, isGone);
}

/// Proposes each function that is neither called nor an entry point.
static std::vector<Chance> findUnusedFunctions(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Function &function : program.functions)
    if (definitions.uses(function.result()) == 0)
      chances.push_back({function.result()});
  return chances;
}

/// Removes the functions.
static void dropFunctions(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    erase_if(program.functions,
             [&](const Function &function) { return function.result() == chance.at; });
  dropGlobals(program, chances); // Names and decorations of theirs.
}

// Structures: at = the structure; its last member goes.

/// Proposes each structure with more than one member.
static std::vector<Chance> findMembers(const Program &program) {
  std::vector<Chance> chances;
  for (const Instruction &global : program.globals)
    if (global.opcode == spv::Op::OpTypeStruct && global.operands.size() > 1)
      chances.push_back({global.result});
  return chances;
}

/// Removes the last member and its annotations. Accesses and constants with that member are not
/// adapted; such a result is invalid and rejected.
static void dropLastMembers(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    for (Instruction &global : program.globals) {
      if (global.result != chance.at)
        continue;
      global.operands.pop_back();
      size_t count = global.operands.size();
      auto isOfMember = [&](const Instruction &each) {
        return (each.opcode == spv::Op::OpMemberDecorate ||
                each.opcode == spv::Op::OpMemberDecorateString ||
                each.opcode == spv::Op::OpMemberName) &&
               each.word(0) == chance.at && each.word(1) >= count;
      };
      erase_if(program.decorations, isOfMember);
      erase_if(program.names, isOfMember);
    }
}

// Hints: at = label, index = place in the block; or at = a function and index = none.

static constexpr uint32_t OfFunction = ~0u;

namespace {
/// How many operands an instruction has without its hints; a mask among those that stay is cleared.
struct HintRow {
  spv::Op opcode;
  size_t plainOperands;
  int mask; ///< Number of the operand that is a mask; -1 for none.
};
} // namespace

static constexpr HintRow hintRows[] = {
    {spv::Op::OpLoad, 1, -1},       {spv::Op::OpStore, 2, -1},
    {spv::Op::OpCopyMemory, 2, -1}, {spv::Op::OpSelectionMerge, 2, 1},
    {spv::Op::OpLoopMerge, 3, 2},   {spv::Op::OpBranchConditional, 3, -1},
};

/// Returns the row of an instruction that has hints, or null.
static const HintRow *findHint(const Instruction &instruction) {
  for (const HintRow &row : hintRows)
    if (row.opcode == instruction.opcode &&
        (instruction.operands.size() > row.plainOperands ||
         (row.mask >= 0 && instruction.word(static_cast<size_t>(row.mask)) != 0)))
      return &row;
  return nullptr;
}

/// Proposes each instruction and function with hints.
static std::vector<Chance> findHints(const Program &program) {
  std::vector<Chance> chances;
  for (const Function &function : program.functions) {
    if (function.definition.word(0) != 0)
      chances.push_back({function.result(), OfFunction});
    for (const Block &block : function.blocks)
      for (auto [index, instruction] : enumerate(block.body))
        if (findHint(instruction))
          chances.push_back({block.label, static_cast<uint32_t>(index)});
  }
  return chances;
}

/// Removes optional operands and clears masks: memory access, loop and selection control, branch
/// weights, function control.
static void dropHints(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    if (chance.index == OfFunction) {
      program.findFunction(chance.at)->definition.operands[0].word = 0;
      continue;
    }
    Instruction &instruction = findBlock(program, chance.at)->body[chance.index];
    const HintRow *row = findHint(instruction);
    instruction.operands.truncate(row->plainOperands);
    if (row->mask >= 0)
      instruction.operands[static_cast<size_t>(row->mask)].word = 0;
  }
}

ArrayRef<ProgramReduction> moduleReductions() {
  static constexpr ProgramReduction rows[] = {
      {"drop-names", findInSection<&Program::names>, dropFromSection<&Program::names>},
      {"drop-functions", findUnusedFunctions, dropFunctions},
      {"drop-globals", findUnusedGlobals, dropGlobals},
      {"drop-hints", findHints, dropHints},
      {"drop-decorations", findInSection<&Program::decorations>,
       dropFromSection<&Program::decorations>},
      {"drop-members", findMembers, dropLastMembers},
      {"drop-entry-points", findInSection<&Program::entryPoints>,
       dropFromSection<&Program::entryPoints>},
      {"drop-modes", findInSection<&Program::executionModes>,
       dropFromSection<&Program::executionModes>},
      {"drop-extensions", findInSection<&Program::extensions>,
       dropFromSection<&Program::extensions>},
      {"drop-capabilities", findInSection<&Program::capabilities>,
       dropFromSection<&Program::capabilities>},
  };
  return rows;
}

} // namespace assay::fuzz
