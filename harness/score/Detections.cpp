// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/score/Detections.h"

#include "oracles/fat_pointer/Rules.h"
#include "oracles/machine/gcn/sanitizer/SanitizerRules.h"
#include "oracles/pal_elf/rules/Rules.h"
#include "reports/Report.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Whether validate-elf has the rule.
static bool isElfRule(StringRef rule) {
  return findRule(rule) != nullptr;
}

/// Whether the oracle of fat pointers has it.
static bool isFatRule(StringRef rule) {
  return any_of(listFatRules(), [&](const FatRuleInfo &info) { return info.id == rule; });
}

/// Whether the reference reports undefined behaviour by it.
static bool isUndefinedRule(StringRef rule) {
  return rule.starts_with("UB-");
}

/// Of a worker that died: the finding's rule is its state's name in capitals.
static bool isDeathRule(StringRef rule) {
  std::optional<State> state = parseState(rule.lower());
  return state && isDeath(*state) && stateName(*state).upper() == rule;
}

std::string assay::oracleOf(StringRef rule) {
  static constexpr std::pair<bool (*)(StringRef), StringLiteral> families[] = {
      {isElfRule, "validate-elf"},
      {gcn::isSanitizerRule, "sanitizer"},
      {isFatRule, "fat-pointers"},
      {isUndefinedRule, "undefined"}};
  for (const auto &[isOf, name] : families)
    if (isOf(rule))
      return name.str();
  return isDeathRule(rule) ? rule.lower() : rule.str();
}

/// Keeps the first rule of each oracle.
static void add(std::string oracle, StringRef rule, std::vector<Detection> &detections) {
  if (none_of(detections, [&](const Detection &other) { return other.oracle == oracle; }))
    detections.push_back({std::move(oracle), rule.str()});
}

std::vector<Detection> assay::listDetections(ArrayRef<Verdict> verdicts) {
  std::vector<Detection> detections;
  for (const Verdict &verdict : verdicts)
    for (const Finding &finding : verdict.findings)
      if (isBad(verdict.state) && finding.severity == Severity::Error)
        add(oracleOf(finding.rule), finding.rule, detections);
  const auto *bad = find_if(verdicts, [](const Verdict &each) { return isBad(each.state); });
  if (detections.empty() && bad != verdicts.end())
    detections.push_back({stateName(bad->state).str(), ""});
  return detections;
}
