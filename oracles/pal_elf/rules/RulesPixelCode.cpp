// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules on what the code of graphics stages does along its ways: pixel shaders end in an export
// (PS-14) and say when they discard (PS-09), vertex stages read the inputs that are loaded
// (GEO-23).
#include "oracles/pal_elf/CodeFlow.h"
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Returns the facts of the export at instruction \p index, null if it is none. Exports are sorted
/// by instruction.
static const ExportFacts *findExport(const FunctionCode &function, uint32_t index) {
  auto found = lower_bound(function.exports, index,
                           [](const ExportFacts &facts, uint32_t i) { return facts.inst < i; });
  return found != function.exports.end() && found->inst == index ? &*found : nullptr;
}

namespace {
/// Whether the last export was made, on the ways to a place.
struct DoneState {
  bool onSome = false;
  bool onAll = false;

  /// Returns true when the other path changed the state.
  bool join(const DoneState &other) {
    DoneState before = *this;
    onSome |= other.onSome;
    onAll &= other.onAll;
    return before.onSome != onSome || before.onAll != onAll;
  }
};
} // namespace

/// Whether the hardware waits for an export: on GFX9 always, later where the registers announce one
/// (LLVM, SILateBranchLowering).
static bool expectsExport(const ElfModel &model) {
  FieldMap registers = graphicsRegisters(model);
  FieldMap colors = registers.at(".spi_shader_col_format");
  bool announced = registers.flag(".spi_shader_z_format");
  for (unsigned i = 0; i < 8; ++i)
    announced |= colors.flag(".col_" + std::to_string(i) + "_export_format");
  return getGfxMajor(model) == 9 || announced || pipelineFields(model).flag(".ps_dummy_export");
}

/// PS-14. Reports ends of the shader that a path reaches without a last export, and exports that
/// follow one on all paths. Where exports exist but none is marked, MC-11 reports.
static void checkLastExport(const ElfModel &model, RuleReporter &out) {
  const FunctionCode *pixel = findCode(model, ".ps");
  if (!pixel || pixel->leaves() || !expectsExport(model))
    return;
  auto step = [&](DoneState &state, uint32_t index, const Inst &) {
    if (const ExportFacts *facts = findExport(*pixel, index); facts && facts->done)
      state = {true, true};
  };
  auto visit = [&](const DoneState &state, uint32_t index, const Inst &inst) {
    bool ends = StringRef(inst.mnemonic).starts_with("s_endpgm");
    if (ends && !state.onSome && !pixel->exports.empty() &&
        none_of(pixel->exports, [](const ExportFacts &facts) { return facts.done; }))
      return; // MC-11 says so.
    if (ends && !state.onSome)
      out.report(codeLocation(*pixel, index), "none",
                 "the pixel shader ends without a last export, which the hardware waits for");
    else if (ends && !state.onAll)
      out.report(RuleLevel::Warning, codeLocation(*pixel, index), "on-a-way",
                 "on some way to here the pixel shader makes no last export, which the hardware "
                 "waits for");
    else if (state.onAll && findExport(*pixel, index))
      out.report(codeLocation(*pixel, index), "after", "it is after the last export");
  };
  walkFlow(*pixel, DoneState(), step, visit);
}

namespace {

/// EXEC against what it was when the wave began.
enum class ExecKind : uint8_t { Initial, Wider, Narrower, Unknown };

/// What is known of EXEC at one place of a pixel shader, and where its initial value is saved.
struct LanesState {
  ExecKind exec = ExecKind::Initial;
  BitVector copies = BitVector(sreg::Ttmp0); ///< First registers of copies of the initial EXEC.

  /// EXEC is unknown when the paths differ; a copy must be one on both. Returns true when the state
  /// changed.
  bool join(const LanesState &other);
  /// Returns true when \p operand begins at a saved copy of the initial EXEC.
  bool holdsCopy(const Operand &operand) const {
    return operand.type == OperandType::Sgpr && operand.index < copies.size() &&
           copies[operand.index];
  }
  /// Forgets copies that overlap \p operand.
  void write(const Operand &operand);
};

} // namespace

/// Different masks become Unknown; a copy stays only if both paths have it. Returns whether
/// anything was lost.
bool LanesState::join(const LanesState &other) {
  ExecKind before = exec;
  if (exec != other.exec)
    exec = ExecKind::Unknown;
  bool lost = copies.test(other.copies);
  copies &= other.copies;
  return lost || before != exec;
}

/// Forgets copies of EXEC in registers that an instruction writes.
void LanesState::write(const Operand &operand) {
  if (operand.type != OperandType::Sgpr)
    return;
  unsigned begin = operand.index ? operand.index - 1u : 0u; // A copy may be two registers.
  for (unsigned i = begin; i < operand.index + operand.dwords && i < copies.size(); ++i)
    copies.reset(i);
}

/// Returns true for EXEC or EXEC_LO, not for EXEC_HI.
static bool isExecOperand(const Operand &operand) {
  return operand.type == OperandType::Sgpr && operand.index == sreg::ExecLo;
}

/// EXEC after an instruction that changes it, \p change in general, and that has the operands
/// \p sources.
static ExecKind nextExec(const LanesState &state, ExecChange change, StringRef name,
                         ArrayRef<Operand> sources) {
  bool usesCopy = any_of(sources, [&](const Operand &source) { return state.holdsCopy(source); });
  bool isMove = name.starts_with("s_mov_b");
  if (isMove && usesCopy)
    return ExecKind::Initial;
  if (isMove && !sources.empty() && sources[0].type == OperandType::Integer &&
      sources[0].value == 0)
    return ExecKind::Narrower;
  bool isAnd = name.starts_with("s_and_");
  bool isOr = name.starts_with("s_or_");
  switch (state.exec) {
  case ExecKind::Initial:
    if ((isAnd || isOr) && usesCopy)
      return ExecKind::Initial;
    return change == ExecChange::Narrows  ? ExecKind::Narrower
           : change == ExecChange::Widens ? ExecKind::Wider
                                          : ExecKind::Unknown;
  case ExecKind::Wider:
    return isAnd && usesCopy              ? ExecKind::Initial
           : change == ExecChange::Widens ? ExecKind::Wider
                                          : ExecKind::Unknown;
  case ExecKind::Narrower:
    return isOr && usesCopy                ? ExecKind::Initial
           : change == ExecChange::Narrows ? ExecKind::Narrower
                                           : ExecKind::Unknown;
  case ExecKind::Unknown:
    return ExecKind::Unknown;
  }
  return ExecKind::Unknown;
}

/// Advances \p state over \p inst. Moves of EXEC and saveexec instructions make a copy if EXEC is
/// initial; calls forget all copies.
static void stepLanes(LanesState &state, uint32_t, const Inst &inst) {
  StringRef name = inst.mnemonic;
  ExecChange change = execChangeOf(inst);
  size_t results = std::min<size_t>(countResults(inst), inst.operands.size());
  ArrayRef<Operand> sources = ArrayRef(inst.operands).drop_front(results);
  bool saves =
      name.contains("saveexec") || (name.starts_with("s_mov_b") && any_of(sources, isExecOperand));
  bool wasInitial = state.exec == ExecKind::Initial;
  ExecKind next = change == ExecChange::None ? state.exec : nextExec(state, change, name, sources);
  forEachResult(inst, [&](const Operand &operand) { state.write(operand); });
  if (isCall(inst))
    state.copies.reset();
  if (saves && wasInitial && results && inst.operands[0].index < state.copies.size())
    state.copies.set(inst.operands[0].index);
  state.exec = next;
}

/// PS-09. Silent where EXEC at the last export is not known to be narrower. The info about a
/// needless '.kill_enable' is given only if the walk saw all of the code.
static void checkKills(const ElfModel &model, RuleReporter &out) {
  const FunctionCode *pixel = findCode(model, ".ps");
  FieldMap control = graphicsRegisters(model).at(".db_shader_control");
  if (!pixel || !control.has(".kill_enable"))
    return;
  bool told = control.flag(".kill_enable");
  bool narrows = false;
  auto visit = [&](const LanesState &state, uint32_t index, const Inst &inst) {
    narrows |= execChangeOf(inst) != ExecChange::None;
    const ExportFacts *facts = findExport(*pixel, index);
    if (!facts || !facts->done || told || state.exec != ExecKind::Narrower)
      return;
    out.report(codeLocation(*pixel, index), "kills",
               "some pixels of the wave are off at its last export, but '.kill_enable' is false");
  };
  bool isSeen = walkFlow(*pixel, LanesState(), stepLanes, visit);
  if (isSeen && told && !narrows && !pixel->leaves())
    out.report(RuleLevel::Info, graphicsPlace(".db_shader_control.kill_enable"), "never",
               "it is true, but the code never switches a pixel off");
}

namespace {
/// Vector registers that a launch loads by a count, from \p first on: as many as the count says,
/// and one more - all \p all of them for the largest count.
struct LoadedInputs {
  StringLiteral stage;
  StringLiteral key;             ///< Holds the count less one.
  uint8_t firstMajor, lastMajor; ///< GFX versions, inclusive.
  uint8_t first, all;            ///< First VGPR, and how many at most.
};
} // namespace

/// LGC, RegisterMetadataBuilder (ES_VGPR_COMP_CNT and the like), and the manuals' "Initial VGPRs".
static constexpr LoadedInputs loadedInputs[] = {
    {".vs", ".vs_vgpr_comp_cnt", 9, 10, 0, 4},  {".gs", ".gs_vgpr_comp_cnt", 9, 11, 0, 5},
    {".gs", ".es_vgpr_comp_cnt", 9, 11, 5, 4},  {".gs", ".gs_vgpr_comp_cnt", 12, 12, 0, 3},
    {".gs", ".es_vgpr_comp_cnt", 12, 12, 3, 4}, {".hs", ".ls_vgpr_comp_cnt", 9, 11, 2, 4},
    {".hs", ".ls_vgpr_comp_cnt", 12, 12, 2, 2},
};

/// Reports the first read of a VGPR that the launch of this row leaves out and that no path has
/// set.
static void checkLoadedInputs(const ElfModel &model, const LoadedInputs &row, RuleReporter &out) {
  constexpr uint64_t Largest = 3;
  unsigned major = getGfxMajor(model);
  const FunctionCode *function = findCode(model, row.stage);
  std::optional<uint64_t> count = graphicsRegisters(model).number(row.key);
  if (major < row.firstMajor || major > row.lastMajor || !function || !count || *count > Largest)
    return;
  auto loaded =
      static_cast<uint16_t>(*count == Largest ? row.all : std::min<uint64_t>(*count + 1, row.all));
  RegisterSpan missing = {true, static_cast<uint16_t>(row.first + loaded),
                          static_cast<uint16_t>(row.all - loaded)};
  bool told = false;
  walkFlow(*function, RegisterBits(), addResults,
           [&](const RegisterBits &set, uint32_t index, const Inst &inst) {
             forEachSource(inst, [&](const Operand &operand) {
               RegisterSpan read = registersOf(operand);
               if (told || !read.count || !read.overlaps(missing) || set.hasAny(read))
                 return;
               told = true;
               out.report(codeLocation(*function, index), row.key,
                          "it reads " + nameOf(read) + ", which nothing has set, and '" + row.key +
                              "' is " + Twine(*count) + ": no input is loaded there");
             });
           });
}

/// GEO-23. The rows do not depend on each other: a stage may be reported for several of them.
static void checkInputs(const ElfModel &model, RuleReporter &out) {
  for (const LoadedInputs &row : loadedInputs)
    checkLoadedInputs(model, row, out);
}

static constexpr RuleInfo pixelCodeRules[] = {
    {"PS-09",
     RuleLevel::Warning,
     "A pixel shader that discards says so",
     {EnforcerKind::Hardware, "DB_SHADER_CONTROL.KILL_ENABLE"},
     "Where '.kill_enable' is false, EXEC at the last export is what it was at the beginning, or "
     "nobody can say: it is followed through saved copies, whole quads and branches. An info: it "
     "is true, and the code never changes EXEC.",
     checkKills,
     RuleScope::Code},
    {"PS-14",
     RuleLevel::Error,
     "A pixel shader ends in an export",
     {EnforcerKind::Hardware, "AMD ISA manuals, EXP: DONE (LLVM SILateBranchLowering: \"hardware "
                              "is expecting PS to export\")"},
     "On GFX9, and later where a format of colour or depth is not 0, each way to the end makes an "
     "export that is marked as done, and none after it: the hardware waits for it. An error when "
     "no way does, a warning when some way does not.",
     checkLastExport,
     RuleScope::Code},
    {"GEO-23",
     RuleLevel::Info,
     "Inputs that are read are loaded",
     {EnforcerKind::Hardware, "AMD ISA manuals, Initial VGPRs"},
     "Of the vector registers that '.vs_vgpr_comp_cnt' and its like load, the code reads none that "
     "the count leaves out and nothing has set on any way. An info, as undefined values may live "
     "in such a register.",
     checkInputs,
     RuleScope::Code},
};

ArrayRef<RuleInfo> assay::getPixelCodeRules() {
  return pixelCodeRules;
}
