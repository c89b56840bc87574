// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/Structure.h"

#include "llvm/ADT/DenseMap.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {

/// A depth-first walk that enters the merge block of a header before everything else. The reverse
/// of the order in which blocks are left is then structured: what can be reached from a construct's
/// end was left before the construct was.
class Walk {
public:
  Walk(const spirv::Function &function, function_ref<unsigned(spirv::Id)> literalWords)
      : m_function(function), m_literalWords(literalWords) {
    for (uint32_t i = 0; i < function.blocks.size(); ++i)
      m_index[function.blocks[i].label] = i;
    m_seen.resize(function.blocks.size());
    result.loops.resize(function.blocks.size());
  }

  void run();
  FunctionStructure result;

private:
  /// A block that has been entered, its successors, and the next of them to visit.
  struct Visit {
    uint32_t block;
    std::vector<uint32_t> next;
    size_t at = 0;
  };
  /// Marks a block as seen and pushes its visit. A loop header is in its own loop.
  void enter(uint32_t block, const std::vector<uint32_t> &loopsAround);
  /// The merge block and the continue target come first, so that they are entered before the
  /// construct.
  std::vector<uint32_t> successors(const spirv::Block &block) const;
  /// Ignores labels that are not blocks of the function.
  void addTarget(spirv::Id label, std::vector<uint32_t> &targets) const;

  const spirv::Function &m_function;
  function_ref<unsigned(spirv::Id)> m_literalWords;
  DenseMap<spirv::Id, uint32_t> m_index;
  std::vector<bool> m_seen;
  std::vector<Visit> m_open;
};

} // namespace

/// Adds the index of the block; labels outside of the function are ignored.
void Walk::addTarget(spirv::Id label, std::vector<uint32_t> &targets) const {
  if (auto found = m_index.find(label); found != m_index.end())
    targets.push_back(found->second);
}

/// Returns the merge block and the continue target first, then the targets of the terminator.
/// Blocks may be listed more than once.
std::vector<uint32_t> Walk::successors(const spirv::Block &block) const {
  std::vector<uint32_t> targets;
  if (block.merge) {
    addTarget(block.merge->mergeBlock, targets);
    if (block.merge->isLoop)
      addTarget(block.merge->continueTarget, targets);
  }
  const spirv::Instruction &end = block.terminator();
  if (end.opcode == spv::Op::OpBranch)
    addTarget(end.operand(0), targets);
  if (end.opcode == spv::Op::OpBranchConditional)
    for (unsigned i = 1; i <= 2; ++i)
      addTarget(end.operand(i), targets);
  if (end.opcode == spv::Op::OpSwitch) {
    addTarget(end.operand(1), targets);
    unsigned words = m_literalWords(end.operand(0));
    for (size_t i = 2; i + words < end.size(); i += words + 1)
      addTarget(end.operand(i + words), targets);
  }
  return targets;
}

/// Marks a block as seen, notes the loops around it, outermost first, and opens it. A loop's header
/// is inside of its loop.
void Walk::enter(uint32_t block, const std::vector<uint32_t> &loopsAround) {
  m_seen[block] = true;
  std::vector<uint32_t> &loops = result.loops[block];
  loops = loopsAround;
  const spirv::Block &source = m_function.blocks[block];
  if (source.merge && source.merge->isLoop)
    loops.push_back(block);
  m_open.push_back({block, successors(source)});
}

/// Unreachable blocks are appended in their original order.
void Walk::run() {
  if (m_function.blocks.empty())
    return;
  enter(0, {});
  while (!m_open.empty()) {
    Visit &visit = m_open.back();
    if (visit.at == visit.next.size()) {
      result.order.push_back(visit.block);
      m_open.pop_back();
      continue;
    }
    const spirv::Block &source = m_function.blocks[visit.block];
    // The merge block, which stands first, lies outside of the loop that it ends.
    bool leavesLoop = visit.at == 0 && source.merge && source.merge->isLoop;
    uint32_t target = visit.next[visit.at++];
    if (m_seen[target])
      continue;
    std::vector<uint32_t> loops = result.loops[visit.block];
    if (leavesLoop)
      loops.pop_back();
    enter(target, loops);
  }
  std::reverse(result.order.begin(), result.order.end());
  for (uint32_t i = 0; i < m_seen.size(); ++i)
    if (!m_seen[i])
      result.order.push_back(i);
}

FunctionStructure reference::analyzeStructure(const spirv::Function &function,
                                              function_ref<unsigned(spirv::Id)> literalWords) {
  Walk walk(function, literalWords);
  walk.run();
  return std::move(walk.result);
}

/// Loops that both blocks are in stay; a branch to a header of one of them is an iteration.
void reference::setLoopMoves(const FunctionStructure &structure, uint32_t from, uint32_t to,
                             Edge &edge) {
  const std::vector<uint32_t> &before = structure.loops[from], &after = structure.loops[to];
  size_t common = 0;
  while (common < before.size() && common < after.size() && before[common] == after[common])
    ++common;
  edge.loopsLeft = static_cast<uint16_t>(before.size() - common);
  if (after.empty() || after.back() != to)
    return;
  edge.step = common == after.size() ? LoopStep::Iterate : LoopStep::Enter;
}
