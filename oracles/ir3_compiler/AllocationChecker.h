// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks an allocation: follows along every path which value each register holds, and that each
// source finds its own there. It reads the program after allocation, whose operands have both a
// value and a register, and shares nothing with the allocator.
#pragma once

#include "compiler/ir3/ir/Printer.h"
#include <map>
#include <set>

namespace assay::ir3 {

/// One check of one program. Iterates over blocks until the contents at their starts no longer
/// change; a cell that differs on two paths is unknown.
class AllocationChecker {
public:
  /// \p program must have registers for all its values and must outlive the checker.
  explicit AllocationChecker(const Program &program) : m_program(program) {}

  /// What is wrong, or nothing.
  std::string run() {
    m_states.resize(m_program.blocks.size());
    std::set<unsigned> work = {0};
    m_states[0].reached = true;
    while (!work.empty() && m_error.empty()) {
      unsigned number = *work.begin();
      work.erase(work.begin());
      State state = m_states[number];
      runBlock(*m_program.blocks[number], state);
      for (const Block *successor : m_program.blocks[number]->successors)
        if (successor && join(*m_program.blocks[number], *successor, state))
          work.insert(successor->number);
    }
    return m_error;
  }

private:
  /// A component of a value. Copies count as what they copy.
  using Content = std::pair<uint32_t, unsigned>;
  /// By cell (half a register); nothing: unknown, or different on different paths.
  using Cells = std::map<unsigned, Content>;
  /// What registers hold at the start of a block.
  struct State {
    bool reached = false;
    Cells cells;
  };

  /// The cells of component \p index of an operand.
  std::vector<unsigned> cellsOf(const Register &operand, unsigned index) const {
    unsigned number = operand.number + index;
    bool isMerged = m_program.compiler().mergedRegisters;
    if (operand.is(registerflag::Special))
      return {10'000 + number};
    if (operand.isHalf())
      return {isMerged ? number : 5'000 + number};
    return {2 * number, 2 * number + 1};
  }

  /// Puts \p content into the cells of component \p index of \p dst.
  void write(State &state, const Register &dst, unsigned index, Content content) {
    for (unsigned cell : cellsOf(dst, index))
      state.cells[cell] = content;
  }

  /// Records an error unless each component of \p source is in its register. Only the first error
  /// is kept.
  void check(const State &state, const Instruction &inst, const Register &source) {
    for (unsigned i = 0; i < source.size; ++i) {
      for (unsigned cell : cellsOf(source, i)) {
        auto found = state.cells.find(cell);
        if (found != state.cells.end() && found->second == contentOf(*source.def, i))
          continue;
        if (m_error.empty())
          m_error = "'" + print(inst, m_program) + "': component " + std::to_string(i) +
                    " of ssa_" + std::to_string(source.def->name) + " is not in its register";
      }
    }
  }

  /// Follows copies to what they copy.
  Content contentOf(const Instruction &inst, unsigned component) const {
    const Instruction *at = &inst;
    while (true) {
      if (at->opcode == Opcode::MetaSplit) {
        component = unsigned(at->fields.index);
        at = at->registers[1].def;
        continue;
      }
      if (at->opcode == Opcode::MetaCollect) {
        const Register *part = nullptr;
        for (const Register &source : at->sources()) {
          if (component < source.size) {
            part = &source;
            break;
          }
          component -= source.size;
        }
        if (!part || !part->isSsa())
          return {at->name, component};
        at = part->def;
        continue;
      }
      bool isCopy = at->isPlainMove() && at->registers[1].isSsa() && at->dst().isSsa();
      if (!isCopy)
        return {at->name, component};
      at = at->registers[1].def;
    }
  }

  /// Checks the sources of each instruction and applies its writes. Phis are part of join().
  void runBlock(const Block &block, State &state) {
    for (const Instruction *inst : block.instructions) {
      if (inst->opcode == Opcode::MetaPhi)
        continue;
      for (const Register &source : inst->sources())
        if (source.isSsa())
          check(state, *inst, source);
      if (inst->dst().isSsa()) {
        // A register has been written by what is another value on the way around a loop.
        forget(state, inst->name);
        for (unsigned i = 0; i < inst->dst().size; ++i)
          write(state, inst->dst(), i, contentOf(*inst, i));
      } else if (inst->dst().isArray()) {
        clobberArray(state, inst->dst());
      }
    }
  }

  /// No register of an array may hold anything else while the array is alive; its accesses are
  /// checked by their clobbering what they overwrite.
  void clobberArray(State &state, const Register &dst) {
    const Array &array = m_program.arrays[dst.arrayId];
    for (unsigned i = 0; i < array.size; ++i) {
      Register element = Register::physical(array.base + i, array.half);
      for (unsigned cell : cellsOf(element, 0))
        state.cells.erase(cell);
    }
  }

  /// Values of the last iteration are no more what their names mean.
  static void forget(State &state, uint32_t name) {
    std::erase_if(state.cells, [&](const auto &entry) { return entry.second.first == name; });
  }

  /// Returns whether the state of \p to has changed.
  bool join(const Block &from, const Block &to, State state) {
    Cells phis;
    for (const Instruction *phi : to.phis()) {
      for (auto [source, predecessor] : llvm::zip(phi->sources(), phi->phiBlocks)) {
        if (predecessor != &from || !source.isSsa())
          continue;
        check(state, *phi, source);
        if (source.number != phi->dst().number && m_error.empty())
          m_error = "'" + print(*phi, m_program) + "': a source is in another register";
      }
      for (unsigned i = 0; i < phi->dst().size; ++i)
        for (unsigned cell : cellsOf(phi->dst(), i))
          phis[cell] = {phi->name, i};
    }
    for (const Instruction *phi : to.phis())
      forget(state, phi->name);
    for (auto &[cell, content] : phis)
      state.cells[cell] = content;
    State &known = m_states[to.number];
    if (!known.reached) {
      known = std::move(state);
      known.reached = true;
      return true;
    }
    return std::erase_if(known.cells, [&](const auto &entry) {
             auto found = state.cells.find(entry.first);
             return found == state.cells.end() || found->second != entry.second;
           }) != 0;
  }

  const Program &m_program;
  std::vector<State> m_states; ///< By block number, at its start.
  std::string m_error;         ///< The first one.
};

} // namespace assay::ir3
