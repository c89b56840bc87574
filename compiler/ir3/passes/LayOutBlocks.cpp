// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/Legalize.h"

#include "support/Ir3Fault.h"
#include <cassert>

using namespace llvm;

namespace assay::ir3 {

/// Where a jump to \p block ends up. A forward jump does not become a backward one: that would move
/// the place where fibers meet again.
static Block *targetOf(Block *block, const Block &from) {
  for (unsigned hops = 0; hops < 100; ++hops) {
    bool onlyJumps =
        block->instructions.size() == 1 && block->instructions[0]->opcode == Opcode::Jump;
    if (!onlyJumps)
      return block;
    Block *next = block->successors[0];
    if (next == block || (block->number > from.number && next->number <= from.number))
      return block;
    block = next;
  }
  return block;
}

/// The branch to the other successor. False when the opcode has no opposite.
static bool invertBranch(Instruction &branch) {
  switch (branch.opcode) {
  case Opcode::Br:
    break;
  case Opcode::Bany:
    branch.opcode = Opcode::Ball;
    break;
  case Opcode::Ball:
    branch.opcode = Opcode::Bany;
    break;
  case Opcode::Braa:
    branch.opcode = Opcode::Brao;
    break;
  case Opcode::Brao:
    branch.opcode = Opcode::Braa;
    break;
  default:
    return false;
  }
  if (!faultPlanted(Ir3Fault::BranchInverted))
    branch.fields.invert1 = !branch.fields.invert1;
  if (branch.registers.size() > 2)
    branch.fields.invert2 = !branch.fields.invert2;
  return true;
}

/// Removes the jump of \p block to \p next, or adds the jump to the second successor that does not
/// follow. \p next is null at the end of the code.
static void layOut(Program &program, Block &block, const Block *next, bool optimizes) {
  Instruction *terminator = block.terminator();
  if (!terminator || terminator->opcode == Opcode::End)
    return;
  if (terminator->opcode == Opcode::Jump) {
    if (block.successors[0] == next)
      block.instructions.pop_back();
    return;
  }
  if (optimizes && block.successors[0] == next && invertBranch(*terminator))
    std::swap(block.successors[0], block.successors[1]);
  if (block.successors[1] != next) {
    Instruction *jump = program.createInstruction(Opcode::Jump);
    jump->block = &block;
    block.instructions.push_back(jump);
  }
}

/// Blocks that nothing leads to any more are removed. The entry block stays.
void layOutBlocks(Program &program, bool optimizes) {
  program.updatePredecessors();
  for (auto &block : program.blocks)
    for (Block *&successor : block->successors)
      if (successor && optimizes)
        successor = targetOf(successor, *block);
  program.updatePredecessors();
  // Blocks that nothing goes to any more.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &block : program.blocks) {
      if (block == program.blocks.front() || !block->predecessors.empty() ||
          block->instructions.empty())
        continue;
      block->instructions.clear();
      block->successors = {};
      changed = true;
    }
    if (changed)
      program.updatePredecessors();
  }
  erase_if(program.blocks, [&](const std::unique_ptr<Block> &block) {
    return block != program.blocks.front() && block->predecessors.empty();
  });
  program.updatePredecessors();
  for (size_t i = 0; i < program.blocks.size(); ++i)
    layOut(program, *program.blocks[i],
           i + 1 < program.blocks.size() ? program.blocks[i + 1].get() : nullptr, optimizes);
}

} // namespace assay::ir3
