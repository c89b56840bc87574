// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/DataTypes.h"

#include "support/Error.h"
#include "llvm/ADT/Twine.h"
#include <cctype>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {
struct ScalarName {
  StringRef name;
  ScalarKind kind;
};
} // namespace

static constexpr ScalarName amberScalars[] = {
    {"int8", ScalarKind::Int8},       {"int16", ScalarKind::Int16},
    {"int32", ScalarKind::Int32},     {"int64", ScalarKind::Int64},
    {"uint8", ScalarKind::Uint8},     {"uint16", ScalarKind::Uint16},
    {"uint32", ScalarKind::Uint32},   {"uint64", ScalarKind::Uint64},
    {"float16", ScalarKind::Float16}, {"float", ScalarKind::Float32},
    {"double", ScalarKind::Float64}};

static constexpr ScalarName vkScalars[] = {
    {"int", ScalarKind::Int32},         {"uint", ScalarKind::Uint32},
    {"int8_t", ScalarKind::Int8},       {"uint8_t", ScalarKind::Uint8},
    {"int16_t", ScalarKind::Int16},     {"uint16_t", ScalarKind::Uint16},
    {"int64_t", ScalarKind::Int64},     {"uint64_t", ScalarKind::Uint64},
    {"float16_t", ScalarKind::Float16}, {"float", ScalarKind::Float32},
    {"double", ScalarKind::Float64}};

// What stands before "vec" and "mat".
static constexpr ScalarName vkPrefixes[] = {
    {"i8", ScalarKind::Int8},     {"u8", ScalarKind::Uint8},  {"i16", ScalarKind::Int16},
    {"u16", ScalarKind::Uint16},  {"i64", ScalarKind::Int64}, {"u64", ScalarKind::Uint64},
    {"f16", ScalarKind::Float16}, {"i", ScalarKind::Int32},   {"u", ScalarKind::Uint32},
    {"d", ScalarKind::Float64},   {"", ScalarKind::Float32}};

static std::optional<ScalarKind> lookUp(ArrayRef<ScalarName> table, StringRef name) {
  for (const ScalarName &row : table)
    if (row.name == name)
      return row.kind;
  return std::nullopt;
}

/// "vec3" -> 1 x 3, "mat2x3" -> 2 columns x 3 rows, "mat2" -> 2 x 2.
static bool parseShape(StringRef text, bool squareAllowed, DataType &type) {
  auto digit = [](char c) { return c >= '2' && c <= '4' ? unsigned(c - '0') : 0u; };
  if (text.consume_front("vec"))
    return text.size() == 1 && (type.rows = digit(text[0])) != 0;
  if (!text.consume_front("mat"))
    return false;
  if (text.size() == 1 && squareAllowed)
    return (type.rows = type.columns = digit(text[0])) != 0;
  return text.size() == 3 && text[1] == 'x' && (type.columns = digit(text[0])) != 0 &&
         (type.rows = digit(text[2])) != 0;
}

/// Formats of one, two or four equal components in the order RGBA, as plain integers or floats:
/// they lie in memory as the vector does. Three components would have another stride.
static std::optional<DataType> parsePlainFormat(StringRef name) {
  static constexpr StringRef order = "RGBA";
  auto [channels, encoding] = name.split('_');
  unsigned bits = 0;
  unsigned count = 0;
  while (!channels.empty()) {
    unsigned width = 0;
    if (count == order.size() || !channels.consume_front(order.substr(count, 1)) ||
        channels.consumeInteger(10, width) || (count > 0 && width != bits))
      return std::nullopt;
    bits = width;
    ++count;
  }
  if (count == 0 || count == 3)
    return std::nullopt;
  for (const ScalarName &row : amberScalars) {
    ScalarKind kind = row.kind;
    StringRef wanted = kind >= ScalarKind::Float16 ? "SFLOAT"
                       : kind >= ScalarKind::Uint8 ? "UINT"
                                                   : "SINT";
    if (wanted == encoding && scalarBytes(kind) * 8 == bits)
      return DataType{kind, count, 1};
  }
  return std::nullopt;
}

std::optional<DataType> input::parseAmberType(StringRef name) {
  DataType type;
  StringRef scalar = name;
  if (scalar.consume_back(">")) {
    auto [shape, inner] = scalar.split('<');
    if (!parseShape(shape, false, type))
      return std::nullopt;
    scalar = inner;
  }
  std::optional<ScalarKind> kind = lookUp(amberScalars, scalar);
  if (!kind)
    return parsePlainFormat(name);
  type.scalar = *kind;
  return type;
}

bool input::isForeignAmberType(StringRef name) {
  if (name.ends_with("]") && name.contains('['))
    return true;
  // R8G8B8A8_UNORM, D32_SFLOAT_S8_UINT, A2B10G10R10_UINT_PACK32 ...
  bool shape = name.size() > 3 && name.contains('_') && all_of(name, [](unsigned char c) {
                 return std::isupper(c) || std::isdigit(c) || c == '_';
               });
  return shape && StringRef("RGBADXS").contains(name[0]) &&
         any_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::optional<DataType> input::parseVkScriptType(StringRef name) {
  DataType type;
  if (std::optional<ScalarKind> kind = lookUp(vkScalars, name)) {
    type.scalar = *kind;
    return type;
  }
  for (const ScalarName &prefix : vkPrefixes) {
    StringRef shape = name;
    bool isMatrixOfInts = prefix.kind < ScalarKind::Float16 && name.contains("mat");
    if (shape.consume_front(prefix.name) && !isMatrixOfInts && parseShape(shape, true, type)) {
      type.scalar = prefix.kind;
      return type;
    }
  }
  return std::nullopt;
}

unsigned input::componentsOf(const DataFormat &format) {
  return format.rows * format.columns;
}

uint64_t input::valueOffset(const DataFormat &format, uint64_t index) {
  unsigned components = componentsOf(format);
  unsigned component = index % components;
  return index / components * format.stride +
         format.componentOffset(component / format.rows, component % format.rows);
}

uint64_t input::valuesExtent(const DataFormat &format, uint64_t count) {
  return count == 0 ? 0 : valueOffset(format, count - 1) + scalarBytes(format.scalar);
}

std::optional<uint64_t> input::arrayBytes(const DataFormat &format, uint64_t elements) {
  if (elements > ~0ull / format.stride)
    return std::nullopt;
  return elements * format.stride;
}

Expected<std::vector<Tolerance>> input::spreadTolerances(ArrayRef<Tolerance> written,
                                                         const DataFormat &format) {
  if (written.size() <= 1)
    return written.vec();
  if (written.size() < format.rows)
    return invalidInput(Twine(written.size()) + " tolerances for " + Twine(format.rows) +
                        " components: one or at least as many as components are needed");
  std::vector<Tolerance> result;
  for (unsigned column = 0; column < format.columns; ++column)
    result.insert(result.end(), written.begin(), written.begin() + format.rows);
  return result;
}
