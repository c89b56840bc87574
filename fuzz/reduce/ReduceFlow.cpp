// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of control flow: a construct becomes one of its parts or nothing, branches lose
// targets, blocks end early or join.
#include "fuzz/program/Flow.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// Calls \p visit(function, block) for all blocks.
template <typename VisitT> static void forEachBlock(const Program &program, VisitT visit) {
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      visit(function, block);
}

static bool hasTargets(const Block &block) {
  return block.terminator().opcode == spv::Op::OpBranchConditional ||
         block.terminator().opcode == spv::Op::OpSwitch;
}

// Loops as a whole: at = header.

static std::vector<Chance> findLoops(const Program &program) {
  std::vector<Chance> chances;
  forEachBlock(program, [&](const Function &, const Block &block) {
    if (const Instruction *merge = block.merge())
      if (merge->opcode == spv::Op::OpLoopMerge)
        chances.push_back({block.label});
  });
  return chances;
}

static void skipLoops(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    if (Block *header = findBlock(program, chance.at); header && header->merge())
      endWithBranch(*header, header->merge()->word(0));
}

namespace {
/// One loop made to run once, in place.
class LoopOnce {
public:
  LoopOnce(Function &function, Id header)
      : m_function(function), m_flow(function), m_header(header) {}
  void run();

private:
  bool leaves(Id label) const { return label == m_merge || label == m_continue; }
  void passOn(const BitVector &loop);
  void cutBlock(size_t index);
  Id selectionMerge(size_t index) const;

  Function &m_function;
  Flow m_flow;
  Id m_header, m_merge = 0, m_continue = 0;
};
} // namespace

/// The merge block of the innermost selection of this loop around block \p index; 0 for none.
Id LoopOnce::selectionMerge(size_t index) const {
  const Flow::Construct *construct = m_flow.innermost(index);
  if (!construct || construct->isLoop)
    return 0;
  return m_function.blocks[construct->merge].label;
}

/// Without the loop, there is nothing to leave: what would, goes on in the loop or ends the
/// selection around it.
void LoopOnce::cutBlock(size_t index) {
  Block &block = m_function.blocks[index];
  Instruction &last = block.terminator();
  if (is_contained(block.successors(), m_header)) {
    endWithBranch(block, m_merge);
    return;
  }
  if (const Instruction *merge = block.merge();
      merge && merge->opcode == spv::Op::OpSelectionMerge) {
    for (Operand &operand : drop_begin(last.operands))
      if (operand.isId && leaves(operand.word))
        operand.word = merge->word(0);
    return;
  }
  SmallVector<Id, 2> targets = block.successors();
  if (last.opcode == spv::Op::OpBranch && leaves(targets[0])) {
    if (Id merge = selectionMerge(index))
      endWithBranch(block, merge);
  } else if (last.opcode == spv::Op::OpBranchConditional &&
             any_of(targets, [&](Id label) { return leaves(label); })) {
    const Id *stays = find_if(targets, [&](Id label) { return !leaves(label); });
    endWithBranch(block, stays == targets.end() ? m_continue : *stays);
  }
}

/// The value of \p phi for the predecessor \p label, or 0.
static Id valueFrom(const Instruction &phi, Id label) {
  for (size_t i = 0; i + 1 < phi.operands.size(); i += 2)
    if (phi.word(i + 1) == label)
      return phi.word(i);
  return 0;
}

/// What follows the \p loop sees what its one run leaves: where it names a phi of the header, the
/// value that leads back to the header.
void LoopOnce::passOn(const BitVector &loop) {
  const Block &header = m_function.blocks[m_flow.index(m_header)];
  DenseMap<Id, Id> left;
  Id last = 0;
  for (size_t predecessor : m_flow.predecessors(m_flow.index(m_header)))
    if (loop[predecessor])
      last = m_function.blocks[predecessor].label;
  for (const Instruction &phi : header.body)
    if (Id value = phi.opcode == spv::Op::OpPhi ? valueFrom(phi, last) : 0)
      left[phi.result] = value;
  for (auto [index, block] : enumerate(m_function.blocks)) {
    if (loop[index])
      continue;
    for (Instruction &instruction : block.body) {
      // From here on it is the last block that leads behind the loop.
      if (instruction.opcode == spv::Op::OpPhi && block.label == m_merge &&
          !valueFrom(instruction, last))
        instruction.operands.append({instruction.operands[0], id(last)});
      for (Operand &operand : instruction.operands)
        if (Id value = operand.isId ? left.lookup(operand.word) : 0)
          operand.word = value;
    }
  }
}

void LoopOnce::run() {
  size_t header = m_flow.index(m_header);
  auto constructs = m_flow.constructs();
  const auto *construct = find_if(constructs, [&](const Flow::Construct &each) {
    return each.header == header && each.isLoop;
  });
  if (construct == constructs.end())
    return;
  m_merge = m_function.blocks[construct->merge].label;
  m_continue = m_function.blocks[construct->continueTarget].label;
  passOn(construct->blocks);
  Block &first = m_function.blocks[header];
  first.body.erase(first.body.end() - 2);
  for (unsigned index : construct->blocks.set_bits())
    cutBlock(index);
}

static void runLoopsOnce(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    for (Function &function : program.functions)
      if (function.find(chance.at))
        LoopOnce(function, chance.at).run();
}

// Selections: at = header, value = the label that is taken.

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

static std::vector<Chance> findSkips(const Program &program) {
  return findSelections(program, true);
}
static std::vector<Chance> findArms(const Program &program) {
  return findSelections(program, false);
}

static void takeArms(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    if (Block *header = findBlock(program, chance.at); header && header->merge())
      endWithBranch(*header, chance.value);
}

// Branches without a construct of their own (break, continue): at = block, value = the one target.

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

static void straightenBranches(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    if (Block *block = findBlock(program, chance.at); block && hasTargets(*block))
      block->terminator() = {spv::Op::OpBranch, 0, 0, {id(chance.value)}};
}

// Cases of a switch: at = block, index = the number of the operand that is the case's label.

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

static std::vector<Chance> findEnds(const Program &program) {
  std::vector<Chance> chances;
  forEachBlock(program, [&](const Function &, const Block &block) {
    if (!block.successors().empty())
      chances.push_back({block.label});
  });
  return chances;
}

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

static bool isNamedByMerge(const Function &function, Id label) {
  return any_of(function.blocks, [&](const Block &block) {
    const Instruction *merge = block.merge();
    return merge && any_of(merge->operands, [&](const Operand &operand) {
             return operand.isId && operand.word == label;
           });
  });
}

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

ArrayRef<ProgramReduction> flowReductions() {
  static constexpr ProgramReduction rows[] = {
      {"skip-loops", findLoops, skipLoops},
      {"skip-selections", findSkips, takeArms},
      {"end-blocks", findEnds, endBlocks},
      {"take-arms", findArms, takeArms},
      {"run-loops-once", findLoops, runLoopsOnce},
      {"straighten-branches", findBranches, straightenBranches},
      {"drop-cases", findCases, dropCases},
      {"join-blocks", findJoins, joinBlocks},
  };
  return rows;
}

} // namespace assay::fuzz
