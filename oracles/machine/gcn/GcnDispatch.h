// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatches of this machine for the scheduler of machine/simt: workgroups with their waves, and
// who observes them.
#pragma once

#include "oracles/machine/gcn/launch/Launch.h"
#include "oracles/machine/simt/DispatchRun.h"

namespace assay::gcn {

/// The addresses at which each workgroup has its own scratch.
simt::PrivateRange scratchRange();

/// One dispatch. The launch outlives it.
class GcnDispatch final : public simt::DispatchModel {
public:
  /// \p hasAtomicMoves: RaceObserverOptions::atomicMoves, of the dispatch.
  GcnDispatch(Launch &launch, bool hasAtomicMoves)
      : m_launch(launch), m_hasAtomicMoves(hasAtomicMoves) {}

  unsigned wavesPerGroup() const override { return m_launch.wavesPerGroup(); }
  simt::AddressSpace &memory() override { return m_launch.memory(); }
  simt::PrivateRange privateRange() const override { return scratchRange(); }
  simt::RaceOptions raceOptions() const override;
  std::unique_ptr<simt::CohortModel> createCohort(simt::CohortTask &task,
                                                  simt::CohortMemory &memory) override;

private:
  Launch &m_launch;
  bool m_hasAtomicMoves;
};

} // namespace assay::gcn
