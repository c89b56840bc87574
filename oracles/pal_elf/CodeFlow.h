// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What flows along the code of one function: the registers that an instruction reads and writes,
// what it does to EXEC, and a solver that carries a state along all ways that control may take.
#pragma once

#include "oracles/machine/gcn_isa/WaitRule.h"
#include "oracles/pal_elf/ElfCode.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <optional>
#include <vector>

namespace assay {

using RegisterSpan = gcn::PendingRegisters;

/// The general registers of \p operand: vectors, s0 to s101 and, where \p withVcc, all scalar ones
/// up to VCC. count is 0 for what is none of them.
RegisterSpan registersOf(const gcn::Operand &operand, bool withVcc = false);
/// "v3", "s8", "vcc": the first register.
std::string nameOf(const RegisterSpan &registers);

/// How many of the first operands of \p inst are written. A written one may be read, too: what
/// accumulates, what keeps a part of the register.
unsigned countResults(const gcn::Inst &inst);
/// Calls \p visit for each operand that \p inst certainly reads, halves of a pair included; of
/// those it also writes only for both of an exchange and the data of an atomic.
void forEachSource(const gcn::Inst &inst, llvm::function_ref<void(const gcn::Operand &)> visit);
/// Calls \p visit for each operand that \p inst writes.
void forEachResult(const gcn::Inst &inst, llvm::function_ref<void(const gcn::Operand &)> visit);

/// True for what hands control to code that is not looked at and expects it back.
bool isCall(const gcn::Inst &inst);
/// True for code that names registers by numbers it computes: s_movrel, s_set_gpr_idx.
bool namesRegistersIndirectly(const gcn::Inst &inst);
bool isVectorMemory(const gcn::Inst &inst);
/// True for instructions of the vector ALU, interpolation included.
bool isValu(const gcn::Inst &inst);

/// True for what reaches LDS of the workgroup: not for data-share instructions that exchange lanes,
/// read attributes or use the global share.
bool usesLds(const gcn::Inst &inst);
/// True for the instructions of scratch; flat ones may reach it, too.
bool usesScratch(const gcn::Inst &inst);

/// What an instruction does to the lanes in EXEC.
enum class ExecChange : uint8_t {
  None,
  Narrows, ///< No lane comes that was not there.
  Widens,  ///< No lane goes.
  Other,
};
ExecChange execChangeOf(const gcn::Inst &inst);

/// Registers of a set that only grows along a way: those that something has set.
class RegisterBits {
public:
  RegisterBits() : m_scalar(gcn::sreg::Ttmp0), m_vector(1024) {}
  void add(const RegisterSpan &registers);
  void addAll();
  bool hasAny(const RegisterSpan &registers) const;
  /// Adds what \p other has; true when that was more.
  bool join(const RegisterBits &other);

private:
  llvm::BitVector &bitsOf(bool vector) { return vector ? m_vector : m_scalar; }

  llvm::BitVector m_scalar, m_vector;
};

/// Adds what \p inst writes: everything, when it calls or names registers by computed numbers. A
/// step for walkFlow().
void addResults(RegisterBits &set, uint32_t index, const gcn::Inst &inst);

/// Calls \p check for each instruction that control reaches and that is one, in all functions.
void forEachReachedInst(
    const ElfModel &model,
    llvm::function_ref<void(const FunctionCode &, uint32_t, const gcn::Inst &)> check);

/// Instructions that walkFlow() goes over at most.
constexpr size_t MaxFlowSteps = size_t(8) << 20;

/// Blocks that wait to be gone over, the earliest in reverse post-order first, each once.
class FlowQueue {
public:
  explicit FlowQueue(const gcn::ControlFlowGraph &graph);

  void push(uint32_t block);
  bool empty() const { return m_heap.empty(); }
  uint32_t pop();

private:
  std::vector<uint32_t> m_order; ///< Blocks.
  std::vector<uint32_t> m_rank;  ///< Of a block in m_order.
  std::vector<bool> m_waits;
  std::vector<uint32_t> m_heap; ///< Ranks.
};

/// The states before the blocks that walkFlow() goes over; none when it gives up.
template <typename State, typename Step>
std::vector<std::optional<State>> solveFlow(const FunctionCode &function, const State &entry,
                                            Step step) {
  llvm::ArrayRef<gcn::Block> blocks = function.graph->blocks();
  std::vector<std::optional<State>> before(blocks.size());
  FlowQueue queue(*function.graph);
  for (uint32_t block = 0; block < blocks.size(); ++block)
    if (blocks[block].first == 0) {
      before[block] = entry;
      queue.push(block);
    }
  size_t budget = std::min(32 * function.insts.size() + 4096, MaxFlowSteps);
  while (!queue.empty()) {
    uint32_t index = queue.pop();
    const gcn::Block &block = blocks[index];
    if (budget < block.end - block.first)
      return {};
    budget -= block.end - block.first;
    State state = *before[index];
    for (uint32_t i = block.first; i < block.end; ++i)
      step(state, i, function.insts[i]);
    for (uint32_t next : block.successors) {
      bool changed = !before[next];
      if (changed)
        before[next] = state;
      else
        changed = before[next]->join(state);
      if (changed)
        queue.push(next);
    }
  }
  return before;
}

/// Carries a State along the code of \p function, from \p entry at its beginning, until nothing
/// changes; where ways meet, `state.join(other)` takes up \p other and says whether that changed
/// it. A State is copied, and its joins must come to an end. \p step: (State &, index,
/// const Inst &), without side effects.
///
/// Then calls \p visit(const State &, index, const Inst &) for each instruction that control
/// reaches, with the state before it, in the order of the code. Code that needs more than a fixed
/// amount of work - none that a compiler made - is not visited at all; then the answer is false.
template <typename State, typename Step, typename Visit>
bool walkFlow(const FunctionCode &function, const State &entry, Step step, Visit visit) {
  llvm::ArrayRef<gcn::Block> blocks = function.graph->blocks();
  std::vector<std::optional<State>> before = solveFlow(function, entry, step);
  for (uint32_t index = 0; index < before.size(); ++index) {
    if (!before[index])
      continue;
    State state = std::move(*before[index]);
    for (uint32_t i = blocks[index].first; i < blocks[index].end; ++i) {
      visit(static_cast<const State &>(state), i, function.insts[i]);
      step(state, i, function.insts[i]);
    }
  }
  return !before.empty();
}

} // namespace assay
