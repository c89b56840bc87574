// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: LLVM's AMDGPUUsage and assembler encodings; the retire rule was fitted to compiled code
// (every unmodified shader of two compilers passes, dropped waits are found). Messages: the ISA
// manuals on LGKM_CNT and KMcnt, SIInsertWaitcnts' SQ_MESSAGE, ACO's event_sendmsg.
#include "oracles/machine/gcn_isa/WaitRule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Names and largest values of a counter.
struct CounterRow {
  StringLiteral oldName; ///< GFX9 to GFX11.
  StringLiteral newName; ///< GFX12.
  uint8_t max9, max10, max12;
};

/// In the order of WaitCounter.
constexpr CounterRow Counters[WaitCounterCount] = {
    {"vmcnt", "loadcnt", 63, 63, 63}, {"vscnt", "storecnt", 63, 63, 63},
    {"lgkmcnt", "dscnt", 15, 63, 63}, {"lgkmcnt", "kmcnt", 15, 63, 31},
    {"expcnt", "expcnt", 7, 7, 7},    {"vmcnt", "samplecnt", 63, 63, 63},
    {"vmcnt", "bvhcnt", 7, 7, 7},
};

/// What an instruction asks for, by its name.
enum class Kind : uint8_t {
  None,
  Load,
  Store,
  Atomic,
  Sample,
  Bvh,
  Lds,
  Scalar,
  Message,
  Export,
  LdsDirect,
  FlatLoad,
  FlatStore,
  FlatAtomic
};

/// The first row whose prefix matches decides.
struct PrefixRow {
  StringLiteral prefix;
  Kind kind;
};

/// Columns: prefix of the mnemonic, kind.
constexpr PrefixRow Prefixes[] = {
    {"s_load_", Kind::Scalar},
    {"s_buffer_load_", Kind::Scalar},
    {"s_scratch_load_", Kind::Scalar},
    {"s_store_", Kind::Scalar},
    {"s_buffer_store_", Kind::Scalar},
    {"s_scratch_store_", Kind::Scalar},
    {"s_atomic_", Kind::Scalar},
    {"s_buffer_atomic_", Kind::Scalar},
    {"s_dcache_wb", Kind::Scalar},
    {"s_get_waveid", Kind::Scalar},
    {"s_memtime", Kind::Scalar},
    {"s_memrealtime", Kind::Scalar},
    {"s_get_barrier_state", Kind::Scalar},
    {"s_sendmsg", Kind::Message},
    {"ds_nop", Kind::None},
    {"ds_param_load", Kind::LdsDirect},
    {"ds_direct_load", Kind::LdsDirect},
    {"ds_", Kind::Lds},
    {"buffer_load_", Kind::Load},
    {"buffer_store_", Kind::Store},
    {"buffer_atomic_", Kind::Atomic},
    {"tbuffer_load_", Kind::Load},
    {"tbuffer_store_", Kind::Store},
    {"global_load_", Kind::Load},
    {"global_store_", Kind::Store},
    {"global_atomic_", Kind::Atomic},
    {"global_inv", Kind::Load},
    {"global_wb", Kind::Store},
    {"scratch_load_", Kind::Load},
    {"scratch_store_", Kind::Store},
    {"flat_load_", Kind::FlatLoad},
    {"flat_store_", Kind::FlatStore},
    {"flat_atomic_", Kind::FlatAtomic},
    {"image_store", Kind::Store},
    {"image_atomic", Kind::Atomic},
    {"image_sample", Kind::Sample},
    {"image_gather", Kind::Sample},
    {"image_get_lod", Kind::Sample},
    {"image_msaa_load", Kind::Sample},
    {"image_bvh", Kind::Bvh},
    {"image_", Kind::Load},
    {"exp", Kind::Export},
    {"lds_param_load", Kind::LdsDirect},
    {"lds_direct_load", Kind::LdsDirect},
};

constexpr uint8_t Load = counterBit(WaitCounter::Load);
constexpr uint8_t Store = counterBit(WaitCounter::Store);
constexpr uint8_t Ds = counterBit(WaitCounter::Ds);
constexpr uint8_t Sample = counterBit(WaitCounter::Sample);
constexpr uint8_t Bvh = counterBit(WaitCounter::Bvh);
constexpr uint8_t Km = counterBit(WaitCounter::Km);

} // namespace

/// Up to GFX11 several counters have one name.
StringRef gcn::waitCounterName(WaitCounter counter, unsigned gfxMajor) {
  const CounterRow &row = Counters[unsigned(counter)];
  return gfxMajor >= 12 ? row.newName : row.oldName;
}

/// The most events that the counter can count.
unsigned gcn::waitCounterMax(WaitCounter counter, unsigned gfxMajor) {
  const CounterRow &row = Counters[unsigned(counter)];
  return gfxMajor >= 12 ? row.max12 : gfxMajor >= 10 ? row.max10 : row.max9;
}

/// None for instructions that raise no counter.
static Kind kindOf(const Inst &inst) {
  StringRef name = inst.mnemonic;
  const auto *row =
      find_if(Prefixes, [&](const PrefixRow &each) { return name.starts_with(each.prefix); });
  return row == std::end(Prefixes) ? Kind::None : row->kind;
}

/// The class of an export by its target (manuals, "Export Targets"). ACO counts colors, depth and
/// null as one class, too (`event_exp_mrt_null`).
static WaitOrder exportOrder(const Inst &inst) {
  struct Row {
    uint8_t firstTarget;
    WaitOrder order;
  };
  static constexpr Row Rows[] = {{32, WaitOrder::ExportParameter},
                                 {21, WaitOrder::ExportDualSource},
                                 {20, WaitOrder::ExportPrimitive},
                                 {12, WaitOrder::ExportPosition},
                                 {0, WaitOrder::ExportColor}};
  int64_t target = inst.operands.empty() ? 0 : inst.operands[0].value;
  return find_if(Rows, [&](const Row &row) { return target >= row.firstTarget; })->order;
}

/// Nothing for instructions that raise no counter. Atomics count as loads if they return the old
/// value, else as stores.
std::optional<WaitEvent> gcn::classifyWaitEvent(const Inst &inst, unsigned gfxMajor) {
  Kind kind = kindOf(inst);
  if (kind == Kind::Atomic)
    kind = inst.mods.returnsOld ? Kind::Load : Kind::Store;
  if (kind == Kind::FlatAtomic)
    kind = inst.mods.returnsOld ? Kind::FlatLoad : Kind::FlatStore;
  // GFX9 has one counter for loads and stores, and returns them in order.
  uint8_t store = gfxMajor == 9 ? Load : Store;
  WaitOrder storeOrder = gfxMajor == 9 ? WaitOrder::Vmem : WaitOrder::VmemStore;
  uint8_t scalar = gfxMajor >= 12 ? Km : Ds;
  switch (kind) {
  case Kind::None:
    return std::nullopt;
  case Kind::Load:
    return WaitEvent{Load, WaitOrder::Vmem};
  case Kind::Store:
    return WaitEvent{store, storeOrder};
  case Kind::Sample: // A counter of its own from GFX12 on.
    return WaitEvent{gfxMajor >= 12 ? Sample : Load, WaitOrder::Vmem};
  case Kind::Bvh:
    return WaitEvent{gfxMajor >= 12 ? Bvh : Load, WaitOrder::Vmem};
  case Kind::Lds:
    return WaitEvent{Ds, WaitOrder::Lds};
  case Kind::Scalar:
    return WaitEvent{scalar, WaitOrder::Scalar};
  case Kind::Message:
    return WaitEvent{scalar, WaitOrder::Message};
  case Kind::Export:
    return WaitEvent{counterBit(WaitCounter::Exp), exportOrder(inst)};
  case Kind::LdsDirect: // In order among themselves (LLVM, SIInsertWaitcnts).
    return WaitEvent{counterBit(WaitCounter::Exp), WaitOrder::Lds};
  case Kind::FlatLoad:
    return WaitEvent{uint8_t(Load | Ds), WaitOrder::Flat};
  case Kind::FlatStore:
    return WaitEvent{uint8_t(store | Ds), WaitOrder::Flat};
  case Kind::Atomic:
  case Kind::FlatAtomic:
    break;
  }
  llvm_unreachable("atomics were mapped to loads and stores");
}

/// The unit that writes the results; results of different units may come in any order.
VmemUnit gcn::vmemUnit(const Inst &inst) {
  switch (kindOf(inst)) {
  case Kind::Sample:
    return VmemUnit::Sampler;
  case Kind::Bvh:
    return VmemUnit::Bvh;
  default:
    return VmemUnit::Plain;
  }
}

/// Whether the hardware writes the result of \p later after that of \p earlier, without a wait.
bool gcn::writesAfter(const ResultOrder &later, const ResultOrder &earlier) {
  return completesInOrder(later.event.order) && later.event.order != WaitOrder::Message &&
         !isExport(later.event.order) && later.event.order == earlier.event.order &&
         later.event.counters == earlier.event.counters && later.unit == earlier.unit;
}

/// s_waitcnt: the three (GFX9 to GFX11) counters in one immediate. All ones of a field: no wait.
static WaitLimits decodePackedWait(uint16_t imm, unsigned gfxMajor) {
  unsigned load;
  unsigned exp;
  unsigned ds;
  unsigned dsMax = gfxMajor == 9 ? 15 : 63;
  if (gfxMajor >= 11) {
    exp = imm & 7;
    ds = (imm >> 4) & 63;
    load = (imm >> 10) & 63;
  } else {
    exp = (imm >> 4) & 7;
    ds = (imm >> 8) & dsMax;
    load = (imm & 15) | ((imm >> 14) & 3) << 4;
  }
  WaitLimits limits;
  if (load != 63)
    limits.set(WaitCounter::Load, load);
  if (exp != 7)
    limits.set(WaitCounter::Exp, exp);
  if (ds != dsMax)
    limits.set(WaitCounter::Ds, ds);
  return limits;
}

/// The waits of an instruction; nothing if it has none. A counter without a wait has no limit.
std::optional<WaitLimits> gcn::decodeWait(const Inst &inst, unsigned gfxMajor) {
  struct Row {
    StringLiteral name;
    WaitCounter counter;
    uint8_t shift;
    bool withDs; ///< s_wait_*_dscnt: the counter is in bits 13:8, and Ds in bits 5:0.
  };
  static constexpr Row Rows[] = {
      {"s_waitcnt_vscnt", WaitCounter::Store, 0, false},
      {"s_waitcnt_vmcnt", WaitCounter::Load, 0, false},
      {"s_waitcnt_expcnt", WaitCounter::Exp, 0, false},
      {"s_waitcnt_lgkmcnt", WaitCounter::Ds, 0, false},
      {"s_wait_loadcnt", WaitCounter::Load, 0, false},
      {"s_wait_storecnt", WaitCounter::Store, 0, false},
      {"s_wait_samplecnt", WaitCounter::Sample, 0, false},
      {"s_wait_bvhcnt", WaitCounter::Bvh, 0, false},
      {"s_wait_expcnt", WaitCounter::Exp, 0, false},
      {"s_wait_dscnt", WaitCounter::Ds, 0, false},
      {"s_wait_kmcnt", WaitCounter::Km, 0, false},
      {"s_wait_loadcnt_dscnt", WaitCounter::Load, 8, true},
      {"s_wait_storecnt_dscnt", WaitCounter::Store, 8, true},
  };
  if (inst.mnemonic == "s_waitcnt")
    return decodePackedWait(inst.simm16(), gfxMajor);
  WaitLimits limits;
  if (gfxMajor >= 11 && StringRef(inst.mnemonic).starts_with("v_interp_")) {
    unsigned exports = inst.words[0] >> 8 & 7; // VINTERP waits by itself; 7 is no wait.
    if (exports == 7)
      return std::nullopt;
    limits.set(WaitCounter::Exp, exports);
    return limits;
  }
  if (inst.mnemonic == "s_wait_idle") {
    limits.max.fill(0);
    return limits;
  }
  for (const Row &row : Rows) {
    if (row.name != inst.mnemonic)
      continue;
    limits.set(row.counter, (inst.simm16() >> row.shift) & 63);
    if (row.withDs)
      limits.set(WaitCounter::Ds, inst.simm16() & 63);
    return limits;
  }
  return std::nullopt;
}

/// Adds an event. What a full counter implies completes first.
void WaitScoreboard::issue(const Entry &entry) {
  m_entries.push_back(entry);
  for (unsigned counter = 0; counter < WaitCounterCount; ++counter) {
    if (!(entry.event.counters & (1u << counter)))
      continue;
    unsigned max = waitCounterMax(WaitCounter(counter), m_gfxMajor);
    if (m_entries.size() > max)
      stall(counter, max);
  }
  removeComplete();
}

/// No more events are outstanding than the counter can count, whatever their order: what completes
/// in any order is taken to have done so from the oldest on.
void WaitScoreboard::stall(unsigned counter, unsigned max) {
  waitFor(counter, max);
  auto counts = [&](const Entry &entry) { return entry.event.counters >> counter & 1; };
  auto outstanding = static_cast<size_t>(count_if(m_entries, counts));
  for (Entry &entry : m_entries) {
    if (outstanding <= max)
      return;
    if (counts(entry)) {
      entry.event.counters &= ~(1u << counter);
      --outstanding;
    }
  }
}

/// Completes what is known to be complete once the counters are at their limits.
void WaitScoreboard::wait(const WaitLimits &limits) {
  if (m_entries.empty())
    return;
  for (unsigned counter = 0; counter < WaitCounterCount; ++counter)
    if (limits.max[counter] != WaitLimits::NoLimit)
      waitFor(counter, limits.max[counter]);
  removeComplete();
}

/// Takes one counter away from the entries that it no longer holds.
void WaitScoreboard::waitFor(unsigned counter, unsigned limit) {
  unsigned seen[WaitOrderCount] = {};
  for (Entry &entry : reverse(m_entries)) {
    if (!(entry.event.counters & (1u << counter)))
      continue;
    WaitOrder order = orderIn(entry.event.order, WaitCounter(counter), m_gfxMajor);
    if (waitCompletes(order, ++seen[unsigned(order)], limit))
      entry.event.counters &= ~(1u << counter);
  }
}

/// Entries without counters are complete.
void WaitScoreboard::removeComplete() {
  if (m_keepsCompleted)
    copy_if(m_entries, std::back_inserter(m_completed),
            [](const Entry &entry) { return entry.event.counters == 0; });
  erase_if(m_entries, [](const Entry &entry) { return entry.event.counters == 0; });
}

/// The newest entry with a result in these registers, or null. Vector registers count in \p lanes
/// only.
const WaitScoreboard::Entry *WaitScoreboard::find(const PendingRegisters &registers,
                                                  uint64_t lanes) const {
  for (const Entry &entry : reverse(m_entries))
    if (entry.registers.overlaps(registers) && (!registers.vector || (entry.lanes & lanes)))
      return &entry;
  return nullptr;
}
