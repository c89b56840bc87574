// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments at branches and values that precision leaves open. A quad whose shader has no effect
// but its outputs runs again until every combination of ways was taken, and each result is right.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::reference {

struct Inst;

/// Values of which an implementation may take one of a few.
enum class ValueChoice : uint8_t {
  Texel,  ///< A nearest filter between texels.
  Integer ///< A float that is converted.
};

/// The choices of a run, in their order, and which to make in the next.
class WaySequence {
public:
  /// Which of \p count ways the next choice takes; nothing when there are too many choices.
  std::optional<uint32_t> take(uint32_t count) {
    if (m_next == m_taken.size()) {
      if (m_taken.size() == MaxChoices)
        return std::nullopt;
      m_taken.push_back({0, count});
    }
    return m_taken[m_next++].way;
  }
  /// Prepares the next run; false when all combinations have been taken.
  bool advance() {
    m_next = 0;
    while (!m_taken.empty() && m_taken.back().way + 1 == m_taken.back().count)
      m_taken.pop_back();
    if (m_taken.empty())
      return false;
    ++m_taken.back().way;
    return true;
  }
  /// Whether the current run has made a choice.
  bool hasTaken() const { return m_next != 0; }

private:
  static constexpr size_t MaxChoices = 32;
  /// The way taken, and the number of ways.
  struct Choice {
    uint32_t way, count;
  };
  std::vector<Choice> m_taken; ///< The prefix that the next run repeats.
  size_t m_next = 0;           ///< Choices of the current run so far.
};

/// The choices of all invocations of a quad, in one sequence or in one for each.
class Ways {
public:
  static constexpr uint32_t AllLanes = ~0u;
  /// Forgets everything: the next run is the first. Values are chosen for invocation \p lane of the
  /// workgroup alone, or for all; without it, choices are noted and left open.
  void restart(std::optional<uint32_t> lane = std::nullopt) {
    *this = Ways();
    m_lane = lane;
  }
  /// As restart(), for invocations that do not look at each other: those in the mask \p lanes
  /// choose on their own, all in the same run. Without \p takesValues, values are left open.
  void restartEach(uint32_t lanes, bool takesValues) {
    *this = Ways();
    m_eachOf = m_pending = lanes;
    m_takesValues = takesValues;
  }
  /// The way of invocation \p lane at open branch \p inst; nothing when a run meets too many.
  std::optional<bool> choose(const Inst &inst, uint32_t lane) {
    if (!m_first)
      m_first = &inst;
    m_sawBranches |= 1u << lane;
    // What others of the group do has no effect on those that choose.
    std::optional<uint32_t> way = !m_eachOf              ? m_together.take(2)
                                  : m_eachOf >> lane & 1 ? m_each[lane].take(2)
                                                         : std::optional<uint32_t>(0);
    return way ? std::optional<bool>(*way != 0) : std::nullopt;
  }
  /// Which of \p count values invocation \p lane gets; nothing: all of them are open.
  std::optional<uint32_t> chooseValue(ValueChoice kind, uint32_t lane, uint32_t count) {
    if (m_lane && *m_lane != lane && *m_lane != AllLanes)
      return std::nullopt;
    (kind == ValueChoice::Texel ? m_sawTexels : m_sawIntegers) |= 1u << lane;
    if (m_eachOf)
      return m_takesValues && m_eachOf >> lane & 1 ? m_each[lane].take(count) : std::nullopt;
    return m_lane ? m_together.take(count) : std::nullopt;
  }
  /// Prepares the next run; false when all combinations have been taken.
  bool advance() {
    if (!m_eachOf)
      return m_together.advance();
    for (uint32_t lane = 0; lane < MaxLanes; ++lane)
      if (m_pending >> lane & 1 && !m_each[lane].advance())
        m_pending &= ~(1u << lane);
    return m_pending != 0;
  }
  /// After restartEach(): invocations that have combinations left.
  uint32_t pending() const { return m_pending; }
  /// The first open branch; null: there was none.
  const Inst *first() const { return m_first; }
  /// Whether any run since restart() met such a choice.
  bool sawTexels() const { return m_sawTexels != 0; }
  bool sawIntegers() const { return m_sawIntegers != 0; }
  /// Whether invocation \p lane chose between texels and nothing else.
  bool choseTexelsAlone(uint32_t lane) const {
    return m_takesValues && !((m_sawBranches | m_sawIntegers) >> lane & 1);
  }
  /// The run met a branch or a value that was chosen.
  bool hasChosen() const { return m_together.hasTaken(); }

private:
  static constexpr uint32_t MaxLanes = 4; ///< A quad.

  WaySequence m_together; ///< Without restartEach().
  std::array<WaySequence, MaxLanes> m_each;
  uint32_t m_eachOf = 0, m_pending = 0;
  bool m_takesValues = false;
  const Inst *m_first = nullptr;
  std::optional<uint32_t> m_lane;
  /// Masks of invocations.
  uint32_t m_sawTexels = 0, m_sawIntegers = 0, m_sawBranches = 0;
};

} // namespace assay::reference
