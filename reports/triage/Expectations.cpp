// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Expectations.h"

#include "reports/triage/Symptom.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Regex.h"
#include <ctime>

using namespace llvm;
using namespace assay;

/// In the order of ExpectedVerdict::Kind.
static constexpr StringRef kindNames[] = {"signature", "case", "regex", "rule", "message"};

/// Accepts YYYY-MM-DD with a day that the month has, leap years included.
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

/// Returns the date as isDate() accepts it.
std::string assay::todayUtc() {
  return formatv("{0:%Y-%m-%d}", sys::toUtcTime(std::time(nullptr))).str();
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

/// The glob of cases of a rule or message, and what follows it.
static std::pair<StringRef, StringRef> splitPattern(const ExpectedVerdict &rule) {
  auto [cases, rest] = StringRef(rule.pattern).split(' ');
  return {cases, rest.ltrim()};
}

/// Checks globs and regular expressions of the pattern; InvalidInput says what is wrong.
static Error checkPattern(const ExpectedVerdict &rule) {
  StringRef expression;
  if (rule.kind == ExpectedVerdict::Kind::Regex)
    expression = rule.pattern;
  if (rule.kind == ExpectedVerdict::Kind::Rule || rule.kind == ExpectedVerdict::Kind::Message) {
    auto [cases, rest] = splitPattern(rule);
    if (rest.empty())
      return invalidInput("'" + rule.pattern + "': expected cases, a blank, and a " +
                          (rule.kind == ExpectedVerdict::Kind::Rule ? "rule" : "message"));
    if (Expected<GlobPattern> glob = GlobPattern::create(cases); !glob)
      return invalidInput("'" + cases + "': " + toString(glob.takeError()));
    if (rule.kind == ExpectedVerdict::Kind::Message)
      expression = rest;
  }
  std::string problem;
  if (!expression.empty() && !Regex(expression).isValid(problem))
    return invalidInput("'" + expression + "': " + problem);
  return Error::success();
}

/// Parses the five words of a line; the line's number is set by the caller.
static Expected<ExpectedVerdict> parseRule(ArrayRef<std::string> words) {
  if (words.size() != 5)
    return invalidInput("has " + Twine(words.size()) +
                        " words; expected are kind, pattern, state, link, date");
  ExpectedVerdict rule;
  const StringRef *kind = find(kindNames, words[0]);
  if (kind == std::end(kindNames))
    return invalidInput("'" + words[0] + "' is none of signature, case, regex, rule, message");
  rule.kind = static_cast<ExpectedVerdict::Kind>(kind - std::begin(kindNames));
  rule.pattern = words[1];
  if (Error error = checkPattern(rule))
    return std::move(error);
  rule.state = parseState(words[2]);
  if (words[2] != "any" &&
      (!rule.state || (!isBad(*rule.state) && *rule.state != State::Unsupported)))
    return invalidInput("'" + words[2] + "' is neither a bad state, unsupported nor any");
  rule.link = words[3] == "-" ? "" : words[3];
  rule.until = words[4] == "never" ? "" : words[4];
  if (!rule.until.empty() && !isDate(rule.until))
    return invalidInput("'" + words[4] + "' is neither a date as YYYY-MM-DD nor never");
  return rule;
}

/// Lines are counted from 1 and named in errors. Lines without words are skipped.
Expected<std::vector<ExpectedVerdict>> assay::parseExpectations(StringRef text) {
  std::vector<ExpectedVerdict> rules;
  for (unsigned number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    std::optional<std::vector<std::string>> words = splitWords(line.rtrim());
    if (!words)
      return invalidInput("line " + Twine(number) + ": a quote is not closed");
    if (words->empty())
      continue;
    Expected<ExpectedVerdict> rule = parseRule(*words);
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
class Judge {
public:
  /// \p rule was parsed, so its expressions are valid.
  explicit Judge(const ExpectedVerdict &rule);

  const ExpectedVerdict *rule;
  bool hasRun = false;    ///< Something that it speaks of,
  bool hasFailed = false; ///< and not all of that passed.

  /// Whether it says something of the case and configuration of \p subject.
  bool speaksOf(const Subject &subject) const;
  /// Whether it excuses \p verdict, which is bad and which it speaks of.
  bool excuses(const Verdict &verdict) const;
  /// It holds as long as a verdict of its cases has its rule or message.
  bool isOfCases() const { return m_cases.has_value(); }

private:
  bool matchesText(const Verdict &verdict) const;

  std::optional<GlobPattern> m_cases; ///< Of a rule or message.
  std::string m_ruleId;
  Regex m_regex;
};

} // namespace

/// Expects a rule that parseExpectations() accepted: its patterns compile.
Judge::Judge(const ExpectedVerdict &rule) : rule(&rule) {
  auto [cases, rest] = splitPattern(rule);
  if (rule.kind == ExpectedVerdict::Kind::Regex)
    m_regex = Regex(rule.pattern);
  if (rule.kind == ExpectedVerdict::Kind::Message)
    m_regex = Regex(rest);
  if (rule.kind == ExpectedVerdict::Kind::Rule)
    m_ruleId = rest.str();
  if (rule.kind == ExpectedVerdict::Kind::Rule || rule.kind == ExpectedVerdict::Kind::Message)
    m_cases = cantFail(GlobPattern::create(cases));
}

/// True if a finding or the reason has the rule or message.
bool Judge::matchesText(const Verdict &verdict) const {
  if (rule->kind == ExpectedVerdict::Kind::Message)
    return m_regex.match(verdict.reason) || any_of(verdict.findings, [&](const Finding &finding) {
             return m_regex.match(finding.message);
           });
  return StringRef(verdict.reason).starts_with(m_ruleId + ":") ||
         StringRef(verdict.reason).starts_with(m_ruleId + " ") ||
         any_of(verdict.findings, [&](const Finding &finding) { return finding.rule == m_ruleId; });
}

/// Returns the verdict with its key, if it is bad, and the line that regular expressions search.
static Subject makeSubject(const Verdict &verdict) {
  Subject subject = {&verdict, "", "", ""};
  if (isBad(verdict.state)) {
    subject.key = symptomKey(verdict);
    subject.digest = keyDigest(subject.key);
  }
  subject.line = verdict.caseId + " " + settingName(verdict) + " " + subject.key;
  return subject;
}

/// True if the verdict is one that the rule is about, whatever its state. For rules with a glob
/// only the case decides here.
bool Judge::speaksOf(const Subject &subject) const {
  switch (rule->kind) {
  case ExpectedVerdict::Kind::Signature:
    return !subject.key.empty() &&
           (rule->pattern == subject.key || rule->pattern == subject.digest);
  case ExpectedVerdict::Kind::Case:
    return rule->pattern == subject.verdict->caseId;
  case ExpectedVerdict::Kind::Regex:
    return m_regex.match(subject.line);
  case ExpectedVerdict::Kind::Rule:
  case ExpectedVerdict::Kind::Message:
    return m_cases->match(subject.verdict->caseId);
  }
  llvm_unreachable("a kind of expectation that does not exist");
}

/// A rule without a state excuses any.
bool Judge::excuses(const Verdict &verdict) const {
  return (!rule->state || *rule->state == verdict.state) && (!m_cases || matchesText(verdict));
}

/// The first rule in the file that excuses a verdict counts as its rule. Expired rules excuse
/// nothing. A rule whose cases all pass is listed in passes, and one without cases in unused. \p
/// today is a date of todayUtc().
ExpectationResult assay::applyExpectations(ArrayRef<ExpectedVerdict> rules,
                                           ArrayRef<Verdict> verdicts, StringRef today,
                                           bool countsUnsupported) {
  auto isProblem = [&](State state) {
    return isBad(state) || (countsUnsupported && state == State::Unsupported);
  };
  ExpectationResult result;
  std::vector<Judge> judges;
  for (const ExpectedVerdict &rule : rules)
    // Dates as text are in the order of time.
    if (rule.until.empty() || rule.until >= today)
      judges.emplace_back(rule);
    else
      result.expired.push_back(&rule);
  for (const Verdict &verdict : verdicts) {
    Subject subject = makeSubject(verdict);
    const ExpectedVerdict *first = nullptr;
    for (Judge &judge : judges) {
      bool isSilent = verdict.state == State::Unsupported && !countsUnsupported;
      if (isSilent || !judge.speaksOf(subject))
        continue;
      bool excuses = isProblem(verdict.state) && judge.excuses(verdict);
      judge.hasRun = true;
      judge.hasFailed |= judge.isOfCases() ? excuses : verdict.state != State::Pass;
      if (excuses && !first)
        first = judge.rule;
    }
    if (first) {
      result.expected.push_back(&verdict);
      result.rules.push_back(first);
    } else if (isProblem(verdict.state)) {
      result.unexpected.push_back(&verdict);
    }
  }
  for (const Judge &judge : judges)
    if (!judge.hasFailed)
      (judge.hasRun ? result.passes : result.unused).push_back(judge.rule);
  return result;
}
