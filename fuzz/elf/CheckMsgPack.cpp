// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/elf/CheckMsgPack.h"

#include "fuzz/elf/MetadataMutation.h"
#include "oracles/pal_elf/MetadataYaml.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// Containers in containers that the reader lets pass.
static constexpr unsigned MostLevels = 8;
/// LLVM's reader of YAML takes no longer text for a key.
static constexpr size_t LongestKey = 256;

bool fuzz::areEqual(const MsgValue &a, const MsgValue &b) {
  return a.kind == b.kind && a.bits == b.bits && a.text == b.text &&
         bit_cast<uint64_t>(a.number) == bit_cast<uint64_t>(b.number) &&
         all_of_zip(a.items, b.items, areEqual);
}

/// Returns the nesting depth in arrays and maps; 0 for a scalar.
static unsigned countLevels(const MsgValue &value) {
  unsigned most = 0;
  for (const MsgValue &item : value.items)
    most = std::max(most, countLevels(item));
  return most + (value.kind == MsgKind::Array || value.kind == MsgKind::Map);
}

/// Returns the number of values in the tree, the root and map keys included.
static size_t countValues(const MsgValue &value) {
  size_t count = 1;
  for (const MsgValue &item : value.items)
    count += countValues(item);
  return count;
}

/// True if every string of the tree refers to memory within the bytes; the reader does not copy
/// text.
static bool isInside(const MsgValue &value, ArrayRef<uint8_t> bytes) {
  bool isText = value.text.empty() || (value.text.bytes_begin() >= bytes.begin() &&
                                       value.text.bytes_end() <= bytes.end());
  return isText && all_of(value.items, [&](const MsgValue &item) { return isInside(item, bytes); });
}

/// True if the reader accepts the bytes; the value and the error are discarded.
static bool reads(ArrayRef<uint8_t> bytes) {
  Expected<MsgValue> value = readMsgPack(bytes);
  if (value)
    return true;
  consumeError(value.takeError());
  return false;
}

/// Returns what is wrong when the tree is written and read again; empty if the result is equal.
static std::string checkRewriting(const MsgValue &value) {
  Bytes bytes = writeMsgPack(value);
  Expected<MsgValue> again = readMsgPack(bytes);
  if (!again)
    return "MSGPACK-WRITE: what was written does not read: " + takeError(again.takeError()).message;
  return areEqual(value, *again) ? "" : "MSGPACK-WRITE: written and read, it is another tree";
}

/// True for what both msgpack and the assembler's YAML can say, and LLVM's document can hold: names
/// and numbers as keys, each once.
static bool isPlain(const MsgValue &value) {
  static constexpr MsgKind Plain[] = {MsgKind::Nil,    MsgKind::Bool,  MsgKind::Uint, MsgKind::Int,
                                      MsgKind::String, MsgKind::Array, MsgKind::Map};
  // LLVM writes floats in 32 bits, wherever they are in reach of that.
  auto single = static_cast<float>(value.number);
  bool isFloat = value.kind == MsgKind::Float && static_cast<double>(single) == value.number;
  if (!isFloat && !is_contained(Plain, value.kind))
    return false;
  if (value.kind == MsgKind::String && !all_of(value.text, isPrint))
    return false;
  if (value.kind == MsgKind::Map)
    for (size_t i = 0; i + 1 < value.items.size(); i += 2)
      if (value.items[i].kind != MsgKind::String || value.items[i].text.size() > LongestKey ||
          value.find(value.items[i].text) != &value.items[i + 1])
        return false;
  return all_of(value.items, isPlain);
}

/// \p value with the entries of its maps by key, as LLVM's document has them.
static MsgValue sortMaps(const MsgValue &value) {
  MsgValue result = value;
  result.items.clear();
  if (value.kind != MsgKind::Map) {
    for (const MsgValue &item : value.items)
      result.items.push_back(sortMaps(item));
    return result;
  }
  std::map<StringRef, const MsgValue *> entries;
  for (size_t i = 0; i + 1 < value.items.size(); i += 2)
    entries.emplace(value.items[i].text, &value.items[i + 1]);
  for (const auto &[key, item] : entries) {
    result.items.push_back(MsgValue::makeString(key));
    result.items.push_back(sortMaps(*item));
  }
  return result;
}

/// What LLVM's assembler would make of \p yaml.
static std::string checkYaml(const MsgValue &value, const std::string &yaml) {
  msgpack::Document document;
  if (!document.fromYAML(yaml))
    return "MSGPACK-YAML: LLVM does not read\n" + yaml;
  std::string blob;
  document.writeToBlob(blob);
  Expected<MsgValue> again = readMsgPack(arrayRefFromStringRef(blob));
  if (!again)
    return "MSGPACK-YAML: what LLVM writes does not read: " + takeError(again.takeError()).message;
  return areEqual(sortMaps(value), sortMaps(*again))
             ? ""
             : "MSGPACK-YAML: LLVM reads another tree\n" + yaml;
}

/// Checks the limits of a tree that was read from the bytes: depth, number of values, location of
/// the text, and that it no longer reads with one byte removed or appended. Empty: all hold.
static std::string checkBounds(const MsgValue &value, ArrayRef<uint8_t> bytes) {
  if (countLevels(value) > MostLevels)
    return "MSGPACK-LIMIT: nested deeper than it may be";
  if (countValues(value) > bytes.size())
    return "MSGPACK-LIMIT: more values than bytes";
  if (!isInside(value, bytes))
    return "MSGPACK-LIMIT: text from outside of the bytes";
  std::vector<uint8_t> longer = bytes.vec();
  longer.push_back(0xc0);
  if (reads(bytes.drop_back()) || reads(longer))
    return "MSGPACK-LIMIT: it still reads with a byte less or more";
  return "";
}

/// A refusal is good if it is InvalidInput and has a message of more than ten characters.
std::string fuzz::checkMsgPack(ArrayRef<uint8_t> bytes) {
  Expected<MsgValue> value = readMsgPack(bytes);
  if (!value) {
    ErrorParts parts = takeError(value.takeError());
    bool isGood = parts.kind == ErrorKind::InvalidInput && parts.message.size() > 10;
    return isGood ? "" : "MSGPACK-REFUSAL: '" + parts.message + "' is no reason";
  }
  for (std::string wrong : {checkBounds(*value, bytes), checkRewriting(*value)})
    if (!wrong.empty())
      return wrong;
  std::string yaml;
  raw_string_ostream os(yaml);
  printMetadataYaml(*value, os);
  // Of a document that is a scalar, LLVM's parser takes the "..." after it for a part.
  return value->kind == MsgKind::Map && isPlain(*value) ? checkYaml(*value, yaml) : "";
}
