// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/sanitizer/Visibility.h"

#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/Wave.h"
#include "oracles/machine/gcn/sanitizer/SanitizerRules.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Does an event of \p order hold writes to \p kind of memory?
static bool concerns(WaitOrder order, MemoryKind kind, unsigned gfxMajor) {
  if (order == WaitOrder::Flat)
    return true;
  if (kind == MemoryKind::Lds)
    return order == WaitOrder::Lds;
  // GFX9 counts loads and stores together and completes them in order.
  return order == (gfxMajor == 9 ? WaitOrder::Vmem : WaitOrder::VmemStore);
}

/// Writes that the scoreboard still has are not visible to waves that pass the barrier.
BarrierView gcn::takeBarrierView(const Wave &wave) {
  BarrierView view;
  view.arrival = wave.sequence;
  view.phase = wave.waitPhase;
  for (unsigned kind = 0; kind < MemoryKindCount; ++kind) {
    view.visibleBelow[kind] = wave.sequence;
    for (const WaitScoreboard::Entry &entry : wave.scoreboard.entries())
      if (concerns(entry.event.order, MemoryKind(kind), wave.gfxMajor))
        view.visibleBelow[kind] = std::min(view.visibleBelow[kind], entry.sequence);
  }
  return view;
}

void Visibility::reset(bool enabled, uint64_t ldsBytes) {
  m_enabled = enabled;
  m_lds.assign(enabled ? ldsBytes : 0, {});
  m_global.clear();
}

/// \p where is a byte offset in LDS, or an address.
static std::string describePlace(MemoryKind kind, uint64_t where) {
  return kind == MemoryKind::Lds ? "LDS byte " + utostr(where)
                                 : "address 0x" + utohexstr(where, true);
}

/// Reports WAIT-LDS or WAIT-STORE with the counter that the writer should have waited for.
static void reportOrder(Wave &wave, const MicroOp &op, const Wave &writer, MemoryKind kind,
                        uint64_t where) {
  bool isLds = kind == MemoryKind::Lds;
  WaitCounter counter = isLds                ? WaitCounter::Ds
                        : wave.gfxMajor == 9 ? WaitCounter::Load
                                             : WaitCounter::Store;
  StringRef name = waitCounterName(counter, wave.gfxMajor);
  Violation violation{sanitizerRuleId(isLds ? SanitizerRule::WaitLds : SanitizerRule::WaitStore),
                      "uses " + describePlace(kind, where) + ", which wave " +
                          utostr(writer.number) + " wrote without waiting for " + name.str() +
                          " before the barrier"};
  violation.subject = name.str();
  wave.report(op, violation);
}

/// Reports a write of another wave that was issued before its last barrier that both have passed,
/// and was not complete there. Two atomics do not need an order.
void Visibility::check(Wave &wave, const MicroOp &op, const Writer &writer, MemoryKind kind,
                       uint64_t where) {
  if (!writer.wave || writer.wave == &wave)
    return;
  if (writer.atomic && op.memory.atomic)
    return;
  unsigned passed = wave.signaled ? wave.waitPhase - 1 : wave.waitPhase;
  const BarrierView &view = writer.wave->barrierViews.find(passed);
  if (writer.sequence >= view.visibleBelow[unsigned(kind)] && writer.sequence < view.arrival)
    reportOrder(wave, op, *writer.wave, kind, where);
}

/// \p offset and \p bytes lie inside LDS.
void Visibility::accessLds(Wave &wave, const MicroOp &op, uint64_t offset, unsigned bytes,
                           bool writes) {
  if (!m_enabled || !wave.group->sanitize)
    return;
  for (uint64_t at = offset; at < offset + bytes; ++at) {
    check(wave, op, m_lds[at], MemoryKind::Lds, at);
    if (writes)
      m_lds[at] = {&wave, wave.sequence, op.memory.atomic != nullptr};
  }
}

/// Works on whole dwords, so neighbours in one dword count as the same place.
void Visibility::accessGlobal(Wave &wave, const MicroOp &op, uint64_t address, unsigned bytes,
                              bool writes) {
  if (!m_enabled || !wave.group->sanitize)
    return;
  for (uint64_t at = address / 4; at <= (address + bytes - 1) / 4; ++at) {
    auto found = m_global.find(at);
    if (found != m_global.end())
      check(wave, op, found->second, MemoryKind::Global, at * 4);
    if (writes)
      m_global[at] = {&wave, wave.sequence, op.memory.atomic != nullptr};
  }
}
