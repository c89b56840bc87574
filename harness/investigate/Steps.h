// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps by which one symptom is investigated, as command lines and as files.
#pragma once

#include "harness/reduce/Predicate.h"
#include "harness/run/Diff.h"
#include "reports/triage/Symptom.h"
#include <optional>

namespace assay {

/// The steps of an investigation in their order.
enum class Step : uint8_t { Minimize, Localize, CompareOthers };
constexpr unsigned stepCount = 3;

/// What became of a step.
enum class StepState : uint8_t {
  Open,  ///< Not run, or out of time: it goes on.
  Done,  ///< What it was to leave is there.
  Failed ///< It came to nothing, and would again.
};

/// investigation.json (schema assay.investigation/1).
struct Investigation {
  std::array<StepState, stepCount> states = {};
  std::string note;   ///< Why a step failed, or what it was not needed for.
  double seconds = 0; ///< Of all steps.

  StepState &operator[](Step step) { return states[static_cast<size_t>(step)]; }
  StepState operator[](Step step) const { return states[static_cast<size_t>(step)]; }
  /// Whether no step is open; failed ones count as done.
  bool isDone() const;
  /// The first that is open.
  std::optional<Step> next() const;
};
/// Schema assay.investigation/1.
std::string printInvestigation(const Investigation &investigation);
/// InvalidInput for anything else.
llvm::Expected<Investigation> parseInvestigation(llvm::StringRef text);
/// That of the symptom in \p folder. What was minimized and localized by hand, as by the commands
/// of docs/triage.md, is done. InvalidInput for a broken file.
llvm::Expected<Investigation> readInvestigation(const std::string &folder);

/// A symptom of a campaign's finding, and where things are.
struct InvestigatedSymptom {
  std::string caseId;
  std::string finding;              ///< Folder of the finding.
  std::string folder;               ///< Folder of the symptom.
  const Verdict *verdict = nullptr; ///< The first that shows it.
  std::vector<Verdict> verdicts;    ///< Of the case.
};

/// Writes predicate.json, where that needs no run; where it does, the minimizer finds out itself.
llvm::Error preparePredicate(const InvestigatedSymptom &symptom, const DiffOptions &options);

/// The arguments of `assay` for \p step. \p seconds: for Step::Minimize; 0: no limit.
std::vector<std::string> makeArguments(Step step, const InvestigatedSymptom &symptom,
                                       const DiffOptions &options, double seconds);

/// Takes what \p step left over into facts.json. InvalidInput where it left nothing of use.
llvm::Error takeResult(Step step, const InvestigatedSymptom &symptom);

/// Of the verdicts \p all on one minimal case: the producers that, next to \p producer, do the same
/// wrong - the same first wrong value, or for other findings one rule and one signature or stack.
/// Ascending; nothing where \p producer does nothing wrong.
std::vector<std::string> findProducersAlike(llvm::StringRef producer, llvm::ArrayRef<Verdict> all);

} // namespace assay
