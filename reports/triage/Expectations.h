// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that say what is known to be wrong, with a reason and an end. One rule a line; a "#" before
// a blank begins a comment:
//
//   # KIND     PATTERN                          STATE  LINK    UNTIL
//   signature  "crash compile SIGSEGV"          crash  #12     2026-12-31
//   case       saxpy.amber                      any    -       never
//   regex      "^loop-.* -O0 .*wrong value"     fail   #7      2027-01-15
//   rule       "suite/*.amber EXPECT-OPEN"      any    -       never
//   message    "loop-*.amber byte 4: expected"  fail   -       never
//
// A signature is the key of a bucket or its name; a regular expression is searched in
// "CASE CONFIGURATION KEY". The pattern of a rule is a glob of cases and the id of a rule; that of
// a message is a glob of cases and a regular expression that is searched in the reason and in the
// messages of the findings.
#pragma once

#include "oracles/api/Verdict.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay {

/// A rule of the file.
struct ExpectedVerdict {
  enum class Kind { Signature, Case, Regex, Rule, Message } kind = Kind::Signature;
  std::string pattern;
  std::optional<State> state; ///< Empty: any that counts.
  std::string link;           ///< Empty for "-".
  std::string until;          ///< "YYYY-MM-DD", the last day it holds; empty for "never".
  unsigned line = 0;          ///< From 1.
};

/// InvalidInput names the line: a word too few or too many, an unknown kind or state, a regular
/// expression or a date that is none.
llvm::Expected<std::vector<ExpectedVerdict>> parseExpectations(llvm::StringRef text);

/// What became of a list of expectations in a result.
struct ExpectationResult {
  std::vector<const Verdict *> expected;      ///< Bad, and a rule that holds says so.
  std::vector<const ExpectedVerdict *> rules; ///< The first such rule for each of expected.
  std::vector<const Verdict *> unexpected;    ///< Bad, and none does.
  /// Rules that hold of which something that they speak of was run and all of it passed.
  std::vector<const ExpectedVerdict *> passes;
  std::vector<const ExpectedVerdict *> expired; ///< Before today, whether they match or not.
  std::vector<const ExpectedVerdict *> unused;  ///< Nothing that they speak of was run.
};

/// \p today is "YYYY-MM-DD". \p countsUnsupported: what is unsupported counts as bad. Points into
/// both lists.
ExpectationResult applyExpectations(llvm::ArrayRef<ExpectedVerdict> rules,
                                    llvm::ArrayRef<Verdict> verdicts, llvm::StringRef today,
                                    bool countsUnsupported = false);

/// The day of the clock, UTC, as "YYYY-MM-DD".
std::string todayUtc();

/// Whether \p text is a day of the calendar as "YYYY-MM-DD".
bool isDate(llvm::StringRef text);

} // namespace assay
