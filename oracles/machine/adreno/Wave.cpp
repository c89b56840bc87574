// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Wave.h"

#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

unsigned adreno::countLanes(LaneMask mask) {
  return unsigned(popcount(uint64_t(mask)) + popcount(uint64_t(mask >> 64)));
}

unsigned adreno::firstLane(LaneMask mask) {
  uint64_t low = uint64_t(mask);
  return low ? unsigned(countr_zero(low)) : 64 + unsigned(countr_zero(uint64_t(mask >> 64)));
}

Wave::Wave(const Program &program, const WaveEnvironment &environment, unsigned lanes,
           unsigned used, uint32_t entry, uint32_t uninitialized)
    : m_program(&program), m_environment(&environment), m_ops(program.ops().data()),
      m_opCount(program.ops().size()), m_lanes(lanes), m_units((lanes + LaneUnit - 1) / LaneUnit),
      m_all(firstLanes(lanes)), m_merged(factsOf(program.chip()).mergedRegisters),
      m_rows(&rowHelpers()), m_full(reg::Shared * m_units),
      m_halves(m_merged ? 0 : size_t(reg::Shared) * lanes, uninitialized & 0xffff) {
  for (UnitWords &words : m_full)
    words.fill(uninitialized);
  m_shared.fill(uninitialized);
  m_groups.push_back({entry, firstLanes(used)});
}

/// A half register is a half of a full one where the files are merged: hr0.y is the upper half of
/// r0.x. Shared registers have halves in the same way, counted from r48.
static unsigned fullOf(unsigned half) {
  return half / 2;
}

uint32_t Wave::read(unsigned lane, unsigned number, bool half) const {
  if (number >= reg::Shared && number < reg::SharedEnd) {
    unsigned index = number - reg::Shared;
    return half ? m_shared[fullOf(index)] >> 16 * (index % 2) & 0xffff : m_shared[index];
  }
  if (number >= reg::Shared)
    return 0;
  if (!half)
    return wordAt(number, lane);
  if (!m_merged)
    return m_halves[size_t(number) * m_lanes + lane] & 0xffff;
  unsigned upper = hasDefect(Defect::UpperHalf) ? 0 : number % 2;
  return wordAt(fullOf(number), lane) >> 16 * upper & 0xffff;
}

/// Replaces one half of \p word.
static void putHalf(uint32_t &word, unsigned upper, uint32_t value) {
  uint32_t mask = 0xffffU << 16 * upper;
  word = (word & ~mask) | (value << 16 * upper & mask);
}

/// Predicates have a bit for each lane; a0.x is a signed number of 16 bits.
void Wave::write(unsigned lane, unsigned number, bool half, uint32_t value) {
  if (number >= reg::Shared && number < reg::SharedEnd) {
    unsigned index = number - reg::Shared;
    if (half)
      putHalf(m_shared[fullOf(index)], index % 2, value);
    else
      m_shared[index] = value;
  } else if (number == reg::Address) {
    address[lane] = int16_t(value);
  } else if (number == reg::Address + 1) {
    address1 = uint16_t(value);
  } else if (number >= reg::Predicate && number < reg::Predicate + 4) {
    LaneMask bit = LaneMask(1) << lane;
    LaneMask &predicate = predicates[number - reg::Predicate];
    predicate = value ? predicate | bit : predicate & ~bit;
  } else if (number >= reg::Shared) {
    return; // r63.x: no register.
  } else if (!half) {
    wordAt(number, lane) = value;
  } else if (!m_merged) {
    m_halves[size_t(number) * m_lanes + lane] = value & 0xffff;
  } else {
    putHalf(wordAt(fullOf(number), lane), number % 2, value);
  }
}

LaneMask Wave::predicated() const {
  return here() & (m_predication == Predication::WhereTrue ? m_predicate : ~m_predicate);
}

LaneMask Wave::elsewhere() const {
  LaneMask lanes = 0;
  for (const Group &group : m_groups)
    lanes |= group.lanes;
  return lanes & ~here();
}

/// Where fibers at \p pc wait: a jump leads elsewhere without taking a place of the branch stack.
static uint32_t placeOf(const Program &program, uint32_t pc) {
  if (pc >= program.ops().size())
    return pc;
  const Inst &inst = program.ops()[pc].inst;
  return inst.isValid() && inst.name() == "jump" ? pc + uint32_t(inst.getSigned(Field::Immediate))
                                                 : pc;
}

/// Groups that wait for the same place count once.
size_t Wave::waitingPlaces() const {
  SmallVector<uint32_t, 8> places;
  for (const Group &group : m_groups) {
    uint32_t place = placeOf(*m_program, group.pc);
    if (group.pc != pc() && !is_contained(places, place))
      places.push_back(place);
  }
  return places.size();
}

/// "predt and predf take the value of p0.x of all fibers, not only the active ones" (Mesa,
/// ir3-cat0.xml).
void Wave::predicate(Predication mode) {
  m_predication = mode;
  m_predicate = predicates[0];
}

/// If one of the two paths has no lanes, there is no new group.
void Wave::split(LaneMask taken, uint32_t target) {
  Group &group = m_groups[m_current];
  taken &= group.lanes;
  if (taken == group.lanes) {
    group.pc = target;
    return;
  }
  ++group.pc;
  if (!taken)
    return;
  group.lanes &= ~taken;
  m_groups.push_back({target, taken});
}

void Wave::endLanes() {
  m_groups.erase(m_groups.begin() + ptrdiff_t(m_current));
  m_current = 0;
  if (m_groups.empty()) {
    m_groups.push_back({0, 0});
    status = simt::WaveStatus::Done;
  }
}

/// Used for what reads its sources late.
void Wave::visit(uint32_t pc, LaneMask lanes, function_ref<void()> action) {
  std::vector<Group> groups = std::exchange(m_groups, {{pc, lanes}});
  size_t current = std::exchange(m_current, 0);
  Predication predication = std::exchange(m_predication, Predication::None);
  action();
  m_groups = std::move(groups);
  m_current = current;
  m_predication = predication;
}

void Wave::fail(const Twine &reason, bool isUnsupported) {
  m_failure = reason.str();
  m_isUnsupported = isUnsupported;
  status = simt::WaveStatus::Failed;
}

/// The group that is least far; of several, the one that ran last.
void Wave::choose() {
  for (size_t i = 0; i < m_groups.size(); ++i)
    if (m_groups[i].pc < m_groups[m_current].pc)
      m_current = i;
}

/// All groups at this place become one.
void Wave::join() {
  uint32_t place = pc();
  LaneMask lanes = 0;
  for (const Group &group : m_groups)
    if (group.pc == place)
      lanes |= group.lanes;
  erase_if(m_groups, [&](const Group &group) { return group.pc == place; });
  m_groups.push_back({place, lanes});
  m_current = m_groups.size() - 1;
}

/// Chooses the group that runs, and joins it with others where (jp) says so.
const Op *Wave::fetchSlowly() {
  if (m_groups.size() > 1)
    choose();
  if (pc() >= m_opCount) {
    fail("control leaves the code, to instruction " + Twine(pc()));
    return nullptr;
  }
  const Op &op = m_ops[pc()];
  if (m_groups.size() > 1 && op.facts.joins)
    join();
  return &op;
}

void Wave::failUnknown() {
  fail("no semantics for '" + m_program->textOf(pc()) + "'", /*isUnsupported=*/true);
}
