// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of control flow: a construct becomes one of its parts or nothing, branches lose
// targets, blocks end early or join.
#include "fuzz/program/Flow.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Loops.h"
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// Calls \p visit(function, block) for all blocks.
template <typename VisitT> static void forEachBlock(const Program &program, VisitT visit) {
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      visit(function, block);
}

/// True for terminators with a condition or selector.
static bool hasTargets(const Block &block) {
  return block.terminator().opcode == spv::Op::OpBranchConditional ||
         block.terminator().opcode == spv::Op::OpSwitch;
}

// Selections: at = header, value = the label that is taken.

/// Proposes targets of selection headers: the merge block, or all others.
static std::vector<Chance> findSelections(const Program &program, bool isMerge) {
  std::vector<Chance> chances;
  forEachBlock(program, [&](const Function &, const Block &block) {
    const Instruction *merge = block.merge();
    if (!merge || merge->opcode != spv::Op::OpSelectionMerge)
      return;
    if (isMerge)
      chances.push_back({block.label, 0, merge->word(0)});
    for (Id target : block.successors())
      if (!isMerge && target != merge->word(0))
        chances.push_back({block.label, 0, target});
  });
  return chances;
}

/// Proposes to branch past each selection.
static std::vector<Chance> findSkips(const Program &program) {
  return findSelections(program, true);
}
/// Proposes to branch to one arm of each selection.
static std::vector<Chance> findArms(const Program &program) {
  return findSelections(program, false);
}

/// Replaces the terminators of selection headers by branches to the chosen targets.
static void takeArms(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    if (Block *header = findBlock(program, chance.at); header && header->merge())
      endWithBranch(*header, chance.value);
}

// Branches without a construct of their own (break, continue): at = block, value = the one target.

/// Proposes each target of the conditional branches that head no selection.
static std::vector<Chance> findBranches(const Program &program) {
  std::vector<Chance> chances;
  forEachBlock(program, [&](const Function &, const Block &block) {
    const Instruction *merge = block.merge();
    if (!hasTargets(block) || (merge && merge->opcode == spv::Op::OpSelectionMerge))
      return;
    for (Id target : block.successors())
      chances.push_back({block.label, 0, target});
  });
  return chances;
}

/// Makes the branches unconditional; a loop header keeps its merge instruction.
static void straightenBranches(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    if (Block *block = findBlock(program, chance.at); block && hasTargets(*block))
      block->terminator() = {spv::Op::OpBranch, 0, 0, {id(chance.value)}};
}

// Cases of a switch: at = block, index = the number of the operand that is the case's label.

/// Proposes each case of each switch; the default always stays.
static std::vector<Chance> findCases(const Program &program) {
  std::vector<Chance> chances;
  forEachBlock(program, [&](const Function &, const Block &block) {
    const Instruction &last = block.terminator();
    if (last.opcode != spv::Op::OpSwitch)
      return;
    for (auto [index, operand] : enumerate(last.operands))
      if (index > 1 && operand.isId)
        chances.push_back({block.label, static_cast<uint32_t>(index)});
  });
  std::ranges::reverse(chances); // So that the numbers of the rest stay.
  return chances;
}

/// Removes literal and label of the cases. A literal may have several words.
static void dropCases(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    Block *block = findBlock(program, chance.at);
    if (!block || block->terminator().opcode != spv::Op::OpSwitch)
      continue;
    auto &operands = block->terminator().operands;
    auto *end = operands.begin() + chance.index + 1;
    auto *begin = end - 1;
    while (!std::prev(begin)->isId)
      --begin;
    operands.erase(begin, end);
  }
}

// Early ends: at = block.

/// Proposes each block that does not end its function yet.
static std::vector<Chance> findEnds(const Program &program) {
  std::vector<Chance> chances;
  forEachBlock(program, [&](const Function &, const Block &block) {
    if (!block.successors().empty())
      chances.push_back({block.label});
  });
  return chances;
}

/// Ends the blocks by a return, of zero where the function has a result. Functions that return
/// other values than data are left alone.
static void endBlocks(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    for (Function &function : program.functions) {
      Block *block = function.find(chance.at);
      if (!block)
        continue;
      Pool pool(program);
      Id type = function.definition.type;
      bool isVoid = pool.definition(type).opcode == spv::Op::OpTypeVoid;
      if (!isVoid && !isData(program, type))
        continue;
      endWithBranch(*block, 0);
      block->terminator() =
          isVoid ? Instruction{spv::Op::OpReturn, 0, 0, {}}
                 : Instruction{spv::Op::OpReturnValue, 0, 0, {id(zeroOf(pool, type))}};
    }
}

// Joins: at = the block that ends, value = the block that follows it.

/// True if a merge instruction of the function names the label.
static bool isNamedByMerge(const Function &function, Id label) {
  return any_of(function.blocks, [&](const Block &block) {
    const Instruction *merge = block.merge();
    return merge && any_of(merge->operands, [&](const Operand &operand) {
             return operand.isId && operand.word == label;
           });
  });
}

/// Proposes to append a block to its only predecessor, if no construct depends on it.
static std::vector<Chance> findJoins(const Program &program) {
  std::vector<Chance> chances;
  for (const Function &function : program.functions) {
    Flow flow(function);
    for (const Block &block : function.blocks) {
      if (block.terminator().opcode != spv::Op::OpBranch || block.merge())
        continue;
      Id next = block.terminator().word(0);
      const Block &target = function.blocks[flow.index(next)];
      bool isLoop = target.merge() && target.merge()->opcode == spv::Op::OpLoopMerge;
      if (flow.predecessors(flow.index(next)).size() == 1 && !isLoop &&
          !isNamedByMerge(function, next))
        chances.push_back({block.label, 0, next});
    }
  }
  std::ranges::reverse(chances); // A join does not change those before it.
  return chances;
}

/// Appends the blocks to their predecessors.
static void joinBlocks(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    for (Function &function : program.functions) {
      Block *block = function.find(chance.at);
      Block *next = function.find(chance.value);
      if (!block || !next)
        continue;
      block->body.pop_back();
      append_range(block->body, next->body);
      erase_if(function.blocks, [&](const Block &each) { return each.label == chance.value; });
      for (Block &user : function.blocks)
        for (Instruction &instruction : user.body)
          for (Operand &operand : instruction.operands)
            if (operand.isId && operand.word == chance.value)
              operand.word = chance.at; // Phis that named it as their predecessor.
    }
}

/// Skipping whole constructs comes first: it removes most.
ArrayRef<ProgramReduction> flowReductions() {
  static constexpr ProgramReduction rows[] = {
      {"skip-loops", findLoops, skipLoops},
      {"skip-selections", findSkips, takeArms},
      {"end-blocks", findEnds, endBlocks},
      {"take-arms", findArms, takeArms},
      {"run-loops-once", findLoops, runLoopsOnce},
      {"uncount-loops", findCountedLoops, uncountLoops},
      {"straighten-branches", findBranches, straightenBranches},
      {"drop-cases", findCases, dropCases},
      {"join-blocks", findJoins, joinBlocks},
  };
  return rows;
}

} // namespace assay::fuzz
