// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside runScore: functions of LLVM IR, for faults of lower-buffer-fat-pointers in what no shader
// uses.
#pragma once

#include "harness/run/FatPointerJobs.h"
#include "harness/score/Score.h"
#include <map>
#include <set>

namespace assay {

/// Runs all modules of the options once for each fault and target.
class ModuleTrials {
public:
  ModuleTrials(const ScoreOptions &options, const PoolOptions &pool)
      : m_options(options), m_pool(pool) {}

  /// The bad verdicts of check-fat-pointers on the modules with \p fault, for \p target, where
  /// there is none without; caseId is "FILE:FUNCTION".
  llvm::Expected<std::vector<Verdict>> judge(llvm::StringRef fault, const std::string &target);
  /// Bad verdicts without faults.
  std::vector<Verdict> takeNoise() { return std::move(m_noise); }

private:
  /// All verdicts, good ones too; an empty \p fault is none.
  llvm::Expected<std::vector<Verdict>> runAll(llvm::StringRef fault, const std::string &target);

  const ScoreOptions &m_options;
  const PoolOptions &m_pool;
  std::map<std::string, std::set<std::string>> m_noisy; ///< By target, once known: functions.
  std::vector<Verdict> m_noise;
};

} // namespace assay
