// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Delta debugging as a machine of states: it names the next candidate, is told what became of it,
// and knows nothing of who judges. A copy of it can be told guesses, to see what it would want
// next.
#pragma once

#include "harness/reduce/Reduction.h"
#include <memory>
#include <optional>

namespace assay {

/// A subject that shall be judged, with the reduction that led to it.
struct Candidate {
  Subject subject;
  llvm::StringRef reduction;
  size_t chances = 0; ///< So many were taken at once.
};

/// What becomes of code without effect.
enum class DeadCode : uint8_t {
  Goes,      ///< With every cut, once that is found to leave what shall be found.
  MayMatter, ///< The same; but when nothing else goes any more, it is left alone.
  Stays
};

/// For each reduction, chances are taken in chunks: all at once, then halves, quarters, down to one
/// by one, from the last to the first. Rounds over all reductions go on until one changes nothing;
/// last resorts are tried then, and whatever they change begins another round.
/// Each answer of next() depends on the subject and on what was told only.
class Search {
public:
  /// \p reductions must outlive all copies.
  Search(Subject subject, llvm::ArrayRef<std::unique_ptr<Reduction>> reductions, DeadCode deadCode);

  /// The next candidate, which differs from best(); nothing when there is none left. Another call
  /// before tell() gives the same.
  const std::optional<Candidate> &next();
  /// What became of the last candidate: taken, or not.
  void tell(bool shows);
  /// From here on this is about what might come, and ends where only a last resort is left.
  void becomeGuess() { m_isGuess = true; }

  const Subject &best() const { return m_best; }

private:
  /// Whether no reduction is left in this round.
  bool isRoundOver() const;
  void beginRound();
  /// Finds the chances of the reduction at m_row and begins with all of them.
  void enterReduction();
  /// Halves the size of chunks and begins again at the last chance.
  void smallerChunks();
  Candidate cut() const;

  Subject m_best;
  llvm::ArrayRef<std::unique_ptr<Reduction>> m_reductions;
  std::optional<Candidate> m_candidate;
  /// Index of the reduction at hand.
  size_t m_row = 0;
  std::vector<CaseChance> m_chances;
  /// Number of chances in a chunk; 0: the reduction is done.
  size_t m_chunk = 0;
  size_t m_begin = 0, m_end = 0; ///< Of the chunk at hand.
  bool m_hasChanged = true;      ///< In this round.
  bool m_sweeps = false;         ///< What has no effect goes with every cut.
  bool m_mayBeDead;              ///< It has not been tried yet to leave it.
  bool m_triesSweep;             ///< Each round begins with it, until it works.
  bool m_isGuess = false;
  size_t m_ordinary; ///< Rows before the first last resort.
};

} // namespace assay
