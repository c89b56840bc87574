// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/Escape.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace assay;

static const char replacement[] = "\xEF\xBF\xBD"; // U+FFFD

// U+FFFE and U+FFFF, which XML 1.0 excludes, are EF BF BE and EF BF BF.
static bool isForbiddenAt(StringRef text, size_t i) {
  return text.substr(i, 3) == "\xEF\xBF\xBE" || text.substr(i, 3) == "\xEF\xBF\xBF";
}

/// Line ends and tabs are kept.
std::string assay::escapeMarkup(StringRef text) {
  std::string valid = json::fixUTF8(text);
  std::string result;
  for (size_t i = 0; i < valid.size(); ++i) {
    unsigned char c = valid[i];
    if (isForbiddenAt(valid, i)) {
      result += replacement;
      i += 2;
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
      result += replacement;
    } else {
      result += static_cast<char>(c);
    }
  }
  return result;
}

/// Replaces invalid UTF-8, and writes line ends, tabs and control characters as escape sequences. A
/// backslash stays, so that the result cannot always be decoded.
std::string assay::escapeLine(StringRef text) {
  std::string result;
  for (unsigned char c : json::fixUTF8(text)) {
    if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c < 0x20 || c == 0x7f)
      result += "\\x" + utohexstr(c, /*LowerCase=*/true, 2);
    else
      result += static_cast<char>(c);
  }
  return result;
}

/// Escapes a single line: line ends become "\n" first. Leaves no character that starts markup or
/// HTML.
std::string assay::escapeMarkdown(StringRef text) {
  std::string result;
  for (char c : escapeLine(text)) {
    if (StringRef("\\`*_{}[]()#+-.!|~").contains(c))
      result += '\\';
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

/// Keeps slashes, because \p path may have several parts. All bytes that RFC 3986 does not list as
/// unreserved are percent-encoded.
std::string assay::escapeUrl(StringRef path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string url;
  for (unsigned char c : path) {
    if (isAlnum(static_cast<char>(c)) || StringRef("-_.~/").contains(static_cast<char>(c))) {
      url += static_cast<char>(c);
      continue;
    }
    url += '%';
    url += digits[c >> 4];
    url += digits[c & 15];
  }
  return url;
}
