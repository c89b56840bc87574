// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule on hazards (MC-05): instructions that come too soon after others on chips that do not
// wait by themselves. Those that depend on a long history are the machine's to see (HAZ-).
#include "oracles/machine/gcn_isa/HazardFacts.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include "oracles/pal_elf/CodeFlow.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

using Spans = SmallVector<RegisterSpan, 2>;

/// An instruction that writes something, then too soon another that reads it.
struct HazardRow {
  Hazard hazard;      ///< Its chips and distance: hazardFact().
  StringLiteral what; ///< What the second one needs, for messages.
  /// What the first instruction makes dangerous; empty when it is none.
  Spans (*produce)(const Inst &inst);
  /// What the second one is hurt by.
  Spans (*consume)(const Inst &inst);
  bool (*resolves)(const Inst &inst, unsigned gfxMajor); ///< Null: no instruction does.

  const HazardFact &fact() const { return hazardFact(hazard); }
};

/// A first instruction not long ago.
struct Recent {
  uint8_t row = 0;       ///< Index in the table of hazards.
  uint8_t left = 0;      ///< Wait states that are still missing: the most on any way.
  uint32_t producer = 0; ///< Index of the first instruction.
  Spans registers;       ///< Of one dword each, in order: those of any way.

  bool operator==(const Recent &) const = default;
};

/// The first instructions of hazards that may still matter at one place, joined over all paths that
/// lead to it. An entry that is dropped too early hides a finding. One that is kept too long would
/// invent one.
class RecentState {
public:
  /// Lowers the missing wait states of all entries and drops those that have none left. Hazards
  /// that only an instruction resolves are kept.
  void pass(unsigned states);
  /// Adds \p recent or replaces the entry of the same row and producer. A distance of 0 means that
  /// the hazard lasts until it is resolved.
  void add(Recent recent);
  void resolve(function_ref<bool(const Recent &)> isOver) { erase_if(m_recent, isOver); }
  /// What has a row that \p isAbout holds for is not about \p written any more.
  void overwrite(ArrayRef<RegisterSpan> written, function_ref<bool(const Recent &)> isAbout);
  /// Adds what another path brings: the larger distance and all registers of both. Returns true
  /// when this changed the state.
  bool join(const RecentState &other);
  ArrayRef<Recent> recent() const { return m_recent; }

private:
  static constexpr size_t MaxRecent = 64; ///< More are forgotten: silence.
  static constexpr uint8_t UntilResolved = 255;
  SmallVector<Recent, 4> m_recent; ///< By row, then producer.
};

} // namespace

/// Lets wait states pass and forgets what needs no more of them. UntilResolved never runs out.
void RecentState::pass(unsigned states) {
  for (Recent &each : m_recent)
    if (each.left != UntilResolved)
      each.left = static_cast<uint8_t>(each.left > states ? each.left - states : 0);
  erase_if(m_recent, [](const Recent &each) { return each.left == 0; });
}

/// Notes a producer, in the order of rows and producers. 0 wait states mean that only another
/// instruction ends the hazard. A full state drops new entries.
void RecentState::add(Recent recent) {
  if (recent.left == 0)
    recent.left = UntilResolved;
  auto *place = lower_bound(m_recent, recent, [](const Recent &a, const Recent &b) {
    return std::pair(a.row, a.producer) < std::pair(b.row, b.producer);
  });
  if (place != m_recent.end() && place->row == recent.row && place->producer == recent.producer)
    *place = std::move(recent);
  else if (m_recent.size() < MaxRecent)
    m_recent.insert(place, std::move(recent));
}

/// Removes written registers from the entries that \p isAbout selects; entries without registers
/// are forgotten.
void RecentState::overwrite(ArrayRef<RegisterSpan> written,
                            function_ref<bool(const Recent &)> isAbout) {
  auto isWritten = [&](const RegisterSpan &span) {
    return any_of(written, [&](const RegisterSpan &its) { return its.overlaps(span); });
  };
  erase_if(m_recent, [&](Recent &each) {
    if (!isAbout(each))
      return false;
    erase_if(each.registers, isWritten);
    return each.registers.empty();
  });
}

/// The order that std::set_union needs.
static bool isBefore(const RegisterSpan &a, const RegisterSpan &b) {
  return std::pair(a.vector, a.first) < std::pair(b.vector, b.first);
}

/// Returns \p spans as sorted spans of one dword each, so that two sets can be united.
static Spans splitIntoDwords(ArrayRef<RegisterSpan> spans) {
  Spans dwords;
  for (const RegisterSpan &span : spans)
    for (unsigned i = 0; i < span.count; ++i)
      dwords.push_back({span.vector, static_cast<uint16_t>(span.first + i), 1});
  sort(dwords, isBefore);
  return dwords;
}

/// Takes over what the other path has, with the greater number of wait states of the two. Returns
/// whether anything changed.
bool RecentState::join(const RecentState &other) {
  bool changed = false;
  for (const Recent &theirs : other.m_recent) {
    auto *mine = find_if(m_recent, [&](const Recent &each) {
      return each.row == theirs.row && each.producer == theirs.producer;
    });
    if (mine == m_recent.end()) {
      size_t size = m_recent.size();
      add(theirs);
      changed |= m_recent.size() != size;
      continue;
    }
    Recent both = *mine;
    both.left = std::max(mine->left, theirs.left);
    both.registers.clear();
    std::set_union(mine->registers.begin(), mine->registers.end(), theirs.registers.begin(),
                   theirs.registers.end(), std::back_inserter(both.registers), isBefore);
    changed |= !(both == *mine);
    *mine = std::move(both);
  }
  return changed;
}

//===- What instructions read and write -------------------------------------------------------===//

/// Returns the SGPRs of \p operand, also special ones such as M0 and EXEC. Null is none.
static Spans scalarsOf(const Operand &operand) {
  if (operand.type != OperandType::Sgpr || operand.index == sreg::Null)
    return {};
  return {{false, operand.index, operand.dwords}};
}

/// Returns the VGPRs of \p operand.
static Spans vectorsOf(const Operand &operand) {
  if (operand.type != OperandType::Vgpr)
    return {};
  return {{true, operand.index, operand.dwords}};
}

/// Returns the registers that \p of finds in the results of \p inst, or in its sources.
static Spans collect(const Inst &inst, Spans (*of)(const Operand &), bool results) {
  Spans spans;
  auto visit = [&](const Operand &operand) { append_range(spans, of(operand)); };
  if (results)
    forEachResult(inst, visit);
  else
    forEachSource(inst, visit);
  return spans;
}

/// Returns the SGPRs that a vector ALU instruction writes, such as VCC of a comparison.
static Spans valuScalarResults(const Inst &inst) {
  return isValu(inst) ? collect(inst, scalarsOf, true) : Spans();
}

/// Returns the VGPRs that a vector ALU instruction writes.
static Spans valuVectorResults(const Inst &inst) {
  return isValu(inst) ? collect(inst, vectorsOf, true) : Spans();
}

/// Returns the SGPRs that a vector memory instruction reads, such as descriptors and offsets.
static Spans vmemScalars(const Inst &inst) {
  return isVectorMemory(inst) ? collect(inst, scalarsOf, false) : Spans();
}

/// Returns the SGPR with the lane number of v_readlane and v_writelane.
static Spans laneSelect(const Inst &inst) {
  StringRef name = inst.mnemonic;
  bool selects = name.starts_with("v_readlane") || name.starts_with("v_writelane");
  return selects && inst.operands.size() > 2 ? scalarsOf(inst.operands[2]) : Spans();
}

/// Returns VCC for v_div_fmas, which reads it without an operand for it.
static Spans vccOf(const Inst &inst) {
  return StringRef(inst.mnemonic).starts_with("v_div_fmas") ? Spans{{false, sreg::VccLo, 2}}
                                                            : Spans();
}

/// Returns true for instructions that read other lanes by DPP.
static bool isDpp(const Inst &inst) {
  return inst.mods.dpp != DppControl::None;
}

/// All that is about no register in particular represents one that is none.
static Spans always(bool condition) {
  return condition ? Spans{{false, sreg::Count, 1}} : Spans();
}

/// v_cmpx writes EXEC without an operand, hence the register that is none.
static Spans cmpxResult(const Inst &inst) {
  return always(StringRef(inst.mnemonic).starts_with("v_cmpx"));
}

/// The whole register file for DPP instructions, nothing for others.
static Spans dppAtAll(const Inst &inst) {
  return always(isDpp(inst));
}

/// Returns the VGPRs that a DPP instruction reads from other lanes: its first source.
static Spans dppSource(const Inst &inst) {
  size_t first = countResults(inst);
  return isDpp(inst) && first < inst.operands.size() ? vectorsOf(inst.operands[first]) : Spans();
}

/// Returns true for the formats up to SOPC, SOPK and SOP1 included.
static bool isScalarAlu(const Inst &inst) {
  return inst.form && inst.form->layout->format <= Format::Sopc;
}

/// Returns M0 when a scalar ALU instruction writes it.
static Spans scalarM0(const Inst &inst) {
  Spans spans = isScalarAlu(inst) ? collect(inst, scalarsOf, true) : Spans();
  erase_if(spans, [](const RegisterSpan &span) { return span.first != sreg::M0; });
  return spans;
}

/// LLVM, checkReadM0Hazards, for GFX9.
static Spans readsM0Late(const Inst &inst) {
  static constexpr StringLiteral prefixes[] = {"s_sendmsg", "s_ttracedata", "s_movrel", "v_interp"};
  StringRef name = inst.mnemonic;
  bool reads = any_of(prefixes, [&](StringRef prefix) { return name.starts_with(prefix); }) ||
               inst.mods.gds || inst.mods.lds || name.contains("addtid");
  return reads ? Spans{{false, sreg::M0, 1}} : Spans();
}

/// The hardware register of s_setreg and s_getreg, standing for a register that is none.
static Spans hwreg(const Inst &inst) {
  return {{false, static_cast<uint16_t>(sreg::Count + 1 + (inst.simm16() & 63)), 1}};
}

/// Returns the hardware register that s_setreg writes.
static Spans setregTarget(const Inst &inst) {
  return StringRef(inst.mnemonic).starts_with("s_setreg") ? hwreg(inst) : Spans();
}

/// Returns the hardware register that s_setreg or s_getreg accesses.
static Spans regAccess(const Inst &inst) {
  StringRef name = inst.mnemonic;
  return name.starts_with("s_setreg") || name.starts_with("s_getreg") ? hwreg(inst) : Spans();
}

/// Data of stores and atomics of more than two dwords (Vega ISA, 4.5; LLVM, createsVALUHazard):
/// those of buffers only where no register holds the offset.
static Spans wideStoreData(const Inst &inst) {
  StringRef name = inst.mnemonic;
  bool isBuffer = name.starts_with("buffer_") || name.starts_with("tbuffer_");
  bool isFlat = name.starts_with("flat_") || name.starts_with("global_");
  bool isAtomic = name.contains("_atomic");
  if (!(name.contains("_store") || isAtomic) || !(isBuffer || isFlat))
    return {};
  // What an atomic has found comes into a register of its own, except for those of buffers.
  size_t data = isBuffer ? 0 : 1 + countResults(inst);
  if (data >= inst.operands.size() || inst.operands[data].dwords - inst.mods.tfe <= 2)
    return {};
  if (isBuffer && inst.operands.size() > 3 && inst.operands[3].type == OperandType::Sgpr)
    return {};
  return vectorsOf(inst.operands[data]);
}

/// Returns the SGPRs, M0 included, that a vector memory or DS instruction reads.
static Spans memoryScalars(const Inst &inst) {
  bool isMemory = isVectorMemory(inst) || StringRef(inst.mnemonic).starts_with("ds_");
  return isMemory ? collect(inst, scalarsOf, false) : Spans();
}

static bool isSmem(const Inst &inst) {
  return inst.form && inst.form->layout->format == Format::Smem;
}

/// Returns the SGPRs that scalar ALU and scalar memory instructions write.
static Spans scalarResults(const Inst &inst) {
  return isScalarAlu(inst) || isSmem(inst) ? collect(inst, scalarsOf, true) : Spans();
}

/// Returns the SGPRs that a scalar memory instruction reads.
static Spans smemScalars(const Inst &inst) {
  return isSmem(inst) ? collect(inst, scalarsOf, false) : Spans();
}

//===- What ends a hazard ---------------------------------------------------------------------===//

/// Returns true when \p inst waits until at least one of \p counters is 0.
static bool waitsForZero(const Inst &inst, unsigned gfxMajor, ArrayRef<WaitCounter> counters) {
  std::optional<WaitLimits> limits = decodeWait(inst, gfxMajor);
  return limits &&
         any_of(counters, [&](WaitCounter counter) { return limits->max[unsigned(counter)] == 0; });
}

/// Any vector ALU instruction, a wait for memory, or s_waitcnt_depctr with vm_vsrc 0.
static bool endsMemoryRead(const Inst &inst, unsigned gfxMajor) {
  bool isDepctr = inst.mnemonic == "s_waitcnt_depctr" && (inst.simm16() >> 2 & 7) == 0;
  return isValu(inst) || isDepctr ||
         waitsForZero(inst, gfxMajor, {WaitCounter::Load, WaitCounter::Store, WaitCounter::Ds});
}

/// A scalar ALU instruction that does something, or a wait for scalar memory.
static bool endsScalarRead(const Inst &inst, unsigned gfxMajor) {
  StringRef name = inst.mnemonic;
  bool isNothing = name.starts_with("s_waitcnt") || name == "s_version"; // Of SOPK, too.
  return (isScalarAlu(inst) && !isNothing) || waitsForZero(inst, gfxMajor, {WaitCounter::Ds});
}

/// The scalar and vector registers that any instruction writes.
static Spans allResults(const Inst &inst) {
  Spans spans = collect(inst, scalarsOf, true);
  append_range(spans, collect(inst, vectorsOf, true));
  return spans;
}

/// In the order of their indexes in Recent::row. Distances and chips are in hazardFact().
static constexpr HazardRow rows[] = {
    {Hazard::VmemSgpr, "a scalar register that the vector ALU has written", valuScalarResults,
     vmemScalars, nullptr},
    {Hazard::LaneSelect, "a lane number that the vector ALU has written", valuScalarResults,
     laneSelect, nullptr},
    {Hazard::DivFmas, "VCC, which the vector ALU has written", valuScalarResults, vccOf, nullptr},
    {Hazard::ExecDpp, "EXEC, which v_cmpx has written", cmpxResult, dppAtAll, nullptr},
    {Hazard::VgprDpp, "a register of other lanes that the vector ALU has written",
     valuVectorResults, dppSource, nullptr},
    {Hazard::M0, "M0, which the scalar ALU has written", scalarM0, readsM0Late, nullptr},
    {Hazard::Setreg, "a hardware register that s_setreg has written", setregTarget, regAccess,
     nullptr},
    {Hazard::StoreData, "data that a store has not fetched yet", wideStoreData, valuVectorResults,
     nullptr},
    {Hazard::VmemScalarWrite, "a scalar register that a memory instruction has not fetched yet",
     memoryScalars, scalarResults, endsMemoryRead},
    {Hazard::SmemVectorWrite, "a scalar register that a scalar load has not fetched yet",
     smemScalars, valuScalarResults, endsScalarRead},
};

/// Returns true when any span of \p a shares a register with any span of \p b.
static bool overlaps(ArrayRef<RegisterSpan> a, ArrayRef<RegisterSpan> b) {
  return any_of(a, [&](const RegisterSpan &mine) {
    return any_of(b, [&](const RegisterSpan &its) { return mine.overlaps(its); });
  });
}

namespace {
/// The rows of one chip.
class HazardWalk {
public:
  /// Selects the rows of hazards that the chip has.
  HazardWalk(ChipNumber chip, unsigned gfxMajor) : m_gfxMajor(gfxMajor) {
    for (auto [index, row] : enumerate(rows))
      if (row.fact().isOn(chip))
        m_rows.push_back(static_cast<uint8_t>(index));
  }

  bool empty() const { return m_rows.empty(); }

  /// Advances \p state over \p inst: its wait states pass, hazards that it resolves or overwrites
  /// end, and those that it begins are added.
  void step(RecentState &state, uint32_t index, const Inst &inst) const {
    state.pass(waitStates(inst));
    state.resolve([&](const Recent &each) {
      return rows[each.row].resolves && rows[each.row].resolves(inst, m_gfxMajor);
    });
    if (!state.recent().empty())
      state.overwrite(allResults(inst),
                      [](const Recent &each) { return rows[each.row].fact().endsByWrite; });
    for (uint8_t row : m_rows) {
      Spans registers = rows[row].produce(inst);
      if (!registers.empty())
        state.add({row, rows[row].fact().distance, index, splitIntoDwords(registers)});
    }
  }

private:
  unsigned m_gfxMajor;
  SmallVector<uint8_t, 8> m_rows;
};
} // namespace

/// Reports each pair of instructions that is too close on some path, once for each first
/// instruction and row.
static void checkFunction(const FunctionCode &function, const HazardWalk &walk, RuleReporter &out) {
  DenseSet<std::pair<uint32_t, uint32_t>> told;
  walkFlow(
      function, RecentState(),
      [&](RecentState &state, uint32_t index, const Inst &inst) { walk.step(state, index, inst); },
      [&](const RecentState &state, uint32_t index, const Inst &inst) {
        for (const Recent &each : state.recent()) {
          const HazardRow &row = rows[each.row];
          if (!overlaps(row.consume(inst), each.registers) ||
              !told.insert({each.producer, each.row}).second)
            continue;
          const Inst &producer = function.insts[each.producer];
          std::string missing = row.fact().distance
                                    ? ": " + std::to_string(each.left) + " wait states are missing"
                                    : "";
          out.report(codeLocation(function, index), row.fact().name.str(),
                     "it comes too soon for " + row.what + " ('" + producer.mnemonic + "' at +0x" +
                         Twine::utohexstr(producer.pc) + ")" + missing);
        }
      });
}

/// Branches over 0x3f dwords hang GFX10.1 (LLVM, FeatureOffset3fBug).
static void checkOffsets(const FunctionCode &function, RuleReporter &out) {
  for (uint32_t i = 0; i < function.insts.size(); ++i) {
    const Inst &inst = function.insts[i];
    StringRef name = inst.mnemonic;
    if (function.isReached(i) && inst.simm16() == 0x3f &&
        (name.starts_with("s_branch") || name.starts_with("s_cbranch")))
      out.report(codeLocation(function, i), "offset-3f",
                 "branches by 0x3f dwords do not work on this chip");
  }
}

/// MC-05. By the chip of the instruction tables; chips without rows for it are silent.
static void checkHazards(const ElfModel &model, RuleReporter &out) {
  if (!model.code)
    return;
  ChipNumber chip = chipNumber(model.code->tables);
  HazardWalk walk(chip, getGfxMajor(model));
  for (const auto &function : model.code->functions) {
    if (!walk.empty())
      checkFunction(*function, walk, out);
    if (chip == 101)
      checkOffsets(*function, out);
  }
}

static constexpr RuleInfo hazardsRules[] = {
    {"MC-05",
     RuleLevel::Warning,
     "Hazards that the chip does not interlock are kept apart",
     {EnforcerKind::Hardware,
      "Vega ISA, Manually Inserted Wait States; LLVM GCNHazardRecognizer; ACO README-ISA"},
     "On GFX9 and GFX10.1: enough wait states, or what ends the hazard, on every way from the "
     "first instruction to the second; on GFX10.1 no branch by 0x3f dwords. Hazards of later "
     "chips, and those with a longer history, are seen by machine gcn alone.",
     checkHazards,
     RuleScope::Code},
};

ArrayRef<RuleInfo> assay::getHazardRules() {
  return hazardsRules;
}
