// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a schedule is free to choose - which wave has its turn, for how long, which lane comes
// first, what completes early - drawn from a seed, or taken from a log that an earlier run kept.
#pragma once

#include "support/Error.h"
#include "support/Random.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::simt {

/// The numbers 0..count-1, each once: in ascending order for seed 0, else from a random start in
/// random steps, which needs no memory however many there are.
class Order {
public:
  Order(uint64_t count, uint64_t seed);

  uint64_t operator[](uint64_t i) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(i) * m_step + m_start) % m_count);
  }

private:
  uint64_t m_count;
  uint64_t m_start = 0;
  uint64_t m_step = 1;
};

enum class ChoiceKind : uint8_t {
  Grain, ///< How long turns are: the logarithm.
  Wave,  ///< Which of the waves that can run has its turn.
  Slice, ///< Instructions of a turn, less one.
  Lanes, ///< What lane numbers are XORed with to get the order of the lanes.
  Early, ///< Memory instructions until an event completes before anybody waits for it.
  Event, ///< Which of the events that may complete first does.
};
constexpr unsigned ChoiceKindCount = 6;
llvm::StringRef choiceName(ChoiceKind kind);

/// One choice out of \p count.
struct Choice {
  ChoiceKind kind = ChoiceKind::Wave;
  uint64_t count = 0;
  uint64_t chosen = 0;

  bool operator==(const Choice &) const = default;
};

/// The choices of one unit of scheduling, in order. With seed 0 there is nothing to choose.
class Choices {
public:
  explicit Choices(uint64_t seed) : m_isFree(seed != 0), m_random(seed) {}
  /// Those of \p recorded, which the caller keeps.
  explicit Choices(llvm::ArrayRef<Choice> recorded)
      : m_isFree(!recorded.empty()), m_random(0), m_replay(recorded) {}

  /// False: the schedule is the fixed one.
  bool isFree() const { return m_isFree; }
  void keep() { m_keeps = true; }
  /// A number below \p count, which is not 0.
  uint64_t choose(ChoiceKind kind, uint64_t count);
  llvm::ArrayRef<Choice> kept() const { return m_kept; }
  /// True when a replayed log had other choices than the run: it is not of this code and input.
  bool isOff() const { return m_isOff || (m_replay && m_next != m_replay->size()); }

private:
  bool m_isFree;
  bool m_keeps = false;
  bool m_isOff = false;
  Random m_random;
  std::optional<llvm::ArrayRef<Choice>> m_replay;
  size_t m_next = 0;
  std::vector<Choice> m_kept;
};

} // namespace assay::simt
