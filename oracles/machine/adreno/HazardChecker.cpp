// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/HazardChecker.h"

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
      m_definedness(m_facts) {}

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

void HazardChecker::forCells(const Touch &touch, function_ref<void(Cell &cell)> each) {
  CellRange cells = cellsOf(touch, m_facts);
  if (m_cells.size() < size_t(cells.first) + cells.count)
    m_cells.resize(size_t(cells.first) + cells.count);
  for (uint32_t i = 0; i < cells.count; ++i)
    each(m_cells[cells.first + i]);
}

/// (ss) and (sy) wait for everything of their kind that is outstanding.
void HazardChecker::applyFlags(const Inst &inst) {
  bool ss = inst.get(Field::Short), sy = inst.get(Field::Sync);
  if (!ss && !sy)
    return;
  auto isOver = [&](const Record &record) {
    switch (record.pending) {
    case Pending::Slots:
      return ss && record.endsBySs;
    case Pending::Ss:
    case Pending::ReadSs:
      return ss;
    case Pending::Sy:
      return sy;
    case Pending::ReadSsOrSy:
      return ss || sy;
    }
    return false;
  };
  for (Cell &cell : m_cells)
    erase_if(cell, isOver);
  if (ss)
    m_constSs.reset();
  if (sy)
    m_constSy.reset();
}

void HazardChecker::checkRange(const Op &op, const Touch &touch, uint32_t pc) {
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

void HazardChecker::checkConst(const Op &op, uint32_t pc) {
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

void HazardChecker::check(const Op &op, const Touch &touch, uint64_t time, uint32_t pc) {
  checkRange(op, touch, pc);
  if (touch.file == RegisterFile::Const) {
    if (!touch.writes)
      checkConst(op, pc);
    return;
  }
  forCells(touch, [&](const Cell &cell) {
    for (const Record &record : cell) {
      if (!(record.lanes & touch.lanes))
        continue;
      switch (record.pending) {
      case Pending::Slots: {
        unsigned needed = neededSlots(m_facts, op, touch, record.half);
        if (!touch.writes && time < record.time + 1 + needed)
          report(HazardRule::Delay, pc, record.pc,
                 Twine(time - record.time - 1) + " of " + Twine(needed) + " slots after " +
                     describe(record));
        break;
      }
      case Pending::Ss:
        if (!(record.isScalar && isScalarAluOp(op, m_facts) && record.half == touch.half))
          report(HazardRule::SyncSs, pc, record.pc, "after " + describe(record));
        break;
      case Pending::Sy:
        report(HazardRule::SyncSy, pc, record.pc, "after " + describe(record));
        break;
      case Pending::ReadSs:
      case Pending::ReadSsOrSy:
        if (touch.writes && record.pc != pc)
          report(HazardRule::War, pc, record.pc, "read by " + describe(record));
        break;
      }
    }
  });
}

/// What \p op leaves pending in the registers of \p touch.
void HazardChecker::note(const Op &op, const Touch &touch, uint64_t time, uint32_t pc) {
  SyncFlag sync = resultSync(op.inst.unit());
  if (touch.file == RegisterFile::Const) {
    if (touch.writes)
      (sync == SyncFlag::Ss ? m_constSs : m_constSy) = pc;
    return;
  }
  bool isShared = touch.file == RegisterFile::Shared;
  Record record;
  record.pc = pc;
  record.time = time;
  record.half = touch.half;
  record.lanes = isShared ? ~LaneMask(0) : touch.lanes;
  record.isScalar = isScalarAluOp(op, m_facts);
  // In early preambles a1.x is waited for by (ss) (Mesa, ir3.h, is_ss_producer).
  record.endsBySs = touch.file == RegisterFile::Address1 && m_facts.generation >= 700;
  if (touch.writes)
    record.pending = isShared || sync == SyncFlag::Ss ? Pending::Ss
                     : sync == SyncFlag::Sy           ? Pending::Sy
                                                      : Pending::Slots;
  else
    record.pending = sync == SyncFlag::Sy ? Pending::ReadSsOrSy : Pending::ReadSs;
  forCells(touch, [&](Cell &cell) {
    for (Record &older : cell)
      if (touch.writes || older.pc == pc)
        older.lanes &= ~record.lanes;
    erase_if(cell, [](const Record &older) { return !older.lanes; });
    cell.push_back(record);
  });
}

void HazardChecker::step(const Wave &wave, const Op &op) {
  if (!op.inst.isValid())
    return;
  applyFlags(op.inst);
  SmallVector<Touch, 16> touches;
  collectTouches(wave, op, touches);
  uint32_t pc = wave.pc();
  if (m_limits.waitingPlaces && wave.places() - 1 > *m_limits.waitingPlaces &&
      wave.waitingPlaces() > *m_limits.waitingPlaces && !m_exceedsStack) {
    m_exceedsStack = true;
    report(HazardRule::BranchStack, pc, pc,
           "fibers wait at " + Twine(wave.waitingPlaces()) + " other places, of " +
               Twine(*m_limits.waitingPlaces));
  }
  static constexpr HazardRule UndefinedRules[] = {HazardRule::UndefBranch, HazardRule::UndefAddress,
                                                  HazardRule::UndefStore};
  m_definedness.step(wave, op, touches,
                     [&](UndefinedUse use) { report(UndefinedRules[unsigned(use)], pc, pc, ""); });
  for (const Touch &touch : touches)
    check(op, touch, m_now + touch.step, pc);
  bool isLate = readsLate(op);
  for (const Touch &touch : touches)
    if (!touch.writes && isLate)
      note(op, touch, m_now + touch.step, pc);
  for (const Touch &touch : touches)
    if (touch.writes)
      note(op, touch, m_now + touch.step, pc);
  m_now += slotsOf(op) + op.inst.nopCount();
}
