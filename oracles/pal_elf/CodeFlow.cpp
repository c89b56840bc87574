// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/CodeFlow.h"

#include "oracles/machine/gcn_isa/Codec.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include "oracles/pal_elf/rules/Rules.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Returns an empty span for operands that are no registers. Special registers are left out; VCC
/// and its like count only with \p withVcc.
RegisterSpan assay::registersOf(const Operand &operand, bool withVcc) {
  bool isVector = operand.type == OperandType::Vgpr;
  unsigned end = withVcc ? sreg::Ttmp0 : sreg::FlatScratchLo;
  bool isScalar = operand.type == OperandType::Sgpr && operand.index < end;
  if (!isVector && !isScalar)
    return {};
  return {isVector, operand.index, operand.dwords};
}

std::string assay::nameOf(const RegisterSpan &registers) {
  if (!registers.vector && registers.first == sreg::VccLo)
    return "vcc";
  return (registers.vector ? "v" : "s") + std::to_string(registers.first);
}

/// Returns the encoding format of \p inst, Format::Count for an instruction that did not decode.
static Format formatOf(const Inst &inst) {
  return inst.form ? inst.form->layout->format : Format::Count;
}

bool assay::isVectorMemory(const Inst &inst) {
  static constexpr Format all[] = {
      Format::Mubuf,  Format::Mtbuf,   Format::Vbuffer, Format::Vtbuffer, Format::Flat,
      Format::Global, Format::Scratch, Format::Mimg,    Format::Vimage,   Format::Vsample};
  return is_contained(all, formatOf(inst));
}

bool assay::isValu(const Inst &inst) {
  Format format = formatOf(inst);
  return format >= Format::Vop1 && format <= Format::Vinterp;
}

/// Instructions of the DS unit that do not access its memory do not count, nor does GDS.
bool assay::usesLds(const Inst &inst) {
  static constexpr StringLiteral others[] = {
      "ds_swizzle",    "ds_bpermute",   "ds_permute",    "ds_gws_",        "ds_nop",
      "ds_add_gs_reg", "ds_sub_gs_reg", "ds_param_load", "ds_direct_load", "ds_ordered_count"};
  StringRef name = inst.mnemonic;
  if (!name.starts_with("ds_"))
    return inst.mods.lds; // A load from memory into LDS.
  return !inst.mods.gds &&
         none_of(others, [&](StringRef prefix) { return name.starts_with(prefix); });
}

bool assay::usesScratch(const Inst &inst) {
  StringRef name = inst.mnemonic;
  return name.starts_with("scratch_") || name.starts_with("s_scratch_");
}

/// Returns true for memory instructions without a result register: stores, cache write-backs and
/// invalidations, prefetches and discards. Decides by parts of the mnemonic.
static bool isStore(StringRef name) {
  static constexpr StringLiteral parts[] = {"_store", "_wb", "_inv", "_prefetch", "_discard"};
  return any_of(parts, [&](StringRef part) { return name.contains(part); });
}

/// Memory instructions have one result at most, and no row says so.
static unsigned countMemoryResults(const Inst &inst) {
  StringRef name = inst.mnemonic;
  if (formatOf(inst) == Format::Ds)
    return !inst.form->slots.empty() && inst.form->slots[0].kind->name.starts_with("ds_dst");
  bool isAtomic = name.contains("atomic");
  if (formatOf(inst) == Format::Smem) {
    bool hasData = !inst.form->slots.empty() && inst.form->slots[0].kind->name == "s_data";
    return hasData && !isStore(name) && (!isAtomic || inst.mods.returnsOld || inst.mods.glc);
  }
  return !isStore(name) && !inst.mods.lds && !name.contains("_lds") &&
         (!isAtomic || inst.mods.returnsOld);
}

/// Instructions whose first operand is where others have a result, and is only read.
static constexpr StringLiteral readsFirst[] = {"s_cmpk_", "s_waitcnt_", "s_cbranch_"};

/// Buffers, images and scalar memory leave what an atomic has found in the register that its data
/// came from (AMD ISA manuals; others name two registers).
static bool isAtomicInPlace(const Inst &inst) {
  static constexpr Format twoRegisters[] = {Format::Ds, Format::Flat, Format::Global,
                                            Format::Scratch};
  return StringRef(inst.mnemonic).contains("atomic") && !is_contained(twoRegisters, formatOf(inst));
}

/// Both operands of an exchange are read and written.
static bool isSwap(const Inst &inst) {
  return StringRef(inst.mnemonic).starts_with("v_swap_b");
}

/// Returns how many operands at the beginning are results; 0 for instructions that are not decoded.
unsigned assay::countResults(const Inst &inst) {
  if (!inst.form || inst.operands.empty())
    return 0;
  Format format = formatOf(inst);
  if (format == Format::Ds || format == Format::Smem || isVectorMemory(inst))
    return countMemoryResults(inst);
  StringRef signature = inst.form->row->signature;
  size_t end = signature.find('=');
  if (end != StringRef::npos) {
    StringRef results = signature.take_front(end);
    return results.empty() ? 0 : static_cast<unsigned>(results.count(',')) + 1;
  }
  auto isRead = [&](StringRef prefix) { return StringRef(inst.mnemonic).starts_with(prefix); };
  if (any_of(readsFirst, isRead))
    return 0;
  StringRef slot = inst.form->slots.empty() ? "" : StringRef(inst.form->slots[0].kind->name);
  return slot == "sdst" || slot.starts_with("vdst");
}

/// Visits both halves of a VOPD pair. The data of an atomic that returns is a source and a result.
void assay::forEachSource(const Inst &inst, function_ref<void(const Operand &)> visit) {
  size_t results = std::min<size_t>(countResults(inst), inst.operands.size());
  if (results && isAtomicInPlace(inst)) {
    Operand data = inst.operands[0];
    data.dwords -= inst.mods.tfe; // Missing texels are told in the last one: only written.
    visit(data);
  }
  for (const Operand &operand : drop_begin(inst.operands, isSwap(inst) ? 0 : results))
    visit(operand);
  for (const Inst &half : inst.dual)
    forEachSource(half, visit);
}

/// Visits both halves of a VOPD pair. A swap has two results.
void assay::forEachResult(const Inst &inst, function_ref<void(const Operand &)> visit) {
  size_t results = std::min<size_t>(isSwap(inst) ? 2 : countResults(inst), inst.operands.size());
  for (size_t i = 0; i < results; ++i)
    visit(inst.operands[i]);
  for (const Inst &half : inst.dual)
    forEachResult(half, visit);
}

bool assay::isCall(const Inst &inst) {
  StringRef name = inst.mnemonic;
  return name.starts_with("s_swappc") || name.starts_with("s_call");
}

bool assay::namesRegistersIndirectly(const Inst &inst) {
  StringRef name = inst.mnemonic;
  return name.contains("movrel") || name.contains("swaprel") || name.contains("gpr_idx");
}

namespace {
/// Instructions that write EXEC without an operand that says so; the first match decides.
struct ExecRow {
  StringLiteral prefix;
  ExecChange change;
};
/// By the mnemonic alone: these always write EXEC, whatever their operands are.
constexpr ExecRow saving[] = {
    {"v_cmpx", ExecChange::Narrows},
    {"s_and_saveexec", ExecChange::Narrows},
    // ~S0 & EXEC, as GFX9 and GFX10 call it, then GFX11 and GFX12.
    {"s_andn1_saveexec", ExecChange::Narrows},
    {"s_and_not0_saveexec", ExecChange::Narrows},
    {"s_andn1_wrexec", ExecChange::Narrows},
    {"s_and_not0_wrexec", ExecChange::Narrows},
    {"s_or_saveexec", ExecChange::Widens},
};
/// With EXEC as the result and a source.
constexpr ExecRow updating[] = {
    {"s_and_b", ExecChange::Narrows},      {"s_andn2_b", ExecChange::Narrows},
    {"s_and_not1_b", ExecChange::Narrows}, {"s_or_b", ExecChange::Widens},
    {"s_orn2_b", ExecChange::Widens},      {"s_or_not1_b", ExecChange::Widens},
    {"s_wqm_b", ExecChange::Widens},
};
} // namespace

/// Returns the change of the first row with a prefix of \p name, nullopt if no row matches.
static std::optional<ExecChange> findRow(ArrayRef<ExecRow> rows, StringRef name) {
  const auto *row =
      find_if(rows, [&](const ExecRow &each) { return name.starts_with(each.prefix); });
  return row == rows.end() ? std::nullopt : std::optional(row->change);
}

/// Returns true when \p operand begins at EXEC_LO or EXEC_HI.
static bool isExec(const Operand &operand) {
  return operand.type == OperandType::Sgpr && operand.index >= sreg::ExecLo &&
         operand.index <= sreg::ExecLo + 1;
}

/// Returns true when the dwords of \p operand include a half of EXEC, also where the operand begins
/// at a lower SGPR.
static bool coversExec(const Operand &operand) {
  return operand.type == OperandType::Sgpr && operand.index <= sreg::ExecLo + 1 &&
         operand.index + operand.dwords > sreg::ExecLo;
}

/// Says how the instruction changes EXEC; Other where that is not known.
ExecChange assay::execChangeOf(const Inst &inst) {
  StringRef name = inst.mnemonic;
  if (std::optional<ExecChange> change = findRow(saving, name))
    return *change;
  if (name.contains("saveexec") || name.contains("wrexec"))
    return ExecChange::Other;
  bool writes = false;
  forEachResult(inst, [&](const Operand &operand) { writes |= coversExec(operand); });
  if (!writes)
    return ExecChange::None;
  if (name.starts_with("s_mov_b") && inst.operands.size() > 1 &&
      inst.operands[1].type == OperandType::Integer && inst.operands[1].value == -1)
    return ExecChange::Widens;
  // The complement of EXEC is not EXEC: in s_andn2 it must be the first source.
  bool isComplement = name.contains("n2_") || name.contains("_not1_");
  auto sources = drop_begin(inst.operands, std::min<size_t>(1, inst.operands.size()));
  bool updates = false;
  for (auto [index, operand] : enumerate(sources))
    updates |=
        isExec(operand) && operand.index == inst.operands[0].index && (index == 0 || !isComplement);
  return updates ? findRow(updating, name).value_or(ExecChange::Other) : ExecChange::Other;
}

/// Registers beyond the file are ignored.
void RegisterBits::add(const RegisterSpan &registers) {
  BitVector &bits = bitsOf(registers.vector);
  unsigned end = std::min<unsigned>(unsigned(registers.first) + registers.count, bits.size());
  if (registers.first < end)
    bits.set(registers.first, end);
}

void RegisterBits::addAll() {
  m_scalar.set();
  m_vector.set();
}

/// Registers beyond the file count as members.
bool RegisterBits::hasAny(const RegisterSpan &registers) const {
  const BitVector &bits = registers.vector ? m_vector : m_scalar;
  for (unsigned i = registers.first; i < unsigned(registers.first) + registers.count; ++i)
    if (i >= bits.size() || bits[i])
      return true;
  return false;
}

/// Adds the other set and returns whether it brought anything.
bool RegisterBits::join(const RegisterBits &other) {
  bool changed = other.m_scalar.test(m_scalar) || other.m_vector.test(m_vector);
  m_scalar |= other.m_scalar;
  m_vector |= other.m_vector;
  return changed;
}

/// A call, or an indirect register, may write all registers.
void assay::addResults(RegisterBits &set, uint32_t, const Inst &inst) {
  if (isCall(inst) || namesRegistersIndirectly(inst))
    return set.addAll();
  forEachResult(inst, [&](const Operand &operand) { set.add(registersOf(operand, true)); });
}

/// Visits instructions that decode and can be reached from an entry point; none without code.
void assay::forEachReachedInst(
    const ElfModel &model, function_ref<void(const FunctionCode &, uint32_t, const Inst &)> check) {
  if (!model.code)
    return;
  for (const auto &function : model.code->functions)
    for (uint32_t i = 0; i < function->insts.size(); ++i)
      if (function->isReached(i) && function->insts[i].valid)
        check(*function, i, function->insts[i]);
}

/// Blocks come out in reverse postorder. The graph must outlive the queue.
FlowQueue::FlowQueue(const ControlFlowGraph &graph)
    : m_order(graph.reversePostOrder()), m_rank(graph.blocks().size()),
      m_waits(graph.blocks().size()) {
  for (uint32_t i = 0; i < m_order.size(); ++i)
    m_rank[m_order[i]] = i;
}

/// A block that waits already is not added again.
void FlowQueue::push(uint32_t block) {
  if (m_waits[block])
    return;
  m_waits[block] = true;
  m_heap.push_back(m_rank[block]);
  std::push_heap(m_heap.begin(), m_heap.end(), std::greater<>());
}

/// The queue must not be empty.
uint32_t FlowQueue::pop() {
  std::pop_heap(m_heap.begin(), m_heap.end(), std::greater<>());
  uint32_t block = m_order[m_heap.back()];
  m_heap.pop_back();
  m_waits[block] = false;
  return block;
}
