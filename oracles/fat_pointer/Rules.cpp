// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/fat_pointer/Rules.h"

using namespace llvm;
using namespace assay;

static constexpr FatRuleInfo rules[] = {
#define FAT_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) {ID, TITLE, EXPLANATION},
#include "oracles/fat_pointer/Rules.def"
};

ArrayRef<FatRuleInfo> assay::listFatRules() {
  return rules;
}

const FatRuleInfo &assay::getFatRule(FatRule rule) {
  return rules[static_cast<size_t>(rule)];
}

Finding assay::makeFatFinding(FatRule rule, const Twine &location, StringRef what,
                              const Twine &message) {
  Finding finding;
  finding.rule = getFatRule(rule).id.str();
  finding.message = message.str();
  finding.location = location.str();
  finding.signature = finding.rule + (what.empty() ? "" : " " + what.str());
  return finding;
}
