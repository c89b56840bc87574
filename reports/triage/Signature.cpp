// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Signature.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace assay;

/// Of a normalised message, in bytes.
static constexpr size_t maxMessage = 200;

/// Characters of names of IR values and files.
static bool isNameChar(char c) {
  return isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-';
}

// The length of the number at the front of \p text, 0 where there is none.
static size_t numberLength(StringRef text) {
  if (text.starts_with("0x"))
    return 2 + text.drop_front(2).take_while(isHexDigit).size();
  return text.take_while(isDigit).size();
}

// The length of a quoted text at the front, with its quotes; 0 for an apostrophe or an open end.
static size_t quotedLength(StringRef text, char before) {
  char quote = text.front();
  if ((quote != '\'' && quote != '"' && quote != '`') || isAlnum(before))
    return 0;
  size_t end = quote == '`' ? text.find_first_of("'`", 1) : text.find(quote, 1);
  return end == StringRef::npos ? 0 : end + 1;
}

// The folders in front of a path's last part, or 0: "/" and names, at least two of them.
static size_t foldersLength(StringRef text, char before) {
  if (text.front() != '/' || isNameChar(before) || before == '/')
    return 0;
  StringRef path = text.take_while([](char c) { return isNameChar(c) || c == '/' || c == '+'; });
  size_t last = path.rfind('/');
  return last == 0 ? 0 : last + 1;
}

namespace {
/// A prefix of a message and what it becomes; length 0: nothing is replaced.
struct Replacement {
  size_t length;
  StringRef text;
};
} // namespace

/// Returns the replacement for what varies at the start of \p text; \p before is the preceding
/// character of the result.
static Replacement replacementAt(StringRef text, char before) {
  if (size_t length = quotedLength(text, before))
    return {length, "''"};
  if (size_t length = foldersLength(text, before))
    return {length, ""};
  if ((text.front() == '%' || text.front() == '@') && text.size() > 1 && isNameChar(text[1]))
    return {1 + text.drop_front().take_while(isNameChar).size(), text.front() == '%' ? "%_" : "@_"};
  if (size_t length = numberLength(text))
    return {length, "#"};
  if (isSpace(text.front()))
    return {text.take_while(isSpace).size(), " "};
  return {0, ""};
}

/// Replaces quoted texts, names of values and numbers by placeholders, drops folders, and cuts the
/// result at about maxMessage bytes.
std::string assay::normaliseMessage(StringRef message) {
  std::string result;
  char before = ' ';
  message = message.trim();
  while (!message.empty() && result.size() < maxMessage) {
    Replacement replacement = replacementAt(message, before);
    result += replacement.length ? replacement.text : message.take_front();
    message = message.drop_front(std::max<size_t>(replacement.length, 1));
    before = result.empty() ? ' ' : result.back();
  }
  return result;
}

// Without what stands between \p open and its \p close, nested ones too.
static std::string dropBracketed(StringRef text, char open, char close) {
  std::string result;
  unsigned depth = 0;
  for (char c : text) {
    depth += c == open;
    if (!depth)
      result += c;
    depth -= c == close && depth;
  }
  return result;
}

/// Accepts mangled and demangled names.
std::string assay::normaliseFunction(StringRef function) {
  std::string name = demangle(function.trim().str());
  // Their brackets are no parameters, their angles no template arguments.
  static constexpr std::pair<StringRef, StringRef> protectedNames[] = {
      {"(anonymous namespace)::", ""},  {"operator()", "operator call"},
      {"operator<<", "operator shl"},   {"operator>>", "operator shr"},
      {"operator->", "operator arrow"}, {"operator<", "operator lt"},
      {"operator>", "operator gt"}};
  for (const auto &[from, to] : protectedNames)
    for (size_t at; (at = name.find(from.str())) != std::string::npos;)
      name.replace(at, from.size(), to.str());
  name = dropBracketed(name, '<', '>');
  name = dropBracketed(name, '[', ']'); // [clone .cold], [abi:cxx11]
  name = dropBracketed(name, '(', ')');
  StringRef rest = name;
  for (StringRef suffix : {" const", " volatile", " &&", " &"}) {
    rest = rest.rtrim();
    rest.consume_back(suffix);
  }
  rest = rest.split('.').first; // foo.isra.0, foo.cold
  // What a name begins with is after the last blank, except for that of an operator.
  size_t nameEnd = std::min(rest.find("operator "), rest.size());
  size_t blank = rest.take_front(nameEnd).rfind(' ');
  return rest.drop_front(blank == StringRef::npos ? 0 : blank + 1).str();
}

/// Functions that say where a process died but not why, by the beginning of their names.
static constexpr StringRef foreignFunctions[] = {
    "abort",
    "raise",
    "gsignal",
    "pthread_kill",
    "__pthread_kill",
    "__assert",
    "__GI_",
    "__libc_",
    "__restore_rt",
    "_start",
    "start_thread",
    "clone",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "_int_malloc",
    "_int_free",
    "operator new",
    "operator delete",
    "endAsOom",
    "onBadAlloc",
    "safe_malloc",
    "llvm::allocate_buffer",
    "llvm::SmallVectorBase",
    "llvm::BumpPtrAllocatorImpl",
    "clock_nanosleep",
    "nanosleep",
    "pthread_",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "__mem",
    "__str",
    "strlen",
    "std::",
    "__gnu_cxx::",
    "__interceptor_",
    "__asan",
    "__ubsan",
    "__sanitizer",
    "__cxa_",
    "__clang_call_terminate",
    "llvm::sys::PrintStackTrace",
    "llvm::sys::RunSignalHandlers",
    "llvm::report_",
    "llvm::llvm_unreachable_internal",
    "SignalHandler",
    "PrintStackTraceSignalHandler",
    "CrashRecoverySignalHandler",
    "assay::onFatal",
    "assay::onCrash",
    "onFatalError",
    "onCrash",
    "??",
};

/// True for functions of libraries and of error handling, which say nothing about the bug.
static bool isForeign(StringRef function) {
  return function.empty() ||
         any_of(foreignFunctions, [&](StringRef name) { return function.starts_with(name); });
}

// The function of "#N 0xADDRESS [in] FUNCTION [(MODULE+OFFSET)|FILE:LINE]"; empty for another line.
static StringRef functionOfFrame(StringRef line) {
  line = line.ltrim();
  if (!line.consume_front("#") || line.empty() || !isDigit(line.front()))
    return "";
  line = line.drop_while(isDigit).ltrim();
  if (line.starts_with("0x"))
    line = line.drop_front(2).drop_while(isHexDigit).ltrim();
  line.consume_front("in ");
  // What follows the name: a module in brackets, or a file, both after a blank and a slash.
  size_t module = line.find(" (/");
  size_t file = line.find(" /");
  size_t gdbFile = line.find(" at ");
  return line.take_front(std::min({module, file, gdbFile}));
}

/// Ends at the first line after the trace that is no frame.
std::vector<std::string> assay::stackFrames(StringRef text, unsigned maxFrames) {
  std::vector<std::string> frames;
  bool isInTrace = false;
  while (!text.empty() && frames.size() < maxFrames) {
    auto [line, rest] = text.split('\n');
    text = rest;
    StringRef function = functionOfFrame(line);
    if (function.empty()) {
      if (isInTrace && !line.ltrim().starts_with("#"))
        break;
      continue;
    }
    isInTrace = true;
    std::string name = normaliseFunction(function);
    if (!isForeign(name) && !isForeign(function))
      frames.push_back(std::move(name));
  }
  return frames;
}

namespace {
/// What is in front of a text that says why a process ended itself.
struct FatalForm {
  StringRef marker;
  bool isCondition; ///< The text is a quoted condition, which is not normalised.
};
} // namespace

/// Of several that a text has, the first in the text applies.
static constexpr FatalForm fatalForms[] = {
    {"Assertion `", true},
    {"Assertion failed: ", true},
    {"LLVM ERROR: ", false},
    {"UNREACHABLE executed", false},
    {"fatal error: ", false},
    {"runtime error: ", false},
    {"ERROR: AddressSanitizer: ", false},
    {"terminate called after", false},
};

/// Returns the first fatal error or failed assertion of the text in its normalized form; empty if
/// it has none. Of an assertion, only the condition is kept.
std::string assay::fatalText(StringRef text) {
  const FatalForm *form = nullptr;
  size_t first = StringRef::npos;
  for (const FatalForm &each : fatalForms)
    if (size_t at = text.find(each.marker); at < first) {
      first = at;
      form = &each;
    }
  if (!form)
    return "";
  StringRef line = text.drop_front(first + form->marker.size()).split('\n').first;
  if (!form->isCondition)
    return normaliseMessage((form->marker + line).str());
  size_t end = std::min(line.find("' failed"), line.find(", function"));
  return "assertion " + line.take_front(end).trim().take_front(maxMessage).str();
}

/// Returns the pass of the innermost stack-dump entry, without its parameters; empty where LLVM
/// printed none.
std::string assay::dumpedPass(StringRef text) {
  static constexpr StringRef marker = "Running pass ";
  // The last line is the innermost.
  size_t at = text.rfind(marker);
  if (at == StringRef::npos)
    return "";
  StringRef rest = text.drop_front(at + marker.size());
  char quote = rest.empty() ? ' ' : rest.front();
  if (quote != '\'' && quote != '"')
    return "";
  return rest.drop_front().split(quote).first.split('<').first.str();
}
