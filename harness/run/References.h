// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runs of the reference machine that a diff compares with: one of each case, and one for each
// further subgroup size where the case lets the size be seen.
#pragma once

#include "harness/run/Diff.h"
#include "harness/run/WorkFolder.h"
#include <optional>

namespace assay {

/// What a reference run leaves for the machines.
struct Reference {
  std::optional<Verdict> verdict; ///< Nothing when the reference was not chosen.
  unsigned subgroupSize = 0;
  std::string outcomeFile;
  std::string note; ///< Why there is no outcome to compare with.
};

/// The reference among the machines of \p options; empty where none was chosen.
llvm::StringRef getReferenceOf(const DiffOptions &options);

/// The subgroup sizes of the jobs of \p options, each once, in their order; 0 where none is fixed.
std::vector<unsigned> subgroupSizesOf(const DiffOptions &options);
/// That of a job with a compiler; 0 for others, and for unknown targets.
unsigned subgroupSizeOf(const Job &job);

/// What the reference may take of a run with \p limits: it counts the instructions of invocations
/// where machines count those of waves, of up to 64. No more than any run may by JobLimits'
/// default, unless \p limits say more.
uint64_t referenceInstructions(const JobLimits &limits);

class References {
public:
  References(llvm::ArrayRef<CaseFile> cases, const DiffOptions &options, const WorkFolder &folder);

  /// Runs them; \p makePool gives the pool for so many jobs after so many.
  llvm::Error run(llvm::function_ref<PoolOptions(size_t before, size_t count)> makePool);

  /// The run of a case with \p subgroupSize, or the only one.
  const Reference &find(size_t caseIndex, unsigned subgroupSize) const;
  /// All of a case, in the order of the sizes.
  llvm::ArrayRef<Reference> of(size_t caseIndex) const { return m_references[caseIndex]; }
  /// True when the outcome depends on the subgroup size.
  bool dependsOnSize(size_t caseIndex) const { return m_dependsOnSize[caseIndex]; }
  size_t count() const { return m_count; }

private:
  Job makeJob(size_t caseIndex, unsigned subgroupSize);
  void take(size_t caseIndex, const Job &job, Verdict verdict);
  llvm::Error runJobs(llvm::ArrayRef<size_t> cases, llvm::ArrayRef<Job> jobs,
                      const PoolOptions &pool);

  llvm::ArrayRef<CaseFile> m_cases;
  const DiffOptions &m_options;
  const WorkFolder &m_folder;
  std::vector<std::vector<Reference>> m_references;
  std::vector<bool> m_dependsOnSize;
  size_t m_count = 0; ///< Jobs so far.
};

} // namespace assay
