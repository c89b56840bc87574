// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A script as lines of words: comments dropped, continued lines joined, line numbers kept. Both
// script languages are read through it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::input {

struct Word {
  llvm::StringRef text;
  unsigned line = 0;
};

/// InvalidInput with "line N: " before \p message.
llvm::Error errorAt(unsigned line, const llvm::Twine &message);
/// Puts "line N: " before the message of \p error.
llvm::Error atLine(unsigned line, llvm::Error error);

/// One logical line, read word by word. Every reader says what it expects in its error.
class LineCursor {
public:
  LineCursor() = default;
  LineCursor(unsigned line, llvm::SmallVector<Word, 8> words)
      : m_line(line), m_words(std::move(words)) {}

  /// The line on which the statement begins.
  unsigned line() const { return m_line; }
  bool atEnd() const { return m_next == m_words.size(); }
  size_t left() const { return m_words.size() - m_next; }
  /// The next word, or an empty one at the end.
  llvm::StringRef peek() const { return atEnd() ? llvm::StringRef() : m_words[m_next].text; }
  /// Steps over \p keyword if it is next.
  bool tryWord(llvm::StringRef keyword);
  /// The next word; \p what is named in the error at the end of the line.
  llvm::Expected<llvm::StringRef> word(const llvm::Twine &what);
  /// The next word as a file name, without its quotation marks; \ escapes a character in them.
  llvm::Expected<std::string> fileName();
  llvm::Error expect(llvm::StringRef keyword);
  llvm::Expected<uint64_t> number(llvm::StringRef what, uint64_t max);
  /// InvalidInput when words are left over.
  llvm::Error expectEnd() const;
  void skipRest() { m_next = m_words.size(); }
  /// The line's words joined by one space.
  std::string text() const;
  /// Takes the words that are left, joined by one space.
  std::string rest();
  llvm::Error error(const llvm::Twine &message) const { return errorAt(m_line, message); }

private:
  unsigned m_line = 0;
  llvm::SmallVector<Word, 8> m_words;
  size_t m_next = 0;
};

/// The words of one physical line up to a comment. A word that begins with a quotation mark ends
/// with the next one.
llvm::SmallVector<llvm::StringRef, 8> splitWords(llvm::StringRef line);

/// Physical lines of a text, and logical lines made of them. The text must outlive it.
class ScriptLines {
public:
  explicit ScriptLines(llvm::StringRef text) : m_rest(text) {}

  /// The next physical line without its end; nothing at the end of the text.
  std::optional<llvm::StringRef> nextPhysical();
  /// The physical line that comes next, not taken.
  std::optional<llvm::StringRef> peekPhysical() const;
  /// The next line with words on it; nothing at the end of the text.
  std::optional<LineCursor> nextLogical();
  /// Number of the physical line read last, from 1.
  unsigned line() const { return m_line; }

  /// Keeps the directive in \p line's comment: what is after "# ASSAY:". Lines that
  /// nextLogical() takes are looked at already; lines of shaders must not be.
  void noteDirective(llvm::StringRef line);
  /// The directives met so far, in order.
  llvm::MutableArrayRef<LineCursor> directives() { return m_directives; }

private:
  llvm::StringRef m_rest;
  unsigned m_line = 0;
  std::vector<LineCursor> m_directives;
};

} // namespace assay::input
