// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Well-formed functions after cuts in them.
#include "fuzz/program/Definitions.h"
#include "fuzz/program/Flow.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Reduction.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// Removes what drop() left.
static void dropNops(Program &program) {
  for (Function &function : program.functions)
    for (Block &block : function.blocks)
      erase_if(block.body, [](const Instruction &each) { return each.opcode == spv::Op::OpNop; });
}

/// Blocks that are not reached go. Where a header that is reached names them, they must stand:
/// a merge block then ends at once, a continue target leads back.
static void dropUnreachable(Function &function) {
  if (function.blocks.empty())
    return;
  Flow flow(function);
  DenseSet<Id> merges;
  DenseMap<Id, Id> continues;
  for (size_t index : flow.order()) {
    const Block &block = function.blocks[index];
    const Instruction *merge = block.merge();
    if (!merge)
      continue;
    merges.insert(merge->word(0));
    if (merge->opcode == spv::Op::OpLoopMerge)
      continues[merge->word(1)] = block.label;
  }
  std::vector<Block> kept;
  for (auto [index, block] : enumerate(function.blocks)) {
    if (!flow.isReachable(index)) {
      if (Id header = continues.lookup(block.label))
        block.body = {{spv::Op::OpBranch, 0, 0, {id(header)}}};
      else if (merges.contains(block.label))
        block.body = {{spv::Op::OpUnreachable, 0, 0, {}}};
      else
        continue;
    }
    kept.push_back(std::move(block));
  }
  function.blocks = std::move(kept);
}

namespace {
/// Phis and uses of a function, once its blocks are as they shall be.
class ValueRepair {
public:
  ValueRepair(Program &program, size_t function)
      : m_program(program), m_pool(program), m_function(function) {}

  void repairPhis();
  void repairUses();

private:
  Function &function() { return m_program.functions[m_function]; }
  void repairPhi(Instruction &phi, const Flow &flow, size_t block);
  bool reaches(const Flow &flow, const Place &definition, size_t block, size_t index) const;
  void repairOperand(const Definitions &definitions, const Flow &flow, Operand &operand,
                     size_t block, size_t index);

  Program &m_program;
  Pool m_pool;
  size_t m_function;
  std::vector<std::pair<Id, Id>> m_replacements; ///< Phis of one value, and the value.
};
} // namespace

/// Gives the phi one operand for each predecessor: the previous value, zero, or, for other types
/// than data, its first value. A phi of one value is replaced by it.
void ValueRepair::repairPhi(Instruction &phi, const Flow &flow, size_t block) {
  SmallVector<Operand, 4> operands;
  for (size_t predecessor : flow.predecessors(block)) {
    Id label = function().blocks[predecessor].label;
    Id value = 0;
    for (size_t i = 0; i + 1 < phi.operands.size(); i += 2)
      if (phi.word(i + 1) == label)
        value = phi.word(i);
    if (!value && isData(m_program, phi.type))
      value = zeroOf(m_pool, phi.type);
    if (!value && !phi.operands.empty())
      value = phi.word(0);
    operands.push_back(id(value));
    operands.push_back(id(label));
  }
  phi.operands = std::move(operands);
  if (phi.operands.size() != 2 || phi.word(0) == phi.result)
    return;
  m_replacements.push_back({phi.result, phi.word(0)});
  drop(phi);
}

/// Repairs all phis, then replaces those of one value. Such values may themselves be replaced phis,
/// so later replacements are updated.
void ValueRepair::repairPhis() {
  Flow flow(function());
  for (auto [index, block] : enumerate(function().blocks)) {
    if (flow.predecessors(index).empty())
      continue;
    for (Instruction &instruction : block.body)
      if (instruction.opcode == spv::Op::OpPhi)
        repairPhi(instruction, flow, index);
  }
  for (size_t i = 0; i < m_replacements.size(); ++i) {
    auto [from, to] = m_replacements[i];
    replaceUses(m_program, from, to);
    for (auto &later : drop_begin(m_replacements, i + 1))
      if (later.second == from)
        later.second = to;
  }
  m_replacements.clear();
  dropNops(m_program);
}

/// Whether what is defined at \p definition may be used at \p index of \p block.
bool ValueRepair::reaches(const Flow &flow, const Place &definition, size_t block,
                          size_t index) const {
  if (definition.function != m_function)
    return false;
  if (definition.block == block)
    return definition.index < index;
  // Where nothing leads, nothing is asked.
  return !flow.isReachable(block) ||
         (flow.isReachable(definition.block) && flow.dominates(definition.block, block));
}

/// Replaces an operand by zero if its definition does not reach the use.
void ValueRepair::repairOperand(const Definitions &definitions, const Flow &flow, Operand &operand,
                                size_t block, size_t index) {
  const Place *place = operand.isId ? definitions.place(operand.word) : nullptr;
  if (!place || reaches(flow, *place, block, index))
    return;
  Id type = definitions.typeOf(operand.word);
  if (isData(m_program, type))
    operand.word = zeroOf(m_pool, type);
}

/// Pointers that do not reach their uses stay: that program is invalid, and rejected.
void ValueRepair::repairUses() {
  Flow flow(function());
  Definitions definitions(m_program);
  for (auto [index, block] : enumerate(function().blocks))
    for (auto [number, instruction] : enumerate(block.body)) {
      bool isPhi = instruction.opcode == spv::Op::OpPhi;
      for (size_t i = 0; i < instruction.operands.size(); i += isPhi ? 2 : 1) {
        // A phi uses its values at the ends of the predecessors.
        size_t user = isPhi ? flow.index(instruction.word(i + 1)) : index;
        size_t place = isPhi ? function().blocks[user].body.size() : number;
        repairOperand(definitions, flow, instruction.operands[i], user, place);
      }
    }
}

/// Functions are repaired one by one; a value is never replaced by one of another function.
void repair(Program &program) {
  dropNops(program);
  for (size_t i = 0; i < program.functions.size(); ++i) {
    dropUnreachable(program.functions[i]);
    ValueRepair values(program, i);
    values.repairPhis();
    values.repairUses();
  }
}

} // namespace assay::fuzz
