// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a smaller case must still show, as a file: which verdict, on which machine, made how.
#pragma once

#include "harness/run/Job.h"
#include "oracles/api/Verdict.h"
#include "llvm/Support/Error.h"
#include <string>

namespace assay {

/// The rule of a script's expectations: the reference must meet them, too.
constexpr llvm::StringLiteral expectRule = "EXPECT";
/// The rule of a machine's values that are not the reference's.
constexpr llvm::StringLiteral referenceRule = "REF-DIFF";

/// Schema assay.predicate/1. A case satisfies it when at least `needed` of `runs` runs end in
/// `state` with a finding of `rule` and `signature` among the errors, its modules are valid, and,
/// where `checkReference`, the reference runs it to the end without undefined behaviour, and meets
/// its expectations where `rule` is about them.
struct Predicate {
  State state = State::Fail;
  std::string rule;      ///< Empty: the verdict has no finding (a run out of its budget).
  std::string signature; ///< Equal for the same bug: what keeps a reduction from drifting.
  bool checkReference = true;
  /// The reference is what is wrong, by vote of script and machines: the machine of `job` is the
  /// witness that has something else, and so must that machine be with code of another level
  /// (makeSecondWitness()). What the reference says of undefined behaviour is not asked again.
  bool suspectsReference = false;
  /// Of a rule about what is uninitialized: so many bytes may the reference leave open. A shader
  /// that stores what has no value shows nothing.
  std::optional<uint64_t> mostOpenBytes;
  unsigned needed = 1;
  unsigned runs = 1;
  Job job; ///< How to run: compiler, machine, target, options, limits; no case and no files.

  bool matches(const Verdict &verdict) const;
};

std::string printPredicate(const Predicate &predicate);
/// InvalidInput for anything printPredicate would not have written.
llvm::Expected<Predicate> parsePredicate(llvm::StringRef text);

/// The predicate that \p verdict satisfies, which \p job led to: its first error, one of the
/// script's expectations last, or the first of \p rule where that is not empty. InvalidInput where
/// there is none.
llvm::Expected<Predicate> makePredicate(const Verdict &verdict, const Job &job,
                                        llvm::StringRef rule);

} // namespace assay
