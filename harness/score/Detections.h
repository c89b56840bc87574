// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which oracles report something in verdicts: the columns of a score.
#pragma once

#include "oracles/api/Verdict.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace assay {

/// Whose rule \p rule is: "validate-elf", "sanitizer" (of machine gcn, traps too), "fat-pointers",
/// "undefined" (the reference's rules of undefined behaviour), "crash", "timeout", "oom"; a rule
/// that is an oracle of its own ("EXPECT", "REF-DIFF") is its name.
std::string oracleOf(llvm::StringRef rule);

/// One oracle's first finding in some verdicts.
struct Detection {
  std::string oracle;
  std::string rule; ///< Empty: the oracle knows a state alone.

  /// What tells it from others: its rule, or its oracle without one.
  const std::string &key() const { return rule.empty() ? oracle : rule; }
};

/// The findings of \p verdicts, one an oracle, in their order. Bad verdicts without any finding
/// of severity Error are one by the first one's state.
std::vector<Detection> listDetections(llvm::ArrayRef<Verdict> verdicts);

} // namespace assay
