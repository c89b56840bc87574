// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/Cfg.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Fork: to the target or to the next instruction. Leave: to where the code alone cannot say.
enum class FlowKind : uint8_t { Next, Jump, Fork, Call, End, Leave };

/// Instructions by the beginning of their names.
struct FlowRow {
  StringLiteral prefix;
  FlowKind kind;
};

/// The first row whose prefix matches decides; what matches none goes on to the next instruction.
constexpr FlowRow Rows[] = {
    {"s_endpgm", FlowKind::End},           {"s_branch", FlowKind::Jump},
    {"s_cbranch_g_fork", FlowKind::Leave}, {"s_cbranch_i_fork", FlowKind::Fork},
    {"s_cbranch_join", FlowKind::Leave},   {"s_cbranch_", FlowKind::Fork},
    {"s_subvector_loop_", FlowKind::Fork}, {"s_call_b64", FlowKind::Call},
    {"s_setpc_b64", FlowKind::Leave},      {"s_rfe", FlowKind::Leave},
};

} // namespace

/// Vector and memory instructions always continue.
static FlowKind flowKind(const Inst &inst) {
  StringRef name = inst.mnemonic;
  if (!name.starts_with("s_"))
    return FlowKind::Next;
  const auto *row =
      find_if(Rows, [&](const FlowRow &each) { return name.starts_with(each.prefix); });
  return row == std::end(Rows) ? FlowKind::Next : row->kind;
}

/// Byte offset of the target, in the units of Inst::pc; nothing for what is no direct branch or
/// call.
std::optional<uint64_t> gcn::branchTarget(const Inst &inst) {
  FlowKind kind = flowKind(inst);
  if (!inst.valid || (kind != FlowKind::Jump && kind != FlowKind::Fork && kind != FlowKind::Call))
    return std::nullopt;
  int64_t distance = int64_t(static_cast<int16_t>(inst.simm16())) * 4;
  return inst.pc + inst.size + static_cast<uint64_t>(distance);
}

/// What follows one instruction.
struct ControlFlowGraph::Flow {
  BlockEnd leaving = BlockEnd::Flows;
  SmallVector<uint32_t, 2> next; ///< Instructions.
  bool isBlockEnd = false;       ///< More than one way, or none, or not the next.
  uint64_t badTarget = 0;
};

/// \p index is that of an instruction. A call continues at its target and after itself.
ControlFlowGraph::Flow ControlFlowGraph::flowOf(uint32_t index) const {
  const Inst &inst = m_insts[index];
  Flow flow;
  if (!inst.valid) {
    flow.leaving = BlockEnd::Illegal;
    flow.isBlockEnd = true;
    return flow;
  }
  FlowKind kind = flowKind(inst);
  flow.isBlockEnd = kind != FlowKind::Next;
  if (kind == FlowKind::End || kind == FlowKind::Leave) {
    flow.leaving = kind == FlowKind::End ? BlockEnd::Ends : BlockEnd::Leaves;
    return flow;
  }
  if (std::optional<uint64_t> target = branchTarget(inst)) {
    if (std::optional<uint32_t> found = findIndex(*target)) {
      flow.next.push_back(*found);
    } else if (kind != FlowKind::Call) {
      flow.leaving = BlockEnd::BadBranch;
      flow.badTarget = *target;
    }
  }
  if (kind == FlowKind::Jump)
    return flow;
  if (index + 1 < m_insts.size()) {
    if (!is_contained(flow.next, index + 1))
      flow.next.push_back(index + 1);
  } else if (flow.leaving == BlockEnd::Flows) {
    flow.leaving = BlockEnd::FallsOff;
    flow.isBlockEnd = true;
  }
  return flow;
}

/// Instructions are sorted by their places.
std::optional<uint32_t> ControlFlowGraph::findIndex(uint64_t pc) const {
  const auto *it = partition_point(m_insts, [&](const Inst &inst) { return inst.pc < pc; });
  if (it == m_insts.end() || it->pc != pc)
    return std::nullopt;
  return static_cast<uint32_t>(it - m_insts.begin());
}

/// \p insts outlives this. \p entries are indices of instructions.
ControlFlowGraph::ControlFlowGraph(ArrayRef<Inst> insts, ArrayRef<uint32_t> entries)
    : m_insts(insts), m_blockOf(insts.size(), NoBlock) {
  build(entries);
}

/// Blocks are those that the entries reach, in the order of the code.
void ControlFlowGraph::build(ArrayRef<uint32_t> entries) {
  // First what is reached, and where blocks begin.
  std::vector<bool> reached(m_insts.size()), begins(m_insts.size());
  SmallVector<uint32_t, 16> work(entries.begin(), entries.end());
  for (uint32_t entry : entries)
    begins[entry] = true;
  while (!work.empty()) {
    uint32_t index = work.pop_back_val();
    if (reached[index])
      continue;
    reached[index] = true;
    Flow flow = flowOf(index);
    for (uint32_t next : flow.next) {
      if (flow.isBlockEnd)
        begins[next] = true;
      work.push_back(next);
    }
  }
  for (uint32_t index = 0; index < m_insts.size(); ++index) {
    if (!reached[index])
      continue;
    bool continues = index && reached[index - 1] && !begins[index] && !m_blocks.empty() &&
                     m_blocks.back().end == index && !flowOf(index - 1).isBlockEnd;
    if (!continues)
      m_blocks.push_back({index, index, BlockEnd::Flows, 0, {}, {}});
    m_blocks.back().end = index + 1;
    m_blockOf[index] = static_cast<uint32_t>(m_blocks.size() - 1);
  }
  for (auto [number, block] : enumerate(m_blocks)) {
    Flow flow = flowOf(block.end - 1);
    block.leaving = flow.leaving;
    block.branchTarget = flow.badTarget;
    for (uint32_t next : flow.next) {
      block.successors.push_back(m_blockOf[next]);
      m_blocks[m_blockOf[next]].predecessors.push_back(static_cast<uint32_t>(number));
    }
  }
  for (uint32_t entry : entries)
    m_entryBlocks.push_back(m_blockOf[entry]);
}

/// Every block once, predecessors first except along loops. Without recursion, since code may be
/// long.
std::vector<uint32_t> ControlFlowGraph::reversePostOrder() const {
  std::vector<uint32_t> order;
  std::vector<bool> seen(m_blocks.size());
  // A block and how many of its successors are done.
  SmallVector<std::pair<uint32_t, uint32_t>, 16> stack;
  for (uint32_t entry : m_entryBlocks) {
    if (seen[entry])
      continue;
    seen[entry] = true;
    stack.push_back({entry, 0});
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      if (next == m_blocks[block].successors.size()) {
        order.push_back(block);
        stack.pop_back();
        continue;
      }
      uint32_t successor = m_blocks[block].successors[next++];
      if (!seen[successor]) {
        seen[successor] = true;
        stack.push_back({successor, 0});
      }
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}
