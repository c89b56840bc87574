// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/LiveRanges.h"

#include "support/Ir3Fault.h"
#include "llvm/ADT/BitVector.h"

using namespace llvm;

namespace assay::ir3 {

/// Counts positions twice where segments overlap: normalize() comes first.
uint32_t LiveRange::length() const {
  uint32_t sum = 0;
  for (const LiveSegment &segment : m_segments)
    sum += segment.end - segment.begin;
  return sum;
}

/// Both must be normalized. Ranges that only touch do not overlap.
bool LiveRange::overlaps(const LiveRange &other) const {
  auto left = m_segments.begin(), right = other.m_segments.begin();
  while (left != m_segments.end() && right != other.m_segments.end()) {
    if (left->begin < right->end && right->begin < left->end)
      return true;
    if (left->end <= right->end)
      ++left;
    else
      ++right;
  }
  return false;
}

bool LiveRange::contains(uint32_t position) const {
  return any_of(m_segments, [&](const LiveSegment &segment) {
    return segment.begin <= position && position < segment.end;
  });
}

void LiveRange::add(const LiveRange &other) {
  m_segments.insert(m_segments.end(), other.m_segments.begin(), other.m_segments.end());
}

/// Sorts segments, and joins those that overlap or touch.
void LiveRange::normalize() {
  sort(m_segments,
       [](const LiveSegment &left, const LiveSegment &right) { return left.begin < right.begin; });
  std::vector<LiveSegment> merged;
  for (const LiveSegment &segment : m_segments) {
    if (!merged.empty() && segment.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, segment.end);
    else
      merged.push_back(segment);
  }
  m_segments = std::move(merged);
}

namespace {

/// Backward dataflow of values and forward dataflow of array accesses, then segments by block.
class Analysis {
public:
  explicit Analysis(Program &program)
      : m_program(program), m_values(program.nextName() + program.arrays.size()) {}
  std::vector<LiveRange> run();

private:
  /// Sets of values of one block, as computeLiveRanges() numbers them.
  struct BlockSets {
    BitVector used, defined, liveIn, liveOut; ///< Upwards exposed uses; definitions.
    BitVector touched, reached;               ///< Arrays accessed here; before the end of here.
  };
  /// Fills the sets that the instructions of \p block determine. Sources of phis are not used here:
  /// they are live at the ends of predecessors.
  void collect(const Block &block, BlockSets &sets);
  /// Iterates liveIn, liveOut and reached until nothing changes.
  void solve();
  /// Adds the segments of all values in \p block, walking it backwards. A result that nothing uses
  /// lives for one position.
  void addRanges(const Block &block);
  /// Calls \p each with the number of the array of each array operand.
  void forArrays(const Instruction &inst, function_ref<void(unsigned value)> each) const;

  Program &m_program;
  size_t m_values;
  std::vector<BlockSets> m_sets;
  std::vector<LiveRange> m_ranges;
};

} // namespace

void Analysis::forArrays(const Instruction &inst, function_ref<void(unsigned value)> each) const {
  for (const Register &operand : inst.registers)
    if (operand.isArray())
      each(m_program.nextName() + operand.arrayId);
}

void Analysis::collect(const Block &block, BlockSets &sets) {
  for (BitVector *set :
       {&sets.used, &sets.defined, &sets.liveIn, &sets.liveOut, &sets.touched, &sets.reached})
    set->resize(unsigned(m_values));
  for (const Instruction *inst : block.instructions) {
    if (inst->opcode != Opcode::MetaPhi)
      for (const Instruction *source : inst->ssaSources())
        if (!sets.defined.test(source->name))
          sets.used.set(source->name);
    forArrays(*inst, [&](unsigned value) {
      sets.used.set(value);
      sets.touched.set(value);
    });
    if (inst->dst().isSsa())
      sets.defined.set(inst->name);
  }
}

void Analysis::solve() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &block : reverse(m_program.blocks)) {
      BlockSets &sets = m_sets[block->number];
      BitVector out(static_cast<unsigned>(m_values));
      for (const Block *successor : block->successorList()) {
        out |= m_sets[successor->number].liveIn;
        for (const Instruction *phi : successor->phis())
          for (auto [source, from] : zip(phi->sources(), phi->phiBlocks))
            if (from == block.get() && source.isSsa())
              out.set(source.def->name);
      }
      BitVector in = out;
      in.reset(sets.defined);
      in |= sets.used;
      changed |= in != sets.liveIn || out != sets.liveOut;
      sets.liveIn = std::move(in);
      sets.liveOut = std::move(out);
    }
    for (auto &block : m_program.blocks) {
      BlockSets &sets = m_sets[block->number];
      BitVector reached = sets.touched;
      for (const Block *predecessor : block->predecessors)
        reached |= m_sets[predecessor->number].reached;
      changed |= reached != sets.reached;
      sets.reached = std::move(reached);
    }
    if (changed && faultPlanted(Ir3Fault::LoopRange))
      break;
  }
}

void Analysis::addRanges(const Block &block) {
  if (block.instructions.empty())
    return;
  BlockSets &sets = m_sets[block.number];
  uint32_t begin = 2 * block.instructions.front()->position;
  uint32_t end = 2 * block.instructions.back()->position + 2;
  BitVector before(static_cast<unsigned>(m_values)); // Arrays accessed on the way to here.
  for (const Block *predecessor : block.predecessors)
    before |= m_sets[predecessor->number].reached;
  // The end of each live value while the block is walked backwards; 0: dead.
  DenseMap<unsigned, uint32_t> ends;
  for (unsigned value : sets.liveOut.set_bits())
    if (value < m_program.nextName() || sets.reached.test(value))
      ends[value] = end;
  DenseMap<unsigned, uint32_t> firstAccess;
  for (const Instruction *inst : block.instructions)
    forArrays(*inst, [&](unsigned value) { firstAccess.try_emplace(value, 2 * inst->position); });
  for (const Instruction *inst : reverse(block.instructions)) {
    if (inst->dst().isSsa()) {
      bool isPhi = inst->opcode == Opcode::MetaPhi;
      uint32_t from = inst->opcode == Opcode::MetaInput ? 0
                      : isPhi                           ? begin
                                                        : 2 * inst->position + 1;
      auto found = ends.find(inst->name);
      uint32_t to = found == ends.end() ? 2 * inst->position + 2 : found->second;
      m_ranges[inst->name].add(from, std::max(to, from + 1));
      ends.erase(inst->name);
    }
    if (inst->opcode != Opcode::MetaPhi)
      for (const Instruction *source : inst->ssaSources())
        ends.try_emplace(source->name, 2 * inst->position + 1);
    forArrays(*inst, [&](unsigned value) { ends.try_emplace(value, 2 * inst->position + 2); });
  }
  for (auto [value, to] : ends) {
    bool isLate = value >= m_program.nextName() && !before.test(value);
    m_ranges[value].add(isLate ? firstAccess.lookup(value) : begin, to);
  }
}

/// Numbers the program first: positions are twice the numbers of instructions.
std::vector<LiveRange> Analysis::run() {
  m_program.updatePredecessors();
  m_program.numberInstructions();
  m_sets.resize(m_program.blocks.size());
  m_ranges.resize(m_values);
  for (auto &block : m_program.blocks)
    collect(*block, m_sets[block->number]);
  solve();
  for (auto &block : m_program.blocks)
    addRanges(*block);
  for (LiveRange &range : m_ranges)
    range.normalize();
  return std::move(m_ranges);
}

std::vector<LiveRange> computeLiveRanges(Program &program) {
  return Analysis(program).run();
}

} // namespace assay::ir3
