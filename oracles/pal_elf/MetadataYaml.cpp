// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/MetadataYaml.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;
using namespace assay;

static constexpr unsigned ValueColumn = 17; ///< After a key, where LLVM's printer puts scalars.

/// Returns \p text as a YAML scalar, quoted where YAML needs it.
static std::string quote(StringRef text) {
  switch (yaml::needsQuotes(text)) {
  case yaml::QuotingType::None:
    return text.str();
  case yaml::QuotingType::Double:
    return "\"" + yaml::escape(text, /*EscapePrintable=*/true) + "\"";
  case yaml::QuotingType::Single:
    break;
  }
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

/// True for text that LLVM's reader of scalars would not take for a string.
static bool looksLikeOther(StringRef text) {
  uint64_t natural = 0;
  int64_t integer = 0;
  double number = 0;
  return text.empty() || text == "true" || text == "false" || !text.getAsInteger(0, natural) ||
         !text.getAsInteger(0, integer) || to_float(text, number);
}

/// The shortest text that is the same number again, and no integer.
static std::string printFloat(double value) {
  if (std::isnan(value))
    return "nan";
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    text.clear();
    raw_string_ostream(text) << format("%.*g", digits, value);
    double again = 0;
    if (to_float(text, again) && again == value)
      break;
  }
  return StringRef(text).find_first_of(".einf") == StringRef::npos ? text + ".0" : text;
}

/// YAML's tag for bytes, which LLVM's assembler does not read.
static std::string printBinary(StringRef bytes) {
  return "!!binary '" + encodeBase64(bytes) + "'";
}

/// \p value, no container with something in it.
static std::string printScalar(const MsgValue &value) {
  switch (value.kind) {
  case MsgKind::Nil:
    return "!nil ''";
  case MsgKind::Bool:
    return value.bits ? "true" : "false";
  case MsgKind::Uint:
    return value.bits ? "0x" + utohexstr(value.bits, /*LowerCase=*/true) : "0";
  case MsgKind::Int:
    return std::to_string(static_cast<int64_t>(value.bits));
  case MsgKind::Float:
    return printFloat(value.number);
  case MsgKind::String:
    return (looksLikeOther(value.text) ? "!str " : "") + quote(value.text);
  case MsgKind::Binary:
  case MsgKind::Extension:
    return printBinary(value.text);
  case MsgKind::Array:
    return "[]";
  case MsgKind::Map:
    return "{}";
  }
  llvm_unreachable("a kind of value that does not exist");
}

/// Returns a key of a map as YAML text. Arrays and maps are only described: the assembler's YAML
/// has no such keys.
static std::string printKey(const MsgValue &key) {
  if (key.kind == MsgKind::String)
    return quote(key.text);
  bool isContainer = key.kind == MsgKind::Array || key.kind == MsgKind::Map;
  return isContainer ? quote(describeMsgValue(key)) : printScalar(key);
}

/// Returns true for containers that need lines of their own. Empty ones are printed as scalars.
static bool isBlock(const MsgValue &value) {
  return (value.kind == MsgKind::Array || value.kind == MsgKind::Map) && !value.items.empty();
}

namespace {
/// Prints blocks; a block begins where the cursor is when it is the first thing of an item.
class YamlPrinter {
public:
  explicit YamlPrinter(raw_ostream &os) : m_os(os) {}

  /// Prints the entries of a non-empty container. \p indent is in spaces; \p isInline: the cursor
  /// is already there, so the first line is not indented.
  void printBlock(const MsgValue &value, unsigned indent, bool isInline) {
    if (value.kind == MsgKind::Map)
      printMap(value, indent, isInline);
    else
      printArray(value, indent, isInline);
  }

private:
  /// \p isInline says that the first key is after the dash of an array, which has the indentation
  /// already.
  void printMap(const MsgValue &map, unsigned indent, bool isInline) {
    for (size_t i = 0; i + 1 < map.items.size(); i += 2) {
      if (i != 0 || !isInline)
        m_os.indent(indent);
      std::string key = printKey(map.items[i]);
      const MsgValue &value = map.items[i + 1];
      m_os << key << ":";
      if (isBlock(value)) {
        m_os << "\n";
        printBlock(value, indent + 2, /*isInline=*/false);
        continue;
      }
      size_t used = key.size() + 1;
      m_os.indent(used < ValueColumn ? static_cast<unsigned>(ValueColumn - used) : 1);
      m_os << printScalar(value) << "\n";
    }
  }

  /// \p isInline as in printMap().
  void printArray(const MsgValue &array, unsigned indent, bool isInline) {
    for (size_t i = 0; i < array.items.size(); ++i) {
      if (i != 0 || !isInline)
        m_os.indent(indent);
      m_os << "- ";
      if (isBlock(array.items[i]))
        printBlock(array.items[i], indent + 2, /*isInline=*/true);
      else
        m_os << printScalar(array.items[i]) << "\n";
    }
  }

  raw_ostream &m_os;
};
} // namespace

/// Writes one document with its marks.
void assay::printMetadataYaml(const MsgValue &root, raw_ostream &os) {
  os << "---\n";
  if (isBlock(root))
    YamlPrinter(os).printBlock(root, 0, /*isInline=*/false);
  else
    os << printScalar(root) << "\n";
  os << "...\n";
}
