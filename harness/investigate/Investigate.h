// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the findings of a campaign to what is known of each: every symptom is minimized, localized,
// and its minimal case is run with the campaign's other compilers and drivers. Each step is a child
// process under limits; what it leaves is in the folder of the symptom (harness/triage/Findings.h):
//
//   predicate.json      what the minimal case must still show
//   minimal/            of `assay minimize`
//   localize.json       of `assay localize`
//   others.json         of `assay diff minimal/minimal.amber` with all compilers and drivers
//   facts.json          what triage votes with
//   investigation.json  what became of each step: a second call goes on after it
#pragma once

#include "harness/investigate/Steps.h"
#include "reports/triage/Symptom.h"
#include <functional>

namespace assay {

/// Limits of an investigation, and what it calls.
struct InvestigateOptions {
  std::string program;                            ///< Started for each step.
  unsigned jobs = 1;                              ///< Steps at one time.
  double maxSeconds = 0;                          ///< Of the whole call; 0: no limit.
  double maxSecondsOfFinding = 0;                 ///< Of minimizing one symptom; 0: no limit.
  uint64_t memoryBytes = JobLimits().memoryBytes; ///< Of each process.
  /// Whether a symptom is known well enough as it is; may be empty.
  std::function<bool(const Symptom &)> isKnown = {};
  /// Symptoms done and all; may be empty.
  std::function<void(size_t done, size_t total)> progress = {};
};

/// Counts of symptoms after one call.
struct InvestigateSummary {
  size_t symptoms = 0;               ///< Of all findings of the campaign.
  size_t earlier = 0;                ///< Done by an earlier call.
  size_t now = 0;                    ///< Done by this call.
  size_t known = 0;                  ///< Left as they are: a known bug recognizes them.
  size_t alike = 0;                  ///< Left as they are: enough others have their signature.
  size_t pending = 0;                ///< For want of time.
  std::vector<std::string> problems; ///< "ID by PRODUCER: why", of steps that came to nothing.
};

/// Investigates the symptoms of the campaign in \p folder. Of those with one signature that is no
/// wrong value the first few are enough. InvalidInput where \p folder is no campaign's;
/// Environment, also when interrupted: the same call goes on.
llvm::Expected<InvestigateSummary> investigate(const std::string &folder,
                                               const InvestigateOptions &options);

} // namespace assay
