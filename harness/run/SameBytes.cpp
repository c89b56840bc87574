// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/SameBytes.h"

#include <algorithm>

using namespace llvm;
using namespace assay;

/// Adds a finding with the first different byte. \p again says how the other bytes were made.
void assay::requireSameBytes(ArrayRef<uint8_t> one, ArrayRef<uint8_t> other, StringRef again,
                             Verdict &verdict) {
  if (one == other)
    return;
  const auto *at = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first;
  objectToAgain(again,
                "it gives other bytes, from byte " + std::to_string(at - one.begin()) + " of " +
                    std::to_string(one.size()) + " and " + std::to_string(other.size()) + " on",
                verdict);
}

/// Adds a finding and makes the verdict fail.
void assay::objectToAgain(StringRef again, const Twine &what, Verdict &verdict) {
  Finding finding;
  finding.rule = finding.signature = determinismRule.str();
  finding.message = ("compiled again, " + again + ", " + what).str();
  verdict.state = State::Fail;
  verdict.reason = finding.rule + ": " + finding.message;
  verdict.findings.push_back(std::move(finding));
}
