// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hostile text - names and messages out of inputs - made safe for where it is written.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace assay {

/// \p text as UTF-8 for element content and quoted attributes of XML 1.0 and HTML: the five special
/// characters as entities, what XML forbids (control characters, broken UTF-8) as U+FFFD.
std::string escapeMarkup(llvm::StringRef text);

/// \p text on one line of a terminal: line ends, tabs and control characters as \n, \t, \xNN;
/// broken UTF-8 as U+FFFD.
std::string escapeLine(llvm::StringRef text);

/// \p text in a cell of a Markdown table: one line, with what Markdown and HTML read escaped.
std::string escapeMarkdown(llvm::StringRef text);

/// \p path as a relative URL; every other byte than the plain ones of a path is percent-encoded.
std::string escapeUrl(llvm::StringRef path);

} // namespace assay
