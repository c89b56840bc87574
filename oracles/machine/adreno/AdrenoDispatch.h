// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dispatch of machine adreno under the schedules of machine/simt.
#pragma once

#include "oracles/machine/adreno/TurnipLaunch.h"
#include "oracles/machine/simt/DispatchRun.h"
#include <set>

namespace assay::adreno {

class AdrenoDispatch final : public simt::DispatchModel {
public:
  /// \p launch outlives this. \p hasAtomicMoves: the shader has atomic loads or stores.
  AdrenoDispatch(TurnipLaunch &launch, uint64_t seed, bool hasAtomicMoves)
      : m_launch(launch), m_seed(seed), m_hasAtomicMoves(hasAtomicMoves) {}
  /// From now on, \p edges get what runs execute: AdrenoCoverage. No threads then.
  void cover(std::set<std::pair<uint32_t, uint32_t>> &edges) { m_edges = &edges; }
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
  std::set<std::pair<uint32_t, uint32_t>> *m_edges = nullptr;
  mutable std::vector<std::string> m_texts; ///< Of all instructions, for findings.
};

} // namespace assay::adreno
