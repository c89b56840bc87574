// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/LoopExits.h"

#include "llvm/IR/CFG.h"

using namespace llvm;
using namespace assay;
using spirv::Id;
using Labels = DenseSet<Id>;

/// Returns whether \p opcode has a row in Subgroup.cpp.
static bool isSubgroupOpcode(spv::Op opcode) {
  static const DenseSet<unsigned> Opcodes = [] {
    DenseSet<unsigned> opcodes;
    for (ArrayRef<OpcodeRow> rows : {subgroupOpcodes(), groupOpcodes()})
      for (const OpcodeRow &row : rows)
        opcodes.insert(unsigned(row.opcode));
    return opcodes;
  }();
  return Opcodes.contains(unsigned(opcode));
}

/// Follows calls backwards from the functions that have subgroup operations themselves.
Labels assay::findSubgroupFunctions(const spirv::Module &module) {
  Labels found;
  SmallVector<Id, 8> work;
  DenseMap<Id, SmallVector<Id, 2>> callers;
  for (const spirv::Function &function : module.functions)
    for (const spirv::Block &block : function.blocks)
      for (const spirv::Instruction &inst : block.instructions) {
        if (inst.opcode == spv::Op::OpFunctionCall)
          callers[inst.operand(0)].push_back(function.id);
        else if (isSubgroupOpcode(inst.opcode) && found.insert(function.id).second)
          work.push_back(function.id);
      }
  while (!work.empty())
    for (Id caller : callers.lookup(work.pop_back_val()))
      if (found.insert(caller).second)
        work.push_back(caller);
  return found;
}

namespace {
/// One loop construct: its blocks by what can be reached.
class LoopConstruct {
public:
  LoopConstruct(const TranslatedBlocks &translated, const spirv::Block &header,
                const DenseMap<Id, Labels> &successors)
      : m_translated(translated), m_header(header.label), m_merge(header.merge->mergeBlock),
        m_successors(successors) {
    collectBlocks();
    collectCycle();
  }

  /// Whether it goes round at all, and holds some of \p subgroupBlocks.
  bool concerns(const Labels &subgroupBlocks) const {
    return !m_cycle.empty() &&
           any_of(m_blocks, [&](Id label) { return subgroupBlocks.contains(label); });
  }
  /// Gives the loop one way back, and lets the ways out after \p subgroupBlocks seem to take it.
  void hold(Builder &builder, const Labels &subgroupBlocks);

private:
  /// Fills m_blocks.
  void collectBlocks();
  /// Fills m_cycle by a search backwards from the header; it stays empty where no block leads back.
  void collectCycle();
  Labels findTail(const Labels &subgroupBlocks) const;
  void createLatch(Builder &builder);
  Labels successorsOf(Id label) const { return m_successors.lookup(label); }
  /// Puts a block between \p from and \p merge that seems to lead back to the header, too.
  void redirect(Builder &builder, BasicBlock *from, BasicBlock *merge) const;
  void guardReturn(Builder &builder, Id label) const;
  void addBackEdge(Builder &builder, BasicBlock *from, BasicBlock *out) const;

  const TranslatedBlocks &m_translated;
  const Id m_header;
  const Id m_merge;
  const DenseMap<Id, Labels> &m_successors;
  Labels m_blocks; ///< Reached from the header without passing the merge block.
  Labels m_cycle;  ///< Those that lead back to the header.
  BasicBlock *m_latch = nullptr;
};
} // namespace

/// Blocks that end in a return are included.
void LoopConstruct::collectBlocks() {
  SmallVector<Id, 16> work = {m_header};
  m_blocks.insert(m_header);
  while (!work.empty())
    for (Id next : successorsOf(work.pop_back_val()))
      if (next != m_merge && m_blocks.insert(next).second)
        work.push_back(next);
}

/// Only blocks in m_blocks count as predecessors.
void LoopConstruct::collectCycle() {
  DenseMap<Id, SmallVector<Id, 2>> predecessors;
  for (Id label : m_blocks)
    for (Id next : successorsOf(label))
      predecessors[next].push_back(label);
  SmallVector<Id, 16> work = {m_header};
  while (!work.empty())
    for (Id before : predecessors.lookup(work.pop_back_val()))
      if (m_cycle.insert(before).second)
        work.push_back(before);
}

/// The blocks from which no way leads back to the header, and that come after one of
/// \p subgroupBlocks, itself included.
Labels LoopConstruct::findTail(const Labels &subgroupBlocks) const {
  Labels tail;
  SmallVector<Id, 8> work;
  for (Id label : m_blocks)
    if (subgroupBlocks.contains(label) && !m_cycle.contains(label) && tail.insert(label).second)
      work.push_back(label);
  while (!work.empty())
    for (Id next : successorsOf(work.pop_back_val()))
      if (next != m_merge && tail.insert(next).second)
        work.push_back(next);
  return tail;
}

/// A block between the ways back and the header.
void LoopConstruct::createLatch(Builder &builder) {
  BasicBlock *header = m_translated.begins.lookup(m_header);
  m_latch = BasicBlock::Create(builder.getContext(), "latch", header->getParent());
  SmallVector<BasicBlock *, 2> backs;
  for (Id label : m_cycle)
    if (BasicBlock *end = m_translated.ends.lookup(label); is_contained(successors(end), header))
      backs.push_back(end);
  builder.SetInsertPoint(m_latch);
  for (PHINode &phi : header->phis()) {
    PHINode *next = builder.CreatePHI(phi.getType(), 2);
    for (BasicBlock *back : backs) {
      next->addIncoming(phi.getIncomingValueForBlock(back), back);
      while (phi.getBasicBlockIndex(back) >= 0)
        phi.removeIncomingValue(back, /*DeletePHIIfEmpty=*/false);
    }
    phi.addIncoming(next, m_latch);
  }
  for (BasicBlock *back : backs)
    back->getTerminator()->replaceSuccessorWith(header, m_latch);
  builder.createAnchor();
  builder.CreateBr(header);
}

/// From \p from, an empty block, to \p out, and for all that LLVM knows to the header.
void LoopConstruct::addBackEdge(Builder &builder, BasicBlock *from, BasicBlock *out) const {
  BasicBlock *header = m_translated.begins.lookup(m_header);
  builder.SetInsertPoint(from);
  builder.CreateCondBr(builder.createOpaqueTrue(), out, m_latch);
  for (auto [phi, next] : zip_equal(header->phis(), m_latch->phis()))
    next.addIncoming(&phi, from);
}

/// Phis of \p merge get one incoming value from the new block, for all edges from \p from.
void LoopConstruct::redirect(Builder &builder, BasicBlock *from, BasicBlock *merge) const {
  Instruction *end = from->getTerminator();
  BasicBlock *exit = BasicBlock::Create(builder.getContext(), "exit", from->getParent(), merge);
  for (PHINode &phi : merge->phis()) {
    Value *value = phi.getIncomingValueForBlock(from);
    while (phi.getBasicBlockIndex(from) >= 0)
      phi.removeIncomingValue(from, /*DeletePHIIfEmpty=*/false);
    phi.addIncoming(value, exit);
  }
  end->replaceSuccessorWith(merge, exit);
  addBackEdge(builder, exit, merge);
}

/// The block ends elsewhere then: an outer loop may guard its return, too.
void LoopConstruct::guardReturn(Builder &builder, Id label) const {
  BasicBlock *from = m_translated.ends.lookup(label);
  Instruction *end = from->getTerminator();
  BasicBlock *exit = BasicBlock::Create(builder.getContext(), "exit", from->getParent());
  end->removeFromParent();
  end->insertInto(exit, exit->end());
  addBackEdge(builder, from, exit);
  m_translated.ends[label] = exit;
}

/// The latch is created first, as the exits get edges to it.
void LoopConstruct::hold(Builder &builder, const Labels &subgroupBlocks) {
  createLatch(builder);
  BasicBlock *merge = m_translated.begins.lookup(m_merge);
  for (Id label : findTail(subgroupBlocks)) {
    BasicBlock *end = m_translated.ends.lookup(label);
    if (isa<ReturnInst>(end->getTerminator()))
      guardReturn(builder, label);
    else if (merge && is_contained(successors(end), merge))
      redirect(builder, end, merge);
  }
}

/// Returns whether \p block has a subgroup operation or calls one of \p subgroupFunctions.
static bool holdsSubgroupOps(const spirv::Block &block, const Labels &subgroupFunctions) {
  return any_of(block.instructions, [&](const spirv::Instruction &inst) {
    if (inst.opcode == spv::Op::OpFunctionCall)
      return subgroupFunctions.contains(inst.operand(0));
    return isSubgroupOpcode(inst.opcode);
  });
}

/// By label, in terms of SPIR-V's blocks: those of LLVM may be more.
static DenseMap<Id, Labels> collectSuccessors(const spirv::Function &function,
                                              const TranslatedBlocks &translated) {
  DenseMap<BasicBlock *, Id> labels;
  for (auto [label, begin] : translated.begins)
    labels[begin] = label;
  DenseMap<Id, Labels> result;
  for (const spirv::Block &block : function.blocks)
    if (BasicBlock *end = translated.ends.lookup(block.label))
      for (BasicBlock *next : successors(end))
        result[block.label].insert(labels.lookup(next));
  return result;
}

/// Does nothing to functions without subgroup operations. Blocks that were not translated are
/// skipped.
void assay::holdLoopExits(Builder &builder, const spirv::Function &function,
                          const TranslatedBlocks &translated, const Labels &subgroupFunctions) {
  if (!subgroupFunctions.contains(function.id))
    return;
  Labels subgroupBlocks;
  for (const spirv::Block &block : function.blocks)
    if (translated.ends.contains(block.label) && holdsSubgroupOps(block, subgroupFunctions))
      subgroupBlocks.insert(block.label);

  // All is found before anything is changed: successors are looked up in what was translated.
  DenseMap<Id, Labels> successors = collectSuccessors(function, translated);
  std::vector<LoopConstruct> loops;
  for (const spirv::Block &block : function.blocks) {
    if (!block.merge || !block.merge->isLoop || !translated.ends.contains(block.label))
      continue;
    LoopConstruct loop(translated, block, successors);
    if (loop.concerns(subgroupBlocks))
      loops.push_back(std::move(loop));
  }
  for (LoopConstruct &loop : loops)
    loop.hold(builder, subgroupBlocks);
}
