// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/triage/Recognize.h"

#include "oracles/api/Registry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace assay;

/// Nothing asked for is found everywhere.
static bool isAnyOf(ArrayRef<std::string> asked, function_ref<bool(StringRef)> isThere) {
  return asked.empty() || any_of(asked, isThere);
}

/// Whether \p name is what the symptom is called: its rule, signature or state, or any name of a
/// wrong value.
static bool isNamed(StringRef name, const Symptom &symptom) {
  if (symptom.isValue())
    return is_contained({"wrong value", "value", "REF-DIFF", "EXPECT"}, name) ||
           name == stateName(symptom.state);
  return name == symptom.rule || name == symptom.signature || name == stateName(symptom.state);
}

/// All that a process or a machine has said.
static std::string collectText(const Symptom &symptom) {
  std::string text = symptom.message + "\n" + join(symptom.frames, "\n");
  for (const Verdict *verdict : symptom.verdicts) {
    text += "\n" + verdict->reason;
    for (const Finding &finding : verdict->findings)
      text += "\n" + finding.message;
  }
  return text;
}

/// Whether \p operations has one of the names in \p operation, between which "|" stands.
static bool contains(const std::set<std::string> &operations, StringRef operation) {
  SmallVector<StringRef> names;
  operation.split(names, '|');
  return any_of(names, [&](StringRef name) { return operations.count(name.str()) != 0; });
}

bool assay::matches(const BugRecognizer &recognizer, const Symptom &symptom,
                    const std::set<std::string> *operations) {
  if (symptom.isValue() && recognizer.operations.empty() && recognizer.message.empty())
    return false;
  std::string producer = producerOf(symptom);
  bool isOfCompiler = isAnyOf(recognizer.compilers, [&](StringRef compiler) {
    return familyMember(compiler).value_or(compiler) == producer;
  });
  bool isOfTarget = isAnyOf(recognizer.targets, [&](StringRef target) {
    return any_of(symptom.verdicts,
                  [&](const Verdict *verdict) { return verdict->target == target; });
  });
  if (!isOfCompiler || !isOfTarget)
    return false;
  if (!recognizer.symptom.empty() && !isNamed(recognizer.symptom, symptom))
    return false;
  if (!recognizer.message.empty() && !Regex(recognizer.message).match(collectText(symptom)))
    return false;
  return recognizer.operations.empty() ||
         (operations && all_of(recognizer.operations, [&](const std::string &operation) {
            return contains(*operations, operation);
          }));
}

std::string assay::recognize(ArrayRef<KnownBug> bugs, const Symptom &symptom,
                             const std::set<std::string> *operations) {
  const KnownBug *best = nullptr;
  auto rankOf = [&](const KnownBug &bug) {
    const std::vector<std::string> &asked = bug.recognizer->operations;
    bool isOperation = any_of(asked, [&](const std::string &operation) {
      return contains({symptom.facts.operation}, operation);
    });
    return std::tuple(isOperation, asked.size() + (bug.recognizer->message.empty() ? 0 : 2));
  };
  for (const KnownBug &bug : bugs)
    if (bug.recognizer && matches(*bug.recognizer, symptom, operations) &&
        (!best || rankOf(bug) > rankOf(*best)))
      best = &bug;
  return best ? best->id : "";
}

void assay::labelFindings(ArrayRef<KnownBug> bugs, Findings &findings) {
  std::vector<Symptom> symptoms = collectSymptoms(findings.report.verdicts);
  addFacts(symptoms, findings.facts);
  for (const Symptom &symptom : symptoms) {
    FactsKey key = factsKeyOf(symptom);
    auto operations = findings.operations.find(key);
    std::string bug = recognize(
        bugs, symptom, operations == findings.operations.end() ? nullptr : &operations->second);
    if (bug.empty())
      continue;
    if (!findings.facts.count(key))
      if (const Facts *wider = findFacts(findings.facts, symptom))
        findings.facts[key] = *wider;
    findings.facts[key].bug = bug;
  }
}
