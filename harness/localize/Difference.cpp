// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Difference.h"

#include "support/LineDiff.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace assay;

/// Lines around each change.
static constexpr size_t context = 2;
/// diffLines takes time by the product of two texts' lines.
static constexpr size_t mostLines = 3000;

/// The texts of functions by name, in their order. Assembler text has none: all of it is called "".
static MapVector<StringRef, std::string> splitFunctions(StringRef text) {
  MapVector<StringRef, std::string> functions;
  StringRef name;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.starts_with("define "))
      name = line.split('@').second.split('(').first;
    if (!name.empty())
      functions[name] += (line + "\n").str();
    if (line == "}")
      name = "";
  }
  return functions;
}

static MapVector<StringRef, std::string> splitText(StringRef text) {
  MapVector<StringRef, std::string> functions = splitFunctions(text);
  if (functions.empty())
    functions[""] = text.str();
  return functions;
}

/// The first line of \p diff that is new, or else gone.
static std::string firstChange(StringRef diff) {
  StringRef gone;
  SmallVector<StringRef, 0> lines;
  diff.split(lines, '\n');
  for (StringRef line : ArrayRef(lines).drop_front(std::min<size_t>(2, lines.size()))) {
    if (line.consume_front("+"))
      return line.trim().str();
    if (gone.empty() && line.consume_front("-"))
      gone = line;
  }
  return gone.trim().str();
}

void assay::showDifference(StringRef before, StringRef after, Localization &result) {
  MapVector<StringRef, std::string> old = splitText(before), now = splitText(after);
  for (const auto &[name, text] : now) {
    std::string before = old.lookup(name);
    if (before == text)
      continue;
    size_t lines = std::max(StringRef(before).count('\n'), StringRef(text).count('\n'));
    if (lines > mostLines) {
      result.difference += (name + " has changed, in " + Twine(lines) + " lines\n").str();
      continue;
    }
    std::string diff = diffLines("before", before, "after", text, context);
    if (result.instruction.empty()) {
      result.instruction = firstChange(diff);
      if (!name.empty())
        result.function = name.str();
    }
    result.difference += diff;
  }
  for (const auto &[name, text] : old)
    if (!now.contains(name))
      result.difference += (name + " is gone\n").str();
}
