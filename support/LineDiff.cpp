// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/LineDiff.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <vector>

using namespace llvm;
using namespace assay;

namespace {
/// A line of either text or of both: ' ', '-' or '+'.
struct Line {
  char kind;
  StringRef text;
};

/// A text with what its lines are compared by.
struct Lines {
  SmallVector<StringRef, 0> texts;
  std::vector<std::string> keys; ///< Empty: the lines themselves.

  size_t size() const { return texts.size(); }
  StringRef operator[](size_t index) const { return texts[index]; }
  StringRef key(size_t index) const { return keys.empty() ? texts[index] : StringRef(keys[index]); }
};
} // namespace

static Lines splitLines(StringRef text, LineKeys keys) {
  Lines lines;
  text.split(lines.texts, '\n');
  if (!lines.texts.empty() && lines.texts.back().empty())
    lines.texts.pop_back();
  if (keys)
    lines.keys = keys(lines.texts);
  return lines;
}

/// By the longest common subsequence of the part between common beginning and end.
static std::vector<Line> align(const Lines &a, const Lines &b) {
  size_t head = 0, tail = 0, shorter = std::min(a.size(), b.size());
  while (head < shorter && a.key(head) == b.key(head))
    ++head;
  while (tail < shorter - head && a.key(a.size() - 1 - tail) == b.key(b.size() - 1 - tail))
    ++tail;
  size_t rows = a.size() - head - tail, columns = b.size() - head - tail;
  // common[i][j]: of what follows row i and column j.
  std::vector<std::vector<uint32_t>> common(rows + 1, std::vector<uint32_t>(columns + 1));
  for (size_t i = rows; i-- > 0;)
    for (size_t j = columns; j-- > 0;)
      common[i][j] = a.key(head + i) == b.key(head + j)
                         ? common[i + 1][j + 1] + 1
                         : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<Line> lines;
  for (size_t i = 0; i < head; ++i)
    lines.push_back({' ', a[i]});
  size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && a.key(head + i) == b.key(head + j)) {
      lines.push_back({' ', a[head + i]});
      ++i, ++j;
    } else if (i < rows && (j == columns || common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back({'-', a[head + i++]});
    } else {
      lines.push_back({'+', b[head + j++]});
    }
  }
  for (size_t k = a.size() - tail; k < a.size(); ++k)
    lines.push_back({' ', a[k]});
  return lines;
}

static void printHunk(raw_ostream &os, ArrayRef<Line> lines, size_t begin, size_t end) {
  size_t start[2] = {1, 1}, count[2] = {0, 0};
  for (size_t i = 0; i < end; ++i) {
    size_t *where = i < begin ? start : count;
    where[0] += lines[i].kind != '+';
    where[1] += lines[i].kind != '-';
  }
  os << "@@ -" << start[0] << "," << count[0] << " +" << start[1] << "," << count[1] << " @@\n";
  for (size_t i = begin; i < end; ++i)
    os << lines[i].kind << lines[i].text << "\n";
}

std::string assay::diffLines(StringRef oldName, StringRef oldText, StringRef newName,
                             StringRef newText, size_t context, LineKeys keys) {
  std::vector<Line> lines = align(splitLines(oldText, keys), splitLines(newText, keys));
  std::string text;
  raw_string_ostream os(text);
  size_t i = 0;
  while (true) {
    auto isChange = [](const Line &line) { return line.kind != ' '; };
    auto first = std::find_if(lines.begin() + static_cast<ptrdiff_t>(i), lines.end(), isChange);
    if (first == lines.end())
      return text;
    size_t begin = static_cast<size_t>(first - lines.begin());
    size_t last = begin;
    for (size_t k = begin; k < lines.size() && k <= last + 2 * context + 1; ++k)
      if (isChange(lines[k]))
        last = k;
    if (text.empty())
      os << "--- " << oldName << "\n+++ " << newName << "\n";
    i = last + 1;
    printHunk(os, lines, begin > context ? begin - context : 0,
              std::min(lines.size(), last + 1 + context));
  }
}
