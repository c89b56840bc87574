// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Witness.h"

#include "harness/reduce/Predicate.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <tuple>

using namespace llvm;
using namespace assay;

/// Whether the verdict is of the reference machine itself.
static bool isReference(const Verdict &verdict) {
  return machineOf(verdict.machine).isReference;
}

/// Whether a finding of \p rule is an error.
static bool hasError(const Verdict &verdict, StringRef rule) {
  return any_of(verdict.findings, [&](const Finding &finding) {
    return finding.severity == Severity::Error && finding.rule == rule;
  });
}

/// Differs from the reference in a value and in nothing else, and has what the script expects.
static bool isAgainst(const Verdict &verdict) {
  return verdict.state == State::Fail && verdict.firstDifference &&
         all_of(verdict.findings, [](const Finding &finding) {
           return finding.severity != Severity::Error || finding.rule == referenceRule;
         });
}

/// One compiler speaks with one voice on all machines; a driver has its own compiler.
static StringRef voterOf(const Verdict &verdict) {
  return verdict.compiler.empty() ? verdict.machine : verdict.compiler;
}

bool assay::sameDifference(const std::optional<Difference> &a, const std::optional<Difference> &b) {
  auto fieldsOf = [](const Difference &each) {
    return std::tie(each.buffer, each.byteOffset, each.expected, each.actual);
  };
  return a && b ? fieldsOf(*a) == fieldsOf(*b) : a.has_value() == b.has_value();
}

const Verdict *assay::findWitness(ArrayRef<Verdict> verdicts) {
  constexpr size_t Majority = 2; // Of three: the reference is the third.
  std::set<StringRef> voters;
  const Verdict *witness = nullptr;
  for (const Verdict &verdict : verdicts) {
    if (isReference(verdict)) {
      if (hasError(verdict, expectRule))
        voters.insert(expectRule);
      continue;
    }
    if (verdict.state == State::Pass || hasError(verdict, expectRule))
      return nullptr; // For the reference, or against all.
    if (!isAgainst(verdict))
      continue;
    if (witness && !sameDifference(witness->firstDifference, verdict.firstDifference))
      return nullptr;
    witness = witness ? witness : &verdict;
    voters.insert(voterOf(verdict));
  }
  return voters.size() >= Majority ? witness : nullptr;
}

const Verdict *assay::findReferenceFinding(ArrayRef<Verdict> verdicts, StringRef rule) {
  auto isUndefined = [&](const Finding &finding) {
    return StringRef(finding.rule).starts_with("UB-") && (rule.empty() || finding.rule == rule);
  };
  const auto *found = find_if(verdicts, [&](const Verdict &verdict) {
    return isReference(verdict) && verdict.state == State::Invalid &&
           any_of(verdict.findings, isUndefined);
  });
  return found == verdicts.end() ? nullptr : found;
}

bool assay::areExpectationsMet(ArrayRef<Verdict> verdicts) {
  return !verdicts.empty() && all_of(verdicts, [](const Verdict &verdict) {
    return verdict.state == State::Pass || verdict.state == State::Unsupported;
  }) && any_of(verdicts, [](const Verdict &verdict) { return verdict.state == State::Pass; });
}

Job assay::makeSecondWitness(const Job &job) {
  Job witness = job;
  if (job.optLevel >= 0)
    witness.optLevel = job.optLevel ? 0 : 2;
  return witness;
}
