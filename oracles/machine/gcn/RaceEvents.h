// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the race detector hears of waves: accesses to shared memory, and what orders them. Events of
// workgroups that run before their turn are kept until their turn comes.
#pragma once

#include "oracles/machine/gcn/Observer.h"
#include <vector>

namespace assay::gcn {

enum class RaceEventKind : uint8_t {
  Read,
  Write,
  Atomic,  ///< Reads and writes at once; may order others, see released.
  Signal,  ///< Arrives at the workgroup's barrier numbered number.
  Pass,    ///< Goes on behind it.
  Acquire, ///< The caches were invalidated after the atomic numbered number had completed.
  Refresh, ///< The cache of the wave's compute unit was invalidated.
  Observe, ///< That atomic has completed; caches are as they were.
  Leave,   ///< The whole workgroup has ended.
};

struct RaceEvent {
  RaceEventKind kind = RaceEventKind::Read;
  MemorySpace space = MemorySpace::Global;
  uint32_t bytes = 0;
  uint64_t address = 0;
  uint64_t wave = 0;     ///< In the dispatch: workgroup * waves of one + number.
  uint32_t number = 0;   ///< Accesses: that of the event in the wave's scoreboard.
  uint32_t released = 0; ///< Atomics: the wave's writes numbered below had completed before.
  const MicroOp *op = nullptr;
  bool isCoherent = false; ///< Reads: past the caches that workgroups do not share.
  bool changes = true;     ///< Atomics: not a load.
  bool isFresh = false;    ///< Reads: past the cache of the compute unit.
};

class RaceSink {
public:
  virtual ~RaceSink();
  virtual void add(const RaceEvent &event) = 0;
};

/// Keeps events.
class RaceBuffer final : public RaceSink {
public:
  /// More are not kept; isFull() then.
  static constexpr size_t MaxEvents = size_t(1) << 21;

  void add(const RaceEvent &event) override {
    if (!isFull())
      m_events.push_back(event);
  }
  bool isFull() const { return m_events.size() >= MaxEvents; }
  /// Adds all to \p sink and forgets them.
  void drainInto(RaceSink &sink);

private:
  std::vector<RaceEvent> m_events;
};

/// What a race observer has to know of its wave.
struct RaceObserverOptions {
  uint64_t wave = 0;        ///< Its number in the dispatch.
  bool sharesLds = true;    ///< Its workgroup has other waves.
  bool atomicMoves = false; ///< The shader has atomic loads or stores, which look like plain ones:
                            ///< those of one or two whole dwords are taken for atomic.
};

/// Tells \p sink of one wave.
std::unique_ptr<WaveObserver> createRaceObserver(RaceSink &sink,
                                                 const RaceObserverOptions &options);

} // namespace assay::gcn
