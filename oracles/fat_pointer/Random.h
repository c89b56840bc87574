// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chances of trials: the same on every machine for the same seed.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cassert>
#include <cstdint>

namespace assay {

/// Steele, Lea and Flood's SplitMix64 ("Fast splittable pseudorandom number generators", 2014).
class Random {
public:
  explicit Random(uint64_t seed) : m_state(seed) {}

  uint64_t next() {
    uint64_t z = m_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// In [0, bound); 0 for a bound of 0.
  uint64_t below(uint64_t bound) { return bound ? next() % bound : 0; }
  /// True \p part of \p whole times.
  bool chance(unsigned part, unsigned whole) { return below(whole) < part; }
  template <typename T> T pick(llvm::ArrayRef<T> choices) {
    assert(!choices.empty());
    return choices[below(choices.size())];
  }

private:
  uint64_t m_state;
};

} // namespace assay
