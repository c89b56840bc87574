// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dispatch of machine adreno under the schedules of machine/simt.
#pragma once

#include "oracles/machine/adreno/TurnipLaunch.h"
#include "oracles/machine/simt/DispatchRun.h"

namespace assay::adreno {

class AdrenoDispatch final : public simt::DispatchModel {
public:
  /// \p launch outlives this.
  AdrenoDispatch(TurnipLaunch &launch, uint64_t seed) : m_launch(launch), m_seed(seed) {}
  unsigned wavesPerGroup() const override { return m_launch.wavesPerGroup(); }
  simt::AddressSpace &memory() override { return m_launch.memory(); }
  simt::PrivateRange privateRange() const override { return {}; }
  simt::RaceOptions raceOptions() const override;
  std::unique_ptr<simt::CohortModel> createCohort(simt::CohortTask &task,
                                                  simt::CohortMemory &memory) override;

private:
  TurnipLaunch &m_launch;
  uint64_t m_seed;
};

} // namespace assay::adreno
