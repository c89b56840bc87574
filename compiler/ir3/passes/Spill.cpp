// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A spilled value is stored after its definition and loaded in front of each use. Private memory is
// addressed from registers that hold multiples of 4096 from the beginning of the program on: the
// offset of stp and ldp has 13 bits with a sign.
#include "compiler/ir3/passes/Spill.h"

#include "compiler/ir3/passes/RegisterFiles.h"
#include "support/Ir3Fault.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;

namespace assay::ir3 {

static constexpr unsigned WindowBytes = 4096;
/// Components that one stp or ldp can access.
static constexpr unsigned MaxComponents = 4;

/// Fills the tables of definitions and uses by name. They are out of date after any change of the
/// program.
void Spiller::collectUses() {
  m_uses.assign(m_program.nextName(), {});
  m_defs.assign(m_program.nextName(), nullptr);
  for (Instruction *inst : m_program.instructions()) {
    m_defs[inst->name] = inst;
    for (unsigned i = 1; i < inst->registers.size(); ++i)
      if (inst->registers[i].isSsa())
        m_uses[inst->registers[i].def->name].push_back({inst, i});
  }
}

/// Phis are spilled by spillPhi(), at the ends of predecessors.
static bool isPhi(const Instruction &inst) {
  return inst.opcode == Opcode::MetaPhi;
}

/// Copies that prepareAllocation made live for an instruction only.
bool Spiller::canSpill(const Instruction &value, const LiveRange &range) const {
  constexpr unsigned ShortRange = 6;
  RegisterClass registerClass = classOf(value.dst());
  bool isVector = registerClass == RegisterClass::Full || registerClass == RegisterClass::Half;
  if (!isVector || m_temporaries.contains(value.name) || value.opcode == Opcode::MetaInput ||
      value.opcode == Opcode::MetaOutput)
    return false;
  if (isPhi(value))
    return value.dst().size <= MaxComponents;
  if (value.dst().size > MaxComponents || range.length() <= ShortRange)
    return false;
  ArrayRef<Use> uses = m_uses[value.name];
  if (uses.empty())
    return false;
  return none_of(uses, [](const Use &use) {
    Opcode opcode = use.user->opcode;
    bool isTied = use.user->info().has(property::Tied) && use.index == 1;
    return opcode == Opcode::MetaCollect || opcode == Opcode::MetaPhi || isTied;
  });
}

/// The stores and loads that spilling would add, each weighted by 8 to the power of its loop depth,
/// for each position that it would free.
double Spiller::costOf(const Instruction &value, const LiveRange &range) const {
  double cost = std::pow(8.0, value.block->loopDepth);
  for (const Use &use : m_uses[value.name])
    cost += std::pow(8.0, use.user->block->loopDepth);
  return cost / double(range.length());
}

/// Chooses the cheapest values first, and only those that are live where too much is.
unsigned Spiller::reduce(ArrayRef<LiveRange> ranges, ArrayRef<MergeSet> sets, unsigned units) {
  collectUses();
  std::vector<int> pressure(2 * m_program.numberInstructions() + 2);
  auto change = [&](const LiveRange &range, int by) {
    for (const LiveSegment &segment : range.segments())
      for (uint32_t i = segment.begin; i < segment.end; ++i)
        pressure[i] += by;
  };
  struct Candidate {
    Instruction *value;
    double cost;
    int units;
  };
  std::vector<Candidate> candidates;
  for (const MergeSet &set : sets) {
    if (set.registerClass != RegisterClass::Full && set.registerClass != RegisterClass::Half)
      continue;
    std::vector<LiveRange> slots(set.size);
    int width = int(unitsOf(m_program, set.registerClass));
    for (const MergeSet::Member &member : set.members)
      for (unsigned i = 0; i < member.size; ++i)
        slots[member.offset + i].add(ranges[member.value]);
    for (LiveRange &slot : slots) {
      slot.normalize();
      change(slot, width);
    }
    for (const MergeSet::Member &member : set.members) {
      Instruction *value = member.value < m_defs.size() ? m_defs[member.value] : nullptr;
      if (value && canSpill(*value, ranges[member.value]))
        candidates.push_back(
            {value, costOf(*value, ranges[member.value]), width * int(member.size)});
    }
  }
  sort(candidates, [](const Candidate &left, const Candidate &right) {
    return std::tuple(left.cost, left.value->name) < std::tuple(right.cost, right.value->name);
  });
  std::vector<Instruction *> chosen;
  for (const Candidate &candidate : candidates) {
    const LiveRange &range = ranges[candidate.value->name];
    bool helps = any_of(range.segments(), [&](const LiveSegment &segment) {
      return any_of(make_range(pressure.begin() + segment.begin, pressure.begin() + segment.end),
                    [&](int value) { return value > int(units); });
    });
    if (!helps)
      continue;
    chosen.push_back(candidate.value);
    change(range, -candidate.units);
  }
  for (Instruction *value : chosen)
    isPhi(*value) ? spillPhi(*value) : spill(*value);
  return unsigned(chosen.size());
}

/// Phis stay in registers.
void Spiller::spillAll(ArrayRef<LiveRange> ranges) {
  collectUses();
  std::vector<Instruction *> chosen;
  for (Instruction *inst : m_program.instructions())
    if (inst->dst().isSsa() && !isPhi(*inst) && canSpill(*inst, ranges[inst->name]))
      chosen.push_back(inst);
  for (Instruction *value : chosen)
    spill(*value);
}

/// The byte offset of a new slot of \p size dwords in private memory.
uint32_t Spiller::createSlot(unsigned size) {
  uint32_t slot = uint32_t(alignTo(m_program.privateBytes, 4));
  // A slot does not cross windows.
  if (slot % WindowBytes + 4 * size > WindowBytes)
    slot = uint32_t(alignTo(slot, WindowBytes));
  m_program.privateBytes = slot + 4 * size;
  if (faultPlanted(Ir3Fault::SpillSlot))
    return 0;
  return slot;
}

/// The register with the start of the window of \p offset, made at the beginning of the program
/// when it is needed first. It is never spilled.
Instruction *Spiller::baseOf(uint32_t offset) {
  size_t window = offset / WindowBytes;
  if (m_bases.size() <= window)
    m_bases.resize(window + 1);
  Instruction *&base = m_bases[window];
  if (!base) {
    base = m_program.createInstruction(Opcode::Mov);
    base->dst().flags = registerflag::Ssa;
    base->registers.push_back(Register::immediate(uint32_t(window) * WindowBytes));
    m_program.entry().insertAtStart(base);
    m_temporaries.insert(base->name);
  }
  return base;
}

/// The type of stp and ldp for values like this one.
static Type memoryType(const Register &like) {
  return like.isHalf() ? U16 : U32;
}

/// A load in no block. Its result stays in a register.
Instruction *Spiller::createLoad(uint32_t slot, const Register &like, unsigned size) {
  Instruction *load = m_program.createInstruction(Opcode::Ldp);
  load->dst().flags = registerflag::Ssa | (like.flags & registerflag::Half);
  load->dst().size = uint8_t(size);
  load->fields.type = memoryType(like);
  load->fields.size = int32_t(size);
  load->fields.offset = int32_t(slot % WindowBytes);
  load->registers.push_back(baseOf(slot)->value());
  m_temporaries.insert(load->name);
  ++reloads;
  return load;
}

/// Inserts \p inst after \p value, or after all phis and inputs if it is one.
static void placeAfter(Instruction &value, Instruction *inst) {
  bool atStart = isPhi(value) || value.opcode == Opcode::MetaInput;
  atStart ? value.block->insertAtStart(inst) : value.block->insertAfter(&value, inst);
}

/// Stores \p value to \p slot as soon as it is computed.
void Spiller::storeAfter(Instruction &value, uint32_t slot) {
  Instruction *store = m_program.createInstruction(Opcode::Stp);
  store->fields.type = memoryType(value.dst());
  store->fields.size = value.dst().size;
  store->fields.offset = int32_t(slot % WindowBytes);
  store->registers.push_back(baseOf(slot)->value());
  store->registers.push_back(value.value());
  placeAfter(value, store);
  ++spills;
}

/// A value that a move makes of an immediate or a constant is made again.
void Spiller::repeatMove(Instruction &value) {
  for (const Use &use : m_uses[value.name]) {
    Instruction *copy = m_program.clone(value);
    m_temporaries.insert(copy->name);
    use.user->block->insertBefore(use.user, copy);
    use.user->registers[use.index].def = copy;
    ++rematerialized;
  }
  erase(value.block->instructions, &value);
}

/// Splits of a spilled vector load their component alone. A move of a constant is repeated in place
/// of a load.
void Spiller::spill(Instruction &value) {
  bool isSimple = value.opcode == Opcode::Mov && value.dst().size == 1 && !value.address &&
                  (value.registers[1].isImmediate() || value.registers[1].isConst());
  if (isSimple)
    return repeatMove(value);
  uint32_t slot = createSlot(value.dst().size);
  for (const Use &use : m_uses[value.name]) {
    Register &source = use.user->registers[use.index];
    if (use.user->opcode == Opcode::MetaSplit) {
      // Only its component is loaded, in the place of the split.
      uint32_t stride = value.dst().isHalf() ? 2 : 4;
      uint32_t at = slot + stride * uint32_t(use.user->fields.index);
      if (at != slot && faultPlanted(Ir3Fault::SpillComponent))
        at = slot;
      Instruction *load = createLoad(at, value.dst(), 1);
      use.user->block->insertBefore(use.user, load);
      use.user->opcode = Opcode::Mov;
      use.user->fields = {};
      use.user->fields.type = use.user->fields.sourceType = memoryType(value.dst());
      source = load->value();
      continue;
    }
    Instruction *load = createLoad(slot, value.dst(), value.dst().size);
    use.user->block->insertBefore(use.user, load);
    source = load->value().with(source.flags & (registerflag::Negate | registerflag::Absolute));
  }
  m_temporaries.insert(value.name);
  storeAfter(value, slot);
}

/// The sources are stored at the ends of the predecessors, and the result is loaded.
void Spiller::spillPhi(Instruction &phi) {
  uint32_t slot = createSlot(phi.dst().size);
  for (const Register &source : phi.sources()) {
    if (!source.isSsa())
      continue;
    m_temporaries.insert(source.def->name);
    storeAfter(*source.def, slot);
  }
  for (const Use &use : m_uses[phi.name]) {
    Instruction *load = createLoad(slot, phi.dst(), phi.dst().size);
    use.user->block->insertBefore(use.user, load);
    use.user->registers[use.index] = load->value();
  }
  erase(phi.block->instructions, &phi);
}

bool Spiller::rematerialize(Instruction &value) {
  collectUses();
  if (m_temporaries.contains(value.name) || value.opcode == Opcode::MetaInput || isPhi(value))
    return false;
  for (Instruction *user : m_program.instructions()) {
    bool isUse = user->address == &value;
    for (Register &source : user->sources())
      isUse |= source.isSsa() && source.def == &value;
    if (!isUse)
      continue;
    Instruction *copy = m_program.clone(value);
    m_temporaries.insert(copy->name);
    user->block->insertBefore(user, copy);
    for (Register &source : user->sources())
      if (source.isSsa() && source.def == &value)
        source.def = copy;
    if (user->address == &value)
      user->address = copy;
    ++rematerialized;
  }
  erase(value.block->instructions, &value);
  return true;
}

} // namespace assay::ir3
