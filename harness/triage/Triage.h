// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many bad verdicts, few causes: the symptoms of a result as buckets, and which of them an earlier
// result had; two results side by side. reports/triage decides, this gathers and writes.
#pragma once

#include "reports/Report.h"
#include "reports/triage/Compare.h"
#include "reports/triage/Expectations.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay {

struct Bucket {
  std::string id;  ///< keyDigest of key.
  std::string key; ///< symptomKey of the founder.
  /// For people: causeOf() the founder, and whose code it is: "wrong value of OpUMod by aco".
  std::string name;
  std::vector<std::string> producers; ///< producerOf() its symptoms; ascending.
  std::string bug;                    ///< Id of the known bug that it is, or empty.
  State state = State::Fail;
  bool known = false;
  bool expected = false;                 ///< A list of expectations names all of its verdicts.
  std::vector<Symptom> symptoms;         ///< Of the new result; never empty.
  std::vector<VoteVector> votes;         ///< Cluster::votes.
  std::vector<const Verdict *> verdicts; ///< Of all symptoms.
};

/// A verdict that passed in an earlier result and is bad now.
struct Regression {
  const Verdict *before = nullptr;
  const Verdict *now = nullptr;
};

/// Points into the reports it was made of.
struct Triage {
  std::vector<Bucket> buckets;         ///< New ones first; then by key.
  std::vector<std::string> gone;       ///< Keys that only the earlier results have, ascending.
  std::vector<Regression> regressions; ///< In the order of the new result.

  /// Neither known nor expected, and no known bug.
  bool hasNew() const;
};

Triage triage(const Report &now, llvm::ArrayRef<Report> earlier, const FactsByCase &facts = {});
/// Marks the buckets of which \p result expects every verdict.
void markExpected(Triage &triage, const ExpectationResult &result);

void writeTriageText(llvm::raw_ostream &os, const Triage &triage);
/// {"schema":"assay.triage/1","counts":{...},"buckets":[...],"gone":[...],"regressions":[...]}, and
/// "expectations" where there are some; the counts are those of \p now. docs/schemas has it all.
void writeTriageJson(llvm::raw_ostream &os, const Triage &triage, const Report &now,
                     const ExpectationResult *expectations = nullptr);
/// Rules that did not do what they are for, a line each.
void writeExpectationsText(llvm::raw_ostream &os, const ExpectationResult &result);

void writeComparisonText(llvm::raw_ostream &os, const Comparison &comparison);
/// {"schema":"assay.comparison/1","counts":{...},"changes":{...},"buckets":[...]}.
void writeComparisonJson(llvm::raw_ostream &os, const Comparison &comparison, const Report &now);

} // namespace assay
