// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/Grouping.h"

#include "compiler/ir3/passes/PrepareAllocation.h"
#include "llvm/ADT/DenseSet.h"

using namespace llvm;

namespace assay::ir3 {

namespace {

/// A neighbour and how many scalars it is away; null: none.
struct Neighbor {
  const Instruction *value = nullptr;
  unsigned distance = 0;
  bool operator==(const Neighbor &) const = default;
};

/// The chains of neighbours of one program.
class NeighborLists {
public:
  explicit NeighborLists(Program &program) : m_program(program) {}
  /// Makes neighbours of the sources of \p collect; returns how many moves this needed.
  unsigned group(Instruction &collect);

private:
  /// A source of the collect at hand that is not undefined.
  struct Part {
    Register *source;
    unsigned offset;       ///< In scalars.
    bool isDirect = false; ///< It is a member itself, not a move of it.
  };
  /// Whether a value can be a member of a chain: its register is its own, and not chosen by the
  /// constraints of another instruction.
  static bool canBeMember(const Instruction &collect, const Register &source);
  const Instruction *headOf(const Instruction *value) const;
  /// Scalars from the start of \p head to the end of its chain.
  unsigned sizeOfChain(const Instruction *head) const;
  /// Whether the two are neighbours already.
  bool isLinked(const Part &left, const Part &right) const;
  /// A part that has to be a move because of its neighbour at \p index, or nothing.
  Part *findConflict(MutableArrayRef<Part> parts, size_t index) const;
  /// A part that would close a circle, or be twice in one chain; or all, where the chain is too
  /// long. Returns whether a part has become a move.
  bool breakChains(MutableArrayRef<Part> parts) const;

  Program &m_program;
  DenseMap<const Instruction *, Neighbor> m_left, m_right;
};

/// Longer chains than this would leave few registers in which they fit.
constexpr unsigned MaxChain = 16;

} // namespace

/// Phis and inputs are read through copies that prepareAllocation() makes.
bool NeighborLists::canBeMember(const Instruction &collect, const Register &source) {
  constexpr uint32_t Flags = registerflag::Ssa | registerflag::Half;
  if (!source.isSsa() || source.size != 1 || (source.flags & ~Flags) ||
      source.isHalf() != collect.dst().isHalf())
    return false;
  const Instruction &def = *source.def;
  return def.opcode != Opcode::MetaCollect && def.opcode != Opcode::MetaOutput &&
         !def.info().has(property::Tied);
}

const Instruction *NeighborLists::headOf(const Instruction *value) const {
  while (const Instruction *left = m_left.lookup(value).value)
    value = left;
  return value;
}

unsigned NeighborLists::sizeOfChain(const Instruction *head) const {
  unsigned size = head->dst().size;
  for (Neighbor next = m_right.lookup(head); next.value; next = m_right.lookup(next.value))
    size += next.distance;
  return size;
}

bool NeighborLists::isLinked(const Part &left, const Part &right) const {
  return left.isDirect && right.isDirect &&
         m_right.lookup(left.source->def) ==
             Neighbor{right.source->def, right.offset - left.offset};
}

NeighborLists::Part *NeighborLists::findConflict(MutableArrayRef<Part> parts, size_t index) const {
  Part &left = parts[index], &right = parts[index + 1];
  if (isLinked(left, right))
    return nullptr;
  if (left.isDirect && m_right.lookup(left.source->def).value)
    return &left;
  return right.isDirect && m_left.lookup(right.source->def).value ? &right : nullptr;
}

bool NeighborLists::breakChains(MutableArrayRef<Part> parts) const {
  DenseSet<const Instruction *> heads;
  unsigned size = 0;
  for (auto [index, part] : enumerate(parts)) {
    if (!part.isDirect) {
      size += part.source->size;
      continue;
    }
    if (index && isLinked(parts[index - 1], part))
      continue;
    const Instruction *head = headOf(part.source->def);
    if (!heads.insert(head).second) {
      part.isDirect = false;
      return true;
    }
    size += sizeOfChain(head);
  }
  bool isTooLong = size > MaxChain && !heads.empty();
  for (Part &part : parts)
    part.isDirect &= !isTooLong;
  return isTooLong;
}

/// Parts become moves until nothing conflicts: where all are, nothing does.
unsigned NeighborLists::group(Instruction &collect) {
  SmallVector<Part, 4> parts;
  unsigned offset = 0;
  for (Register &source : collect.sources()) {
    if (!source.is(registerflag::Undefined))
      parts.push_back({&source, offset, canBeMember(collect, source)});
    offset += source.size;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i + 1 < parts.size(); ++i)
      if (Part *conflict = findConflict(parts, i)) {
        conflict->isDirect = false;
        changed = true;
      }
    changed |= breakChains(parts);
  }
  unsigned moves = 0;
  for (Part &part : parts) {
    if (!part.isDirect) {
      isolateSource(m_program, collect, *part.source, collect.dst().isHalf());
      ++moves;
    }
  }
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const Instruction *left = parts[i].source->def, *right = parts[i + 1].source->def;
    unsigned distance = parts[i + 1].offset - parts[i].offset;
    m_right[left] = {right, distance};
    m_left[right] = {left, distance};
  }
  return moves;
}

unsigned groupNeighbors(Program &program) {
  NeighborLists lists(program);
  unsigned moves = 0;
  for (Instruction *inst : program.instructions())
    if (inst->opcode == Opcode::MetaCollect)
      moves += lists.group(*inst);
  return moves;
}

} // namespace assay::ir3
