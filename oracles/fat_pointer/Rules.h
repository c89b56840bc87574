// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The catalogue of the fat-pointer oracle's findings, and how one becomes a finding.
#pragma once

#include "oracles/api/Verdict.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace assay {

enum class FatRule : uint8_t {
#define FAT_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) ENUMERATOR,
#include "oracles/fat_pointer/Rules.def"
};

struct FatRuleInfo {
  llvm::StringLiteral id;
  llvm::StringLiteral title;
  llvm::StringLiteral explanation;
};

/// In the order of FatRule.
llvm::ArrayRef<FatRuleInfo> listFatRules();
const FatRuleInfo &getFatRule(FatRule rule);

/// A finding by \p rule. \p what, for the signature: the kind of the thing, no names or numbers.
Finding makeFatFinding(FatRule rule, const llvm::Twine &location, llvm::StringRef what,
                       const llvm::Twine &message);

} // namespace assay
