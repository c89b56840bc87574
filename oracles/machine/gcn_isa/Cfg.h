// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow of decoded machine code: which instruction may follow which. Shared by what judges
// code without running it.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <vector>

namespace assay::gcn {

constexpr uint32_t NoBlock = ~0u;

/// How control leaves the last instruction of a block, besides to its successors.
enum class BlockEnd : uint8_t {
  Flows,     ///< Only to its successors.
  Ends,      ///< s_endpgm.
  Leaves,    ///< s_setpc_b64, s_rfe_b64: to where the code does not say.
  FallsOff,  ///< After the last instruction of the range.
  BadBranch, ///< To outside the range, or into the middle of an instruction; branchTarget says
             ///< where.
  Illegal,   ///< The last instruction is none.
};

/// Instructions that run one after the other.
struct Block {
  uint32_t first = 0; ///< Index of its first instruction.
  uint32_t end = 0;   ///< Index after its last.
  BlockEnd leaving = BlockEnd::Flows;
  uint64_t branchTarget = 0;                 ///< Of a BadBranch: pc.
  llvm::SmallVector<uint32_t, 2> successors; ///< Blocks. A call's is what is after it.
  llvm::SmallVector<uint32_t, 2> predecessors;
};

/// The blocks of a range of code that control can reach from its entries. Instructions that nothing
/// reaches (padding) are in no block. Calls (s_swappc_b64, s_call_b64 to outside) are taken to
/// return.
class ControlFlowGraph {
public:
  /// \p insts: a linear sweep, ascending pc without gaps; must outlive this. \p entries: indices of
  /// instructions where control comes in.
  ControlFlowGraph(llvm::ArrayRef<Inst> insts, llvm::ArrayRef<uint32_t> entries);

  llvm::ArrayRef<Block> blocks() const { return m_blocks; }
  llvm::ArrayRef<Inst> insts() const { return m_insts; }
  llvm::ArrayRef<Inst> instsOf(const Block &block) const {
    return m_insts.slice(block.first, block.end - block.first);
  }
  /// The block that instruction \p index is in, or NoBlock: control does not come there.
  uint32_t blockOf(uint32_t index) const { return m_blockOf[index]; }
  /// Blocks in reverse post-order from the entries: for forward dataflow.
  std::vector<uint32_t> reversePostOrder() const;

private:
  struct Flow;
  Flow flowOf(uint32_t index) const;
  std::optional<uint32_t> findIndex(uint64_t pc) const;
  void build(llvm::ArrayRef<uint32_t> entries);

  llvm::ArrayRef<Inst> m_insts;
  std::vector<Block> m_blocks;
  std::vector<uint32_t> m_blockOf;
  std::vector<uint32_t> m_entryBlocks;
};

/// The pc that direct branch \p inst goes to, or nothing for other instructions.
std::optional<uint64_t> branchTarget(const Inst &inst);

} // namespace assay::gcn
