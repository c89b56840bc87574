// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside runScore: cases without faults - what they reach, and whether they are silent.
#pragma once

#include "harness/score/Score.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace assay {

/// One target and level.
struct Configuration {
  std::string target;
  int optLevel = 2;

  /// "gfx1100 -O2".
  std::string name() const { return target + " -O" + std::to_string(optLevel); }
};

/// A case and where it is run.
struct ScoreItem {
  size_t caseIndex = 0;
  size_t configuration = 0; ///< Index into Survey::configurations().

  auto operator<=>(const ScoreItem &) const = default;
};

/// A run of one item with faults.
struct PlantedItem {
  ScoreItem item;
  std::string id; ///< Of the verdicts; no two of one run share it.
  std::vector<std::string> faults;
};

/// All cases of a score and what is known of them. Case indices count the corpus first, then the
/// controls.
class Survey {
public:
  /// Controls get ids that begin with "controls/".
  Survey(llvm::ArrayRef<CaseFile> cases, const ScoreOptions &options, const PoolOptions &pool);

  /// Runs every case once without faults.
  llvm::Error run();

  /// Verdicts of \p items, in their order; all must have one configuration.
  llvm::Expected<std::vector<std::vector<Verdict>>> judge(llvm::ArrayRef<PlantedItem> items);
  /// What is reported \p items without faults is known from here on.
  llvm::Error confirm(llvm::ArrayRef<ScoreItem> items);
  /// The rules that report \p item without faults, which must be known.
  const llvm::StringSet<> &cleanRules(const ScoreItem &item) const;

  /// Cases that reach the place of \p fault, the cheapest first.
  std::vector<size_t> casesReaching(llvm::StringRef fault) const;
  /// All cases, the cheapest first.
  std::vector<size_t> allCases() const;
  /// True for one of ScoreOptions::controls.
  bool isControl(size_t caseIndex) const { return caseIndex >= m_corpus; }

  const CaseFile &file(size_t caseIndex) const { return m_cases[caseIndex]; }
  size_t size() const { return m_cases.size(); }
  llvm::ArrayRef<Configuration> configurations() const { return m_configurations; }
  /// Bad verdicts without faults on what is no control.
  std::vector<Verdict> takeNoise() { return std::move(m_noise); }

private:
  /// Notes which rules, faults and instructions a clean run of \p item had.
  void learn(const ScoreItem &item, llvm::ArrayRef<Verdict> verdicts);

  const ScoreOptions &m_options;
  const PoolOptions &m_pool;
  std::vector<CaseFile> m_cases; ///< The corpus, then the controls.
  size_t m_corpus;
  std::vector<Configuration> m_configurations;
  std::vector<llvm::StringSet<>> m_reached; ///< By case.
  std::vector<uint64_t> m_costs;            ///< By case: instructions.
  std::map<ScoreItem, llvm::StringSet<>> m_clean;
  std::vector<Verdict> m_noise;
};

} // namespace assay
