// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where two runs of one case part: of each instruction of each wave a digest of what it left in the
// registers, to be compared wave by wave.
#pragma once

#include "oracles/machine/gcn/Wave.h"
#include <map>
#include <optional>

namespace assay::gcn {

/// One instruction of a run.
struct WitnessPlace {
  unsigned dispatch = 0; ///< From 1 on.
  uint64_t group = 0;
  unsigned wave = 0;
  uint64_t instruction = 0; ///< Of the wave, from 0 on.
  uint64_t pc = 0;
};

/// What happened in one run, which is not to use threads.
class Witness {
public:
  /// Beyond that many instructions nothing is kept.
  static constexpr size_t MaxSteps = size_t(1) << 22;

  std::unique_ptr<WaveObserver> makeObserver(unsigned dispatch, const Wave &wave);
  /// The first instruction, by the order of \p this, that left something else in \p other, or that
  /// \p other does not have. Nothing if there is none among those that were kept.
  std::optional<WitnessPlace> findDifference(const Witness &other) const;
  bool isCut() const { return m_count >= MaxSteps; }

private:
  friend class WitnessObserver;
  struct Step {
    uint64_t digest;
    uint64_t pc;
    uint64_t turn; ///< How many instructions of any wave came before.
  };
  using Key = std::tuple<unsigned, uint64_t, unsigned>;

  std::map<Key, std::vector<Step>> m_waves;
  size_t m_count = 0;
};

} // namespace assay::gcn
