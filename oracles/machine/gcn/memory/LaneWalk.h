// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lanes of a mask in the order in which a schedule lets them come to memory: for (unsigned lane
// : LaneWalk(wave, mask)). Which of two lanes that store to one place wins, and which atomic comes
// first, nothing promises.
#pragma once

#include "oracles/machine/gcn/Wave.h"
#include "llvm/ADT/bit.h"

namespace assay::gcn {

class LaneWalk {
public:
  /// \c m_left has the lanes to come, with their numbers flipped.
  class Iterator {
  public:
    Iterator(uint64_t left, unsigned flip) : m_left(left), m_flip(flip) {}
    unsigned operator*() const { return unsigned(llvm::countr_zero(m_left)) ^ m_flip; }
    Iterator &operator++() {
      m_left &= m_left - 1;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return m_left != other.m_left; }

  private:
    uint64_t m_left;
    unsigned m_flip;
  };

  /// Visits each lane of \p lanes once. Wave::laneFlip is xored to the numbers, which are then
  /// ascending.
  LaneWalk(const Wave &wave, uint64_t lanes)
      : m_flip(wave.laneFlip), m_left(m_flip ? flip(lanes, m_flip) : lanes) {}
  Iterator begin() const { return {m_left, m_flip}; }
  Iterator end() const { return {0, m_flip}; }

private:
  /// Bit i of the result is bit i ^ by of \p bits.
  static uint64_t flip(uint64_t bits, unsigned by) {
    static constexpr uint64_t Lower[6] = {0x5555555555555555, 0x3333333333333333,
                                          0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff,
                                          0x0000ffff0000ffff, 0x00000000ffffffff};
    for (unsigned i = 0; i < 6; ++i)
      if (by >> i & 1)
        bits = (bits & Lower[i]) << (1u << i) | (bits >> (1u << i) & Lower[i]);
    return bits;
  }

  unsigned m_flip;
  uint64_t m_left;
};

} // namespace assay::gcn
