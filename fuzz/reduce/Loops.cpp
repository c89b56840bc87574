// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/reduce/Loops.h"

#include "fuzz/program/Definitions.h"
#include "fuzz/program/Flow.h"
#include "fuzz/reduce/Edit.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

// Loops as a whole: at = header.

/// True if the block has an OpLoopMerge.
static bool isLoopHeader(const Block &block) {
  const Instruction *merge = block.merge();
  return merge && merge->opcode == spv::Op::OpLoopMerge;
}

/// Proposes each loop by its header; also in unreachable code.
std::vector<Chance> findLoops(const Program &program) {
  std::vector<Chance> chances;
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      if (isLoopHeader(block))
        chances.push_back({block.label});
  return chances;
}

/// The header branches to the merge block; its phis keep the value from outside.
void skipLoops(Program &program, ArrayRef<Chance> chances) {
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
  /// Rewrites the loop; does nothing if the header is unreachable. repair() must follow.
  void run();

private:
  /// True for the targets of break and continue.
  bool leaves(Id label) const { return label == m_merge || label == m_continue; }
  void passOn(const BitVector &loop);
  void cutBlock(size_t index);
  Id selectionMerge(size_t index) const;

  Function &m_function;
  Flow m_flow;
  Id m_header, m_merge = 0, m_continue = 0; ///< Labels.
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
      // From here on it is the last block that leads after the loop.
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

/// Loops are rewritten one by one; each analysis is of the function as the previous one left it.
void runLoopsOnce(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    for (Function &function : program.functions)
      if (function.find(chance.at))
        LoopOnce(function, chance.at).run();
}

// Loops with a counter that is a number of 32 bits: at = header.

/// True for a phi of 32-bit integers.
static bool isCounter(const Instruction &phi, const Definitions &definitions) {
  if (phi.opcode != spv::Op::OpPhi)
    return false;
  const Instruction &type = *definitions.find(phi.type);
  return type.opcode == spv::Op::OpTypeInt && type.word(0) == 32;
}

/// Proposes loops that have a 32-bit integer phi in their header.
std::vector<Chance> findCountedLoops(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      if (isLoopHeader(block) &&
          any_of(block.body, [&](const Instruction &each) { return isCounter(each, definitions); }))
        chances.push_back({block.label});
  return chances;
}

/// The counters of the loop with \p header are the invocation's index. Those of another type than
/// that has stay.
static void setCounters(Program &program, Function &function, Id header) {
  std::vector<Instruction> counters;
  {
    Definitions definitions(program);
    copy_if(function.find(header)->body, std::back_inserter(counters),
            [&](const Instruction &each) { return isCounter(each, definitions); });
  }
  Pool pool(program);
  Id variable = pool.builtIn(spv::BuiltIn::LocalInvocationIndex, counters.front().type);
  Id type = Definitions(program).typeInstruction(variable)->word(1);
  Instruction load{spv::Op::OpLoad, type, program.fresh(), {id(variable)}};
  for (const Instruction &counter : counters)
    if (counter.type == type)
      replaceUses(program, counter.result, load.result);
  Block &entry = function.blocks.front();
  entry.body.insert(entry.body.begin() + static_cast<ptrdiff_t>(entry.firstOrdinary()),
                    std::move(load));
}

void uncountLoops(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    for (Function &function : program.functions)
      if (const Block *header = function.find(chance.at); header && header->merge()) {
        setCounters(program, function, chance.at);
        LoopOnce(function, chance.at).run();
      }
}

} // namespace assay::fuzz
