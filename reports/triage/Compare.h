// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two results side by side - two nights, or two revisions - as what became of each bug.
#pragma once

#include "reports/triage/Votes.h"

namespace assay {

/// What minimising and localising found out, by case id.
using FactsByCase = std::map<std::string, Facts>;

/// Puts \p facts, where they know more, into \p symptoms.
void addFacts(std::vector<Symptom> &symptoms, const FactsByCase &facts);

/// The order is that of importance.
enum class Change {
  New,     ///< Only now.
  Changed, ///< In both, in other configurations; or its cases fail in another way now.
  Fixed,   ///< Only before, and its cases pass now.
  Still,   ///< In both, in the same configurations as far as both tried them.
  NotRun,  ///< Only before, but its cases were not run now.
  Noise,   ///< It differs, but by chance: flaky, or over the clock in few configurations.
};
constexpr unsigned changeCount = 6;
/// "new", "changed", "fixed", "still there", "not run", "noise".
llvm::StringRef changeName(Change change);

struct BucketChange {
  Change change = Change::New;
  std::string id, key; ///< Of the founder.
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
