// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Difference.h"

#include "compiler/frontend/Frontend.h"
#include "harness/localize/Operations.h"
#include "support/LineDiff.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Text by name.
using Functions = MapVector<StringRef, std::string>;

/// Lines around each change.
static constexpr size_t context = 2;
/// diffLines takes time by the product of two texts' lines.
static constexpr size_t mostLines = 3000;

/// The texts of functions by name, in their order. Assembler text has none: all of it is called "".
static Functions splitFunctions(StringRef text) {
  Functions functions;
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

/// As splitFunctions(), with all text under the empty name where there is no function.
static Functions splitText(StringRef text) {
  Functions functions = splitFunctions(text);
  if (functions.empty())
    functions[""] = text.str();
  return functions;
}

/// Lines of IR by which values without a name are compared: how far back the value was made, not
/// its number, which changes with all that is before it.
static std::vector<std::string> relativeNumbers(ArrayRef<StringRef> lines) {
  std::vector<std::string> keys;
  uint64_t last = 0; ///< The last value, or block, without a name.
  for (StringRef line : lines) {
    std::string key;
    StringRef rest = line.split("; preds = ").first;
    if (uint64_t label; !rest.trim().empty() && !rest.split(':').first.getAsInteger(10, label)) {
      last = label;
      rest = rest.split(':').second;
    }
    for (size_t at; (at = rest.find('%')) != StringRef::npos;) {
      key += rest.take_front(at + 1);
      rest = rest.drop_front(at + 1);
      uint64_t number;
      if (!rest.empty() && isDigit(rest.front()) && !rest.consumeInteger(10, number)) {
        if (rest.starts_with(" = "))
          last = number;
        key += "-" + std::to_string(int64_t(last - number));
      }
    }
    keys.push_back(key + rest.str());
  }
  return keys;
}

/// The lines of \p diff that begin with \p sign, without it.
static std::vector<std::string> linesWith(char sign, StringRef diff) {
  SmallVector<StringRef, 0> lines;
  diff.split(lines, '\n');
  std::vector<std::string> found;
  constexpr size_t HeaderLines = 2;
  for (StringRef line : ArrayRef(lines).drop_front(std::min(HeaderLines, lines.size())))
    if (line.starts_with(StringRef(&sign, 1)))
      found.push_back(line.drop_front().trim().str());
  return found;
}

/// The name in \p old of the function that is called \p name in \p now: another one where it is the
/// only new one, and only one is gone. Empty where it has none.
static StringRef findOldName(const Functions &old, const Functions &now, StringRef name) {
  if (old.contains(name))
    return name;
  SmallVector<StringRef, 2> gone, fresh;
  for (const auto &[each, text] : old)
    if (!now.contains(each))
      gone.push_back(each);
  for (const auto &[each, text] : now)
    if (!old.contains(each))
      fresh.push_back(each);
  return gone.size() == 1 && fresh.size() == 1 ? gone.front() : StringRef();
}

std::vector<std::string> assay::showDifference(StringRef before, StringRef after,
                                               Localization &result) {
  std::vector<std::string> added;
  Functions old = splitText(before), now = splitText(after);
  SmallVector<StringRef, 4> kept;
  for (const auto &[name, text] : now) {
    StringRef oldName = kept.emplace_back(findOldName(old, now, name));
    std::string before = old.lookup(oldName);
    if (before == text)
      continue;
    size_t lines = std::max(StringRef(before).count('\n'), StringRef(text).count('\n'));
    if (lines > mostLines) {
      result.difference += (name + " has changed, in " + Twine(lines) + " lines\n").str();
      continue;
    }
    std::string diff = diffLines("before", before, "after", text, context, relativeNumbers);
    std::vector<std::string> fresh = linesWith('+', diff), gone = linesWith('-', diff);
    if (result.instruction.empty() && !(fresh.empty() && gone.empty())) {
      result.instruction = fresh.empty() ? gone.front() : fresh.front();
      if (!name.empty())
        result.function = name.str();
    }
    append_range(added, fresh);
    result.difference += diff;
  }
  for (const auto &[name, text] : old)
    if (!is_contained(kept, name))
      result.difference += (name + " is gone\n").str();
  return added;
}

/// "i32", "v4f16", "p8", "sl_v4i32s": parts that intrinsics have after their names.
static bool isTypeName(StringRef part) {
  return part.size() > 1 && (StringRef("ifvp").contains(part.front()) || part.starts_with("sl_")) &&
         any_of(part, isDigit);
}

/// Opcodes after which, and after flags, a word says what they do.
static constexpr StringLiteral kindsAfterOpcode[] = {"atomicrmw", "icmp", "fcmp"};

/// Of " volatile umin ptr ..." the kind.
static std::string nameKind(StringRef rest) {
  static constexpr StringLiteral flags[] = {"volatile", "samesign", "elementwise", "fast",
                                            "nnan",     "ninf",     "nsz",         "arcp",
                                            "contract", "afn",      "reassoc"};
  StringRef word;
  do {
    std::tie(word, rest) = rest.ltrim().split(' ');
  } while (is_contained(flags, word));
  return word.str();
}

std::string assay::operationOf(StringRef line) {
  line = line.trim();
  if (line.consume_front(
          "pc ")) { // The family of a mnemonic: "buffer_store" of "buffer_store_b32".
    StringRef mnemonic = line.split(": ").second.split(' ').first;
    auto [unit, rest] = mnemonic.split('_');
    return rest.empty() ? unit.str() : (unit + "_" + rest.split('_').first).str();
  }
  if (line.starts_with("%"))
    line = line.split(" = ").second;
  StringRef opcode = line.split(' ').first;
  if (is_contained(kindsAfterOpcode, opcode))
    return (opcode + " " + nameKind(line.drop_front(opcode.size()))).str();
  bool isCall = opcode == "call" || line.starts_with("tail call");
  if (!isCall || !line.contains('@'))
    return opcode.str();
  StringRef callee = line.split('@').second.split('(').first;
  while (isTypeName(callee.rsplit('.').second))
    callee = callee.rsplit('.').first;
  return callee.str();
}

/// Of a load in IR what makes compilers do it in a way of its own.
static StringRef nameLoad(StringRef line, StringRef wrong) {
  if (line.contains("= load ptr") || line.contains("= load volatile ptr"))
    return "load pointer";
  if (wrong == "part")
    return "load part";
  return line.contains("!invariant.load") ? "load invariant" : "load";
}

/// Of "... @lgc.read.built.in.i32(i32 4)", as probes of SPIR-V have it. Components of a built-in
/// come from different places.
static std::string nameBuiltIn(StringRef line, StringRef wrong) {
  unsigned number = 0;
  StringRef operand = line.rsplit('(').second;
  std::optional<spv::BuiltIn> builtIn;
  if (operand.consume_front("i32 ") && !operand.consumeInteger(10, number))
    builtIn = spirvBuiltIn(static_cast<BuiltIn>(number));
  return builtIn ? describeLoad(*builtIn) + (wrong == "part" ? " component" : "")
                 : operationOf(line);
}

/// Of "... @lgc.image.load.v4i32(..., i32 1)", whose last operand is the level: most are of the
/// first alone.
static std::string nameImageLoad(StringRef line) {
  StringRef level = line.rsplit(')').first.rsplit(", ").second;
  return operationOf(line) + (level == "i32 0" ? "" : " level");
}

bool assay::readsBuiltIn(StringRef line) {
  return operationOf(line) == "lgc.read.built.in";
}

std::string assay::operationOf(StringRef line, StringRef wrong) {
  if (readsBuiltIn(line))
    return nameBuiltIn(line, wrong);
  if (wrong == "order")
    return "order of accesses";
  if (wrong.starts_with("access") && line.contains(" volatile "))
    return "volatile access";
  if (wrong.consume_back(" by exchange"))
    return wrong == "stored" || wrong == "width" ? "exchange value" : "exchange lost";
  std::string operation = operationOf(line);
  if (operation == "lgc.image.load")
    return nameImageLoad(line);
  if (operation == "load")
    return nameLoad(line, wrong).str();
  if (operation == "getelementptr")
    return "pointer arithmetic";
  return wrong == "width" || wrong == "address" ? (operation + " " + wrong).str() : operation;
}
