// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ShellQuote.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

std::string assay::quoteForShell(StringRef word) {
  auto isPlain = [](char c) { return isAlnum(c) || StringRef("_-./,:=@%+{}").contains(c); };
  if (!word.empty() && all_of(word, isPlain))
    return word.str();
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}
