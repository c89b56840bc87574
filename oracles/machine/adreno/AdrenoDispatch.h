// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dispatch of machine adreno under the schedules of machine/simt.
#pragma once

#include "oracles/machine/adreno/AdrenoMachine.h"
#include "oracles/machine/adreno/TurnipLaunch.h"
#include "oracles/machine/simt/DispatchRun.h"

namespace assay::adreno {

/// The dispatch of one pipeline.
class AdrenoDispatch final : public simt::DispatchModel {
public:
  /// \p launch outlives this. \p hasAtomicMoves: the shader has atomic loads or stores.
  AdrenoDispatch(TurnipLaunch &launch, uint64_t seed, bool hasAtomicMoves)
      : m_launch(launch), m_seed(seed), m_hasAtomicMoves(hasAtomicMoves) {}
  /// From now on, \p coverage gets what runs execute. No threads then.
  void cover(AdrenoCoverage::Pipeline &coverage) { m_coverage = &coverage; }
  unsigned wavesPerGroup() const override { return m_launch.wavesPerGroup(); }
  simt::AddressSpace &memory() override { return m_launch.memory(); }
  simt::PrivateRange privateRange() const override { return {}; }
  simt::RaceOptions raceOptions() const override;
  std::unique_ptr<simt::CohortModel> createCohort(simt::CohortTask &task,
                                                  simt::CohortMemory &memory) override;

private:
  TurnipLaunch &m_launch;
  uint64_t m_seed;
  bool m_hasAtomicMoves;
  AdrenoCoverage::Pipeline *m_coverage = nullptr; ///< Null: not recorded.
  mutable std::vector<std::string> m_texts;       ///< Of all instructions, for findings.
};

} // namespace assay::adreno
