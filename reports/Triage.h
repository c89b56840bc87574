// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many bad verdicts, few causes: verdicts with one signature are one bucket, and a bucket that an
// earlier result had is known.
#pragma once

#include "reports/Report.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay {

struct Bucket {
  std::string key; ///< The signature; with the case's id where the signature alone says too little.
  State state = State::Fail;
  bool known = false;
  std::vector<const Verdict *> verdicts; ///< Of the new result; never empty.
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

  bool hasNew() const { return !buckets.empty() && !buckets.front().known; }
};

/// What makes \p verdict the same problem as another.
std::string bucketKey(const Verdict &verdict);

Triage triage(const Report &now, llvm::ArrayRef<Report> earlier);

void writeTriageText(llvm::raw_ostream &os, const Triage &triage);
/// {"schema":"assay.triage/1","counts":{...},"buckets":[...],"gone":[...],"regressions":[...]};
/// the counts are those of \p now.
void writeTriageJson(llvm::raw_ostream &os, const Triage &triage, const Report &now);

} // namespace assay
