// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments at branches and values that precision leaves open. A quad whose shader has no effect
// but its outputs runs again until every combination of ways was taken, and each result is right.
#pragma once

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

class Ways {
public:
  static constexpr uint32_t AllLanes = ~0u;
  /// Forgets everything: the next run is the first. Values are chosen for invocation \p lane of the
  /// workgroup alone, or for all; without it, choices are noted and left open.
  void restart(std::optional<uint32_t> lane = std::nullopt) {
    *this = Ways();
    m_lane = lane;
  }
  /// The way at open branch \p inst; nothing when a run meets too many.
  std::optional<bool> choose(const Inst &inst) {
    if (!m_first)
      m_first = &inst;
    std::optional<uint32_t> way = take(2);
    return way ? std::optional<bool>(*way != 0) : std::nullopt;
  }
  /// Which of \p count values invocation \p lane gets; nothing: all of them are open.
  std::optional<uint32_t> chooseValue(ValueChoice kind, uint32_t lane, uint32_t count) {
    if (m_lane && *m_lane != lane && *m_lane != AllLanes)
      return std::nullopt;
    (kind == ValueChoice::Texel ? m_sawTexels : m_sawIntegers) = true;
    return m_lane ? take(count) : std::nullopt;
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
  /// The first open branch; null: there was none.
  const Inst *first() const { return m_first; }
  bool sawTexels() const { return m_sawTexels; }
  bool sawIntegers() const { return m_sawIntegers; }
  /// The run met a branch or a value that was chosen.
  bool hasChosen() const { return m_next != 0; }

private:
  static constexpr size_t MaxChoices = 32;
  struct Choice {
    uint32_t way, count;
  };

  std::optional<uint32_t> take(uint32_t count) {
    if (m_next == m_taken.size()) {
      if (m_taken.size() == MaxChoices)
        return std::nullopt;
      m_taken.push_back({0, count});
    }
    return m_taken[m_next++].way;
  }

  std::vector<Choice> m_taken; ///< In the order of the run.
  size_t m_next = 0;
  const Inst *m_first = nullptr;
  std::optional<uint32_t> m_lane;
  bool m_sawTexels = false, m_sawIntegers = false;
};

} // namespace assay::reference
