// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/CommandWords.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// The first "{name}" of \p word that is not in \p known; empty when there is none.
static StringRef findUnknown(StringRef word, ArrayRef<StringLiteral> known) {
  for (size_t at = word.find('{'); at != StringRef::npos; at = word.find('{', at + 1)) {
    StringRef name = word.substr(at + 1).take_while([](char c) { return isAlpha(c) || c == '_'; });
    StringRef whole = word.substr(at, name.size() + 2);
    bool isShells = at > 0 && word[at - 1] == '$';
    if (!isShells && !name.empty() && whole.ends_with("}") && !is_contained(known, whole))
      return whole;
  }
  return "";
}

/// Returns InvalidInput for an empty command, for unknown placeholders, and for a command without
/// an output file.
/// Words with blanks, such as shell scripts, are not searched for unknown ones.
Error assay::verifyCommandWords(ArrayRef<std::string> words, ArrayRef<StringLiteral> known) {
  if (words.empty())
    return invalidInput("a command is missing after --");
  std::string names = join(known, " ");
  bool hasOut = false;
  for (StringRef word : words) {
    hasOut |= word.contains(placeholder::Out);
    if (word.find_first_of(" \t\r\n") != StringRef::npos)
      continue;
    if (StringRef unknown = findUnknown(word, known); !unknown.empty())
      return invalidInput("the command after -- has " + unknown + "; known are " + names);
  }
  if (!hasOut)
    return invalidInput("the command after -- has no " + placeholder::Out +
                        ", the file that it shall write; known are " + names);
  return Error::success();
}
