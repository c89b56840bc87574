// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/Schema.h"

#include "oracles/pal_elf/Conversion.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <vector>

using namespace llvm;
using namespace assay;

/// The rows of Schema.def. OLD_KEY rows are keys that later versions of PAL dropped; all of them
/// are PAL's.
static constexpr SchemaKey keys[] = {
#define KEY(STRUCT_NAME, NAME, TYPE, CHILD, LEAST, MOST, MAX, SINCE, DIALECT)                      \
  {NAME,                                                                                           \
   MAX,                                                                                            \
   LEAST,                                                                                          \
   MOST,                                                                                           \
   SINCE,                                                                                          \
   SchemaName::STRUCT_NAME,                                                                        \
   SchemaName::CHILD,                                                                              \
   SchemaType::TYPE,                                                                               \
   SchemaDialect::DIALECT},
#define OLD_KEY(STRUCT_NAME, NAME, TYPE, CHILD, LEAST, MOST, MAX, SINCE, UNTIL)                    \
  {NAME,                                                                                           \
   MAX,                                                                                            \
   LEAST,                                                                                          \
   MOST,                                                                                           \
   SINCE,                                                                                          \
   SchemaName::STRUCT_NAME,                                                                        \
   SchemaName::CHILD,                                                                              \
   SchemaType::TYPE,                                                                               \
   SchemaDialect::Pal,                                                                             \
   UNTIL},
#include "oracles/pal_elf/Schema.def"
};

ArrayRef<SchemaKey> assay::getSchemaKeys() {
  return keys;
}

namespace {
/// The rows by name, for each map.
struct KeyIndex {
  KeyIndex() {
    for (const SchemaKey &row : keys) {
      auto owner = static_cast<size_t>(row.owner);
      if (rows.size() <= owner)
        rows.resize(owner + 1);
      rows[owner].try_emplace(row.name, &row);
    }
  }
  std::vector<StringMap<const SchemaKey *>> rows;
};
} // namespace

const SchemaKey *assay::findSchemaKey(SchemaName owner, StringRef key) {
  static const KeyIndex index;
  auto number = static_cast<size_t>(owner);
  return number < index.rows.size() ? index.rows[number].lookup(key) : nullptr;
}

#define ENUMERATION(NAME, ...) static constexpr StringRef NAME##Values[] = {__VA_ARGS__};
#include "oracles/pal_elf/Schema.def"

ArrayRef<StringRef> assay::getSchemaEnum(SchemaName name) {
  static constexpr struct {
    SchemaName name;
    ArrayRef<StringRef> values;
  } enums[] = {
#define ENUMERATION(NAME, ...) {SchemaName::NAME, NAME##Values},
#include "oracles/pal_elf/Schema.def"
  };
  for (const auto &row : enums)
    if (row.name == name)
      return row.values;
  return {};
}

/// A key for a message: at most 80 characters, no control characters.
static std::string printable(StringRef key) {
  std::string text;
  raw_string_ostream os(text);
  printEscapedString(key.take_front(80), os);
  return text;
}

namespace {

/// Where the walk is, a link for each step down: becomes text only where there is a problem.
struct Place {
  const Place *above = nullptr;
  StringRef key = "";
  std::optional<size_t> index = std::nullopt;

  std::string text() const {
    std::string path = above ? above->text() : "";
    return path + (index ? "[" + std::to_string(*index) + "]" : printable(key));
  }
  /// The text of a place that is a map or in it.
  std::string mapText() const {
    std::string path = text();
    return path.empty() ? "the root" : path;
  }
};

/// Walks a metadata tree along the table and reports differences. Values that PAL converts are
/// replaced in the tree.
class SchemaChecker {
public:
  SchemaChecker(unsigned version, function_ref<void(const SchemaProblem &)> problem)
      : m_version(version), m_problem(problem) {}

  void checkMap(MsgValue &map, SchemaName owner, const Place &place);

private:
  void checkEntry(MsgValue &map, size_t index, SchemaName owner, const Place &place);
  void checkValue(MsgValue &value, const SchemaKey &row, const Place &place);
  void checkArray(MsgValue &value, const SchemaKey &row, const Place &place);
  void checkNameMap(MsgValue &map, const SchemaKey &row, const Place &place);
  void checkDuplicates(const MsgValue &map, const Place &place);
  void checkEnum(const MsgValue &value, SchemaName name, const SchemaKey &row, const Place &place);
  bool checkKind(const MsgValue &value, MsgKind kind, const SchemaKey &row, const Place &place);
  bool checkScalar(MsgValue &value, MsgKind kind, const SchemaKey &row, const Place &place);
  void tellConversion(Conversion how, const MsgValue &before, const MsgValue &after,
                      const SchemaKey &row, const Place &place);
  void checkInteger(MsgValue &value, const SchemaKey &row, const Place &place);
  /// \p text continues the sentence that begins with the path: "is 3, expected a bool".
  void report(SchemaProblemKind kind, const std::string &path, StringRef key, const Twine &text) {
    m_problem({kind, path, key.str(), ("'" + path + "' " + text).str()});
  }
  void report(SchemaProblemKind kind, const Place &place, StringRef key, const Twine &text) {
    report(kind, place.text(), key, text);
  }

  static constexpr unsigned MaxSuggestions = 100; ///< Each costs a comparison with every key.

  unsigned m_version;
  unsigned m_unknownKeys = 0;
  function_ref<void(const SchemaProblem &)> m_problem;
};

} // namespace

/// Only string and unsigned keys are compared. Other kinds are reported as KeyNotString.
void SchemaChecker::checkDuplicates(const MsgValue &map, const Place &place) {
  SmallDenseSet<StringRef, 64> strings;
  SmallSet<uint64_t, 8> numbers;
  for (size_t i = 0; i + 1 < map.items.size(); i += 2) {
    const MsgValue &key = map.items[i];
    bool isNew = true;
    if (key.kind == MsgKind::String)
      isNew = strings.insert(key.text).second;
    else if (key.kind == MsgKind::Uint)
      isNew = numbers.insert(key.bits).second;
    if (!isNew)
      report(SchemaProblemKind::Duplicate, place.mapText(),
             key.kind == MsgKind::String ? key.text : StringRef("number"),
             "has the key " + describeMsgValue(key) + " twice; the last one counts");
  }
}

/// Checks all entries of \p map against the rows of \p owner. Missing keys are no problem here.
void SchemaChecker::checkMap(MsgValue &map, SchemaName owner, const Place &place) {
  checkDuplicates(map, place);
  for (size_t i = 0; i + 1 < map.items.size(); i += 2)
    checkEntry(map, i, owner, place);
}

/// The key of \p owner that \p key, in \p map, probably is a misspelling of: edit distance 1 or 2,
/// and not there itself. Or "".
static StringRef nearestKey(SchemaName owner, StringRef key, const MsgValue &map) {
  StringRef nearest;
  unsigned best = 3;
  for (const SchemaKey &candidate : keys) {
    if (candidate.owner != owner || key.size() > 80)
      continue;
    unsigned distance = candidate.name.edit_distance(key, true, best);
    if (distance < best && !map.find(candidate.name)) {
      best = distance;
      nearest = candidate.name;
    }
  }
  return nearest;
}

/// Returns a version of the form major * 10 + minor as "2.6".
static std::string versionText(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// The entry of \p map whose key is at \p index of its items.
void SchemaChecker::checkEntry(MsgValue &map, size_t index, SchemaName owner, const Place &place) {
  const MsgValue &key = map.items[index];
  MsgValue &value = map.items[index + 1];
  if (key.kind != MsgKind::String)
    return report(SchemaProblemKind::KeyNotString, place.mapText(), "key",
                  "has the key " + describeMsgValue(key) + ", a key must be a string");
  const SchemaKey *row = findSchemaKey(owner, key.text);
  Place keyPlace{&place, key.text};
  if (!row) {
    StringRef nearest = m_unknownKeys++ < MaxSuggestions ? nearestKey(owner, key.text, map) : "";
    return report(SchemaProblemKind::UnknownKey, keyPlace, nearest,
                  nearest.empty() ? Twine("is not known to PAL")
                                  : "is not known to PAL; '" + nearest + "' is");
  }
  if (row->dialect == SchemaDialect::Lgc)
    return report(SchemaProblemKind::LgcOnlyKey, keyPlace, row->name,
                  "is written by LGC, but PAL does not know it");
  if (m_version && row->until && row->until < m_version)
    return report(SchemaProblemKind::TooOld, keyPlace, row->name,
                  "was last known to PAL in metadata version " + versionText(row->until) +
                      ", this is version " + versionText(m_version));
  unsigned version = m_version;
  if (m_version && row->since > m_version) {
    report(SchemaProblemKind::TooNew, keyPlace, row->name,
           "came with metadata version " + versionText(row->since) + ", this is version " +
               versionText(m_version));
    m_version = 0; // What is inside came with it.
  }
  checkValue(value, *row, keyPlace);
  m_version = version;
}

/// Returns true when \p value has \p kind, reports a Type problem otherwise.
bool SchemaChecker::checkKind(const MsgValue &value, MsgKind kind, const SchemaKey &row,
                              const Place &place) {
  if (value.kind == kind)
    return true;
  report(SchemaProblemKind::Type, place, row.name,
         "is " + describeMsgValue(value) + ", expected a value of type " + msgKindName(kind));
  return false;
}

/// The size of the C type of \p row, by its largest value.
static unsigned bytesOf(const SchemaKey &row) {
  if (row.type == SchemaType::Float)
    return sizeof(float);
  return row.max > UINT32_MAX ? 8 : row.max > UINT16_MAX ? 4 : row.max > UINT8_MAX ? 2 : 1;
}

/// Reports that PAL reads \p before as \p after, with the problem kind for \p how. Silent for None;
/// \p how is not Refused.
void SchemaChecker::tellConversion(Conversion how, const MsgValue &before, const MsgValue &after,
                                   const SchemaKey &row, const Place &place) {
  if (how == Conversion::None)
    return;
  static constexpr SchemaProblemKind kinds[] = {
      SchemaProblemKind::Loose, SchemaProblemKind::Converted, SchemaProblemKind::Lossy};
  report(kinds[static_cast<unsigned>(how) - static_cast<unsigned>(Conversion::Loose)], place,
         row.name,
         "is " + describeMsgValue(before) + ", expected a value of type " +
             msgKindName(after.kind) + "; PAL takes it for " + describeMsgValue(after));
}

/// Converts \p value to \p kind as PAL does and reports the conversion. Returns false when PAL
/// refuses the value. An integer may stay negative: checkInteger reports its range.
bool SchemaChecker::checkScalar(MsgValue &value, MsgKind kind, const SchemaKey &row,
                                const Place &place) {
  if (value.kind == kind)
    return true;
  MsgValue before = value;
  Conversion how = convertScalar(value, kind, bytesOf(row));
  if (how == Conversion::Refused)
    return checkKind(value, kind, row, place);
  tellConversion(how, before, value, row, place);
  return true;
}

/// Checks for an unsigned integer of at most row.max, which is the largest value of the field.
void SchemaChecker::checkInteger(MsgValue &value, const SchemaKey &row, const Place &place) {
  if (!checkScalar(value, MsgKind::Uint, row, place))
    return;
  if (value.kind == MsgKind::Int)
    return report(SchemaProblemKind::Range, place, row.name,
                  "is " + describeMsgValue(value) + ", expected 0 to " + Twine(row.max));
  if (value.bits > row.max)
    report(SchemaProblemKind::Range, place, row.name,
           "is " + Twine(value.bits) + ", the field holds at most " + Twine(row.max));
}

/// Checks for a string of enumeration \p name. There is no conversion for enumerations.
void SchemaChecker::checkEnum(const MsgValue &value, SchemaName name, const SchemaKey &row,
                              const Place &place) {
  if (checkKind(value, MsgKind::String, row, place) &&
      !is_contained(getSchemaEnum(name), value.text))
    report(SchemaProblemKind::EnumValue, place, row.name,
           "is " + describeMsgValue(value) + ", expected one of " +
               join(getSchemaEnum(name), ", "));
}

/// Checks the length and then each element by the type of \p row. Only arrays of integers are
/// converted from scalars and bytes. Paths within a pipeline begin at the pipeline, not at the
/// root.
void SchemaChecker::checkArray(MsgValue &value, const SchemaKey &row, const Place &place) {
  if (row.type == SchemaType::UintArray && value.kind != MsgKind::Array) {
    MsgValue before = value;
    Conversion how = convertArray(value, bytesOf(row));
    if (how != Conversion::Refused)
      tellConversion(how, before, value, row, place);
  }
  if (!checkKind(value, MsgKind::Array, row, place))
    return;
  size_t count = value.items.size();
  if (count < row.least || (row.most && count > row.most))
    report(SchemaProblemKind::Length, place, row.name,
           "has " + Twine(count) + " elements, expected " +
               (row.least == row.most ? "" : Twine(row.least) + " to ") + Twine(row.most));
  for (size_t i = 0; i < count; ++i) {
    Place itemPlace{&place, "", i};
    if (row.type == SchemaType::UintArray)
      checkInteger(value.items[i], row, itemPlace);
    else if (row.type == SchemaType::EnumArray)
      checkEnum(value.items[i], row.child, row, itemPlace);
    else if (checkKind(value.items[i], MsgKind::Map, row, itemPlace))
      checkMap(value.items[i], row.child,
               row.owner == SchemaName::CodeObject ? Place() : itemPlace);
  }
}

/// `.shaders` and `.hardware_stages`: the keys are an enumeration, the values all of one struct.
void SchemaChecker::checkNameMap(MsgValue &map, const SchemaKey &row, const Place &place) {
  if (!checkKind(map, MsgKind::Map, row, place))
    return;
  checkDuplicates(map, place);
  SchemaName names =
      row.child == SchemaName::Shader ? SchemaName::ShaderName : SchemaName::HardwareStageName;
  for (size_t i = 0; i + 1 < map.items.size(); i += 2) {
    const MsgValue &key = map.items[i];
    if (key.kind != MsgKind::String) {
      report(SchemaProblemKind::KeyNotString, place, row.name,
             "has the key " + describeMsgValue(key) + ", a key must be a string");
      continue;
    }
    if (!is_contained(getSchemaEnum(names), key.text)) {
      report(SchemaProblemKind::EnumValue, place, row.name,
             "has the key " + describeMsgValue(key) + ", expected one of " +
                 join(getSchemaEnum(names), ", "));
      continue;
    }
    Place itemPlace{&place, key.text};
    if (checkKind(map.items[i + 1], MsgKind::Map, row, itemPlace))
      checkMap(map.items[i + 1], row.child, itemPlace);
  }
}

/// Checks one value by the type of \p row. Opaque values are not looked at.
void SchemaChecker::checkValue(MsgValue &value, const SchemaKey &row, const Place &place) {
  switch (row.type) {
  case SchemaType::Bool:
    checkScalar(value, MsgKind::Bool, row, place);
    break;
  case SchemaType::Uint:
    checkInteger(value, row, place);
    break;
  case SchemaType::Float:
    checkScalar(value, MsgKind::Float, row, place);
    break;
  case SchemaType::String:
    if (checkScalar(value, MsgKind::String, row, place) && row.max && value.text.size() > row.max)
      report(SchemaProblemKind::StringLength, place, row.name,
             "has " + Twine(value.text.size()) + " characters, PAL has room for " + Twine(row.max));
    break;
  case SchemaType::Binary:
    checkKind(value, MsgKind::Binary, row, place);
    break;
  case SchemaType::Enum:
    checkEnum(value, row.child, row, place);
    break;
  case SchemaType::EnumArray:
  case SchemaType::UintArray:
  case SchemaType::StructArray:
    checkArray(value, row, place);
    break;
  case SchemaType::Struct:
    if (checkKind(value, MsgKind::Map, row, place))
      checkMap(value, row.child, place);
    break;
  case SchemaType::StructMap:
    checkNameMap(value, row, place);
    break;
  case SchemaType::Opaque:
    break;
  }
}

void assay::checkSchema(MsgValue &root, unsigned version,
                        function_ref<void(const SchemaProblem &)> problem) {
  SchemaChecker checker(version, problem);
  if (root.kind != MsgKind::Map)
    return problem({SchemaProblemKind::Type, "", "root",
                    "the root is " + describeMsgValue(root) + ", expected a map"});
  checker.checkMap(root, SchemaName::CodeObject, {});
}
