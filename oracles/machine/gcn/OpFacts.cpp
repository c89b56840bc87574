// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/OpFacts.h"

#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/gcn/memory/Transfer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Classes of instructions with these mnemonics.
struct ClassRow {
  const char *names; ///< '|'-separated; "*" at the end: a prefix.
  uint32_t classes;
};

/// Every row that matches counts.
constexpr ClassRow ClassRows[] = {
    {"buffer_*|tbuffer_*|image_*|global_*|scratch_*|flat_*", ClassVmem},
    {"flat_*", ClassFlat},
    {"ds_*", ClassLds},
    {"lds_*|ds_param_load|ds_direct_load", ClassLdsDirect},
    {"exp|export", ClassExport},
    {"v_*", ClassValu},
    {"s_branch|s_cbranch_*|s_setpc_b64|s_swappc_b64|s_call_b64|s_subvector_loop_*", ClassBranch},
    {"v_readlane_b32|v_writelane_b32", ClassLaneSelect},
    {"v_writelane_b32", ClassWriteLane},
    {"v_permlane*", ClassPermlane},
    {"v_div_fmas_*", ClassDivFmas},
    {"v_cmpx_*", ClassVcmpx},
    {"v_nop", ClassVnop},
    {"s_nop", ClassSnop},
    {"s_sendmsg|s_sendmsghalt|s_ttracedata|s_movrel*|v_interp_*|ds_read_addtid_b32|"
     "ds_write_addtid_b32|ds_gws_*|ds_ordered_count|buffer_store_lds_dword",
     ClassReadsM0Late},
    {"s_setreg_b32|s_setreg_imm32_b32", ClassSetreg},
    {"s_getreg_b32", ClassGetreg},
    {"s_denorm_mode", ClassDenormMode},
    {"v_cndmask_*|v_dual_cndmask_b32|v_addc_co_u32|v_add_co_ci_u32|v_subb_co_u32|v_sub_co_ci_u32|"
     "v_subbrev_co_u32|v_subrev_co_ci_u32|v_div_fmas_*",
     ClassMaskReader},
    {"s_waitcnt*|s_wait_*cnt*|s_wait_idle", ClassCounterWait},
};

/// Registers that an instruction reads or writes though no operand says so.
struct ImplicitRow {
  const char *names;
  uint32_t reads;
  uint32_t writes;
};
/// Bits of ImplicitRow.
enum Implicit : uint32_t { Scc = 1, Vcc = 2, Exec = 4, M0 = 8 };

constexpr ImplicitRow ImplicitRows[] = {
    {"s_cbranch_scc0|s_cbranch_scc1", Scc, 0},
    {"s_cbranch_vccz|s_cbranch_vccnz", Vcc, 0},
    {"s_cbranch_execz|s_cbranch_execnz", Exec, 0},
    {"s_*_saveexec_b32|s_*_saveexec_b64|s_*_wrexec_b32|s_*_wrexec_b64", Exec, Exec | Scc},
    {"s_sendmsg|s_sendmsghalt|s_movrel*|v_movrel*|ds_read_addtid_b32|ds_write_addtid_b32|"
     "ds_load_addtid_b32|ds_store_addtid_b32|ds_append|ds_consume|ds_gws_*|ds_ordered_count|lds_*|"
     "ds_param_load|ds_direct_load|buffer_store_lds_dword|buffer_load_lds_*",
     M0, 0},
    {"s_set_gpr_idx_on|s_set_gpr_idx_idx|s_set_gpr_idx_mode", M0, M0},
    {"s_barrier_signal_isfirst|s_barrier_leave", 0, Scc},
    {"s_quadmask_b32|s_quadmask_b64|s_wqm_b32|s_wqm_b64", 0, Scc},
};

} // namespace

/// \p pattern has the letters of \p name, and '*' for any.
static bool isLike(StringRef pattern, StringRef name) {
  auto [front, rest] = pattern.split('*');
  if (front.size() == pattern.size())
    return name == pattern;
  if (!name.consume_front(front))
    return false;
  for (; rest.contains('*'); rest = rest.split('*').second) {
    size_t at = name.find(rest.split('*').first);
    if (at == StringRef::npos)
      return false;
    name = name.drop_front(at + rest.split('*').first.size());
  }
  return name.ends_with(rest);
}

/// \p names is one of this file's constants. A chip has few mnemonics, so each is looked at once.
static bool matches(const char *names, StringRef name) {
  static thread_local DenseMap<const char *, StringMap<bool>> known;
  auto [at, isNew] = known[names].try_emplace(name, false);
  if (isNew) {
    SmallVector<StringRef, 16> parts;
    StringRef(names).split(parts, '|');
    at->second = any_of(parts, [&](StringRef part) { return isLike(part, name); });
  }
  return at->second;
}

/// SMEM, as opposed to SALU; \p name begins with "s_".
static bool isScalarMemory(StringRef name) {
  return matches("s_load_*|s_buffer_load_*|s_store_*|s_buffer_store_*|s_atomic_*|"
                 "s_buffer_atomic_*|s_scratch_*|s_dcache_*|s_gl1_inv|s_memtime|s_memrealtime|"
                 "s_atc_probe*|s_prefetch_*|s_buffer_prefetch_*|s_get_waveid_in_workgroup",
                 name);
}

/// Scalar instructions without operands in registers, of those that are no memory.
static bool isSopp(const MicroOp &op) {
  return !op.destinationCount && !(op.alu && op.alu->flags & WritesScc) && !op.mask &&
         !matches("s_setreg*|s_set_gpr_idx_*|s_movrel*|s_setpc_b64", op.inst->mnemonic);
}

/// The number of dwords after a gfx10 image instruction that hold addresses.
static unsigned extraAddressDwords(const MicroOp &op) {
  return op.inst->size > 8 ? (op.inst->size - 8) / 4 : 0;
}

/// Classes of a memory instruction that depend on its operands.
static uint32_t classifyMemory(const MicroOp &op, const ProgramOptions &options) {
  StringRef name = op.inst->mnemonic;
  const Modifiers &mods = op.inst->mods;
  uint32_t classes = 0;
  bool isImage = name.starts_with("image_");
  bool isBuffer = name.starts_with("buffer_") || name.starts_with("tbuffer_");
  if (isImage && options.gfxMajor == 10 && extraAddressDwords(op))
    classes |= extraAddressDwords(op) > 1 ? ClassNsa | ClassWideNsa : ClassNsa;
  if (isBuffer && mods.offset & 6)
    classes |= ClassOddBuffer;
  if (name.contains("atomic_") &&
      matches("*_f32|*_f64|*_f16|*fcmpswap*|*fmin*|*fmax*|*_add_f*|*pk_add*", name))
    classes |= ClassFloatAtomic;
  if (mods.gds || (mods.lds && options.gfxMajor == 9))
    classes |= ClassReadsM0Late;
  // Stores and atomics; MUBUF with a register as scalar offset reads its data in time (LLVM,
  // createsVALUHazard).
  bool wide = op.memory.atomic ? accessDwords(op.memory) > 2
                               : op.memory.isStore && op.memory.bytes * op.memory.elements > 8;
  bool isFlat = !isImage && !isBuffer && !name.starts_with("ds_");
  bool constantOffset =
      isBuffer && op.sourceCount > 3 && op.sources[3].operand.type != OperandType::Sgpr;
  if (options.gfxMajor == 9 && wide && (isFlat || constantOffset))
    classes |= ClassWideStore;
  return classes;
}

/// Instructions that move no data. ds_nop counts, as it is of no memory.
bool gcn::isCacheControl(StringRef name) {
  return matches("buffer_gl*_inv|buffer_wbinvl1*|buffer_wbl2|buffer_invl2|buffer_inv|global_inv|"
                 "global_wb|global_wbinv|ds_nop",
                 name);
}

/// All classes of an instruction; a cache control has no other.
static uint32_t classify(const MicroOp &op, const ProgramOptions &options) {
  StringRef name = op.inst->mnemonic;
  uint32_t classes = 0;
  if (isCacheControl(name))
    return ClassCacheControl;
  for (const ClassRow &row : ClassRows)
    if (matches(row.names, name))
      classes |= row.classes;
  if (classes & ClassLdsDirect)
    classes &= ~ClassLds;
  if (name.starts_with("s_"))
    classes |= isScalarMemory(name) ? ClassSmem : ClassSalu;
  if (classes & ClassSalu && isSopp(op))
    classes |= ClassSopp;
  // Up to GFX10 interpolation is a format of its own, with LDS as a source.
  if (name.starts_with("v_interp_") && options.gfxMajor <= 10)
    classes &= ~ClassValu;
  if (classes & ClassValu && op.alu && op.alu->flags & Trans)
    classes |= ClassTrans;
  if (op.inst->mods.dpp != DppControl::None)
    classes |= ClassDpp;
  if (classes & (ClassVmem | ClassLds))
    classes |= classifyMemory(op, options);
  return classes;
}

/// Adds registers to \p set. VCC and EXEC have \p maskDwords dwords.
static void addImplicit(RegisterSet &set, uint32_t implicit, unsigned maskDwords) {
  if (implicit & Scc)
    set.add(RegisterSet::Scc);
  if (implicit & Vcc)
    set.addScalar(sreg::VccLo, maskDwords);
  if (implicit & Exec)
    set.addScalar(sreg::ExecLo, maskDwords);
  if (implicit & M0)
    set.addScalar(sreg::M0);
}

/// SCC, VCCZ and EXECZ as sources.
static void addSpecialSources(const MicroOp &op, unsigned maskDwords, OpFacts &facts) {
  for (const Source &source : ArrayRef(op.sources).take_front(op.sourceCount)) {
    if (source.operand.type == OperandType::Scc)
      addImplicit(facts.reads, Scc, maskDwords);
    else if (source.operand.type == OperandType::Vccz)
      addImplicit(facts.reads, Vcc, maskDwords);
    else if (source.operand.type == OperandType::Execz)
      addImplicit(facts.reads, Exec, maskDwords);
  }
}

/// Sets what \p op reads and writes, with registers that no operand names.
static void collectRegisters(const MicroOp &op, unsigned maskDwords, OpFacts &facts) {
  for (const PendingRegisters &registers : op.reads)
    facts.reads.add(registers);
  for (const PendingRegisters &registers : op.writes)
    facts.writes.add(registers);
  for (uint16_t address : op.addresses)
    facts.reads.addVector(address);
  addSpecialSources(op, maskDwords, facts);
  for (const ImplicitRow &row : ImplicitRows) {
    if (!matches(row.names, op.inst->mnemonic))
      continue;
    addImplicit(facts.reads, row.reads, maskDwords);
    addImplicit(facts.writes, row.writes, maskDwords);
  }
  if (facts.is(ClassVmem) && !op.destinationCount)
    facts.classes |= ClassVmemStore;
  if (facts.is(ClassValu | ClassVmem | ClassLds | ClassExport | ClassLdsDirect))
    addImplicit(facts.reads, Exec, maskDwords);
  if (facts.is(ClassVcmpx))
    addImplicit(facts.writes, Exec, maskDwords);
  if (op.inst->mods.gds)
    addImplicit(facts.reads, M0, maskDwords);
  if (!op.alu)
    return;
  if (facts.is(ClassSalu)) {
    if (op.alu->flags & (ReadsScc | CarryIn))
      facts.reads.add(RegisterSet::Scc);
    if (op.alu->flags & WritesScc)
      facts.writes.add(RegisterSet::Scc);
  }
}

/// How undefined bits pass through the operation.
static OpFlow flowOf(const MicroOp &op, const OpFacts &facts) {
  StringRef name = op.inst->mnemonic;
  if (op.run == runOutOfRange || op.run == runUnsupported || op.run == runIllegal)
    return OpFlow::None; // It ends the wave; its registers may be none.
  if (op.mask)
    return OpFlow::ExecMask;
  if (facts.is(ClassVmem | ClassLds)) {
    if (matches("ds_swizzle_b32|ds_permute_b32|ds_bpermute_b32|ds_bpermute_fi_b32", name))
      return OpFlow::Move;
    return OpFlow::Memory;
  }
  if (matches("v_readlane_b32|v_readfirstlane_b32|v_writelane_b32|v_permlane*|v_swap_b32|"
              "v_swap_b16|v_swaprel_b32|v_movrel*|s_movrel*",
              name))
    return OpFlow::Move;
  if (op.alu)
    return facts.is(ClassSalu) ? OpFlow::Scalar : OpFlow::Vector;
  return facts.writes.empty() ? OpFlow::None : OpFlow::Defines;
}

/// Adds a use of a register; other operands are ignored.
static void addUse(OpFacts &facts, SanitizerRule rule, const Operand &operand,
                   uint32_t mask = ~0u) {
  bool isNull = operand.type == OperandType::Sgpr && operand.index == sreg::Null;
  if (!operand.isRegister() || isNull)
    return;
  facts.uses.push_back(
      {rule, operand.type == OperandType::Vgpr, operand.index, operand.dwords, mask});
}

/// \p index counts from RegisterSet::FirstScalar.
static void addScalarUse(OpFacts &facts, SanitizerRule rule, unsigned index, unsigned count = 1) {
  facts.uses.push_back(
      {rule, false, static_cast<uint16_t>(index), static_cast<uint16_t>(count), ~0u});
}

/// The source of a memory instruction that is its address in vector registers: the second one of
/// buffers, which have data first, the first one of others.
static unsigned addressSource(const MicroOp &op) {
  StringRef name = op.inst->mnemonic;
  return name.starts_with("buffer_") || name.starts_with("tbuffer_") ? 1 : 0;
}

/// Addresses and descriptors.
static void addImageUses(const MicroOp &op, OpFacts &facts) {
  // Of an odd number of 16-bit addresses, the last half means nothing.
  bool halves = op.inst->mods.a16 || op.image.packsGradients;
  for (uint16_t address : op.addresses)
    facts.uses.push_back({SanitizerRule::UndefAddress, true, address, 1, halves ? 0xffffu : ~0u});
  for (unsigned i = 1; i < op.sourceCount; ++i)
    addUse(facts, SanitizerRule::UndefAddress, op.sources[i].operand);
}

/// Addresses, descriptors and scalar offsets; data is not a use.
static void addMemoryUses(const MicroOp &op, OpFacts &facts) {
  if (!op.addresses.empty() || StringRef(op.inst->mnemonic).starts_with("image_"))
    return addImageUses(op, facts);
  unsigned address = addressSource(op);
  for (unsigned i = 0; i < op.sourceCount; ++i) {
    Operand operand = op.sources[i].operand;
    if (operand.type == OperandType::Vgpr && i != address)
      continue;
    if (i == address && address == 1) // Buffers: as many registers as enabled.
      operand.dwords = std::min<uint8_t>(operand.dwords, uint8_t(op.inst->mods.idxen) +
                                                             uint8_t(op.inst->mods.offen));
    addUse(facts, SanitizerRule::UndefAddress, operand);
  }
}

namespace {
/// Instructions that act on registers: which rule, and on which sources (bits).
struct UseRow {
  const char *names;
  SanitizerRule rule;
  uint8_t sources;
  bool usesM0;
};
constexpr UseRow UseRows[] = {
    {"s_setpc_b64|s_swappc_b64", SanitizerRule::UndefBranch, 1, false},
    {"v_readlane_b32|v_writelane_b32", SanitizerRule::UndefAddress, 2, false},
    {"s_movrel*|v_movrel*|s_set_gpr_idx_mode", SanitizerRule::UndefAddress, 0, true},
    {"s_set_gpr_idx_on|s_set_gpr_idx_idx", SanitizerRule::UndefAddress, 1, false},
    {"s_barrier_*", SanitizerRule::UndefMessage, 1, false},
    {"s_setreg_b32", SanitizerRule::UndefMode, 2, false},
    {"exp|export", SanitizerRule::UndefExport, 15, false},
    {"s_load_*|s_buffer_load_*|s_scratch_load_*|s_prefetch_*|s_buffer_prefetch_*|s_atomic_*|"
     "s_buffer_atomic_*",
     SanitizerRule::UndefAddress, 3, false},
    {"s_store_*|s_buffer_store_*|s_scratch_store_*", SanitizerRule::UndefAddress, 6, false},
};
} // namespace

/// Interrupts, tessellation factors, allocations, and GFX9's GS messages.
static bool sendsM0(const MicroOp &op, unsigned gfxMajor) {
  if (op.inst->mnemonic != "s_sendmsg")
    return false;
  unsigned message = op.simm16 & (gfxMajor >= 11 ? 0xff : 0xf);
  return message == 1 || message == 2 || message == 9 || (message == 3 && gfxMajor <= 10);
}

/// GFX11's exports of two sources: each lane also holds what belongs to the other lane of its pair,
/// which need not be covered.
static bool isDualSource(const MicroOp &op) {
  unsigned target = op.inst->words[0] >> 4 & 63;
  return target == 21 || target == 22;
}

/// All uses of \p op that undefined bits may not have. Needs OpFacts::flow.
static void addUses(const MicroOp &op, unsigned maskDwords, unsigned gfxMajor, OpFacts &facts) {
  StringRef name = op.inst->mnemonic;
  if (facts.flow == OpFlow::Memory)
    addMemoryUses(op, facts);
  for (const UseRow &row : UseRows) {
    if (!matches(row.names, name) || (row.rule == SanitizerRule::UndefExport && isDualSource(op)))
      continue;
    for (unsigned i = 0; i < op.sourceCount; ++i)
      if (row.sources >> i & 1)
        addUse(facts, row.rule, op.sources[i].operand);
    if (row.usesM0)
      addScalarUse(facts, row.rule, sreg::M0);
  }
  if (sendsM0(op, gfxMajor))
    addScalarUse(facts, SanitizerRule::UndefMessage, sreg::M0);
  if (name == "s_cbranch_scc0" || name == "s_cbranch_scc1")
    addScalarUse(facts, SanitizerRule::UndefBranch, RegisterSet::Scc - RegisterSet::FirstScalar);
  if (name == "s_cbranch_vccz" || name == "s_cbranch_vccnz")
    addScalarUse(facts, SanitizerRule::UndefBranch, sreg::VccLo, maskDwords);
}

/// A dual instruction is described with both halves. Hazards are marked later.
OpFacts gcn::describeOp(const MicroOp &op, const ProgramOptions &options) {
  OpFacts facts;
  if (!op.inst->valid)
    return facts;
  unsigned maskDwords = options.waveSize / 32;
  facts.classes = classify(op, options);
  collectRegisters(op, maskDwords, facts);
  for (const MicroOp &half : op.dual) {
    facts.dualFunction = half.alu ? findFlow(*half.alu) : nullptr;
    OpFacts second = describeOp(half, options);
    facts.reads = facts.reads | second.reads;
    facts.writes = facts.writes | second.writes;
    facts.classes |= second.classes & ClassMaskReader;
  }
  facts.touched = facts.reads | facts.writes;
  facts.flow = flowOf(op, facts);
  if (op.alu)
    facts.function = findFlow(*op.alu);
  StringRef name = op.inst->mnemonic;
  facts.isDynamic = matches("v_movrel*|s_movrel*", name);
  addUses(op, maskDwords, options.gfxMajor, facts);
  return facts;
}
