// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/StepReduction.h"

#include "fuzz/reduce/Chances.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;

namespace {
/// Index of a chance is that of the step.
class StepReduction : public WholeCaseReduction {
public:
  explicit StepReduction(const fuzz::LoggedCase &origin) : m_origin(origin) {}

  StringRef name() const override { return "drop-steps"; }

private:
  std::vector<fuzz::Chance> findInCase(const Subject &subject) const override {
    return fuzz::chancesBelow(subject.steps.size());
  }

  void applyToCase(Subject &subject, ArrayRef<fuzz::Chance> chances) const override {
    std::vector<fuzz::Step> steps = subject.steps;
    fuzz::dropElements(steps, chances);
    Expected<Subject> made = make(std::move(steps));
    if (made)
      subject = std::move(*made);
    else
      consumeError(made.takeError()); // As the contract says.
  }

  /// Steps that rely on one that went are gone from the result, too.
  Expected<Subject> make(std::vector<fuzz::Step> steps) const {
    fuzz::TransformationLog log = m_origin.log;
    log.steps = std::move(steps);
    Expected<fuzz::TransformedCase> made = fuzz::replay(m_origin.original, log);
    if (!made)
      return made.takeError();
    Expected<Subject> subject =
        readSubjectFromText(fuzz::printAmberPair(m_origin.original, made->result));
    if (subject)
      subject->steps = std::move(made->log.steps);
    return subject;
  }

  const fuzz::LoggedCase &m_origin;
};
} // namespace

std::unique_ptr<Reduction> assay::makeStepReduction(const fuzz::LoggedCase &origin) {
  return std::make_unique<StepReduction>(origin);
}
