// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Votes.h"

#include "reports/triage/Families.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Agree or Disagree.
static Opinion opinionOf(bool agrees) {
  return agrees ? Opinion::Agree : Opinion::Disagree;
}

// Silent where a text is missing on one side.
static Opinion compareTexts(StringRef a, StringRef b) {
  return a.empty() || b.empty() ? Opinion::Silent : opinionOf(a == b);
}

/// Which limit a job ran over says little of why: one input may run over either.
static bool isResource(const Symptom &symptom) {
  return symptom.rule == "TIMEOUT" || symptom.rule == "OOM";
}

/// Returns the broad kind of what is wrong: value, resource, crash or finding.
static StringRef kindOf(const Symptom &symptom) {
  if (symptom.isValue())
    return "value";
  if (isResource(symptom))
    return "resource";
  return symptom.rule == "CRASH" ? "crash" : "finding";
}

/// Accesses of memory and of images, and what is done around them: many bugs of one pass go wrong
/// in one. What is loaded from elsewhere - push constants, built-ins - says more.
static bool isAccess(StringRef operation) {
  static constexpr StringLiteral accesses[] = {"OpLoad",
                                               "OpLoad StorageBuffer",
                                               "OpLoad Uniform",
                                               "OpLoad UniformConstant",
                                               "OpLoad Function",
                                               "OpLoad Workgroup",
                                               "load",
                                               "store",
                                               "getelementptr",
                                               "extractelement",
                                               "insertelement",
                                               "extractvalue",
                                               "insertvalue",
                                               "define",
                                               "br",
                                               "add",
                                               "mul"};
  // A write is of its coordinates and its texel alone.
  bool isRead = operation.starts_with("OpImage") && operation != "OpImageWrite";
  return isRead || is_contained(accesses, operation);
}

/// The same, and stores where every access goes through what is to blame.
static bool isAccess(const Symptom &symptom) {
  static constexpr StringLiteral broad[] = {"front-end", "code-generation",
                                            "lower-buffer-fat-pointers"};
  const Facts &facts = symptom.facts;
  return isAccess(facts.operation) ||
         (StringRef(facts.operation).starts_with("OpStore") && is_contained(broad, facts.pass));
}

/// Of the metadata: a key that repairs the case is what any rule reports.
static StringRef subjectOf(const Symptom &symptom) {
  StringRef operation = symptom.facts.operation;
  return operation.starts_with(".") ? operation : StringRef(symptom.subject);
}

/// By different rules.
static bool haveOneSubject(const Symptom &a, const Symptom &b) {
  return a.rule != b.rule && !subjectOf(a).empty() && subjectOf(a) == subjectOf(b);
}

/// Empty where pass and operation belong to no family.
static StringRef familyOf(const Symptom &symptom) {
  return familyOf(symptom.facts.pass, symptom.facts.operation);
}

/// Different operations that their pass makes in one way.
static bool areOneFamily(const Symptom &a, const Symptom &b) {
  return a.facts.pass == b.facts.pass && a.facts.operation != b.facts.operation &&
         !familyOf(a).empty() && familyOf(a) == familyOf(b);
}

/// Of what is left where nobody knows better: hundreds of passes.
static bool isVague(const Symptom &symptom) {
  return symptom.facts.pass == "code-generation";
}

/// In one instruction of machine code: an optional pass that is to blame for one may only have
/// brought that to light.
static bool areOneRepair(const Symptom &a, const Symptom &b) {
  return isRepair(a.facts.operation) && a.facts.operation == b.facts.operation &&
         (isVague(a) || isVague(b));
}

/// Both go wrong in the same way in the same pass: what that does to a shader is chance.
static bool areOneWrong(const Symptom &a, const Symptom &b) {
  bool areEqual = !a.facts.pass.empty() && a.facts.pass == b.facts.pass &&
                  !a.facts.operation.empty() && a.facts.operation == b.facts.operation;
  return areEqual || areOneRepair(a, b) || areOneFamily(a, b);
}

/// Of how the same wrong shows.
static Opinion silentIfOneWrong(Opinion opinion, const Symptom &a, const Symptom &b) {
  return opinion == Opinion::Disagree && areOneWrong(a, b) ? Opinion::Silent : opinion;
}

static Opinion compareKinds(const Symptom &a, const Symptom &b) {
  return silentIfOneWrong(opinionOf(kindOf(a) == kindOf(b)), a, b);
}

/// The minimal case of one goes wrong in the same way with the producer of the other.
static bool isShownByBoth(const Symptom &a, const Symptom &b) {
  return is_contained(a.facts.shownBy, producerOf(b)) ||
         is_contained(b.facts.shownBy, producerOf(a));
}

// The reference has none, and what it shows every compiler shows. Two that contain one component
// may show one bug of it.
static Opinion compareCompilers(const Symptom &a, const Symptom &b) {
  Opinion opinion = compareTexts(producerOf(a), producerOf(b));
  bool isLinked = opinion == Opinion::Disagree && isShownByBoth(a, b) &&
                  !sharedComponent(producerOf(a), producerOf(b)).empty();
  return isLinked ? Opinion::Silent : opinion;
}

static Opinion compareBugs(const Symptom &a, const Symptom &b) {
  return compareTexts(a.facts.bug, b.facts.bug);
}

// One case that runs over either limit has one problem; that two cases do says little.
static Opinion compareRules(const Symptom &a, const Symptom &b) {
  if (isResource(a) && isResource(b) && a.rule != b.rule)
    return Opinion::Silent;
  if (haveOneSubject(a, b))
    return Opinion::Silent;
  return silentIfOneWrong(compareTexts(a.rule, b.rule), a, b);
}

// "timeout STAGE" and "oom STAGE" are one place; a signature that is its rule alone is none.
static StringRef placeOf(const Symptom &symptom) {
  StringRef place = symptom.signature;
  if (isResource(symptom))
    return place.split(' ').second;
  return place == symptom.rule ? StringRef() : place;
}

/// Silent where code ran into something, or both are about one subject.
static Opinion comparePlaces(const Symptom &a, const Symptom &b) {
  bool isSilent = a.ranInto || b.ranInto || haveOneSubject(a, b);
  return isSilent ? Opinion::Silent : compareTexts(placeOf(a), placeOf(b));
}

/// Where wrong code runs into something is a consequence: it says less than a place in an artifact.
static Opinion compareEncounters(const Symptom &a, const Symptom &b) {
  bool isEncounter = a.ranInto && b.ranInto;
  return isEncounter ? silentIfOneWrong(compareTexts(placeOf(a), placeOf(b)), a, b)
                     : Opinion::Silent;
}

static Opinion compareSubjects(const Symptom &a, const Symptom &b) {
  return haveOneSubject(a, b) ? Opinion::Agree : Opinion::Silent;
}

static Opinion compareMessages(const Symptom &a, const Symptom &b) {
  return compareTexts(a.message, b.message);
}

/// Returns the length of the longest common subsequence of two stacks.
static size_t commonSubsequence(ArrayRef<std::string> a, ArrayRef<std::string> b) {
  std::vector<size_t> lengths(b.size() + 1);
  for (const std::string &left : a) {
    size_t diagonal = 0;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t above = lengths[j + 1];
      lengths[j + 1] = left == b[j] ? diagonal + 1 : std::max(above, lengths[j]);
      diagonal = above;
    }
  }
  return lengths.back();
}

/// What \p a was in at the end, the other was in, too, or the other way round.
static bool shareInnermost(const Symptom &a, const Symptom &b) {
  return is_contained(a.frames, b.frames.front()) || is_contained(b.frames, a.frames.front());
}

// Two frames in common, as ClusterFuzz has it, or all where there are fewer. What ran out of time
// is somewhere inside of the function that does not end, and everything outside of that it has in
// common with all that went the same way.
static Opinion compareStacks(const Symptom &a, const Symptom &b) {
  if (a.frames.empty() || b.frames.empty())
    return Opinion::Silent;
  if (a.rule == "TIMEOUT" || b.rule == "TIMEOUT")
    return opinionOf(shareInnermost(a, b));
  size_t needed = std::min<size_t>({2, a.frames.size(), b.frames.size()});
  return opinionOf(commonSubsequence(a.frames, b.frames) >= needed);
}

/// That two run into something by the fault of code generation says nothing.
static Opinion comparePasses(const Symptom &a, const Symptom &b) {
  Opinion opinion = compareTexts(a.facts.pass, b.facts.pass);
  bool isSilent = isVague(a) && a.ranInto && b.ranInto;
  if (opinion == Opinion::Disagree && areOneRepair(a, b))
    return Opinion::Silent;
  return opinion == Opinion::Agree && isSilent ? Opinion::Silent : opinion;
}

/// What no reduction takes away where it is not needed: of types, and where data lie. An
/// instruction, an operand or a decoration that is left says twice as much.
static int featureWeight(StringRef feature) {
  static constexpr StringLiteral incidental[] = {
      "i8",       "i16",     "i64",         "f16",       "f64",     "matrix",
      "RowMajor", "Uniform", "descriptors", "Workgroup", "Private", "PhysicalStorageBuffer"};
  return is_contained(incidental, feature) ? 1 : 2;
}

/// Returns the sum of the weights of the features.
static int totalWeight(ArrayRef<std::string> names) {
  int sum = 0;
  for (const std::string &name : names)
    sum += featureWeight(name);
  return sum;
}

// Sets of names, ascending: they agree when they share two thirds of all by weight.
static Opinion compareSets(ArrayRef<std::string> a, ArrayRef<std::string> b) {
  if (a.empty() || b.empty())
    return Opinion::Silent;
  int common = 0;
  for (const std::string &name : a)
    if (is_contained(b, name))
      common += featureWeight(name);
  return opinionOf(common * 3 >= (totalWeight(a) + totalWeight(b) - common) * 2);
}

/// A module that was localised and has nothing rare is not like one that has.
static Opinion compareFeatureSets(const Symptom &a, const Symptom &b) {
  bool isKnown = !a.facts.pass.empty() && !b.facts.pass.empty();
  if (isKnown && a.facts.features.empty() != b.facts.features.empty())
    return Opinion::Disagree;
  return compareSets(a.facts.features, b.facts.features);
}

static Opinion compareFamilies(const Symptom &a, const Symptom &b) {
  return areOneFamily(a, b) ? Opinion::Agree : Opinion::Silent;
}

/// Silent for accesses and for families, which have other rows.
static Opinion compareOperations(const Symptom &a, const Symptom &b) {
  if (areOneFamily(a, b))
    return Opinion::Silent;
  if (isAccess(a) || isAccess(b))
    return Opinion::Silent;
  return compareTexts(a.facts.operation, b.facts.operation);
}

/// Compares operations where at least one is an access.
static Opinion compareAccesses(const Symptom &a, const Symptom &b) {
  if (areOneFamily(a, b))
    return Opinion::Silent;
  if (!isAccess(a) && !isAccess(b))
    return Opinion::Silent;
  return compareTexts(a.facts.operation, b.facts.operation);
}

/// What is left of a module tells of a bug that has no place and no operation of its own.
static Opinion compareFeatures(const Symptom &a, const Symptom &b) {
  bool tellsNothing = compareOperations(a, b) == Opinion::Agree || areOneFamily(a, b) ||
                      haveOneSubject(a, b) || comparePlaces(a, b) != Opinion::Silent;
  return tellsNothing ? Opinion::Silent : compareFeatureSets(a, b);
}

/// Where the place is known, it only adds.
static Opinion compareFeaturesAtPlace(const Symptom &a, const Symptom &b) {
  return comparePlaces(a, b) == Opinion::Agree ? compareSets(a.facts.features, b.facts.features)
                                               : Opinion::Silent;
}

static Opinion compareTransformations(const Symptom &a, const Symptom &b) {
  return compareSets(a.facts.transformations, b.facts.transformations);
}

// Only configurations that both were tried in can tell.
static Opinion compareConfigurations(const Symptom &a, const Symptom &b) {
  bool isShared = false;
  for (const auto &[name, shows] : a.configurations) {
    auto other = b.configurations.find(name);
    if (other == b.configurations.end())
      continue;
    isShared = true;
    if (other->second != shows)
      return Opinion::Disagree;
  }
  return isShared ? Opinion::Agree : Opinion::Silent;
}

static Opinion compareDifferences(const Symptom &a, const Symptom &b) {
  return compareTexts(a.difference, b.difference);
}

// That two cases are different says nothing.
static Opinion compareCases(const Symptom &a, const Symptom &b) {
  return a.caseId == b.caseId ? Opinion::Agree : Opinion::Silent;
}

/// One equal look at a wrong value (kind, rule: 3) is never enough, however alike the
/// configurations; the same case, or what is left of the module, is. One different guilty pass, or
/// one different message, keeps apart whatever else agrees.
static constexpr VoteRow rows[] = {
    {"bug", 9, 9, compareBugs},
    {"kind", 1, 4, compareKinds},
    {"compiler", 0, 9, compareCompilers},
    {"rule", 2, 3, compareRules},
    {"place", 3, 3, comparePlaces},
    {"encounter", 2, 1, compareEncounters},
    {"subject", 5, 0, compareSubjects},
    {"message", 3, 6, compareMessages},
    {"stack", 3, 6, compareStacks},
    {"pass", 2, 6, comparePasses},
    {"operation", 5, 5, compareOperations},
    {"access", 3, 4, compareAccesses},
    {"family", 4, 0, compareFamilies},
    {"features", 4, 4, compareFeatures},
    {"features at place", 1, 2, compareFeaturesAtPlace},
    {"transformations", 2, 2, compareTransformations},
    {"configurations", 0, 1, compareConfigurations},
    {"difference", 0, 0, compareDifferences},
    {"case", 4, 0, compareCases},
};

ArrayRef<VoteRow> assay::voteRows() {
  return rows;
}

/// Where one recognizer knows both, nothing else is held against that.
VoteVector assay::compareSymptoms(const Symptom &a, const Symptom &b) {
  bool isOneBug = compareBugs(a, b) == Opinion::Agree;
  VoteVector votes;
  for (const VoteRow &row : rows) {
    Opinion opinion = row.opinion(a, b);
    votes.push_back(isOneBug && opinion == Opinion::Disagree ? Opinion::Silent : opinion);
  }
  return votes;
}

/// Returns what the opinion adds to the sum; negative for Disagree.
static int weightOf(const VoteRow &row, Opinion opinion) {
  if (opinion == Opinion::Silent)
    return 0;
  return opinion == Opinion::Agree ? row.agree : -row.disagree;
}

/// Expects one opinion for each row of the table, in its order.
int assay::sumVotes(ArrayRef<Opinion> votes) {
  int sum = 0;
  for (auto [row, opinion] : zip_equal(rows, votes))
    sum += weightOf(row, opinion);
  return sum;
}

/// Prints the aspects that are not silent with sign and weight, such as "kind-4".
std::string assay::printVotes(ArrayRef<Opinion> votes) {
  std::vector<std::string> texts;
  for (auto [row, opinion] : zip_equal(rows, votes))
    if (opinion != Opinion::Silent)
      texts.push_back((Twine(row.name) + (opinion == Opinion::Agree ? "+" : "-") +
                       Twine(opinion == Opinion::Agree ? row.agree : row.disagree))
                          .str());
  return join(texts, " ");
}
