// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/HazardChecker.h"

#include "oracles/machine/adreno/Footprint.h"
#include "oracles/machine/adreno/Timing.h"
#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

StringRef adreno::hazardId(HazardRule rule) {
  static constexpr StringLiteral Ids[] = {
#define SANITIZER_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) ID,
#include "oracles/machine/adreno/Hazards.def"
#undef SANITIZER_RULE
  };
  return Ids[unsigned(rule)];
}

/// What is wrong, as findings begin.
static StringRef titleOf(HazardRule rule) {
  static constexpr StringLiteral Titles[] = {
#define SANITIZER_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) TITLE,
#include "oracles/machine/adreno/Hazards.def"
#undef SANITIZER_RULE
  };
  return Titles[unsigned(rule)];
}

HazardChecker::HazardChecker(const Program &program, HazardLimits limits)
    : m_program(program), m_facts(factsOf(program.chip())), m_limits(limits),
      m_knownOps(program.ops().size()) {}

/// The signature is the rule and the name of the instruction, so that one cause is one bucket.
Finding adreno::makeHazard(const Program &program, HazardRule rule, uint32_t pc,
                           const Twine &what) {
  Finding finding;
  finding.rule = hazardId(rule).str();
  finding.message =
      (titleOf(rule) + ": instruction " + Twine(pc) + " '" + program.textOf(pc) + "'" + what).str();
  finding.location = "instruction " + std::to_string(pc);
  const Inst &inst = program.ops()[pc].inst;
  finding.signature = finding.rule + " " + (inst.isValid() ? inst.name() : "raw").str();
  finding.evidence = {{"pc", std::to_string(pc)}};
  return finding;
}

void HazardChecker::report(HazardRule rule, uint32_t pc, uint32_t producer, const Twine &what) {
  if (!m_known.insert({rule, pc, producer}).second)
    return;
  Finding finding = makeHazard(m_program, rule, pc, what.isTriviallyEmpty() ? "" : ", " + what);
  finding.evidence.push_back({"producer", std::to_string(producer)});
  m_findings.push_back(std::move(finding));
}

HazardChecker::Record HazardChecker::recordOf(const Latest &latest) const {
  Record record;
  record.lanes = m_all;
  record.time = latest.time;
  record.pc = latest.pc;
  record.parts = latest.parts;
  record.half = latest.half;
  return record;
}

/// From then on the cell is a list, until an instruction of all fibers writes it.
HazardChecker::Cell &HazardChecker::cellAt(uint16_t number) {
  Latest &latest = m_latest[number];
  Cell &cell = m_cells[number];
  if (latest.parts)
    cell.clear();
  if (latest.parts && !(latest.parts & Latest::Nothing))
    cell.push_back(recordOf(latest));
  latest.parts = 0;
  latest.time = Latest::Never;
  return cell;
}

/// The time of the fibers at this place.
uint64_t HazardChecker::enter(LaneMask here) {
  return m_clocks.enter(here, [this](LaneMask lanes, uint64_t slots) { shift(lanes, slots); });
}

/// What \p lanes wait for stays as far in the past as it is.
void HazardChecker::shift(LaneMask lanes, uint64_t slots) {
  for (uint16_t number = 0; number < ConstCell; ++number) {
    if (m_latest[number].parts & Latest::Nothing)
      continue;
    Cell &cell = cellAt(number);
    for (size_t i = 0, count = cell.size(); i < count; ++i) {
      if (cell[i].pending != Pending::Slots || !(cell[i].lanes & lanes))
        continue;
      Record rest = cell[i];
      rest.lanes &= ~lanes;
      cell[i].lanes &= lanes;
      cell[i].time += slots;
      if (rest.lanes)
        cell.push_back(rest);
    }
  }
}

/// (ss) and (sy) wait for everything of their kind that is outstanding of these fibers.
void HazardChecker::applyFlags(const Now &now) {
  bool ss = now.op.facts.ss, sy = now.op.facts.sy;
  auto isOver = [&](Record &record) {
    bool ends = record.pending == Pending::Sy      ? sy
                : record.pending == Pending::Slots ? ss && record.endsBySs
                                                   : ss;
    ends |= sy && record.pending == Pending::ReadSsOrSy;
    if (ends)
      record.lanes = record.isShared ? 0 : record.lanes & ~now.here;
    return !record.lanes;
  };
  auto isDone = [](const Record &record) {
    return record.pending == Pending::Slots && !record.endsBySs;
  };
  erase_if(m_flagged, [&](uint16_t number) {
    erase_if(m_cells[number], isOver);
    if (m_cells[number].empty() && !m_latest[number].parts)
      m_latest[number] = Latest();
    return all_of(m_cells[number], isDone);
  });
  if (ss)
    m_constSs.reset();
  if (sy)
    m_constSy.reset();
}

/// The numbers of registers and constants against what the launch declares.
void HazardChecker::checkRange(const Touch &touch, uint32_t pc) {
  if (touch.file == RegisterFile::Gpr && m_limits.fullRegisters) {
    bool halves = touch.half && m_facts.mergedRegisters;
    unsigned vector = (halves ? touch.number / 2 : touch.number) / 4;
    if (vector >= m_limits.fullRegisters)
      report(HazardRule::RegRange, pc, pc,
             "register " + Twine(vector) + " of " + Twine(m_limits.fullRegisters));
  }
  if (touch.file == RegisterFile::Const && m_limits.constants && !touch.writes &&
      touch.number >= m_limits.constants)
    report(HazardRule::ConstRange, pc, pc,
           "dword " + Twine(touch.number) + " of " + Twine(m_limits.constants));
}

void HazardChecker::checkConst(uint32_t pc) {
  if (m_constSs)
    report(HazardRule::SyncConst, pc, *m_constSs,
           "written by instruction " + Twine(*m_constSs) + " without (ss)");
  if (m_constSy)
    report(HazardRule::SyncConst, pc, *m_constSy,
           "written by instruction " + Twine(*m_constSy) + " without (sy)");
}

std::string HazardChecker::describe(const Record &record) const {
  return "instruction " + std::to_string(record.pc) + " '" + m_program.textOf(record.pc) + "'";
}

/// \p record and \p touch concern the same storage of the same fibers.
void HazardChecker::checkRecord(const Now &now, const Touch &touch, const Record &record) {
  switch (record.pending) {
  case Pending::Slots: {
    unsigned needed = neededSlots(touch, record.half);
    uint64_t time = now.time + touch.step;
    if (!touch.writes && time < record.time + 1 + needed)
      report(HazardRule::Delay, now.pc, record.pc,
             Twine(time - record.time - 1) + " of " + Twine(needed) + " slots after " +
                 describe(record));
    return;
  }
  case Pending::Ss:
    if (!(record.isScalar && now.op.facts.isScalar && record.half == touch.half))
      report(HazardRule::SyncSs, now.pc, record.pc, "after " + describe(record));
    return;
  case Pending::Sy:
    report(HazardRule::SyncSy, now.pc, record.pc, "after " + describe(record));
    return;
  case Pending::ReadSs:
  case Pending::ReadSsOrSy:
    if (!touch.writes || record.pc == now.pc || (record.isScalar && now.op.facts.isScalar))
      return;
    report(record.isScalar ? HazardRule::WarScalar : HazardRule::War, now.pc, record.pc,
           "read by " + describe(record));
    return;
  }
}

/// Most results of the ALU have been there for long.
inline void HazardChecker::checkOverlap(const Now &now, const Touch &touch, const Record &record,
                                        LaneMask lanes) {
  bool isThere = record.pending == Pending::Slots &&
                 (touch.writes || now.time + touch.step >=
                                      record.time + 1 + touch.slots[touch.half != record.half]);
  if (!isThere && record.lanes & lanes && record.parts & touch.parts)
    checkRecord(now, touch, record);
}

inline void HazardChecker::check(const Now &now, const Touch &touch, LaneMask lanes) {
  if (touch.file == RegisterFile::Const) {
    if (!touch.writes && (m_constSs || m_constSy))
      checkConst(now.pc);
    return;
  }
  const Latest &latest = m_latest[touch.cell];
  if (latest.parts & Latest::Nothing)
    return;
  if (latest.parts)
    return checkOverlap(now, touch, recordOf(latest), lanes);
  for (const Record &record : m_cells[touch.cell])
    checkOverlap(now, touch, record, lanes);
}

/// The const file is one thing: any of its dwords waits for the last writer.
void HazardChecker::noteConst(const Now &now) {
  (now.op.facts.result == SyncFlag::Ss ? m_constSs : m_constSy) = now.pc;
}

HazardChecker::Record HazardChecker::makeRecord(const Now &now, const Touch &touch,
                                                LaneMask lanes) const {
  SyncFlag sync = now.op.facts.result;
  Record record;
  record.isShared = touch.file == RegisterFile::Shared;
  record.pc = now.pc;
  record.time = now.time + touch.step;
  record.parts = touch.parts;
  record.half = touch.half;
  record.lanes = record.isShared ? ~LaneMask(0) : lanes;
  record.isScalar = now.op.facts.isScalar;
  // In early preambles a1.x is waited for by (ss) (Mesa, ir3.h, is_ss_producer).
  record.endsBySs = touch.file == RegisterFile::Address1 && m_facts.generation >= 700;
  if (touch.writes)
    record.pending = record.isShared || sync == SyncFlag::Ss ? Pending::Ss
                     : sync == SyncFlag::Sy                  ? Pending::Sy
                                                             : Pending::Slots;
  else
    record.pending = sync == SyncFlag::Sy ? Pending::ReadSsOrSy : Pending::ReadSs;
  return record;
}

/// Whether \p record, a result of the ALU of all fibers, is all that the cell has from now on.
bool HazardChecker::replacesAll(const Record &record, uint16_t cell) const {
  if (record.pending != Pending::Slots || record.endsBySs || record.lanes != m_all)
    return false;
  if (uint8_t parts = m_latest[cell].parts)
    return !(parts & 3 & ~record.parts);
  return all_of(m_cells[cell], [&](const Record &older) { return !(older.parts & ~record.parts); });
}

/// What the instruction leaves pending in the register of \p touch. A write takes the place of what
/// was pending there, a read that of the same instruction.
void HazardChecker::note(const Now &now, const Touch &touch, LaneMask lanes) {
  Record record = makeRecord(now, touch, lanes);
  if (replacesAll(record, touch.cell)) {
    m_cells[touch.cell].clear();
    m_latest[touch.cell] = {record.time, record.pc, record.parts, record.half};
    return;
  }
  Cell &cell = cellAt(touch.cell);
  for (size_t i = 0, count = cell.size(); i < count; ++i) {
    Record &older = cell[i];
    if (!(touch.writes || older.pc == now.pc) || !(older.parts & record.parts) ||
        !(older.lanes & record.lanes))
      continue;
    // Of a full register the other half stays.
    Record rest = older;
    rest.parts &= ~record.parts;
    rest.lanes &= record.lanes;
    older.lanes &= ~record.lanes;
    if (rest.parts)
      cell.push_back(rest);
  }
  erase_if(cell, [](const Record &older) { return !older.lanes; });
  if (record.lanes)
    cell.push_back(record);
  if (record.pending != Pending::Slots || record.endsBySs)
    if (!is_contained(m_flagged, touch.cell))
      m_flagged.push_back(touch.cell);
}

/// A wave may wait at so many places in addition to the one where it runs.
void HazardChecker::checkStack(const Wave &wave) {
  if (!m_limits.waitingPlaces || wave.places() - 1 <= *m_limits.waitingPlaces || m_exceedsStack ||
      wave.waitingPlaces() <= *m_limits.waitingPlaces)
    return;
  m_exceedsStack = true;
  report(HazardRule::BranchStack, wave.pc(), wave.pc(),
         "fibers wait at " + Twine(wave.waitingPlaces()) + " other places, of " +
             Twine(*m_limits.waitingPlaces));
}

/// Checks all uses, then notes what they leave.
template <typename LanesOf>
inline void HazardChecker::use(const Now &now, ArrayRef<Touch> touches, LanesOf lanesOf) {
  for (const Touch &touch : touches)
    check(now, touch, lanesOf(touch));
  if (now.op.facts.holdsSources && !(now.op.facts.isScalar && hasDefect(Defect::ScalarReadsAtOnce)))
    for (const Touch &touch : touches)
      if (!touch.writes && touch.file != RegisterFile::Const)
        note(now, touch, lanesOf(touch));
  for (const Touch &touch : touches)
    if (touch.writes)
      touch.file == RegisterFile::Const ? noteConst(now) : note(now, touch, lanesOf(touch));
}

/// Handles what most instructions of the ALU are, of all fibers of the wave: their sources are
/// there and defined, and their results take the place of others like them. False: it has done
/// nothing.
[[gnu::always_inline]] inline bool HazardChecker::stepQuickly(const Now &now) {
  ArrayRef<Touch> touches = now.op.footprint.touches;
  bool isOther = false;
  for (const Touch &touch : touches) {
    const Latest &latest = m_latest[touch.cell];
    isOther |= m_definedness.isDirty(touch.cell);
    uint64_t due = latest.time + 1 + touch.slots[touch.half != latest.half];
    if (latest.parts)
      isOther |= touch.writes ? bool(latest.parts & 3 & ~touch.parts) : now.time + touch.step < due;
    else
      isOther |= !m_cells[touch.cell].empty() && !isQuiet(now, touch);
  }
  if (isOther)
    return false;
  for (const Touch &touch : touches)
    if (touch.writes) {
      if (!m_latest[touch.cell].parts)
        m_cells[touch.cell].clear();
      m_latest[touch.cell] = {now.time + touch.step, now.pc, touch.parts, touch.half};
    }
  return true;
}

/// Without a branch for each register.
[[gnu::always_inline]] inline bool HazardChecker::stepPacked(const Now &now) {
  const PackedTouches &packed = now.op.footprint.packed;
  bool isOther = false;
  for (const PackedTouches::Source &source : packed.sources) {
    const Latest &latest = m_latest[source.cell];
    isOther |= m_definedness.isDirty(source.cell);
    isOther |= now.time < latest.time + source.wait[latest.half];
  }
  Latest &result = m_latest[packed.result];
  isOther |= m_definedness.isDirty(packed.result) || !result.parts ||
             (result.parts & 3 & ~packed.resultParts);
  if (isOther)
    return false;
  result = {now.time, now.pc, packed.resultParts, packed.resultHalf};
  return true;
}

/// Whether \p touch is early for nothing in its list of records, and may take the place of all.
bool HazardChecker::isQuiet(const Now &now, const Touch &touch) const {
  return all_of(m_cells[touch.cell], [&](const Record &record) {
    uint64_t due = record.time + 1 + touch.slots[touch.half != record.half];
    return record.pending == Pending::Slots && !record.endsBySs &&
           (touch.writes ? !(record.parts & ~touch.parts) : now.time + touch.step >= due);
  });
}

/// Most steps concern results of the ALU alone.
void HazardChecker::step(const Wave &wave, const Op &op) {
  if (!op.inst.isValid())
    return;
  LaneMask here = wave.here();
  if (!m_all)
    m_all = here | wave.elsewhere();
  Now now{op, wave.pc(), enter(here), here};
  bool isQuick = m_knownOps[now.pc] == Known::Plain && here == m_all && !wave.isPredicated() &&
                 !m_constSs && !m_constSy;
  bool isDone = isQuick && ((op.footprint.isPacked && stepPacked(now)) || stepQuickly(now));
  if (!isDone)
    stepSlowly(wave, now);
  m_clocks.pass(op.facts.slots);
}

/// Flags first, then the uses of the instruction, then what it leaves pending: late reads, results.
void HazardChecker::stepSlowly(const Wave &wave, const Now &now) {
  const Op &op = now.op;
  if (op.facts.ss || op.facts.sy)
    applyFlags(now);
  if (wave.places() > 1)
    checkStack(wave);
  SmallVector<Touch, 0> changing;
  ArrayRef<Touch> touches = op.footprint.touches;
  LaneMask lanes = op.inst.category() == 0 ? now.here : wave.active();
  if (!op.footprint.isFixed) {
    collectTouches(wave, op, changing);
    touches = changing;
  }
  if (m_knownOps[now.pc] == Known::No || !op.footprint.isFixed) {
    m_knownOps[now.pc] = op.footprint.isPlain ? Known::Plain : Known::Range;
    for (const Touch &touch : touches)
      checkRange(touch, now.pc);
  }
  static constexpr HazardRule UndefinedRules[] = {HazardRule::UndefBranch, HazardRule::UndefAddress,
                                                  HazardRule::UndefStore};
  if (m_definedness.concerns(wave, touches))
    m_definedness.step(wave, op, touches, lanes, [&](UndefinedUse use) {
      report(UndefinedRules[unsigned(use)], now.pc, now.pc, "");
    });
  if (op.footprint.isFixed)
    use(now, touches, [=](const Touch &) { return lanes; });
  else
    use(now, touches, [](const Touch &touch) { return touch.lanes; });
}
