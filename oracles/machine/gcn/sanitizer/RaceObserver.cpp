// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/sanitizer/RaceObserver.h"

#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/simt/CaseMemory.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

namespace {

/// Lanes whose accesses lie after each other are one event.
class RaceObserver final : public WaveObserver {
public:
  RaceObserver(RaceSink &sink, const RaceObserverOptions &options)
      : m_sink(sink), m_options(options) {}

  void access(Wave &wave, const MicroOp &op, const MemoryEvent &event) override;
  void after(Wave &, const MicroOp &) override { flush(); }
  void synchronized(Wave &wave, SyncEvent event) override;

private:
  /// Sends the pending access, if there is one.
  void flush();
  /// Sends an event of synchronization, after the pending access.
  void send(RaceEventKind kind, uint32_t number);
  /// Sends Pass when the wave has left the barrier that it last signaled.
  void pass(const Wave &wave);
  void observe(const Wave &wave);
  /// Whether other waves may access the same place.
  bool isShared(const MemoryEvent &event) const;
  /// With RaceObserverOptions::atomicMoves, aligned accesses of 4 or 8 bytes count as atomics,
  /// except scalar loads.
  RaceEventKind kindOf(const MicroOp &op, const MemoryEvent &event) const;
  /// Writes with a smaller sequence number are complete.
  static uint32_t releasedBelow(const Wave &wave);

  RaceSink &m_sink;
  RaceObserverOptions m_options;
  RaceEvent m_pending;     ///< Without an instruction: none.
  uint32_t m_signaled = 0; ///< Phase of the last barrier signaled.
  uint32_t m_passed = 0;   ///< Phase of the last barrier passed.
  /// An atomic that is not yet after an invalidation of both caches.
  struct Unacquired {
    uint32_t number = 0;
    bool isNear = false, isFar = false; ///< After that one.
  };
  void invalidate(const Wave &wave, bool Unacquired::*cache);
  SmallVector<Unacquired, 8> m_atomics;
  SmallVector<uint32_t, 8> m_pendingAtomics; ///< Not yet observed.
};

} // namespace

std::unique_ptr<WaveObserver> gcn::createRaceObserver(RaceSink &sink,
                                                      const RaceObserverOptions &options) {
  return std::make_unique<RaceObserver>(sink, options);
}

void RaceObserver::flush() {
  if (m_pending.instruction != RaceEvent::NoInstruction)
    m_sink.add(m_pending);
  m_pending.instruction = RaceEvent::NoInstruction;
}

void RaceObserver::send(RaceEventKind kind, uint32_t number) {
  flush();
  RaceEvent event;
  event.kind = kind;
  event.wave = m_options.wave;
  event.number = number;
  m_sink.add(event);
}

/// A wave is after its barrier when it does something, not when the last one arrives there.
void RaceObserver::pass(const Wave &wave) {
  if (m_passed == m_signaled || wave.signaled || wave.group->barrierPhase < m_signaled)
    return;
  m_passed = m_signaled;
  send(RaceEventKind::Pass, m_passed);
}

/// The first write of \p wave that may not have happened yet. Loads do not count: what they read
/// was read early enough, or else a wait for them is missing.
uint32_t RaceObserver::releasedBelow(const Wave &wave) {
  uint32_t below = wave.sequence;
  for (const WaitScoreboard::Entry &entry : wave.scoreboard.entries()) {
    const MicroOp &op = wave.group->program->ops()[entry.producer];
    bool writes = (op.memory.isStore || op.memory.atomic) && entry.event.order != WaitOrder::Lds;
    if (writes)
      below = std::min(below, entry.sequence);
  }
  return below;
}

/// Whether the instruction with this sequence number is no longer on the scoreboard.
static bool hasCompleted(const Wave &wave, uint32_t number) {
  return none_of(wave.scoreboard.entries(),
                 [&](const WaitScoreboard::Entry &entry) { return entry.sequence == number; });
}

/// Loads that miss the cache of the compute unit (AMDGPUUsage, the memory models, "load atomic
/// monotonic" of workgroup scope). Scalar loads have another cache.
static bool passesNearCache(const MicroOp &op, unsigned gfxMajor) {
  if (op.event.order == WaitOrder::Scalar)
    return true;
  const auto &modifiers = op.inst->mods;
  return gfxMajor >= 12 ? modifiers.scope >= 1 : modifiers.glc;
}

/// Loads by vector that miss every cache below the one that all workgroups share (AMDGPUUsage, the
/// memory models, "load atomic monotonic" of agent scope).
static bool passesCaches(const MicroOp &op, unsigned gfxMajor) {
  constexpr uint8_t DeviceScope = 2;
  if (op.event.order == WaitOrder::Scalar)
    return false;
  const auto &modifiers = op.inst->mods;
  if (gfxMajor >= 12)
    return modifiers.scope >= DeviceScope;
  return modifiers.glc && (modifiers.dlc || gfxMajor != 10);
}

/// Tells of the atomics that have completed.
void RaceObserver::observe(const Wave &wave) {
  erase_if(m_pendingAtomics, [&](uint32_t atomic) {
    bool isDone = hasCompleted(wave, atomic);
    if (isDone)
      send(RaceEventKind::Observe, atomic);
    return isDone;
  });
}

/// Scratch is nobody else's; what lies below the buffers nobody writes. Of the global share, its
/// atomics order waves, and named barriers do by looking like some.
bool RaceObserver::isShared(const MemoryEvent &event) const {
  return (event.space == MemorySpace::Workgroup && m_options.sharesLds) ||
         (event.space == MemorySpace::Chip && event.atomic) ||
         (event.space == MemorySpace::Global && event.address >= BufferBase);
}

RaceEventKind RaceObserver::kindOf(const MicroOp &op, const MemoryEvent &event) const {
  bool mayBeAtomic = m_options.atomicMoves && op.event.order != WaitOrder::Scalar &&
                     (event.bytes == 4 || event.bytes == 8) && event.address % event.bytes == 0;
  if (event.atomic || mayBeAtomic)
    return RaceEventKind::Atomic;
  return event.writes ? RaceEventKind::Write : RaceEventKind::Read;
}

void RaceObserver::access(Wave &wave, const MicroOp &op, const MemoryEvent &event) {
  if (!isShared(event))
    return;
  pass(wave);
  RaceEventKind kind = kindOf(op, event);
  auto instruction = static_cast<uint32_t>(&op - wave.group->program->ops().data());
  if (m_pending.instruction == instruction && m_pending.number == wave.sequence &&
      m_pending.kind == kind && kind != RaceEventKind::Atomic && m_pending.space == event.space &&
      m_pending.address + m_pending.bytes == event.address) {
    m_pending.bytes += event.bytes;
    return;
  }
  flush();
  bool loads = kind == RaceEventKind::Read && event.space == MemorySpace::Global;
  bool isCoherent = loads && passesCaches(op, wave.gfxMajor);
  if (isCoherent)
    observe(wave);
  m_pending = {kind,
               event.space,
               event.bytes,
               event.address,
               m_options.wave,
               wave.sequence,
               0,
               instruction,
               isCoherent,
               event.writes || event.atomic,
               loads && passesNearCache(op, wave.gfxMajor),
               op.memory.atomic && op.memory.atomic->takesCompare};
  if (kind != RaceEventKind::Atomic)
    return;
  m_pending.released = event.space == MemorySpace::Workgroup ? wave.sequence : releasedBelow(wave);
  if (event.space != MemorySpace::Workgroup &&
      (m_atomics.empty() || m_atomics.back().number != wave.sequence)) {
    m_atomics.push_back({wave.sequence});
    m_pendingAtomics.push_back(wave.sequence);
  }
  flush(); // Other waves may come to the place before this one does anything else.
}

/// Up to GFX9 and with the scopes of GFX12, one instruction invalidates both caches; on GFX10 and
/// GFX11 there is one for each.
void RaceObserver::invalidate(const Wave &wave, bool Unacquired::*cache) {
  erase_if(m_atomics, [&](Unacquired &atomic) {
    atomic.*cache |= hasCompleted(wave, atomic.number);
    bool isDone = atomic.isNear && atomic.isFar;
    if (isDone)
      send(RaceEventKind::Acquire, atomic.number);
    return isDone;
  });
}

void RaceObserver::synchronized(Wave &wave, SyncEvent event) {
  pass(wave);
  switch (event) {
  case SyncEvent::Signal:
    observe(wave);
    m_signaled = wave.waitPhase;
    return send(RaceEventKind::Signal, m_signaled);
  case SyncEvent::InvalidateNear:
    invalidate(wave, &Unacquired::isNear);
    return send(RaceEventKind::Refresh, 0);
  case SyncEvent::InvalidateFar:
    return invalidate(wave, &Unacquired::isFar);
  case SyncEvent::End:
    return flush();
  }
}
