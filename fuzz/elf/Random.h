// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chance for mutations: numbers that tend to lie where a check decides.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <random>

namespace assay::fuzz {

/// A seeded source of choices; the same seed makes the same ones.
class Random {
public:
  explicit Random(uint64_t seed) : m_engine(seed) {}

  /// Below \p count, which must not be 0.
  size_t below(size_t count) { return static_cast<size_t>(m_engine() % count); }
  bool oneIn(unsigned count) { return below(count) == 0; }
  uint64_t word() { return m_engine(); }
  template <typename T> const T &pick(llvm::ArrayRef<T> from) { return from[below(from.size())]; }

  /// A number to put where \p old stands and \p limit (a size, a maximum) decides.
  uint64_t number(uint64_t old, uint64_t limit) {
    switch (below(12)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return limit;
    case 3:
      return limit + 1;
    case 4:
      return limit - 1;
    case 5:
      return ~uint64_t(0);
    case 6:
      return uint64_t(1) << below(64);
    case 7:
      return old ^ (uint64_t(1) << below(16));
    case 8:
      return old + 1;
    case 9:
      return old - 1;
    case 10:
      return old * 2;
    default:
      return below(64);
    }
  }

private:
  std::mt19937_64 m_engine;
};

} // namespace assay::fuzz
