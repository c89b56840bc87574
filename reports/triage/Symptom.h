// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A symptom is what one case shows on one compiler and machine, in all of its configurations: the
// unit that triage compares and puts into buckets.
#pragma once

#include "oracles/api/States.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace assay {

/// What minimizing and localizing found out about a symptom; empty where it is not known.
struct Facts {
  std::string pass;                         ///< The guilty pass or phase.
  std::string operation;                    ///< What it does wrong (Localization::operation).
  std::vector<std::string> features;        ///< What the minimized module is made of; ascending.
  std::vector<std::string> transformations; ///< Kinds left, without enabling ones; ascending.
  /// Other producers (producerOf()) with which the minimal case goes wrong in the same way;
  /// ascending.
  std::vector<std::string> shownBy = {};
  std::string bug = {}; ///< Id of the known bug that recognizes it.

  bool operator==(const Facts &) const = default;
};

/// What \p news knows takes the place of what \p known said.
void mergeFacts(Facts &known, const Facts &news);

struct Symptom {
  std::string caseId, compiler, machine;
  State state = State::Fail;
  std::string rule;     ///< Of the first error; "value" for a wrong value; empty without a finding.
  bool ranInto = false; ///< The first error is about what an instruction met that ran, no hazard.
  std::string signature; ///< Of the same; empty for a wrong value, which has none.
  /// subjectOf() the first error; where code ran into something, the first warning's; may be empty.
  std::string subject;
  std::string message;             ///< Normalised assertion or fatal error; may be empty.
  std::vector<std::string> frames; ///< stackFrames of what the worker said.
  std::string difference;          ///< Kind of the first difference; empty without one.
  /// Each configuration that was tried ("gfx1100 -O2 wave32"), and whether this shows there.
  std::map<std::string, bool> configurations;
  Facts facts;
  std::vector<const Verdict *> verdicts; ///< Those that show it, never empty; not owned.

  bool isValue() const;
  bool isFlakyOnly() const;
};

/// Case, compiler, machine, rule, signature, message, frames.
using SymptomIdentity = std::tuple<std::string, std::string, std::string, std::string, std::string,
                                   std::string, std::vector<std::string>>;
/// The compiler, or the driver that brings its own ("lavapipe"); empty of the reference.
std::string producerOf(const Symptom &symptom);

/// Configurations of one case that have this in common show one thing; two symptoms of one result
/// differ in it.
SymptomIdentity identityOf(const Symptom &symptom);

/// The symptoms of \p verdicts, in the order in which each case first shows one. Verdicts that are
/// flaky count as symptoms only where \p withFlaky. Points into \p verdicts.
std::vector<Symptom> collectSymptoms(llvm::ArrayRef<Verdict> verdicts, bool withFlaky = false);

/// A text that two symptoms of one bug share where one look at them is enough: the signature with
/// what the process said when it died; "wrong value in CASE" where nothing but the case is known;
/// of a peer with " by COMPILER".
std::string symptomKey(const Symptom &symptom);
/// The same for a single verdict that is bad or flaky.
std::string symptomKey(const Verdict &verdict);

/// What is wrong, without the case: "wrong value of OpISub by front-end", the signature of a
/// finding; "wrong value, not localized" where the case alone is known. Not of whose code.
std::string causeOf(const Symptom &symptom);

/// One line for people: state, cause, producer, what is left of the module; the case where the
/// cause is not known.
std::string symptomTitle(const Symptom &symptom);

/// "gfx900 -O0, gfx1100 -O2 (2 of 8)": those that show it.
std::string listConfigurations(const std::map<std::string, bool> &configurations);

/// 12 hexadecimal digits of \p key: the name of a bucket, and the stable fingerprint in reports.
std::string keyDigest(llvm::StringRef key);

/// Names for the buckets of one list: the digest of each key, with "-2" after it for the second
/// bucket that has the key.
class BucketNames {
public:
  std::string take(llvm::StringRef key);

private:
  std::map<std::string, unsigned> m_uses;
};

/// Target, level, wave size and lowering: "gfx1100", "-O2", "wave32", "llvm-lowering"; each empty
/// where it does not apply.
std::array<std::string, 4> settingWords(const Verdict &verdict);
/// Those of \p names that are not empty, a blank between two.
std::string joinNames(llvm::ArrayRef<std::string> names);
/// "gfx1100 -O2 wave32": the words of settingWords(); "default" where none applies.
std::string settingName(const Verdict &verdict);

} // namespace assay
