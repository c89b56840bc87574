// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells the race detector of one wave's accesses, barriers and fences.
//
// What orders accesses on Adreno GPUs, as Mesa 25.0 emits it (ir3_compiler_nir.c, emit_barrier): a
// fence with .w completes the writes before it, so that an atomic after it releases them; a fence
// with .r makes what an atomic before it has found visible. Loads but those of textures go to the
// cache that all processors share.
#pragma once

#include "oracles/machine/adreno/Wave.h"
#include "oracles/machine/simt/RaceEvents.h"

namespace assay::adreno {

/// What the reporter has to know of the wave.
struct RaceReporterOptions {
  uint64_t wave = 0;        ///< Its number in the dispatch.
  bool sharesLocal = true;  ///< Its workgroup has other waves.
  bool atomicMoves = false; ///< The shader has atomic loads or stores, whose code is plain ones:
                            ///< those of one or two whole dwords are taken for atomic.
};

/// The reporter of one wave.
class RaceReporter final : public MemoryListener {
public:
  /// \p sink outlives this.
  RaceReporter(simt::RaceSink &sink, const RaceReporterOptions &options)
      : m_sink(sink), m_options(options) {}
  /// Reads and writes of neighbouring lanes become one event.
  void access(const Wave &wave, const simt::MemoryEvent &event) override;
  /// \p op is about to run.
  void before(const Op &op);
  /// The wave goes on after its barrier.
  void pass();
  /// The wave has ended.
  void end() { flush(); }

private:
  /// Passes on the access that may still grow.
  void flush();
  /// An event that is no access, after those before it.
  void send(simt::RaceEventKind kind, uint32_t number);
  /// A fence releases, acquires, or both.
  void fence(const Inst &inst);
  /// Read, write, or atomic.
  simt::RaceEventKind kindOf(const Op &op, const simt::MemoryEvent &event) const;

  simt::RaceSink &m_sink;
  RaceReporterOptions m_options;
  simt::RaceEvent m_pending; ///< Without an instruction: none.
  uint32_t m_sequence = 0;   ///< Of instructions that access memory.
  uint32_t m_released = 0;   ///< Writes below have completed.
  uint32_t m_signaled = 0;
  llvm::SmallVector<uint32_t, 4> m_unobserved, m_unacquired; ///< Atomics.
};

} // namespace assay::adreno
