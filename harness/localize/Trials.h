// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of one case that differ in what is done to the compiler's passes.
#pragma once

#include "harness/bisect/Bisect.h"
#include "harness/reduce/Predicate.h"
#include "harness/run/CaseFiles.h"
#include "harness/run/WorkFolder.h"
#include "harness/run/WorkerProcess.h"
#include <map>

namespace assay {

/// \p job on machine "ir", against a reference of its own.
Job makeIrJob(Job job);

class Trials {
public:
  /// All must outlive this.
  Trials(const CaseFile &file, const Predicate &predicate, const PoolOptions &pool,
         const WorkFolder &folder)
      : m_file(file), m_predicate(predicate), m_pool(pool), m_folder(folder) {}

  /// A run as the predicate has it, with \p passes.
  llvm::Expected<Verdict> runCode(const JobPasses &passes);
  /// The trace of such a run on machine gcn. Limit where it has more than \p most bytes.
  llvm::Expected<std::string> traceCode(uint64_t most);
  /// Of machine "ir".
  llvm::Expected<Verdict> runIr(const JobPasses &passes);
  /// From here on that machine runs the last workgroup and wave first; once more: the first again.
  void turnRound() { m_isBackwards = !m_isBackwards; }
  /// What such a run of the IR that the code generator gets accesses (printAccesses()). Limit as
  /// before.
  llvm::Expected<std::string> traceIr(uint64_t most);
  /// \p phase (Job::phase) of the only pipeline as text; Unsupported where there are several.
  llvm::Expected<std::string> compile(llvm::StringRef phase, const JobPasses &passes);

  /// What the last run, with JobPasses::lists, told; nothing where it did not come to compile.
  llvm::Expected<std::vector<PassEvent>> readPassEvents() const;
  /// Job::outputFile() of the last run.
  llvm::Expected<std::string> readOutput() const;
  /// What the last worker was doing when it ended (noteStage()).
  std::string readStage() const;
  /// One as the predicate has it; no folder.
  Job makeJob() const;
  /// Only after a run.
  const Job &lastJob() const { return m_last.front(); }
  unsigned runs() const { return m_runs; }

private:
  llvm::Expected<Verdict> run(Job job);
  llvm::Expected<std::string> trace(Job job, uint64_t most);
  Job makeOwnIrJob() const;

  const CaseFile &m_file;
  const Predicate &m_predicate;
  const PoolOptions &m_pool;
  const WorkFolder &m_folder;
  std::vector<Job> m_last; ///< None or one.
  unsigned m_runs = 0;
  bool m_isBackwards = false;
};

} // namespace assay
