// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of Rules.def by name, for the code of this module that reports by them.
#pragma once

#include <cstdint>

namespace assay::simt {

enum class Rule : uint8_t {
#define SANITIZER_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) ENUMERATOR,
#include "oracles/machine/simt/Rules.def"
#undef SANITIZER_RULE
};

/// "RACE-LDS".
const char *ruleId(Rule rule);

} // namespace assay::simt
