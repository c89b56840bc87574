// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/Flatten.h"

#include "support/Ir3Fault.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::ir3 {

namespace {

/// A branch in `start`, whose sides meet in `join`; a side that has no block is null.
struct Diamond {
  Block *start, *taken, *other, *join;
};

/// Whether \p inst may be executed where its block would not be: it only writes a value, depends on
/// no memory and not on which fibers are active, and needs no address.
bool canExecuteAlways(const Instruction &inst) {
  bool isPlain = inst.dst().isSsa() && !inst.dst().is(registerflag::Special) && !inst.address;
  return isPlain && inst.info().category <= 4 && !inst.hasSideEffect() &&
         inst.barrierClass().isEmpty() && inst.opcode != Opcode::Movmsk;
}

/// The block that \p side jumps to after at most \p limit instructions; null when it is no side.
Block *endOfSide(const Block &side, unsigned limit) {
  const Instruction *terminator = side.terminator();
  bool isSide = side.predecessors.size() == 1 && terminator && terminator->opcode == Opcode::Jump &&
                side.instructions.size() <= limit + 1;
  if (!isSide)
    return nullptr;
  bool isPure = all_of(drop_end(side.instructions),
                       [](const Instruction *inst) { return canExecuteAlways(*inst); });
  return isPure ? side.successors[0] : nullptr;
}

/// The diamond that begins with the branch of \p start. Its condition must be a compare, which can
/// be repeated as a number, and phis at its end must be scalars. Nothing for a loop.
std::optional<Diamond> findDiamond(Block &start, unsigned limit) {
  const Instruction *branch = start.terminator();
  if (!branch || branch->opcode != Opcode::Br || start.successors[0] == start.successors[1])
    return std::nullopt;
  const Register &condition = branch->registers[1];
  const Instruction *compare = condition.isSsa() ? condition.def : nullptr;
  if (!compare || !compare->info().has(property::Compare) || compare->address)
    return std::nullopt;
  Block *taken = start.successors[0], *other = start.successors[1];
  Block *takenEnd = endOfSide(*taken, limit), *otherEnd = endOfSide(*other, limit);
  std::optional<Diamond> diamond;
  if (takenEnd && takenEnd == other)
    diamond = Diamond{&start, taken, nullptr, other};
  else if (otherEnd && otherEnd == taken)
    diamond = Diamond{&start, nullptr, other, taken};
  else if (takenEnd && takenEnd == otherEnd)
    diamond = Diamond{&start, taken, other, takenEnd};
  if (!diamond || diamond->join->predecessors.size() != 2 || diamond->join == &start)
    return std::nullopt;
  bool isScalar =
      all_of(diamond->join->phis(), [](const Instruction *phi) { return phi->dst().size == 1; });
  return isScalar ? diamond : std::nullopt;
}

/// Makes one diamond straight code.
class Flattener {
public:
  Flattener(Program &program, const Diamond &diamond) : m_program(program), m_diamond(diamond) {}

  void run() {
    Instruction *branch = m_diamond.start->terminator();
    bool invert = branch->fields.invert1;
    const Instruction &compare = *branch->registers[1].def;
    hoist(m_diamond.taken);
    hoist(m_diamond.other);
    std::vector<Instruction *> phis(m_diamond.join->phis().begin(), m_diamond.join->phis().end());
    for (Instruction *phi : phis)
      select(*phi, compare, invert);
    branch->opcode = Opcode::Jump;
    branch->registers.truncate(1);
    branch->fields = {};
    m_diamond.start->successors = {m_diamond.join, nullptr};
    erase_if(m_program.blocks, [&](const std::unique_ptr<Block> &block) {
      return block.get() == m_diamond.taken || block.get() == m_diamond.other;
    });
  }

private:
  /// Moves the instructions of a side to the end of the start, without its jump.
  void hoist(Block *side) {
    if (!side)
      return;
    for (Instruction *inst : drop_end(side->instructions))
      m_diamond.start->insertAtEnd(inst);
  }

  /// The 0 or 1 of the compare in a register of the width that sel has.
  Register conditionFor(const Instruction &compare, bool half) {
    Instruction *&value = m_conditions[half];
    if (!value) {
      value = m_program.clone(compare);
      value->dst().flags = registerflag::Ssa | (half ? registerflag::Half : 0);
      m_diamond.start->insertAtEnd(value);
    }
    return value->value();
  }

  /// Makes the phi a sel in the start. Source 1 is the value for a condition other than 0.
  void select(Instruction &phi, const Instruction &compare, bool invert) {
    Block *takenFrom = m_diamond.taken ? m_diamond.taken : m_diamond.start;
    bool firstIsTaken = phi.phiBlocks[0] == takenFrom;
    Register taken = phi.registers[firstIsTaken ? 1 : 2];
    Register other = phi.registers[firstIsTaken ? 2 : 1];
    if (invert != faultPlanted(Ir3Fault::FlattenSwapped))
      std::swap(taken, other);
    bool half = phi.dst().isHalf();
    Register condition = conditionFor(compare, half);
    erase(m_diamond.join->instructions, &phi);
    phi.opcode = half ? Opcode::SelB16 : Opcode::SelB32;
    phi.registers.truncate(1);
    phi.registers.append({taken, condition, other});
    phi.phiBlocks.clear();
    m_diamond.start->insertAtEnd(&phi);
  }

  Program &m_program;
  const Diamond &m_diamond;
  Instruction *m_conditions[2] = {nullptr, nullptr}; ///< Full and half, once made.
};

} // namespace

/// Begins again after each diamond, since an inner one may make an outer one simple.
unsigned flattenBranches(Program &program, unsigned limit) {
  unsigned count = 0;
  for (bool changed = true; changed;) {
    changed = false;
    program.updatePredecessors();
    for (auto &block : program.blocks) {
      std::optional<Diamond> diamond = findDiamond(*block, limit);
      if (!diamond)
        continue;
      Flattener(program, *diamond).run();
      program.updatePredecessors();
      mergeBlocks(program);
      ++count;
      changed = true;
      break;
    }
  }
  return count;
}

/// Only blocks that are neighbours in the code are merged, and none with phis.
unsigned mergeBlocks(Program &program) {
  unsigned count = 0;
  program.updatePredecessors();
  for (size_t i = 0; i + 1 < program.blocks.size();) {
    Block &block = *program.blocks[i], &next = *program.blocks[i + 1];
    const Instruction *terminator = block.terminator();
    bool isOnlyWay = terminator && terminator->opcode == Opcode::Jump &&
                     block.successors[0] == &next && next.predecessors.size() == 1;
    if (!isOnlyWay || next.phis().begin() != next.phis().end()) {
      ++i;
      continue;
    }
    block.instructions.pop_back();
    for (Instruction *inst : next.instructions) {
      inst->block = &block;
      block.instructions.push_back(inst);
    }
    block.successors = next.successors;
    for (Block *successor : next.successorList())
      for (Instruction *phi : successor->phis())
        for (Block *&from : phi->phiBlocks)
          from = from == &next ? &block : from;
    program.blocks.erase(program.blocks.begin() + ptrdiff_t(i) + 1);
    program.updatePredecessors();
    ++count;
  }
  return count;
}

} // namespace assay::ir3
