// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the race detector is told of waves: accesses to shared memory, and what orders them. Events
// of workgroups that run before their turn are kept until their turn comes.
#pragma once

#include "oracles/machine/simt/MemoryEvent.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::simt {

enum class RaceEventKind : uint8_t {
  Read,
  Write,
  Atomic,  ///< Reads and writes at once; may order others, see released.
  Signal,  ///< Arrives at the workgroup's barrier numbered number.
  Pass,    ///< Continues after it.
  Acquire, ///< The caches were invalidated after the atomic numbered number had completed.
  Refresh, ///< The cache of the wave's compute unit was invalidated.
  Observe, ///< That atomic has completed; caches are as they were.
  Leave,   ///< The whole workgroup has ended.
};

struct RaceEvent {
  /// RaceEvent::instruction where there is none.
  static constexpr uint32_t NoInstruction = ~0u;

  RaceEventKind kind = RaceEventKind::Read;
  MemorySpace space = MemorySpace::Global;
  uint32_t bytes = 0;
  uint64_t address = 0;
  uint64_t wave = 0;     ///< In the dispatch: workgroup * waves of one + number.
  uint32_t number = 0;   ///< Accesses: their place in the wave's program order.
  uint32_t released = 0; ///< Atomics: the wave's writes numbered below had completed before.
  /// Accesses: the instruction, by a number that RaceOptions::describe understands.
  uint32_t instruction = NoInstruction;
  bool isCoherent = false;       ///< Reads: they bypass the caches that workgroups do not share.
  bool changes = true;           ///< Atomics: not a load.
  bool isFresh = false;          ///< Reads: they bypass the cache of the compute unit.
  bool isCompareAndSwap = false; ///< Atomics.
};

/// Receives the events of several waves, in the order in which they happen.
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

/// Whether \p spirv has atomic loads or stores. The machine code of such a load or store is a plain
/// one, so that a race detector must be told.
bool hasAtomicMoves(llvm::ArrayRef<uint32_t> spirv);

} // namespace assay::simt
