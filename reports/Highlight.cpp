// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/Highlight.h"

#include "reports/Escape.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

namespace {
/// What is at the start of \p rest: its length if the rule knows it, else 0. \p isFirst: no
/// word is before it in its line.
using MatchToken = size_t (*)(StringRef rest, bool isFirst);

/// One kind of token. Of several rules that match, the first of the language's list applies.
struct Rule {
  const char *kind; ///< "opcode", for the class "t-opcode".
  MatchToken match;
};
} // namespace

/// Letters, digits, "_" and ".": names of all the languages.
static bool isWordChar(char c) {
  return isAlnum(c) || c == '_' || c == '.';
}

/// Length of the word at the start, in bytes; 0 if there is none.
static size_t wordLength(StringRef rest) {
  return rest.take_while(isWordChar).size();
}

/// Matches from \p Start to the end of the line, anywhere in it.
template <char Start> static size_t matchLine(StringRef rest, bool) {
  return rest.front() == Start ? rest.take_until([](char c) { return c == '\n'; }).size() : 0;
}

/// Matches a comment "//" to the end of its line.
static size_t matchSlashes(StringRef rest, bool) {
  return rest.starts_with("//") ? rest.take_until([](char c) { return c == '\n'; }).size() : 0;
}

// A line that is a comment as a whole: "#" also begins the directives of GLSL.
static size_t matchHashLine(StringRef rest, bool isFirst) {
  return isFirst && (rest.starts_with("# ") || rest.starts_with("#!")) ? matchLine<'#'>(rest, true)
                                                                       : 0;
}

/// Matches a string in double quotes with backslash escapes; an unclosed one does not match.
static size_t matchString(StringRef rest, bool) {
  if (rest.front() != '"')
    return 0;
  for (size_t i = 1; i < rest.size() && rest[i] != '\n'; ++i) {
    if (rest[i] == '\\')
      ++i;
    else if (rest[i] == '"')
      return i + 1;
  }
  return 0;
}

/// Matches a SPIR-V id: "%" and its name.
static size_t matchId(StringRef rest, bool) {
  return rest.front() == '%' ? 1 + wordLength(rest.drop_front()) : 0;
}

// Values and functions of LLVM IR.
static size_t matchName(StringRef rest, bool) {
  return StringRef("%@").contains(rest.front()) ? 1 + wordLength(rest.drop_front()) : 0;
}

/// Matches a word of the form OpName.
static size_t matchOpcode(StringRef rest, bool) {
  return rest.size() > 2 && rest.starts_with("Op") && isUpper(rest[2]) ? wordLength(rest) : 0;
}

/// Matches decimal, hexadecimal and floating-point numbers with an optional minus, and whatever
/// follows the digits without a blank.
static size_t matchNumber(StringRef rest, bool) {
  StringRef digits = rest.front() == '-' ? rest.drop_front() : rest;
  if (digits.empty() || !isDigit(digits.front()))
    return 0;
  return rest.size() - digits.size() + wordLength(digits);
}

// v0, s[0:1], vcc, exec_lo, m0, ...
static size_t matchRegister(StringRef rest, bool) {
  static constexpr StringRef named[] = {"vcc", "vcc_lo", "vcc_hi", "exec", "exec_lo",     "exec_hi",
                                        "m0",  "scc",    "null",   "off",  "flat_scratch"};
  size_t length = wordLength(rest);
  StringRef word = rest.take_front(length);
  if (is_contained(named, word))
    return length;
  if (!StringRef("vsa").contains(rest.front()))
    return 0;
  if (length == 1 && rest.drop_front().starts_with("["))
    return rest.find(']') == StringRef::npos ? 0 : rest.find(']') + 1;
  return length > 1 && all_of(word.drop_front(), isDigit) ? length : 0;
}

/// Matches a line's first word with its colon.
static size_t matchLabel(StringRef rest, bool isFirst) {
  size_t length = wordLength(rest);
  return isFirst && length && rest.drop_front(length).starts_with(":") ? length + 1 : 0;
}

/// Matches an assembler directive: a first word that begins with a dot.
static size_t matchDirective(StringRef rest, bool isFirst) {
  return isFirst && rest.front() == '.' ? wordLength(rest) : 0;
}

/// Matches a line's first word: the mnemonic.
static size_t matchFirstWord(StringRef rest, bool isFirst) {
  return isFirst ? wordLength(rest) : 0;
}

// The commands of AmberScript are in capitals.
static size_t matchCapitals(StringRef rest, bool) {
  StringRef word = rest.take_front(wordLength(rest));
  bool isCommand = word.size() > 1 && all_of(word, [](char c) { return isUpper(c) || c == '_'; });
  return isCommand ? word.size() : 0;
}

/// Matches a line that begins with \p Start.
template <char Start> static size_t matchWholeLine(StringRef rest, bool isFirst) {
  return isFirst ? matchLine<Start>(rest, isFirst) : 0;
}

static constexpr Rule spirvRules[] = {{"comment", matchLine<';'>},
                                      {"string", matchString},
                                      {"id", matchId},
                                      {"opcode", matchOpcode},
                                      {"number", matchNumber}};
static constexpr Rule isaRules[] = {{"comment", matchLine<';'>}, {"string", matchString},
                                    {"label", matchLabel},       {"directive", matchDirective},
                                    {"opcode", matchFirstWord},  {"register", matchRegister},
                                    {"number", matchNumber}};
static constexpr Rule amberRules[] = {
    {"comment", matchHashLine}, {"comment", matchSlashes}, {"comment", matchLine<';'>},
    {"string", matchString},    {"id", matchId},           {"opcode", matchOpcode},
    {"number", matchNumber},    {"label", matchCapitals}};
static constexpr Rule llvmRules[] = {{"comment", matchLine<';'>},
                                     {"string", matchString},
                                     {"label", matchLabel},
                                     {"id", matchName},
                                     {"number", matchNumber}};
static constexpr Rule diffRules[] = {
    {"place", matchWholeLine<'@'>}, {"plus", matchWholeLine<'+'>}, {"minus", matchWholeLine<'-'>}};

/// Returns the rules in their order of precedence; the table has the order of Language.
static ArrayRef<Rule> rulesOf(Language language) {
  static constexpr ArrayRef<Rule> rules[] = {{},         spirvRules, isaRules,
                                             amberRules, llvmRules,  diffRules};
  return rules[static_cast<size_t>(language)];
}

/// The first rule that matches at a position wins. The text without its tags is the escaped input,
/// whatever the rules do.
void assay::writeHighlighted(raw_ostream &os, StringRef text, Language language) {
  ArrayRef<Rule> rules = rulesOf(language);
  bool isFirst = true;
  std::string plain;
  auto flush = [&] {
    os << escapeMarkup(plain);
    plain.clear();
  };
  while (!text.empty()) {
    size_t length = 0;
    const char *kind = nullptr;
    for (const Rule &rule : rules)
      if (length = rule.match(text, isFirst); length != 0) {
        kind = rule.kind;
        break;
      }
    // What no rule knows is taken as a word, so that no rule sees the middle of one.
    if (!kind)
      length = std::max<size_t>(1, wordLength(text));
    StringRef token = text.take_front(length);
    text = text.drop_front(length);
    isFirst = token.back() == '\n' || (isFirst && token.trim(" \t").empty());
    if (!kind) {
      plain += token;
      continue;
    }
    flush();
    os << "<span class=\"t-" << kind << "\">" << escapeMarkup(token) << "</span>";
  }
  flush();
}
