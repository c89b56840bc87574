// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two results side by side - two nights, or two revisions - as what became of each bug.
#pragma once

#include "reports/triage/Votes.h"

namespace assay {

/// Which symptom facts are about. All but the case, or rule and signature, may be empty: then they
/// are about each symptom of the case, or of its compiler and machine, that has no facts of its
/// own.
struct FactsKey {
  std::string caseId;
  std::string compiler = {}, machine = {}, rule = {}, signature = {};
  auto operator<=>(const FactsKey &) const = default;
};
FactsKey factsKeyOf(const Symptom &symptom);

/// What minimizing and localizing found out.
using FactsByCase = std::map<FactsKey, Facts>;

/// Those of \p facts that are about \p symptom; null where there are none.
const Facts *findFacts(const FactsByCase &facts, const Symptom &symptom);
/// Puts \p facts, where they know more, into \p symptoms.
void addFacts(std::vector<Symptom> &symptoms, const FactsByCase &facts);

/// The order is that of importance.
enum class Change {
  New,     ///< Only now.
  Changed, ///< In both, in other configurations; or its cases fail in another way now.
  Fixed,   ///< Only before, and its cases pass now.
  Still,   ///< In both, in the same configurations if both tried them.
  NotRun,  ///< Only before, but its cases were not run now.
  Noise,   ///< It differs, but by chance: flaky, or over the clock in few configurations.
};
constexpr unsigned changeCount = 6;
/// "new", "changed", "fixed", "still there", "not run", "noise".
llvm::StringRef changeName(Change change);

struct BucketChange {
  Change change = Change::New;
  std::string id, key; ///< Of the founder.
  std::string title;   ///< symptomTitle() of the founder.
  State state = State::Fail;
  std::string why;                          ///< One line: counts, configurations; what it became.
  std::vector<const Verdict *> before, now; ///< That show it.
};

struct Comparison {
  std::vector<BucketChange> buckets; ///< By change, then in the order of their first appearance.

  unsigned count(Change change) const;
};

/// Flaky verdicts count as symptoms here. Points into both.
Comparison compareResults(llvm::ArrayRef<Verdict> before, llvm::ArrayRef<Verdict> now,
                          const FactsByCase &facts = {});

} // namespace assay
