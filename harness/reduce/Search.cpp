// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Search.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Of the candidate that is no cut of a reduction.
static constexpr StringLiteral SweepName = "sweep";

Search::Search(Subject subject, ArrayRef<std::unique_ptr<Reduction>> reductions, DeadCode deadCode)
    : m_best(std::move(subject)), m_reductions(reductions), m_row(reductions.size()),
      m_mayBeDead(deadCode == DeadCode::MayMatter), m_triesSweep(deadCode != DeadCode::Stays),
      m_ordinary(static_cast<size_t>(
          count_if(reductions, [](const auto &each) { return !each->isLastResort(); }))) {}

/// A last resort has its turn only where the other reductions have come to an end.
bool Search::isRoundOver() const {
  bool isEnd = !m_hasChanged && !(m_sweeps && m_mayBeDead);
  return m_row == m_reductions.size() || (m_row >= m_ordinary && (!isEnd || m_isGuess));
}

/// Of this round nothing is left; begins the next, which again tries first to do without whatever
/// has no effect, as long as the bug did not allow it.
void Search::beginRound() {
  m_hasChanged = false;
  m_row = 0;
  enterReduction();
  if (m_sweeps || !m_triesSweep)
    return;
  Candidate swept{m_best, SweepName, 1};
  sweep(swept.subject);
  m_sweeps = swept.subject.programs == m_best.programs;
  if (!m_sweeps)
    m_candidate = std::move(swept);
}

void Search::enterReduction() {
  m_chances.clear();
  if (m_row < m_reductions.size())
    m_chances = m_reductions[m_row]->find(m_best);
  m_chunk = m_begin = m_end = m_chances.size();
}

void Search::smallerChunks() {
  m_chunk = std::min(m_chunk, m_chances.size()) / 2;
  m_end = m_chances.size();
}

/// The best subject with the chunk at hand taken.
Candidate Search::cut() const {
  Candidate candidate{m_best, m_reductions[m_row]->name(), m_end - m_begin};
  m_reductions[m_row]->apply(candidate.subject,
                             ArrayRef(m_chances).slice(m_begin, m_end - m_begin));
  if (m_sweeps)
    sweep(candidate.subject);
  return candidate;
}

const std::optional<Candidate> &Search::next() {
  while (!m_candidate) {
    if (isRoundOver()) {
      if (!m_hasChanged && !(m_sweeps && m_mayBeDead))
        return m_candidate;
      if (!m_hasChanged)
        m_sweeps = m_mayBeDead = m_triesSweep = false;
      beginRound();
    } else if (m_chunk == 0) {
      ++m_row;
      enterReduction();
    } else {
      m_begin = m_end > m_chunk ? m_end - m_chunk : 0;
      m_candidate = cut();
    }
  }
  return m_candidate;
}

void Search::tell(bool shows) {
  Candidate candidate = std::move(*m_candidate);
  m_candidate.reset();
  if (shows) {
    m_best = std::move(candidate.subject);
    m_hasChanged = true;
  }
  if (candidate.reduction == SweepName) {
    m_sweeps = shows;
    enterReduction();
    return;
  }
  m_end = m_begin;
  if (shows) {
    m_chances = m_reductions[m_row]->find(m_best);
    m_end = std::min(m_end, m_chances.size());
  }
  if (m_end == 0)
    smallerChunks();
}
