// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Observer.h"

#include "oracles/machine/gcn/Wave.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

WaveObserver::~WaveObserver() = default;
void WaveObserver::before(Wave &, const MicroOp &) {}
void WaveObserver::access(Wave &, const MicroOp &, const MemoryEvent &) {}
void WaveObserver::abandoned(Wave &, const MicroOp &) {}
void WaveObserver::after(Wave &, const MicroOp &) {}
void WaveObserver::completed(Wave &, const WaitScoreboard::Entry &) {}
void WaveObserver::synchronized(Wave &, SyncEvent) {}
GroupObserver::~GroupObserver() = default;

/// Tells all observers of one lane's access, when it is about to happen.
void gcn::noteAccess(Wave &wave, const MicroOp &op, const MemoryEvent &event) {
  for (const std::unique_ptr<WaveObserver> &observer : wave.observers)
    observer->access(wave, op, event);
}

/// Tells all observers of synchronization.
void gcn::noteSync(Wave &wave, SyncEvent event) {
  for (const std::unique_ptr<WaveObserver> &observer : wave.observers)
    observer->synchronized(wave, event);
}
