// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where two runs of one case diverge: for each instruction of each wave a digest of what it wrote,
// compared wave by wave.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace assay::simt {

/// One instruction of a run.
struct WitnessPlace {
  unsigned dispatch = 0; ///< From 1 on.
  uint64_t group = 0;
  unsigned wave = 0;
  uint64_t instruction = 0; ///< Of the wave, from 0 on.
  uint64_t pc = 0;
};

/// A digest of values, in the order in which they are added.
class WitnessDigest {
public:
  explicit WitnessDigest(uint64_t first) : m_value(first) {}
  void add(const void *data, size_t bytes);
  uint64_t value() const { return m_value; }

private:
  uint64_t m_value;
};

/// What happened in one run. The run must not use threads.
class Witness {
public:
  /// Later instructions are not kept.
  static constexpr size_t MaxSteps = size_t(1) << 22;

  struct Step {
    uint64_t digest;
    uint64_t pc;
    uint64_t turn; ///< How many instructions of any wave came before.
  };
  /// The instructions of one wave, in the order of execution.
  using Track = std::vector<Step>;

  /// The track of a wave: empty at first. The reference stays valid.
  Track &trackOf(unsigned dispatch, uint64_t group, unsigned wave) {
    return m_waves[{dispatch, group, wave}];
  }
  /// True when no more instructions are kept: there is no need to make a digest.
  bool isCut() const { return m_count >= MaxSteps; }
  /// The wave of \p track has executed the instruction at \p pc; \p digest is of what it wrote.
  void note(Track &track, uint64_t pc, uint64_t digest);
  /// The first instruction, by the order of this run, that wrote something else in \p other, or
  /// that \p other does not have. Nothing if there is none among the kept instructions.
  std::optional<WitnessPlace> findDifference(const Witness &other) const;

private:
  using Key = std::tuple<unsigned, uint64_t, unsigned>;

  std::map<Key, Track> m_waves;
  size_t m_count = 0;
};

} // namespace assay::simt
