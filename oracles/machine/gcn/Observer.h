// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What watches a wave execute: sanitizers, traces, schedules that hold results back. Handlers know
// nothing of them; a wave without observers runs at full speed.
#pragma once

#include "oracles/machine/gcn_isa/WaitRule.h"
#include "oracles/machine/simt/MemoryEvent.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>

namespace assay::gcn {

class Wave;
struct MicroOp;

using simt::MemoryEvent;
using simt::MemorySpace;

/// What a wave does that orders its accesses and those of others.
enum class SyncEvent : uint8_t {
  Signal,         ///< It has arrived at the workgroup's barrier.
  InvalidateNear, ///< It throws away what the cache of its compute unit holds.
  InvalidateFar,  ///< The same of the cache between that and the one that all workgroups share;
                  ///< where there is none, nothing.
  End,            ///< It will do nothing more.
};

/// Of one wave, for as long as the wave lives. What observers of several waves share they reach
/// through what they were made with. They object by Wave::report() and change no state of the wave,
/// unless that is their purpose (late results).
class WaveObserver {
public:
  virtual ~WaveObserver();
  /// \p op is about to execute; registers are as it will find them.
  virtual void before(Wave &wave, const MicroOp &op);
  /// While \p op executes, in the order of the lanes, before memory is read or written.
  virtual void access(Wave &wave, const MicroOp &op, const MemoryEvent &event);
  /// \p op did not execute after all: it waits, and will begin again with before().
  virtual void abandoned(Wave &wave, const MicroOp &op);
  /// \p op has executed (and its event, if it raises a counter, has been issued).
  virtual void after(Wave &wave, const MicroOp &op);
  /// In the middle of an instruction, or after the last one.
  virtual void synchronized(Wave &wave, SyncEvent event);
  /// The outstanding \p entry completed, by a wait or because its counter was full.
  virtual void completed(Wave &wave, const WaitScoreboard::Entry &entry);
};

using ObserverList = llvm::SmallVector<std::unique_ptr<WaveObserver>, 4>;

/// What the observers of the waves of one workgroup share (the definedness of LDS, say).
class GroupObserver {
public:
  virtual ~GroupObserver();
};

/// Tells the observers of \p wave, if it has any.
void noteAccess(Wave &wave, const MicroOp &op, const MemoryEvent &event);
void noteSync(Wave &wave, SyncEvent event);

} // namespace assay::gcn
