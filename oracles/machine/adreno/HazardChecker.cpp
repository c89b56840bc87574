// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/HazardChecker.h"

#include "llvm/ADT/STLExtras.h"

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
    : m_program(program), m_facts(factsOf(program.chip())), m_limits(limits) {}

void HazardChecker::report(HazardRule rule, uint32_t pc, uint32_t producer, const Twine &what) {
  if (!m_known.insert({rule, pc, producer}).second)
    return;
  Finding finding;
  finding.rule = hazardId(rule).str();
  finding.message =
      (titleOf(rule) + ": instruction " + Twine(pc) + " '" + m_program.textOf(pc) + "', " + what)
          .str();
  finding.location = "instruction " + std::to_string(pc);
  finding.signature =
      finding.rule + " " +
      (m_program.ops()[pc].inst.isValid() ? m_program.ops()[pc].inst.name() : "raw").str();
  finding.evidence = {{"pc", std::to_string(pc)}, {"producer", std::to_string(producer)}};
  m_findings.push_back(std::move(finding));
}

// Cells are half registers: two for a full one where the files are merged; else the full registers
// follow the halves.

void HazardChecker::forCells(const Touch &touch, function_ref<void(Cell &cell)> each) {
  static constexpr uint32_t FileCells = 1024;
  uint32_t base = uint32_t(touch.file) * FileCells;
  bool isRegister = touch.file == RegisterFile::Gpr || touch.file == RegisterFile::Shared;
  uint32_t number = touch.number - (touch.file == RegisterFile::Shared ? reg::Shared : 0);
  if (!isRegister)
    return each(m_cells[base + (touch.file == RegisterFile::Predicate ? number : 0)]);
  if (touch.half)
    return each(m_cells[base + number]);
  uint32_t full =
      m_facts.mergedRegisters || touch.file == RegisterFile::Shared ? base : base + FileCells / 2;
  each(m_cells[full + 2 * number]);
  each(m_cells[full + 2 * number + 1]);
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
  for (auto &[number, cell] : m_cells)
    erase_if(cell, isOver);
  if (ss)
    m_constSs.reset();
  if (sy)
    m_constSy.reset();
}

static bool isAlu(const Op &op) {
  return op.inst.category() >= 1 && op.inst.category() <= 3;
}

/// All sources of scalar ALU instructions are the same for all fibers (Mesa, ir3.h, is_scalar_alu).
bool HazardChecker::isScalar(const Op &op) const {
  if (!m_facts.hasScalarAlu || !isAlu(op) || op.dst < reg::Shared || op.dst >= reg::SharedEnd ||
      op.sources.empty())
    return false;
  return all_of(op.sources, [](const Operand &operand) {
    bool isRegister = operand.file == Operand::File::Gpr;
    bool isVector =
        isRegister && (operand.number < reg::Shared || operand.number >= reg::SharedEnd);
    return !isVector && operand.file != Operand::File::RelativeGpr;
  });
}

/// Mesa, ir3_delay.c, ir3_delayslots.
unsigned HazardChecker::neededSlots(const Op &reader, const Touch &touch,
                                    const Record &record) const {
  if (touch.file == RegisterFile::Address || touch.file == RegisterFile::Address1 ||
      touch.file == RegisterFile::Predicate || !isAlu(reader))
    return m_facts.farDelay;
  unsigned slots = touch.isThird ? m_facts.thirdDelay : m_facts.aluDelay;
  return slots + (touch.half != record.half ? m_facts.widthDelay : 0);
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
      std::string producer =
          "instruction " + std::to_string(record.pc) + " '" + m_program.textOf(record.pc) + "'";
      switch (record.pending) {
      case Pending::Slots: {
        unsigned needed = neededSlots(op, touch, record);
        if (!touch.writes && time < record.time + 1 + needed)
          report(HazardRule::Delay, pc, record.pc,
                 Twine(time - record.time - 1) + " of " + Twine(needed) + " slots after " +
                     producer);
        break;
      }
      case Pending::Ss:
        if (!(record.isScalar && isScalar(op) && record.half == touch.half))
          report(HazardRule::SyncSs, pc, record.pc, "after " + producer);
        break;
      case Pending::Sy:
        report(HazardRule::SyncSy, pc, record.pc, "after " + producer);
        break;
      case Pending::ReadSs:
      case Pending::ReadSsOrSy:
        if (touch.writes && record.pc != pc)
          report(HazardRule::War, pc, record.pc, "read by " + producer);
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
  record.isScalar = isScalar(op);
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

/// Slots that an instruction takes, without its (nopN). Mesa, ir3_legalize.c, count_instruction.
static unsigned slotsOf(const Op &op) {
  if (op.inst.name() == "swz") // It is two moves, and gat and sct are four.
    return 2;
  if (op.inst.name() == "gat" || op.inst.name() == "sct")
    return 4;
  if (isAlu(op) || op.inst.category() == 4)
    return 1U + op.repeat;
  StringRef name = op.inst.name();
  if (op.inst.category() != 0 || name == "br" || name == "jump")
    return 0;
  return 1U + op.repeat;
}

void HazardChecker::step(const Wave &wave, const Op &op) {
  if (!op.inst.isValid())
    return;
  applyFlags(op.inst);
  SmallVector<Touch, 16> touches;
  collectTouches(wave, op, touches);
  uint32_t pc = wave.pc();
  for (const Touch &touch : touches)
    check(op, touch, m_now + touch.step, pc);
  // Categories 4 to 6 read their sources late.
  bool readsLate = op.inst.category() >= 4 && op.inst.category() <= 6;
  for (const Touch &touch : touches)
    if (!touch.writes && readsLate)
      note(op, touch, m_now + touch.step, pc);
  for (const Touch &touch : touches)
    if (touch.writes)
      note(op, touch, m_now + touch.step, pc);
  m_now += slotsOf(op) + op.inst.nopCount();
}
