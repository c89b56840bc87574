// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules on what flows along the code: results that are not waited for, registers that nothing
// has set, the spill table, wave size, clauses. They follow control only where one way leads to an
// instruction, and forget everything where two ways meet, so that what they say is certain.
#include "oracles/machine/gcn_isa/WaitRule.h"
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/Rules.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// True for what hands control to code that is not looked at.
static bool isCall(StringRef name) {
  return name.starts_with("s_swappc") || name.starts_with("s_call");
}

/// The blocks that are reached from block \p index alone.
static unsigned countChained(ArrayRef<Block> blocks, uint32_t index) {
  return static_cast<unsigned>(count_if(blocks[index].successors, [&](uint32_t next) {
    return next != index && blocks[next].first != 0 && blocks[next].predecessors.size() == 1;
  }));
}

/// Walks the blocks of \p function in an order in which the only predecessor of a block comes
/// before it. \p State is copied along; it begins as \p entry, and as \p unknown where ways meet.
template <typename State, typename Step>
static void walkChains(const FunctionCode &function, const State &entry, const State &unknown,
                       Step step) {
  ArrayRef<Block> blocks = function.graph->blocks();
  // What a block leaves behind, and how many blocks still want it: hostile code has many.
  DenseMap<uint32_t, std::pair<State, unsigned>> left;
  for (uint32_t index : function.graph->reversePostOrder()) {
    const Block &block = blocks[index];
    State state = block.first == 0 && block.predecessors.empty() ? entry : unknown;
    bool isChain = block.first != 0 && block.predecessors.size() == 1;
    auto from = isChain ? left.find(block.predecessors[0]) : left.end();
    if (from != left.end()) {
      state = from->second.first;
      if (--from->second.second == 0)
        left.erase(from);
    }
    for (uint32_t i = block.first; i < block.end; ++i)
      step(state, i, function.insts[i]);
    if (unsigned wanted = countChained(blocks, index))
      left.try_emplace(index, std::move(state), wanted);
  }
}

/// Registers of \p operand; none for what is no general register.
static PendingRegisters registersOf(const Operand &operand) {
  bool isVector = operand.type == OperandType::Vgpr;
  bool isScalar = operand.type == OperandType::Sgpr && operand.index < sreg::FlatScratchLo;
  if (!isVector && !isScalar)
    return {};
  return {isVector, operand.index, operand.dwords};
}

static std::string nameOf(const PendingRegisters &registers) {
  return (registers.vector ? "v" : "s") + std::to_string(registers.first);
}

static bool changesExec(const Inst &inst) {
  StringRef name = inst.mnemonic;
  if (name.contains("saveexec") || name.contains("wrexec") || name.starts_with("v_cmpx"))
    return true;
  return !inst.operands.empty() && inst.operands[0].type == OperandType::Sgpr &&
         inst.operands[0].index + inst.operands[0].dwords > sreg::ExecLo &&
         inst.operands[0].index <= sreg::ExecLo + 1;
}

/// True for memory instructions whose first operand is what they bring.
static bool bringsFirstOperand(const Inst &inst) {
  static constexpr StringLiteral bringing[] = {"_load",        "ds_read",   "image_sample",
                                               "image_gather", "s_memtime", "s_memrealtime"};
  StringRef name = inst.mnemonic;
  bool isOdd = inst.mods.lds || name.contains("_lds") || name.contains("d16") || inst.mods.d16 ||
               inst.operands.empty() || inst.operands[0].half != RegisterHalf::Whole;
  return !isOdd && any_of(bringing, [&](StringRef part) { return name.contains(part); });
}

static bool isStore(StringRef name) {
  return name.contains("_store") || name.starts_with("ds_write");
}

namespace {
/// What MC-14 knows at a place.
struct WaitState {
  WaitScoreboard board;
  uint32_t execEpoch = 0; ///< Lanes of different epochs may differ.
};
} // namespace

/// The pending event whose result \p inst touches, and the registers.
static const WaitScoreboard::Entry *findPending(const WaitState &state, const Inst &inst,
                                                bool isEvent, PendingRegisters &touched) {
  // A load may overwrite what another load brings, when they return in order.
  unsigned first = isEvent && !isStore(inst.mnemonic) ? 1 : 0;
  for (const Operand &operand :
       drop_begin(inst.operands, std::min<size_t>(first, inst.operands.size()))) {
    touched = registersOf(operand);
    if (touched.count == 0 || operand.half != RegisterHalf::Whole)
      continue;
    const WaitScoreboard::Entry *entry = state.board.find(touched);
    if (entry && (!touched.vector || entry->sequence == state.execEpoch))
      return entry;
  }
  for (const Inst &half : inst.dual)
    if (const auto *entry = findPending(state, half, isEvent, touched))
      return entry;
  return nullptr;
}

static void stepWaits(WaitState &state, const FunctionCode &function, uint32_t index,
                      unsigned gfxMajor, RuleReporter &out) {
  const Inst &inst = function.insts[index];
  if (std::optional<WaitLimits> limits = decodeWait(inst, gfxMajor))
    return state.board.wait(*limits);
  std::optional<WaitEvent> event = classifyWaitEvent(inst, gfxMajor);
  PendingRegisters touched;
  if (const auto *entry = findPending(state, inst, event.has_value(), touched)) {
    out.report(codeLocation(function, index), touched.vector ? "vector" : "scalar",
               "it touches " + nameOf(touched) + ", which the '" +
                   function.insts[entry->producer].mnemonic + "' at +0x" +
                   Twine::utohexstr(function.insts[entry->producer].pc) +
                   " still brings: no wait stands between them");
    state.board.clear(); // One missing wait is one finding.
  }
  if (isCall(inst.mnemonic) || inst.mnemonic == "s_wait_idle")
    state.board.clear();
  state.execEpoch += changesExec(inst);
  // Interpolation waits for exports in its own encoding; those are left out.
  if (!event || (event->counters & counterBit(WaitCounter::Exp)))
    return;
  WaitScoreboard::Entry entry;
  entry.event = *event;
  entry.producer = index;
  entry.sequence = state.execEpoch;
  if (bringsFirstOperand(inst))
    entry.registers = registersOf(inst.operands[0]);
  state.board.issue(entry);
}

static void checkWaits(const ElfModel &model, RuleReporter &out) {
  if (!model.code)
    return;
  unsigned major = getGfxMajor(model);
  for (const auto &function : model.code->functions) {
    WaitState empty = {WaitScoreboard(major), 0};
    walkChains(*function, empty, empty, [&](WaitState &state, uint32_t index, const Inst &) {
      stepWaits(state, *function, index, major, out);
    });
  }
}

namespace {
/// Registers that something has set.
struct KnownRegisters {
  BitVector scalar = BitVector(sreg::FlatScratchLo);
  BitVector vector = BitVector(1024);

  bool hasAny(const PendingRegisters &registers) const {
    const BitVector &bits = registers.vector ? vector : scalar;
    for (unsigned i = registers.first; i < unsigned(registers.first) + registers.count; ++i)
      if (i >= bits.size() || bits[i])
        return true;
    return false;
  }
  void add(const Inst &inst) {
    for (const Operand &operand : inst.operands) {
      PendingRegisters registers = registersOf(operand);
      BitVector &bits = registers.vector ? vector : scalar;
      for (unsigned i = registers.first; i < unsigned(registers.first) + registers.count; ++i)
        if (i < bits.size())
          bits.set(i);
    }
    for (const Inst &half : inst.dual)
      add(half);
  }
  void addAll() {
    scalar.set();
    vector.set();
  }
};
} // namespace

/// What the launch of a compute shader sets.
static KnownRegisters launchedRegisters(const ElfModel &model, const HardwareStageMetadata &stage) {
  const ComputeRegisters &compute = model.launch->compute;
  // Ids of the workgroup, its size, the scratch offset; GFX9 may have more for scratch.
  unsigned system = unsigned(compute.tgidXEn) + compute.tgidYEn + compute.tgidZEn +
                    compute.tgSizeEn + (stage.scratchEn ? 2u : 0u);
  KnownRegisters known;
  known.scalar.set(0, std::min<unsigned>(stage.userSgprs + system, known.scalar.size()));
  known.vector.set(0, getGfxMajor(model) >= 11 ? 1 : 3);
  return known;
}

static void checkInitialRegisters(const ElfModel &model, RuleReporter &out) {
  const FunctionCode *function = model.code ? model.code->find(".cs") : nullptr;
  const HardwareStageMetadata *stage = model.launch ? model.launch->find(".cs") : nullptr;
  if (!function || !stage || isLibrary(model))
    return;
  KnownRegisters all;
  all.addAll();
  auto step = [&](KnownRegisters &known, uint32_t index, const Inst &inst) {
    StringRef name = inst.mnemonic;
    if (isCall(name) || name.contains("movrel") || name.contains("gpr_idx"))
      return known.addAll();
    bool isAddress = (name.starts_with("s_load_") || name.starts_with("s_buffer_load_")) &&
                     inst.operands.size() > 1;
    PendingRegisters base = isAddress ? registersOf(inst.operands[1]) : PendingRegisters();
    if (base.count && !known.hasAny(base))
      out.report(codeLocation(*function, index), "address",
                 "it reads memory through " + nameOf(base) +
                     ", which neither the launch nor the code before has set");
    known.add(inst);
  };
  walkChains(*function, launchedRegisters(model, *stage), all, step);
}

/// True when code that control reaches names \p sgpr, or goes where nobody looks.
static bool mayRead(const FunctionCode &function, unsigned sgpr) {
  PendingRegisters wanted = {false, static_cast<uint16_t>(sgpr), 1};
  for (const Block &block : function.graph->blocks())
    if (block.leaving != BlockEnd::Flows && block.leaving != BlockEnd::Ends)
      return true;
  for (uint32_t i = 0; i < function.insts.size(); ++i) {
    if (!function.isReached(i))
      continue;
    if (isCall(function.insts[i].mnemonic) || !function.insts[i].valid ||
        any_of(function.insts[i].operands, [&](const Operand &operand) {
          PendingRegisters named = registersOf(operand);
          return named.count && named.overlaps(wanted);
        }))
      return true;
  }
  return false;
}

static void checkSpillTableRead(const ElfModel &model, RuleReporter &out) {
  if (!model.launch || !model.code || isLibrary(model))
    return;
  uint32_t threshold = model.launch->spillThreshold.value_or(0xffff);
  if (threshold >= model.launch->userDataLimit.value_or(0))
    return; // Nothing is spilled.
  std::optional<StageModel> mapped;
  for (const StageModel &stage : getStages(model)) {
    const auto &map = stage.typed->userDataRegMap;
    const auto *place = find(map, uint32_t(user_data::SpillTable));
    if (place == map.end())
      continue;
    const FunctionCode *function = model.code->find(stage.name());
    if (!function || mayRead(*function, static_cast<unsigned>(place - map.begin())))
      return;
    mapped = stage;
  }
  if (mapped)
    out.report(mapped->location(".user_data_reg_map"), "unread",
               "entries from " + Twine(threshold) +
                   " on are spilled, but no code reads the register of SpillTable");
}

static void checkWaveWidth(const ElfModel &model, RuleReporter &out) {
  if (!model.code)
    return;
  for (const auto &function : model.code->functions) {
    std::optional<uint64_t> size = stageFields(model, function->stage).number(".wavefront_size");
    if (!size || (*size != 32 && *size != 64))
      continue;
    StringRef wrong = *size == 32 ? "saveexec_b64" : "saveexec_b32";
    for (uint32_t i = 0; i < function->insts.size(); ++i)
      if (function->isReached(i) && StringRef(function->insts[i].mnemonic).contains(wrong))
        out.report(codeLocation(*function, i), "exec",
                   "it is for waves of " + Twine(*size == 32 ? 64 : 32) +
                       " lanes, '.wavefront_size' is " + Twine(*size));
  }
}

/// True for what can't be within a clause that begins with \p first.
static bool breaksClause(StringRef first, StringRef name) {
  return (name.starts_with("v_") && !first.starts_with("v_")) || name.starts_with("exp") ||
         name.starts_with("s_branch") || name.starts_with("s_cbranch") ||
         name.starts_with("s_endpgm") || name.starts_with("s_barrier");
}

static void checkClauses(const ElfModel &model, RuleReporter &out) {
  if (!model.code || getGfxMajor(model) < 10)
    return;
  for (const auto &function : model.code->functions)
    for (uint32_t i = 0; i < function->insts.size(); ++i) {
      if (!function->isReached(i) || function->insts[i].mnemonic != "s_clause")
        continue;
      uint32_t end = i + 2 + (function->insts[i].simm16() & 63); // Behind the clause.
      for (uint32_t k = i + 1; k < end; ++k)
        if (k >= function->insts.size() ||
            breaksClause(function->insts[i + 1].mnemonic, function->insts[k].mnemonic)) {
          out.report(codeLocation(*function, i), "clause",
                     "it announces " + Twine(end - i - 1) + " instructions of one kind, but " +
                         Twine(k - i - 1) + " follow");
          break;
        }
    }
}

static constexpr RuleInfo rules[] = {
    {"MC-14", RuleLevel::Error, "Results are waited for",
     "AMD ISA manuals; LLVM AMDGPUUsage (memory counters)",
     "Nothing reads or overwrites a register that a load still brings. Judged by the machine's "
     "rule of when counters retire, along ways that no other way joins; where lanes are switched "
     "off and on in between, and for loads of half a register, it says nothing.",
     checkWaits},
    {"MC-10", RuleLevel::Warning, "Addresses come from registers that are set",
     "own; AMD ISA manuals (initial state of waves)",
     "In compute shaders: scalar loads through registers that neither the launch nor the code has "
     "set, on ways that no other way joins. Other reads of unset registers are what compilers make "
     "of undefined values, and accepted.",
     checkInitialRegisters},
    {"UD-16", RuleLevel::Warning, "Who spills user data reads the spill table", "own",
     "Some code names the SGPR that SpillTable is in. A warning, because the spilled entries may "
     "all be unused.",
     checkSpillTableRead},
    {"MC-16", RuleLevel::Error, "Code is for the wave size of its stage", "AMD ISA manuals",
     "s_.._saveexec_b32 is for waves of 32 lanes, s_.._saveexec_b64 for 64: the other one leaves "
     "half of the lanes as they were.",
     checkWaveWidth},
    {"MC-21", RuleLevel::Warning, "Clauses are as long as announced", "AMD ISA manuals, S_CLAUSE",
     "Within an s_clause of memory instructions stands no vector ALU instruction, and in none an "
     "export, branch, barrier or end. Costs speed only.",
     checkClauses},
};

ArrayRef<RuleInfo> assay::getDataflowRules() {
  return rules;
}
