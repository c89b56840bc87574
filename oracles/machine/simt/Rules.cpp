// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/Rules.h"

using namespace assay;

const char *simt::ruleId(Rule rule) {
  static constexpr const char *Ids[] = {
#define SANITIZER_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) ID,
#include "oracles/machine/simt/Rules.def"
#undef SANITIZER_RULE
  };
  return Ids[unsigned(rule)];
}
