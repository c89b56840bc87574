// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which symptoms are a known bug: the recognizers of bugs/ (harness/bugs) against what triage
// knows.
#pragma once

#include "harness/bugs/Bug.h"
#include "harness/triage/Findings.h"

namespace assay {

/// Whether \p recognizer matches \p symptom, whose minimal case contains \p operations; null where
/// there is no minimal case: then a recognizer that asks for operations does not match. One that
/// asks for neither operations nor a message matches no wrong value: that says too little.
/// - compilers: one is producerOf() the symptom;
/// - targets: one is that of a configuration that shows it;
/// - symptom: its rule, its signature, its state or "wrong value";
/// - message: is found in the reasons and messages of its verdicts, or in the stack;
/// - operations: all are in the minimal case; of "A|B" one of both is enough.
bool matches(const BugRecognizer &recognizer, const Symptom &symptom,
             const std::set<std::string> *operations);

/// The id of the one of \p bugs that matches; of several that which knows the operation that goes
/// wrong, then that which asks for most, then the first. Empty where none does.
std::string recognize(llvm::ArrayRef<KnownBug> bugs, const Symptom &symptom,
                      const std::set<std::string> *operations);

/// Puts the ids of known bugs into the facts of \p findings.
void labelFindings(llvm::ArrayRef<KnownBug> bugs, Findings &findings);

} // namespace assay
