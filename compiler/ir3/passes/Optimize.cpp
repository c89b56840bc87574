// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/Optimize.h"

#include "compiler/ir3/ir/Legality.h"
#include "support/Ir3Fault.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include <unordered_map>

using namespace llvm;

namespace assay::ir3 {

/// Marks from instructions with effects backwards; whatever is not reached is removed.
unsigned removeDeadCode(Program &program) {
  DenseSet<const Instruction *> live;
  std::vector<const Instruction *> work;
  auto visit = [&](const Instruction *inst) {
    if (live.insert(inst).second)
      work.push_back(inst);
  };
  for (const Instruction *inst : program.instructions())
    if (inst->hasSideEffect())
      visit(inst);
  while (!work.empty()) {
    const Instruction *inst = work.back();
    work.pop_back();
    for (const Instruction *source : inst->ssaSources())
      visit(source);
  }
  unsigned removed = 0;
  for (auto &block : program.blocks)
    removed += unsigned(erase_if(block->instructions,
                                 [&](const Instruction *inst) { return !live.contains(inst); }));
  return removed;
}

/// What a source that reads \p move can read in its place.
static std::optional<Register> propagated(const Instruction &user, const Register &source,
                                          const Instruction &move) {
  constexpr uint32_t Modifiers = registerflag::Negate | registerflag::Absolute;
  if (!move.isPlainMove() || move.dst().size != 1)
    return std::nullopt;
  const Register &from = move.registers[1];
  if (from.is(Modifiers) || from.isArray())
    return std::nullopt;
  bool isPlain = from.isSsa() || from.isConst() || from.isImmediate();
  if (!isPlain || (from.isImmediate() && source.is(Modifiers)))
    return std::nullopt;
  if (from.isSsa() && from.is(registerflag::Special & ~registerflag::Shared))
    return std::nullopt;
  // A half constant that a float opcode reads is a float of 32 bits; a move copies 16.
  if (from.isConst() && from.isHalf())
    return std::nullopt;
  // Both sides of a branch are executed, one after the other: what is in a shared register must not
  // live across blocks.
  if (from.is(registerflag::Shared) && user.block != move.block)
    return std::nullopt;
  // Relative constants stay in the block of the move.
  if (from.isRelative()) {
    bool sameAddress = !user.address || user.address == move.address;
    if (user.block != move.block || !sameAddress || user.isMeta() || user.dst().isRelative())
      return std::nullopt;
  }
  return from.with(source.flags & Modifiers);
}

/// One pass over the program. A chain of moves is followed by one step for each use, and by the
/// rest in the next round.
unsigned propagateCopies(Program &program) {
  unsigned changes = 0;
  for (Instruction *inst : program.instructions()) {
    for (unsigned i = 0; i + 1 < inst->registers.size(); ++i) {
      Register &source = inst->registers[i + 1];
      if (!source.isSsa())
        continue;
      const Instruction *move = source.def;
      std::optional<Register> replacement = propagated(*inst, source, *move);
      bool isPhi = inst->opcode == Opcode::MetaPhi;
      if (!replacement || (isPhi && replacement->is(registerflag::Shared)) ||
          (!isPhi && !isLegalSource(*inst, i, *replacement)))
        continue;
      source = *replacement;
      if (source.isRelative())
        inst->address = move->address;
      ++changes;
    }
  }
  return changes;
}

/// Equal for instructions that isSame() takes to be equal; the destination is left out.
static size_t hashOf(const Instruction &inst) {
  size_t hash = hash_combine(unsigned(inst.opcode), inst.registers.size(), inst.address);
  for (const FieldInfo &field : allFields())
    if (!faultPlanted(Ir3Fault::EqualFields))
      hash = hash_combine(hash, inst.fields.*field.member);
  for (const Register &source : inst.sources())
    hash = hash_combine(hash, source.flags, source.number, source.value, source.def);
  return hash;
}

/// Whether two operands read the same value with the same modifiers. Arrays are not told apart
/// here: isPure() excludes their readers.
static bool isSameSource(const Register &left, const Register &right) {
  return left.flags == right.flags && left.number == right.number && left.size == right.size &&
         left.value == right.value && left.def == right.def;
}

/// Whether two instructions have equal opcodes, fields, sources, addresses, and results of the same
/// kind.
static bool isSame(const Instruction &left, const Instruction &right) {
  bool sources = left.registers.size() == right.registers.size() &&
                 all_of(zip(left.sources(), right.sources()), [](const auto &pair) {
                   return isSameSource(std::get<0>(pair), std::get<1>(pair));
                 });
  bool fields = left.fields == right.fields || faultPlanted(Ir3Fault::EqualFields);
  return sources && left.opcode == right.opcode && fields && left.address == right.address &&
         left.dst().flags == right.dst().flags && left.dst().size == right.dst().size;
}

/// Pure: the result depends on the sources alone.
static bool isPure(const Instruction &inst) {
  bool isValue = inst.dst().isSsa() && inst.barrierClass().isEmpty() && !inst.hasSideEffect();
  bool isJoined = inst.opcode == Opcode::MetaCollect || inst.opcode == Opcode::MetaSplit;
  return isValue && !inst.dst().is(registerflag::Special) &&
         (inst.info().category <= 4 || isJoined);
}

/// Within blocks alone; uses in other blocks are redirected at the end.
unsigned mergeCommonValues(Program &program) {
  unsigned changes = 0;
  DenseMap<const Instruction *, Instruction *> replaced;
  for (auto &block : program.blocks) {
    std::unordered_multimap<size_t, Instruction *> known;
    for (Instruction *inst : block->instructions) {
      for (Register &source : inst->sources())
        if (Instruction *other = source.isSsa() ? replaced.lookup(source.def) : nullptr)
          source.def = other;
      if (!isPure(*inst) || replaced.count(inst))
        continue;
      size_t hash = hashOf(*inst);
      auto [first, last] = known.equal_range(hash);
      auto found = std::find_if(first, last,
                                [&](const auto &entry) { return isSame(*entry.second, *inst); });
      if (found == last) {
        known.emplace(hash, inst);
        continue;
      }
      replaced[inst] = found->second;
      ++changes;
    }
  }
  for (Instruction *inst : program.instructions())
    for (Register &source : inst->sources())
      if (Instruction *other = source.isSsa() ? replaced.lookup(source.def) : nullptr)
        source.def = other;
  return changes;
}

/// The compare itself stays: removeDeadCode() removes it if nothing else uses it.
unsigned foldCompares(Program &program) {
  unsigned changes = 0;
  for (Instruction *inst : program.instructions()) {
    bool isTest = inst->dst().is(registerflag::Predicate) &&
                  (inst->opcode == Opcode::CmpsU || inst->opcode == Opcode::CmpsS) &&
                  inst->fields.condition == Ne && inst->registers[1].isSsa() &&
                  inst->registers[2].isImmediate() && !inst->registers[2].value;
    if (!isTest)
      continue;
    // The compare may see an operand of its own through a relative constant: its address can be
    // gone here.
    const Instruction &compare = *inst->registers[1].def;
    bool isCompare = compare.opcode == Opcode::CmpsU || compare.opcode == Opcode::CmpsS ||
                     compare.opcode == Opcode::CmpsF;
    if (!isCompare || compare.address || compare.dst().is(registerflag::Predicate))
      continue;
    inst->opcode = compare.opcode;
    inst->fields = compare.fields;
    if (faultPlanted(Ir3Fault::FoldCompare))
      inst->fields.condition = Ne;
    for (unsigned i = 1; i <= 2; ++i)
      inst->registers[i] = compare.registers[i];
    ++changes;
  }
  return changes;
}

/// The pattern is a component of resinfo.b, shifted left by one or two bits and right by the same
/// amount.
unsigned foldLengths(Program &program) {
  auto shiftOf = [](const Instruction &inst, Opcode opcode) -> int32_t {
    bool isShift = inst.opcode == opcode && inst.registers[1].isSsa() &&
                   !inst.registers[1].is(registerflag::Negate) && inst.registers[2].isImmediate();
    return isShift ? inst.registers[2].value : -1;
  };
  unsigned changes = 0;
  for (Instruction *inst : program.instructions()) {
    int32_t back = shiftOf(*inst, Opcode::ShrB);
    if (back <= 0 || back > 2)
      continue;
    const Instruction &bytes = *inst->registers[1].def;
    const Instruction *split =
        shiftOf(bytes, Opcode::ShlB) == back ? bytes.registers[1].def : nullptr;
    if (!split || split->opcode != Opcode::MetaSplit || !split->registers[1].isSsa() ||
        split->registers[1].def->opcode != Opcode::ResinfoB)
      continue;
    inst->opcode = Opcode::Mov;
    inst->fields = Fields();
    inst->fields.type = inst->fields.sourceType = U32;
    inst->registers = {inst->dst(), bytes.registers[1]};
    ++changes;
  }
  return changes;
}

/// The last component of a vector that is left becomes the whole result: its split is a move then.
unsigned trimTextures(Program &program) {
  DenseMap<Instruction *, SmallVector<Instruction *, 4>> splits;
  DenseSet<const Instruction *> others; // Used by something else, as a whole.
  for (Instruction *inst : program.instructions())
    for (Instruction *source : inst->ssaSources()) {
      if (inst->opcode == Opcode::MetaSplit)
        splits[source].push_back(inst);
      else
        others.insert(source);
    }
  unsigned changes = 0;
  for (Instruction *inst : program.instructions()) {
    auto found = splits.find(inst);
    if (inst->info().format != Format::Texture || found == splits.end() || others.contains(inst))
      continue;
    int32_t last = 0;
    for (const Instruction *split : found->second)
      last = std::max(last, split->fields.index);
    auto size = uint8_t(last + 1);
    if (size >= inst->dst().size)
      continue;
    inst->dst().size = size;
    inst->fields.writeMask = (1 << size) - 1;
    for (Instruction *split : found->second) {
      split->registers[1].size = size;
      if (size > 1)
        continue;
      split->opcode = Opcode::Mov;
      split->fields = Fields();
      split->fields.type = split->fields.sourceType = split->dst().isHalf() ? U16 : U32;
    }
    ++changes;
  }
  return changes;
}

/// At most ten rounds.
void optimizeProgram(Program &program) {
  removeDeadCode(program);
  constexpr unsigned MaxRounds = 10;
  for (unsigned round = 0; round < MaxRounds; ++round) {
    unsigned changes = propagateCopies(program);
    changes += mergeCommonValues(program);
    changes += foldValues(program);
    changes += foldLogic(program);
    changes += foldCompares(program);
    changes += foldConditions(program);
    changes += foldLengths(program);
    changes += trimTextures(program);
    changes += foldNegations(program);
    changes += foldConversions(program);
    changes += removeDeadCode(program);
    if (!changes)
      break;
  }
}

} // namespace assay::ir3
