// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of several candidates satisfy a predicate: asked of worker processes, several at a time.
#pragma once

#include "harness/reduce/Predicate.h"
#include "harness/run/WorkFolder.h"
#include "harness/run/WorkerProcess.h"
#include <optional>

namespace assay {

/// What became of a candidate.
enum class Judged : uint8_t {
  Shows,  ///< It satisfies the predicate.
  Passes, ///< It does not, and the verdict is a pass.
  Other   ///< It is invalid, or something else is wrong with it.
};
/// The name in files of tried candidates.
llvm::StringRef judgedName(Judged judged);
/// The reverse; nothing for an unknown name.
std::optional<Judged> parseJudged(llvm::StringRef name);

/// Judges candidates by the runs that a predicate describes. Files of one call replace those of the
/// call before.
class CandidateJudge {
public:
  /// \p folder and what \p pool refers to must outlive this.
  CandidateJudge(Predicate predicate, PoolOptions pool, const WorkFolder &folder)
      : m_predicate(std::move(predicate)), m_pool(std::move(pool)), m_folder(folder) {}

  /// Judges \p texts, AmberScripts each; the results are in their order and do not depend on who is
  /// asked along with whom. Environment when a worker can't do its work, or when interrupted.
  llvm::Expected<std::vector<Judged>> judge(llvm::ArrayRef<std::string> texts);

  /// How many can be asked at one time without one waiting for the other.
  unsigned width() const { return std::max(1u, m_pool.processes / m_predicate.runs); }
  /// Of the last call: every run of every text.
  llvm::ArrayRef<Verdict> lastVerdicts() const { return m_verdicts; }

private:
  /// Writes \p text as the case of candidate number \p candidate; the job has no folder yet.
  llvm::Expected<Job> makeJob(size_t candidate, llvm::StringRef text);
  /// Makes Other of candidates that show the bug, but have a reference that does not permit it.
  llvm::Error checkReferences(std::vector<Judged> &judged);
  /// The same where the reference is suspected: by code of another level.
  llvm::Error checkWitnesses(std::vector<Judged> &judged);
  llvm::Expected<std::vector<Verdict>> runOfShown(llvm::ArrayRef<Judged> judged,
                                                  llvm::StringRef name, Job (*make)(const Job &));
  /// Requires that the candidate shows the bug.
  const Verdict &shownRun(size_t candidate) const;

  Predicate m_predicate;
  PoolOptions m_pool;
  const WorkFolder &m_folder;
  /// Predicate::runs verdicts for each candidate, one after the other.
  std::vector<Verdict> m_verdicts;
};

/// \p predicate, which \p text, an AmberScript, shall satisfy, with what else a smaller case must
/// keep: mostOpenBytes. Environment.
llvm::Expected<Predicate> boundPredicate(Predicate predicate, llvm::StringRef text,
                                         const PoolOptions &pool, const WorkFolder &folder);

/// A verdict for each of \p jobs, which are a predicate's, with cases and folders: of machine
/// compile-again from compileAgain(), which has folders of its own. Errors as of runJobs().
llvm::Expected<std::vector<Verdict>> runPredicateJobs(llvm::ArrayRef<Job> jobs,
                                                      const PoolOptions &pool);

/// The job by which the reference runs what \p job runs: with its subgroup size and its limits.
Job makeReferenceJob(const Job &job);

} // namespace assay
