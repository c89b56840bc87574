// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine's rules as a list, for what prints them and for what reports by them.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace assay::gcn {

enum class SanitizerRule : uint8_t {
#define SANITIZER_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) ENUMERATOR,
#include "oracles/machine/gcn/sanitizer/Sanitizer.def"
};

struct SanitizerRuleText {
  const char *id;
  const char *title;
  const char *explanation;
  bool endsRun;
};

/// In the order of SanitizerRule.
llvm::ArrayRef<SanitizerRuleText> sanitizerRules();
const char *sanitizerRuleId(SanitizerRule rule);
/// Whether \p id is in the list: every finding's rule is.
bool isSanitizerRule(llvm::StringRef id);

} // namespace assay::gcn
