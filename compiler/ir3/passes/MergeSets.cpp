// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/MergeSets.h"

#include "support/Ir3Fault.h"
#include <cassert>

using namespace llvm;

namespace assay::ir3 {

RegisterClass classOf(const Register &dst) {
  if (dst.is(registerflag::Predicate))
    return RegisterClass::Predicate;
  if (dst.is(registerflag::Address))
    return RegisterClass::Address;
  if (dst.is(registerflag::Address1))
    return RegisterClass::Address1;
  if (dst.is(registerflag::Shared))
    return RegisterClass::Shared;
  return dst.isHalf() ? RegisterClass::Half : RegisterClass::Full;
}

MergeSets::MergeSets(Program &program, ArrayRef<LiveRange> ranges, unsigned limit,
                     bool onlyRequired)
    : m_program(program), m_ranges(ranges), m_limit(limit) {
  addValues();
  numberContents();
  mergeRequired();
  if (!onlyRequired)
    mergeWanted();
  erase_if(m_sets, [](const MergeSet &set) { return set.members.empty(); });
}

/// Scalars of a value, or elements of an array.
unsigned MergeSets::sizeOf(uint32_t value) const {
  if (const Instruction *def = m_defs[value])
    return def->dst().size;
  return m_program.arrays[value - m_program.nextName()].size;
}

/// A set for each value or array with a live range. Inputs in registers that the hardware chose get
/// that base.
void MergeSets::addValues() {
  m_defs.resize(m_ranges.size());
  m_places.resize(m_ranges.size());
  m_contents.resize(m_ranges.size());
  for (Instruction *inst : m_program.instructions())
    if (inst->dst().isSsa())
      m_defs[inst->name] = inst;
  for (uint32_t value = 0; value < m_ranges.size(); ++value) {
    if (m_ranges[value].isEmpty())
      continue;
    MergeSet set;
    set.size = sizeOf(value);
    set.members.push_back({value, 0, set.size});
    if (const Instruction *def = m_defs[value]) {
      set.registerClass = classOf(def->dst());
      bool isPlaced = def->opcode == Opcode::MetaInput || def->opcode == Opcode::MetaOutput;
      if (isPlaced && def->dst().isAssigned())
        set.fixedBase = def->dst().number;
    } else if (m_program.arrays[value - m_program.nextName()].half) {
      set.registerClass = RegisterClass::Half;
    }
    m_places[value] = {unsigned(m_sets.size()), 0};
    m_sets.push_back(std::move(set));
  }
}

/// Copies have the content of what they copy.
void MergeSets::numberContents() {
  uint32_t next = 0;
  for (Instruction *inst : m_program.instructions()) {
    if (!inst->dst().isSsa())
      continue;
    auto &contents = m_contents[inst->name];
    for (unsigned i = 0; i < inst->dst().size; ++i)
      contents.push_back(next++);
    auto copyFrom = [&](unsigned component, const Register &source, unsigned sourceComponent) {
      constexpr uint32_t Modifiers = registerflag::Negate | registerflag::Absolute;
      if (source.isSsa() && !source.is(Modifiers) &&
          sourceComponent < m_contents[source.def->name].size())
        contents[component] = m_contents[source.def->name][sourceComponent];
    };
    if (inst->opcode == Opcode::MetaSplit)
      copyFrom(0, inst->registers[1], unsigned(inst->fields.index));
    if (inst->isPlainMove() || inst->opcode == Opcode::MetaOutput ||
        inst->opcode == Opcode::MetaCollect)
      for (auto [number, source] : inst->numberedSources())
        for (unsigned i = 0; i < source.size && number + i < contents.size(); ++i)
          copyFrom(unsigned(number) + i, source, i);
  }
}

/// Whether two values at the scalars \p leftAt and \p rightAt cannot share the registers in which
/// they overlap: they are live together, and a component there has another content. Arrays have no
/// contents.
bool MergeSets::membersInterfere(uint32_t left, int leftAt, uint32_t right, int rightAt) const {
  int begin = std::max(leftAt, rightAt);
  int end = std::min(leftAt + int(sizeOf(left)), rightAt + int(sizeOf(right)));
  if (begin >= end)
    return false;
  bool isSame = !m_contents[left].empty() && !m_contents[right].empty();
  for (int i = begin; i < end && isSame; ++i)
    isSame = m_contents[left][size_t(i - leftAt)] == m_contents[right][size_t(i - rightAt)];
  return !isSame && m_ranges[left].overlaps(m_ranges[right]);
}

/// Whether any members of the two sets interfere with \p right placed \p shift scalars after \p
/// left.
bool MergeSets::interfere(const MergeSet &left, const MergeSet &right, int shift) const {
  for (const MergeSet::Member &one : left.members)
    for (const MergeSet::Member &other : right.members)
      if (membersInterfere(one.value, int(one.offset), other.value, int(other.offset) + shift))
        return true;
  return false;
}

/// A set in registers that the hardware chose does not grow: its neighbours may be chosen, too.
bool MergeSets::fixedFits(const MergeSet &left, const MergeSet &right, int shift) {
  if (left.fixedBase && right.fixedBase)
    return false;
  if (left.fixedBase)
    return shift >= 0 && unsigned(shift) + right.size <= left.size;
  return !right.fixedBase || (shift <= 0 && left.size <= right.size - unsigned(-shift));
}

/// A set that is merged with one in registers that the hardware or the caller chose must leave the
/// registers of other such sets alone while those live.
bool MergeSets::fixedCollides(const MergeSet &left, const MergeSet &right, int shift) const {
  if (!left.fixedBase && !right.fixedBase)
    return false;
  int base = left.fixedBase ? int(*left.fixedBase) : int(*right.fixedBase) - shift;
  const MergeSet &added = left.fixedBase ? right : left;
  int start = left.fixedBase ? base + shift : base;
  auto cells = [&](RegisterClass of, int number, unsigned size) {
    int width = of == RegisterClass::Full && m_program.compiler().mergedRegisters ? 2 : 1;
    return std::pair(width * number, width * (number + int(size)));
  };
  auto isOther = [&](RegisterClass one, RegisterClass other) {
    bool isVector = one == RegisterClass::Full || one == RegisterClass::Half;
    bool otherIsVector = other == RegisterClass::Full || other == RegisterClass::Half;
    return one != other && !(m_program.compiler().mergedRegisters && isVector && otherIsVector);
  };
  for (const MergeSet &set : m_sets) {
    if (!set.fixedBase || &set == &left || &set == &right ||
        isOther(set.registerClass, added.registerClass))
      continue;
    for (const MergeSet::Member &member : set.members)
      for (const MergeSet::Member &mine : added.members) {
        auto [begin, end] = cells(added.registerClass, start + int(mine.offset), mine.size);
        auto [otherBegin, otherEnd] =
            cells(set.registerClass, int(*set.fixedBase + member.offset), member.size);
        if (begin < otherEnd && otherBegin < end &&
            m_ranges[mine.value].overlaps(m_ranges[member.value]))
          return true;
      }
  }
  return false;
}

/// Required merges are not checked: prepareAllocation() has made them possible. Others fail where
/// classes differ, the set would be too large, fixed bases do not fit, or members interfere.
bool MergeSets::tryMerge(uint32_t first, uint32_t second, int distance, bool isRequired) {
  Place &one = m_places[first], &other = m_places[second];
  int shift = int(one.offset) + distance - int(other.offset);
  if (one.set == other.set)
    return shift == 0;
  MergeSet &left = m_sets[one.set], &right = m_sets[other.set];
  if (left.members.empty() || right.members.empty())
    return false;
  int low = std::min(0, shift);
  unsigned size = unsigned(std::max(int(left.size), shift + int(right.size)) - low);
  if (!isRequired) {
    constexpr size_t MaxPairs = 20'000;
    bool isTooLarge = size > std::max({m_limit, left.size, right.size});
    if (left.registerClass != right.registerClass || isTooLarge ||
        left.members.size() * right.members.size() > MaxPairs || !fixedFits(left, right, shift) ||
        fixedCollides(left, right, shift) ||
        (interfere(left, right, shift) && !faultPlanted(Ir3Fault::MergeInterfering)))
      return false;
  }
  std::optional<unsigned> fixed;
  if (left.fixedBase)
    fixed = unsigned(int(*left.fixedBase) + low);
  else if (right.fixedBase)
    fixed = unsigned(int(*right.fixedBase) - shift + low);
  for (MergeSet::Member &member : left.members) {
    member.offset = unsigned(int(member.offset) - low);
    m_places[member.value].offset = member.offset;
  }
  unsigned target = one.set;
  for (const MergeSet::Member &member : right.members) {
    unsigned offset = unsigned(int(member.offset) + shift - low);
    left.members.push_back({member.value, offset, member.size});
    m_places[member.value] = {target, offset};
  }
  left.size = size;
  left.fixedBase = fixed;
  right.members.clear();
  return true;
}

/// Phis with their sources at distance 0, collects with theirs at their components, tied sources
/// with results.
void MergeSets::mergeRequired() {
  for (Instruction *inst : m_program.instructions()) {
    bool isPhi = inst->opcode == Opcode::MetaPhi, isCollect = inst->opcode == Opcode::MetaCollect;
    if (isPhi || isCollect) {
      int at = 0;
      for (const Register &source : inst->sources()) {
        bool isMerged =
            !source.isSsa() || tryMerge(inst->name, source.def->name, isPhi ? 0 : at, true);
        assert(isMerged);
        (void)isMerged;
        at += source.size;
      }
    } else if (inst->info().has(property::Tied) && inst->registers[1].isSsa()) {
      tryMerge(inst->name, inst->registers[1].def->name, 0, true);
    }
  }
}

/// Those in the innermost loops first.
void MergeSets::mergeWanted() {
  std::vector<Instruction *> copies;
  for (Instruction *inst : m_program.instructions())
    if ((inst->isPlainMove() || inst->opcode == Opcode::MetaOutput ||
         inst->opcode == Opcode::MetaSplit) &&
        inst->dst().isSsa() && inst->registers[1].isSsa())
      copies.push_back(inst);
  sort(copies, [](const Instruction *left, const Instruction *right) {
    return std::tuple(right->block->loopDepth, left->position) <
           std::tuple(left->block->loopDepth, right->position);
  });
  for (Instruction *inst : copies) {
    int distance = inst->opcode == Opcode::MetaSplit ? inst->fields.index : 0;
    tryMerge(inst->registers[1].def->name, inst->name, distance, false);
  }
}

} // namespace assay::ir3
