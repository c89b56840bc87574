// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds the path of one fragment to the tree.
#pragma once

#include "oracles/machine/spirv/draw/PathTree.h"
#include <unordered_map>

namespace assay::reference {

/// Executes one fragment and tracks which of its values depend on its inputs. An instruction that
/// computes a value from such values becomes a step of the tree. Moves and computations of other
/// values do not.
class PathRecorder {
public:
  explicit PathRecorder(PathTree &tree);
  ~PathRecorder();
  /// False: this path requires a plain run. The tree has noted that.
  bool record(const FragmentPlace &place, uint32_t lane);

  /// Instructions executed to record the path.
  uint64_t instructions() const { return m_instructions; }

private:
  /// The elements that a pointer with an input-dependent index may point to.
  struct Indexed {
    uint32_t base = 0;     ///< The slot for index 0.
    uint32_t count = 0;    ///< Bound of the index.
    uint32_t distance = 0; ///< Slots from one index to the next.
  };
  enum class Went : uint8_t { On, Ended, Wrong };

  bool start(const FragmentPlace &place, uint32_t lane);
  Went step();
  Went execute(const Inst &inst);
  // Each updates m_ids for an instruction before it is executed. False: it requires a plain run.
  bool follow(const Inst &inst);
  bool followValue(const Inst &inst);
  bool followMoves(const Inst &inst);
  bool followConstruct(const Inst &inst);
  bool followShuffle(const Inst &inst);
  bool followVariable(const Inst &inst);
  bool followChain(const Inst &inst);
  bool followDescriptor(const Inst &inst);
  bool followLoad(const Inst &inst);
  bool followStore(const Inst &inst);
  bool loadIndexed(const Inst &inst, uint32_t pointer, uint32_t count);
  bool storeIndexed(const Inst &inst, uint32_t pointer, uint32_t count);
  bool followBranch(const Inst &inst);
  bool followCall(const Inst &inst);
  bool usesTable(const Inst &inst);
  bool callByTable(const Inst &inst);
  bool followReturn(const Inst &inst);
  bool followEdge(uint32_t edge);
  bool decide(uint32_t reference, bool isSelector);
  void end();

  uint32_t slotOf(uint32_t reference) const { return m_run.frameBase + reference; }
  bool isKnown(uint32_t reference, uint32_t count) const;
  void setKnown(uint32_t slot, uint32_t count);
  void setValues(uint32_t slot, uint32_t first, uint32_t count);
  void move(uint32_t reference, uint32_t count, uint32_t slot);
  uint32_t operand(uint32_t reference, uint32_t count);
  uint32_t operandAt(uint32_t slot, uint32_t count);
  uint32_t gather(const std::vector<uint32_t> &parts);
  uint32_t constants(const Scalar *values, uint32_t count);
  void noteUse(uint32_t first, uint32_t count);
  uint32_t emit(Inst step, uint32_t results, const void *what);

  PathTree &m_tree;
  Execution &m_execution;
  Invocation m_run;
  uint32_t m_node = 0;
  uint32_t m_values = 0;       ///< Of the path so far.
  uint64_t m_instructions = 0; ///< Executed so far.
  /// By slot of the invocation's memory: the number of the value there plus 1, or 0 where all
  /// fragments on this path have the same value.
  std::vector<uint32_t> m_ids;
  PathTable m_made;                                 ///< Values by step and operands.
  std::unordered_map<uint32_t, uint64_t> m_decided; ///< Keys of children by decider.
  std::unordered_map<uint32_t, Indexed> m_pointers; ///< By value.
  std::vector<uint32_t> m_counts;                   ///< See PathTree::Node::counts.
};

} // namespace assay::reference
