// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Symptom.h"

#include "oracles/api/Registry.h"
#include "reports/triage/Families.h"
#include "reports/triage/Signature.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <tuple>

using namespace llvm;
using namespace assay;

/// Replaces the rules that only say that a value is wrong.
static constexpr StringRef valueRule = "value";
/// Where compilers agree with each other against the reference, localizing blames that.
static constexpr StringRef referencePass = "reference";

bool Symptom::isValue() const {
  return rule == valueRule;
}

/// Fields that \p news does not know keep their value.
void assay::mergeFacts(Facts &known, const Facts &news) {
  if (!news.pass.empty())
    known.pass = news.pass;
  if (!news.operation.empty())
    known.operation = news.operation;
  if (!news.features.empty())
    known.features = news.features;
  if (!news.transformations.empty())
    known.transformations = news.transformations;
  if (!news.shownBy.empty())
    known.shownBy = news.shownBy;
  if (!news.bug.empty())
    known.bug = news.bug;
}

/// Also true without verdicts.
bool Symptom::isFlakyOnly() const {
  return all_of(verdicts, [](const Verdict *verdict) { return verdict->state == State::Flaky; });
}

/// Settings that were not chosen are empty.
std::array<std::string, 4> assay::settingWords(const Verdict &verdict) {
  return {verdict.target,
          verdict.optLevel < 0 ? std::string() : "-O" + std::to_string(verdict.optLevel),
          verdict.waveSize ? "wave" + std::to_string(verdict.waveSize) : std::string(),
          verdict.lowering.empty() ? std::string() : verdict.lowering + "-lowering"};
}

/// Separates with blanks, and skips empty names.
std::string assay::joinNames(ArrayRef<std::string> names) {
  return join(make_filter_range(names, [](StringRef name) { return !name.empty(); }), " ");
}

/// Returns "default" where no setting was chosen.
std::string assay::settingName(const Verdict &verdict) {
  std::string name = joinNames(settingWords(verdict));
  return name.empty() ? "default" : name;
}

/// Returns the first finding that is an error, or null.
static const Finding *firstError(const Verdict &verdict) {
  auto found = find_if(verdict.findings,
                       [](const Finding &each) { return each.severity == Severity::Error; });
  return found == verdict.findings.end() ? nullptr : &*found;
}

// That a value is wrong is no signature: every wrong case has that.
static std::string ruleOf(const Verdict &verdict) {
  const Finding *finding = firstError(verdict);
  if (!finding)
    return stateName(verdict.state).upper();
  bool isValue = finding->rule == "EXPECT" || finding->rule == "REF-DIFF";
  return isValue ? valueRule.str() : finding->rule;
}

/// What kind of wrong a number is.
static std::string differenceKind(const Difference &difference) {
  double expected = 0;
  double actual = 0;
  if (StringRef(difference.expected).getAsDouble(expected) ||
      StringRef(difference.actual).getAsDouble(actual))
    return "text";
  if (std::isnan(actual) != std::isnan(expected))
    return "nan";
  if (actual == 0 || expected == 0)
    return actual == 0 ? "became zero" : "was zero";
  if (actual == -expected)
    return "sign";
  return "number";
}

/// Takes stack, message and guilty pass from the first error's evidence. Wrong values have none.
static void readEvidence(Symptom &symptom, const Verdict &verdict) {
  const Finding *finding = firstError(verdict);
  if (!finding || symptom.isValue())
    return;
  // A hazard is in the code itself, whatever ran before it.
  bool isHazard = StringRef(symptom.rule).starts_with("HAZ-");
  for (const auto &[name, value] : finding->evidence) {
    symptom.ranInto |= name == "instruction" && !isHazard;
    if (symptom.frames.empty() && (name == "stack" || name == "stderr"))
      symptom.frames = stackFrames(value);
    if (symptom.message.empty() && name == "stderr")
      symptom.message = fatalText(value);
    if (symptom.facts.pass.empty() && name == "stderr")
      symptom.facts.pass = dumpedPass(value);
  }
}

/// Where code ran into something, a warning may have said before what it is about. After an error
/// in the artifact others follow: they are not asked.
static StringRef findSubject(const Verdict &verdict, bool ranInto) {
  for (const Finding &finding : verdict.findings) {
    bool counts = finding.severity == (ranInto ? Severity::Warning : Severity::Error);
    if (counts && (!ranInto || !subjectOf(finding.rule).empty()))
      return subjectOf(finding.rule);
  }
  return "";
}

/// Returns the symptom of one verdict, without configurations and verdicts.
static Symptom makeSymptom(const Verdict &verdict) {
  Symptom symptom;
  symptom.caseId = verdict.caseId;
  symptom.compiler = verdict.compiler;
  symptom.machine = verdict.machine;
  symptom.state = verdict.state;
  symptom.rule = ruleOf(verdict);
  if (const Finding *finding = firstError(verdict); finding && !symptom.isValue())
    symptom.signature = finding->signature;
  readEvidence(symptom, verdict);
  symptom.subject = findSubject(verdict, symptom.ranInto).str();
  if (verdict.firstDifference)
    symptom.difference = differenceKind(*verdict.firstDifference);
  return symptom;
}

// Configurations of one case with equal values here show one thing.
SymptomIdentity assay::identityOf(const Symptom &symptom) {
  return {symptom.caseId,    symptom.compiler, symptom.machine, symptom.rule,
          symptom.signature, symptom.message,  symptom.frames};
}

// A case that dies in one way and is wrong in another shows two things; so do two signatures.
std::vector<Symptom> assay::collectSymptoms(ArrayRef<Verdict> verdicts, bool withFlaky) {
  std::vector<Symptom> symptoms;
  std::map<SymptomIdentity, size_t> known;
  // Symptoms of references: what a case itself is wrong in, every job with it says again.
  std::map<StringRef, size_t> invalid;
  std::map<std::tuple<StringRef, StringRef, StringRef>, std::vector<const Verdict *>> tried;
  for (const Verdict &verdict : verdicts) {
    tried[{verdict.caseId, verdict.compiler, verdict.machine}].push_back(&verdict);
    if (!isBad(verdict.state) && !(withFlaky && verdict.state == State::Flaky))
      continue;
    auto reference = invalid.find(verdict.caseId);
    if (verdict.state == State::Invalid && !firstError(verdict) && reference != invalid.end()) {
      symptoms[reference->second].verdicts.push_back(&verdict);
      continue;
    }
    Symptom symptom = makeSymptom(verdict);
    auto [at, isNew] = known.try_emplace(identityOf(symptom), symptoms.size());
    if (isNew)
      symptoms.push_back(std::move(symptom));
    if (verdict.state == State::Invalid && verdict.compiler.empty())
      invalid.try_emplace(verdict.caseId, at->second);
    symptoms[at->second].verdicts.push_back(&verdict);
  }
  for (Symptom &symptom : symptoms) {
    for (const Verdict *verdict : tried[{symptom.caseId, symptom.compiler, symptom.machine}])
      if (verdict->state != State::Unsupported)
        symptom.configurations.try_emplace(settingName(*verdict), false);
    for (const Verdict *verdict : symptom.verdicts)
      symptom.configurations[settingName(*verdict)] = true;
  }
  return symptoms;
}

/// Without a compiler the driver of the machine has compiled, if the machine is a driver. Empty for
/// the reference.
std::string assay::producerOf(const Symptom &symptom) {
  std::optional<StringRef> driver = familyMember(symptom.machine);
  return driver && symptom.compiler.empty() ? driver->str() : symptom.compiler;
}

/// The signature with what the process said when it died.
static std::string signatureKey(const Symptom &symptom) {
  std::string key = symptom.signature;
  if (!symptom.message.empty())
    key += ": " + symptom.message;
  if (!symptom.frames.empty())
    key += " in " + join(symptom.frames, " < ");
  return key;
}

/// Returns the key of symptomKey(), without the compiler.
static std::string keyWithoutCompiler(const Symptom &symptom) {
  if (symptom.isValue())
    return "wrong value in " + symptom.caseId;
  if (symptom.signature.empty())
    return stateName(symptom.state).str() + " " + symptom.caseId;
  return signatureKey(symptom);
}

/// Peers have keys of their own, as their bugs are not ours. Our compilers share keys.
std::string assay::symptomKey(const Symptom &symptom) {
  bool isPeer = !symptom.compiler.empty() && !compilerOf(symptom.compiler).isOwn;
  return keyWithoutCompiler(symptom) + (isPeer ? " by " + symptom.compiler : "");
}

std::string assay::symptomKey(const Verdict &verdict) {
  return symptomKey(makeSymptom(verdict));
}

/// "OpISub, OpShiftLeft and 2 more".
static std::string listFeatures(ArrayRef<std::string> features) {
  constexpr size_t Most = 4;
  std::string text = join(features.take_front(Most), ", ");
  if (features.size() > Most)
    text += " and " + std::to_string(features.size() - Most) + " more";
  return text;
}

/// Whether more is known than the case that shows it.
static bool hasCause(const Symptom &symptom) {
  const Facts &facts = symptom.facts;
  return !symptom.isValue() || !facts.operation.empty() || !facts.features.empty() ||
         !facts.pass.empty();
}

/// Returns what is known of the cause in a few words, and says so where it is not localized.
std::string assay::causeOf(const Symptom &symptom) {
  const Facts &facts = symptom.facts;
  std::string cause = symptom.isValue()           ? "wrong value"
                      : symptom.signature.empty() ? stateName(symptom.state).str()
                                                  : signatureKey(symptom);
  if (!facts.operation.empty())
    cause += " of " + facts.operation;
  else if (!facts.features.empty())
    cause += " with " + listFeatures(facts.features);
  if (!facts.pass.empty())
    cause += facts.pass == referencePass ? ", against the reference" : " by " + facts.pass;
  return hasCause(symptom) ? cause : cause + ", not localized";
}

/// Names the case only while the cause is unknown, because one bug has many cases.
std::string assay::symptomTitle(const Symptom &symptom) {
  const Facts &facts = symptom.facts;
  std::string title = stateName(symptom.state).str() + ": " + causeOf(symptom);
  if (std::string producer = producerOf(symptom); !producer.empty() && !compilerOf(producer).isOwn)
    title += " by " + producer;
  if (!facts.operation.empty() && !facts.features.empty())
    title += " with " + listFeatures(facts.features);
  if (!hasCause(symptom))
    title += " in " + symptom.caseId;
  return title;
}

/// Names the configurations that show the symptom, and counts all that were run.
std::string assay::listConfigurations(const std::map<std::string, bool> &configurations) {
  std::vector<std::string> names;
  for (const auto &[name, shows] : configurations)
    if (shows)
      names.push_back(name);
  return join(names, ", ") + " (" + std::to_string(names.size()) + " of " +
         std::to_string(configurations.size()) + ")";
}

/// The first 12 digits of XXH3 (64 bits).
std::string assay::keyDigest(StringRef key) {
  return formatv("{0:x-16}", xxh3_64bits(key)).str().substr(0, 12);
}

/// Returns the digest of the key. From the second use of a digest on, a number is appended.
std::string BucketNames::take(StringRef key) {
  std::string digest = keyDigest(key);
  unsigned uses = ++m_uses[digest];
  return uses == 1 ? digest : digest + "-" + std::to_string(uses);
}
