// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments at branches that precision leaves open. A quad whose shader has no effect but its
// outputs runs again until every combination of ways was taken, and each result is right.
#pragma once

#include <optional>
#include <vector>

namespace assay::reference {

struct Inst;

class Ways {
public:
  /// Forgets everything: the next run is the first.
  void restart() { *this = Ways(); }
  /// The way at open branch \p inst; nothing when a run meets too many.
  std::optional<bool> choose(const Inst &inst) {
    if (!m_first)
      m_first = &inst;
    if (m_next == m_taken.size()) {
      if (m_taken.size() == MaxBranches)
        return std::nullopt;
      m_taken.push_back(false);
    }
    return m_taken[m_next++];
  }
  /// Prepares the next run; false when all combinations have been taken.
  bool advance() {
    m_next = 0;
    while (!m_taken.empty() && m_taken.back())
      m_taken.pop_back();
    if (m_taken.empty())
      return false;
    m_taken.back() = true;
    return true;
  }
  /// The first open branch; null: there was none.
  const Inst *first() const { return m_first; }

private:
  static constexpr size_t MaxBranches = 32;

  std::vector<bool> m_taken; ///< By open branch, in the order of the run.
  size_t m_next = 0;
  const Inst *m_first = nullptr;
};

} // namespace assay::reference
