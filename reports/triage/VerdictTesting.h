// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts for tests.
#pragma once

#include "oracles/api/Verdict.h"
#include "llvm/ADT/StringRef.h"

namespace assay {

/// Of compiler assay on machine gcn at -O2; where \p rule is not empty, with an error of it.
inline Verdict makeVerdict(llvm::StringRef id, llvm::StringRef target, State state,
                           llvm::StringRef rule = "", llvm::StringRef signature = "") {
  Verdict verdict;
  verdict.caseId = id.str();
  verdict.compiler = "assay";
  verdict.machine = "gcn";
  verdict.target = target.str();
  verdict.optLevel = 2;
  verdict.state = state;
  verdict.reason = state == State::Pass ? "" : "because";
  verdict.rerun = "assay diff " + id.str();
  if (!rule.empty())
    verdict.findings.push_back({rule.str(), Severity::Error, "m", "", signature.str(), {}});
  return verdict;
}

} // namespace assay
