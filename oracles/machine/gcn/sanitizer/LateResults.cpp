// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/sanitizer/LateResults.h"

#include "oracles/machine/gcn/MicroOp.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

/// Scalar loads do not see the wave's own stores before they are in memory; messages and exports
/// look at no memory.
static bool seesStores(const MicroOp &op) {
  WaitOrder order = op.event.order;
  return op.raisesCounter && order != WaitOrder::Scalar && order != WaitOrder::Message &&
         !isExport(order);
}

/// Finds the memory of late stores.
static auto memoryOf(Wave &wave) {
  return [&group = *wave.group](MemorySpace space, uint64_t address, uint32_t bytes) -> uint8_t * {
    if (space == MemorySpace::Workgroup)
      return address + bytes <= group.lds.size() ? group.lds.data() + address : nullptr;
    return group.memory->find(address, bytes, Access::Write);
  };
}

/// An instruction that accesses memory sees the wave's earlier stores, so they are shown while it
/// executes.
void LateResults::before(Wave &wave, const MicroOp &op) {
  m_isShown = seesStores(op);
  if (m_isShown)
    m_stores.show(memoryOf(wave));
  if (op.raisesCounter)
    beginResult(wave, op);
}

void LateResults::beginResult(Wave &wave, const MicroOp &op) {
  m_sequence = wave.sequence;
  m_results.begin(m_sequence, {uint32_t(op.event.order) << 8 | op.event.counters,
                               completesInOrder(op.event.order)});
  if (!op.destinationCount || !op.destination.isRegister())
    return;
  bool isVector = op.destination.type == OperandType::Vgpr;
  size_t end = size_t(op.destination.index) + op.destination.dwords;
  if (end > (isVector ? wave.v.size() : wave.s.size()))
    return; // The instruction will end the run.
  uint32_t bits = ~0u;
  if (op.memory.d16 && !op.memory.components)
    bits = op.memory.high ? 0xffff0000 : 0xffff;
  for (unsigned index = op.destination.index; index < end; ++index) {
    if (isVector)
      m_results.addRow({wave.v[index].data(), wave.exec(), bits});
    else if (index != sreg::Null)
      m_results.addRow({&wave.s[index]});
  }
}

void LateResults::access(Wave &wave, const MicroOp &, const MemoryEvent &event) {
  if (m_isShown)
    m_stores.note(memoryOf(wave), event, m_sequence);
}

void LateResults::hideStores(Wave &wave) {
  if (m_isShown)
    m_stores.hide(memoryOf(wave));
  m_isShown = false;
}

/// The instruction has no result.
void LateResults::abandoned(Wave &wave, const MicroOp &) {
  hideStores(wave);
}

/// A wave that ends makes its stores visible and drops its loads.
void LateResults::after(Wave &wave, const MicroOp &op) {
  hideStores(wave);
  if (op.raisesCounter && wave.status != WaveStatus::Failed) {
    m_results.hold();
    if (std::optional<uint32_t> early = m_results.completeEarly())
      m_stores.release(memoryOf(wave), *early);
  }
  if (wave.status != WaveStatus::Done)
    return;
  m_stores.releaseAll(memoryOf(wave)); // Stores happen, waited for or not.
  m_results.clear();
}

/// Makes the result of the entry visible, and its stores.
void LateResults::completed(Wave &wave, const WaitScoreboard::Entry &entry) {
  if (m_results.complete(entry.sequence))
    m_stores.release(memoryOf(wave), entry.sequence);
}
