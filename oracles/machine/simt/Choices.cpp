// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/Choices.h"

#include <numeric>

using namespace llvm;
using namespace assay;
using namespace assay::simt;

/// Seed 0 is the ascending order. Any other one steps through all numbers by a step without a
/// common divisor.
Order::Order(uint64_t count, uint64_t seed) : m_count(count) {
  if (!seed || count < 2)
    return;
  Random random(seed);
  m_start = random.next() % count;
  do
    m_step = random.next() % count;
  while (std::gcd(m_step, count) != 1);
}

/// The name in schedule logs.
StringRef simt::choiceName(ChoiceKind kind) {
  static constexpr StringLiteral Names[ChoiceKindCount] = {"grain", "wave",  "slice",
                                                           "lanes", "early", "event"};
  return Names[unsigned(kind)];
}

/// Returns a number below \p count: from the log that is replayed, at random, or 0. A replay that
/// does not fit is off from then on.
uint64_t Choices::choose(ChoiceKind kind, uint64_t count) {
  assert(count && "nothing to choose from");
  uint64_t chosen = 0;
  if (m_replay) {
    bool fits = m_next < m_replay->size() && (*m_replay)[m_next].kind == kind &&
                (*m_replay)[m_next].count == count && (*m_replay)[m_next].chosen < count;
    m_isOff |= !fits;
    chosen = fits ? (*m_replay)[m_next++].chosen : 0;
  } else if (m_isFree) {
    chosen = m_random.next() % count;
  }
  if (m_keeps)
    m_kept.push_back({kind, count, chosen});
  return chosen;
}
