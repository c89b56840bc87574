// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeded choices that are the same everywhere: on every machine, with every standard library.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cassert>
#include <cstdint>

namespace assay {

/// splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). Not for
/// statistics: small ranges are taken by remainder.
class Random {
public:
  explicit Random(uint64_t seed) : m_state(seed) {}

  uint64_t next() {
    uint64_t z = m_state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Below \p count; 0, and nothing is drawn, where that is 0.
  uint64_t below(uint64_t count) { return count ? next() % count : 0; }
  /// From \p low to \p high, both included.
  uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }
  bool oneIn(uint64_t count) { return below(count) == 0; }
  bool chance(unsigned percent) { return below(100) < percent; }
  /// True \p part of \p whole times.
  bool chance(unsigned part, unsigned whole) { return below(whole) < part; }
  template <typename T> const T &pick(llvm::ArrayRef<T> from) {
    assert(!from.empty() && "nothing to choose from");
    return from[below(from.size())];
  }

  /// A number to put where \p old stands and \p limit (a size, a maximum) decides: it tends to lie
  /// where a check does.
  uint64_t number(uint64_t old, uint64_t limit) {
    const uint64_t numbers[] = {0,
                                1,
                                limit,
                                limit + 1,
                                limit - 1,
                                ~uint64_t(0),
                                uint64_t(1) << below(64),
                                old ^ (uint64_t(1) << below(16)),
                                old + 1,
                                old - 1,
                                old * 2,
                                below(64)};
    return pick<uint64_t>(numbers);
  }

  /// A source for one part of the work, by the number of the part: what one part draws does not
  /// change what another gets.
  static Random derive(uint64_t seed, uint64_t stream) {
    Random mixer(seed ^ (stream * 0xd1342543de82ef95 + 0x632be59bd9b4e019));
    return Random(mixer.next());
  }

private:
  uint64_t m_state;
};

} // namespace assay
