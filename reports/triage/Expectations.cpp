// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Expectations.h"

#include "reports/triage/Symptom.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace assay;

static constexpr StringRef kindNames[] = {"signature", "case", "regex"};

bool assay::isDate(StringRef text) {
  static constexpr unsigned days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (text.size() != 10 || text[4] != '-' || text[7] != '-')
    return false;
  unsigned year = 0;
  unsigned month = 0;
  unsigned day = 0;
  if (text.take_front(4).getAsInteger(10, year) || text.substr(5, 2).getAsInteger(10, month) ||
      text.substr(8, 2).getAsInteger(10, day) || month < 1 || month > 12)
    return false;
  bool isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day >= 1 && day <= days[month - 1] && (isLeap || month != 2 || day < 29);
}

// "#12" is a link, "# twelve" a comment.
static bool isComment(StringRef text) {
  return text.front() == '#' && (text.size() == 1 || isSpace(text[1]));
}

// Words between blanks; one in double quotes may hold blanks, and \" and \\. Nothing where a quote
// is not closed.
static std::optional<std::vector<std::string>> splitWords(StringRef line) {
  std::vector<std::string> words;
  for (line = line.ltrim(); !line.empty() && !isComment(line); line = line.ltrim()) {
    std::string word;
    if (!line.consume_front("\"")) {
      StringRef plain = line.take_until([](char c) { return c == ' ' || c == '\t'; });
      words.push_back(plain.str());
      line = line.drop_front(plain.size());
      continue;
    }
    while (!line.empty() && line.front() != '"') {
      if (line.size() > 1 && line.front() == '\\' && (line[1] == '"' || line[1] == '\\'))
        line = line.drop_front();
      word += line.front();
      line = line.drop_front();
    }
    if (!line.consume_front("\""))
      return std::nullopt;
    words.push_back(std::move(word));
  }
  return words;
}

static Expected<Expectation> parseRule(ArrayRef<std::string> words) {
  if (words.size() != 5)
    return invalidInput("has " + Twine(words.size()) +
                        " words; expected are kind, pattern, state, link, date");
  Expectation rule;
  const StringRef *kind = find(kindNames, words[0]);
  if (kind == std::end(kindNames))
    return invalidInput("'" + words[0] + "' is none of signature, case, regex");
  rule.kind = static_cast<Expectation::Kind>(kind - std::begin(kindNames));
  rule.pattern = words[1];
  std::string problem;
  if (rule.kind == Expectation::Kind::Regex && !Regex(rule.pattern).isValid(problem))
    return invalidInput("'" + rule.pattern + "': " + problem);
  rule.state = parseState(words[2]);
  if (words[2] != "any" && (!rule.state || !isBad(*rule.state)))
    return invalidInput("'" + words[2] + "' is neither a bad state nor any");
  rule.link = words[3] == "-" ? "" : words[3];
  rule.until = words[4] == "never" ? "" : words[4];
  if (!rule.until.empty() && !isDate(rule.until))
    return invalidInput("'" + words[4] + "' is neither a date as YYYY-MM-DD nor never");
  return rule;
}

Expected<std::vector<Expectation>> assay::parseExpectations(StringRef text) {
  std::vector<Expectation> rules;
  for (unsigned number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    std::optional<std::vector<std::string>> words = splitWords(line.rtrim());
    if (!words)
      return invalidInput("line " + Twine(number) + ": a quote is not closed");
    if (words->empty())
      continue;
    Expected<Expectation> rule = parseRule(*words);
    if (!rule)
      return addContext(rule.takeError(), "line " + Twine(number));
    rule->line = number;
    rules.push_back(std::move(*rule));
  }
  return std::move(rules);
}

namespace {

/// A verdict with what rules look at.
struct Subject {
  const Verdict *verdict;
  std::string key; ///< Empty for one that is not bad.
  std::string digest;
  std::string line; ///< "CASE CONFIGURATION KEY".
};

/// A rule that holds, ready to be asked often.
struct Judge {
  const Expectation *rule;
  Regex regex;
  bool hasRun = false;    ///< Something that it speaks of,
  bool hasFailed = false; ///< and not all of that passed.

  bool speaksOf(const Subject &subject) const;
  /// \p verdict, which it speaks of.
  bool excuses(const Verdict &verdict) const;
};

} // namespace

static Subject makeSubject(const Verdict &verdict) {
  Subject subject = {&verdict, "", "", ""};
  if (isBad(verdict.state)) {
    subject.key = symptomKey(verdict);
    subject.digest = keyDigest(subject.key);
  }
  subject.line = verdict.caseId + " " + settingName(verdict) + " " + subject.key;
  return subject;
}

bool Judge::speaksOf(const Subject &subject) const {
  switch (rule->kind) {
  case Expectation::Kind::Signature:
    return !subject.key.empty() &&
           (rule->pattern == subject.key || rule->pattern == subject.digest);
  case Expectation::Kind::Case:
    return rule->pattern == subject.verdict->caseId;
  case Expectation::Kind::Regex:
    return regex.match(subject.line);
  }
  llvm_unreachable("a kind of expectation that does not exist");
}

bool Judge::excuses(const Verdict &verdict) const {
  return isBad(verdict.state) && (!rule->state || *rule->state == verdict.state);
}

ExpectationResult assay::applyExpectations(ArrayRef<Expectation> rules, ArrayRef<Verdict> verdicts,
                                           StringRef today) {
  ExpectationResult result;
  std::vector<Judge> judges;
  for (const Expectation &rule : rules)
    // Dates as text are in the order of time.
    if (rule.until.empty() || rule.until >= today)
      judges.push_back({&rule, Regex(rule.pattern)});
    else
      result.expired.push_back(&rule);
  for (const Verdict &verdict : verdicts) {
    Subject subject = makeSubject(verdict);
    bool isExpected = false;
    for (Judge &judge : judges) {
      if (verdict.state == State::Unsupported || !judge.speaksOf(subject))
        continue;
      judge.hasRun = true;
      judge.hasFailed |= verdict.state != State::Pass;
      isExpected |= judge.excuses(verdict);
    }
    if (isBad(verdict.state))
      (isExpected ? result.expected : result.unexpected).push_back(&verdict);
  }
  for (const Judge &judge : judges)
    if (!judge.hasFailed)
      (judge.hasRun ? result.passes : result.unused).push_back(judge.rule);
  return result;
}
