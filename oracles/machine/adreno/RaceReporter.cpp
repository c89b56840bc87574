// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/RaceReporter.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;
using namespace assay::simt;

void RaceReporter::flush() {
  if (m_pending.instruction != RaceEvent::NoInstruction)
    m_sink.add(m_pending);
  m_pending.instruction = RaceEvent::NoInstruction;
}

void RaceReporter::send(RaceEventKind kind, uint32_t number) {
  flush();
  RaceEvent event;
  event.kind = kind;
  event.wave = m_options.wave;
  event.number = number;
  m_sink.add(event);
}

RaceEventKind RaceReporter::kindOf(const Op &op, const MemoryEvent &event) const {
  bool isAtomic = op.inst.unit() == Unit::Atomic || op.inst.unit() == Unit::LocalAtomic;
  bool mayBeAtomic = m_options.atomicMoves && op.inst.unit() != Unit::Texture &&
                     (event.bytes == 4 || event.bytes == 8) && event.address % event.bytes == 0;
  if (isAtomic || mayBeAtomic)
    return RaceEventKind::Atomic;
  return event.writes ? RaceEventKind::Write : RaceEventKind::Read;
}

/// Accesses of neighbouring lanes are one event.
void RaceReporter::access(const Wave &wave, const MemoryEvent &event) {
  if (event.space == MemorySpace::Private ||
      (event.space == MemorySpace::Workgroup && !m_options.sharesLocal))
    return;
  const Op &op = wave.program().ops()[wave.pc()];
  RaceEventKind kind = kindOf(op, event);
  if (m_pending.instruction == wave.pc() && m_pending.number == m_sequence &&
      m_pending.kind == kind && kind != RaceEventKind::Atomic && m_pending.space == event.space &&
      m_pending.address + m_pending.bytes == event.address) {
    m_pending.bytes += event.bytes;
    return;
  }
  flush();
  bool isGlobal = event.space == MemorySpace::Global;
  m_pending = {};
  m_pending.kind = kind;
  m_pending.space = event.space;
  m_pending.bytes = event.bytes;
  m_pending.address = event.address;
  m_pending.wave = m_options.wave;
  m_pending.number = m_sequence;
  m_pending.instruction = wave.pc();
  m_pending.isCoherent = kind == RaceEventKind::Read && isGlobal && op.inst.unit() != Unit::Texture;
  m_pending.changes = event.writes;
  m_pending.isCompareAndSwap = op.inst.name().ends_with("cmpxchg");
  if (kind != RaceEventKind::Atomic)
    return;
  m_pending.released = isGlobal ? m_released : m_sequence;
  if (isGlobal && (m_unacquired.empty() || m_unacquired.back() != m_sequence)) {
    m_unobserved.push_back(m_sequence);
    m_unacquired.push_back(m_sequence);
  }
  flush(); // Other waves may come to the place before this one does anything else.
}

/// With .w, atomics after it release the writes before; with .r, it acquires what atomics before it
/// have found.
void RaceReporter::fence(const Inst &inst) {
  if (inst.get(Field::Write))
    m_released = m_sequence + 1;
  if (!inst.get(Field::Read))
    return;
  for (uint32_t atomic : m_unacquired)
    send(RaceEventKind::Acquire, atomic);
  m_unacquired.clear();
}

void RaceReporter::before(const Op &op) {
  ++m_sequence;
  if (op.facts.sy && !m_unobserved.empty()) {
    for (uint32_t atomic : m_unobserved)
      send(RaceEventKind::Observe, atomic);
    m_unobserved.clear();
  }
  if (op.inst.category() != 7)
    return;
  if (op.inst.name() == "fence")
    fence(op.inst);
  else if (op.inst.name() == "bar")
    send(RaceEventKind::Signal, ++m_signaled);
}

void RaceReporter::pass() {
  send(RaceEventKind::Pass, m_signaled);
}
