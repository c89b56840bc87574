// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/ScriptLines.h"

#include "oracles/input/Literals.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

static constexpr StringRef blanks = " \t\r\f\v"; ///< Separate words in a line.

/// InvalidInput. Lines count from 1; line 0 is the text as a whole.
Error input::errorAt(unsigned line, const Twine &message) {
  if (line == 0)
    return invalidInput(message);
  return invalidInput("line " + Twine(line) + ": " + message);
}

/// Keeps the kind of the error.
Error input::atLine(unsigned line, Error error) {
  return addContext(std::move(error), "line " + Twine(line));
}

/// Steps over the next word if it is \p keyword.
bool LineCursor::tryWord(StringRef keyword) {
  if (atEnd() || peek() != keyword)
    return false;
  ++m_next;
  return true;
}

/// \p what says in the error what was expected.
Expected<StringRef> LineCursor::word(const Twine &what) {
  if (atEnd())
    return error("expected " + what + " at the end of the line");
  return m_words[m_next++].text;
}

/// Removes quotes around the name; in them a backslash escapes the next character.
Expected<std::string> LineCursor::fileName() {
  Expected<StringRef> word = this->word("a file name");
  if (!word)
    return word.takeError();
  if (word->size() <= 2 || !word->starts_with("\"") || !word->ends_with("\""))
    return word->str();
  std::string name;
  for (StringRef rest = word->drop_front().drop_back(); !rest.empty(); rest = rest.drop_front()) {
    if (rest.front() == '\\' && rest.size() > 1)
      rest = rest.drop_front();
    name += rest.front();
  }
  return name;
}

Error LineCursor::expect(StringRef keyword) {
  if (tryWord(keyword))
    return Error::success();
  if (atEnd())
    return error("expected " + keyword + " at the end of the line");
  return error("expected " + keyword + " instead of '" + peek() + "'");
}

/// InvalidInput for all but numbers from 0 to \p max.
Expected<uint64_t> LineCursor::number(StringRef what, uint64_t max) {
  Expected<StringRef> text = word(what);
  if (!text)
    return text.takeError();
  Expected<uint64_t> value = parseUnsigned(*text, max, what);
  if (!value)
    return atLine(m_line, value.takeError());
  return value;
}

Error LineCursor::expectEnd() const {
  if (atEnd())
    return Error::success();
  return error("expected the end of the line instead of '" + peek() + "'");
}

/// Joins words with one space each; quotation marks stay.
static std::string joinWords(ArrayRef<Word> words) {
  std::string result;
  for (const Word &word : words) {
    if (!result.empty())
      result += ' ';
    result += word.text;
  }
  return result;
}

/// Returns the whole line, with one blank between words.
std::string LineCursor::text() const {
  return joinWords(m_words);
}

/// Returns the words that are left, and steps over them.
std::string LineCursor::rest() {
  std::string result = joinWords(ArrayRef(m_words).drop_front(m_next));
  skipRest();
  return result;
}

/// Nothing at the end of the script. A carriage return is still at the end of the line.
std::optional<StringRef> ScriptLines::peekPhysical() const {
  if (m_rest.empty())
    return std::nullopt;
  return m_rest.take_front(m_rest.find('\n'));
}

/// Returns the line as it is written, comments and continuations included.
std::optional<StringRef> ScriptLines::nextPhysical() {
  std::optional<StringRef> line = peekPhysical();
  if (!line)
    return std::nullopt;
  m_rest = m_rest.drop_front(std::min(line->size() + 1, m_rest.size()));
  ++m_line;
  line->consume_back("\r");
  return line;
}

/// Bytes of the word in quotation marks at the start of \p line; all of it where it has no end.
static size_t endOfQuote(StringRef line) {
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '"')
      return i + 1;
    if (line[i] == '\\')
      ++i;
  }
  return line.size();
}

/// Cuts the words off \p line up to a comment, which stays.
static SmallVector<StringRef, 8> takeWords(StringRef &line) {
  SmallVector<StringRef, 8> words;
  while (true) {
    line = line.ltrim(blanks);
    if (line.empty() || line.front() == '#')
      return words;
    size_t end = line.front() == '"' ? endOfQuote(line) : line.find_first_of(blanks);
    StringRef word = line.take_front(end);
    words.push_back(word);
    line = line.drop_front(word.size());
  }
}

/// Drops a comment at the end of the line.
SmallVector<StringRef, 8> input::splitWords(StringRef line) {
  return takeWords(line);
}

/// Keeps the words after "# ASSAY:" with their line; other comments are dropped.
void ScriptLines::noteDirective(StringRef line) {
  if (!line.contains('#'))
    return;
  takeWords(line);
  if (!line.consume_front("#") || !(line = line.ltrim(blanks)).consume_front("ASSAY:"))
    return;
  SmallVector<Word, 8> words;
  for (StringRef word : splitWords(line))
    words.push_back(Word{word, m_line});
  m_directives.push_back(LineCursor(m_line, std::move(words)));
}

/// Skips lines without words, and joins lines that end in a backslash. The line number is that of
/// the first one with words.
std::optional<LineCursor> ScriptLines::nextLogical() {
  SmallVector<Word, 8> words;
  unsigned first = 0;
  while (std::optional<StringRef> line = nextPhysical()) {
    noteDirective(*line);
    SmallVector<StringRef, 8> parts = splitWords(*line);
    bool continues = !parts.empty() && parts.back() == "\\";
    if (continues)
      parts.pop_back();
    if (words.empty())
      first = m_line;
    for (StringRef part : parts)
      words.push_back(Word{part, m_line});
    if (!continues && !words.empty())
      return LineCursor(first, std::move(words));
  }
  if (words.empty())
    return std::nullopt;
  return LineCursor(first, std::move(words));
}
