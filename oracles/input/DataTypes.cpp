// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/DataTypes.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {
/// The name of a scalar type in one of the script languages.
struct ScalarName {
  StringRef name;
  ScalarKind kind;
};
} // namespace

/// All scalar types of AmberScript; each ScalarKind has one row.
static constexpr ScalarName amberScalars[] = {
    {"int8", ScalarKind::Int8},       {"int16", ScalarKind::Int16},
    {"int32", ScalarKind::Int32},     {"int64", ScalarKind::Int64},
    {"uint8", ScalarKind::Uint8},     {"uint16", ScalarKind::Uint16},
    {"uint32", ScalarKind::Uint32},   {"uint64", ScalarKind::Uint64},
    {"float16", ScalarKind::Float16}, {"float", ScalarKind::Float32},
    {"double", ScalarKind::Float64}};

/// The scalar types of VkScript. No name is a synonym of another.
static constexpr ScalarName vkScalars[] = {
    {"int", ScalarKind::Int32},         {"uint", ScalarKind::Uint32},
    {"int8_t", ScalarKind::Int8},       {"uint8_t", ScalarKind::Uint8},
    {"int16_t", ScalarKind::Int16},     {"uint16_t", ScalarKind::Uint16},
    {"int64_t", ScalarKind::Int64},     {"uint64_t", ScalarKind::Uint64},
    {"float16_t", ScalarKind::Float16}, {"float", ScalarKind::Float32},
    {"double", ScalarKind::Float64}};

/// What is before "vec" and "mat".
static constexpr ScalarName vkPrefixes[] = {
    {"i8", ScalarKind::Int8},     {"u8", ScalarKind::Uint8},  {"i16", ScalarKind::Int16},
    {"u16", ScalarKind::Uint16},  {"i64", ScalarKind::Int64}, {"u64", ScalarKind::Uint64},
    {"f16", ScalarKind::Float16}, {"i", ScalarKind::Int32},   {"u", ScalarKind::Uint32},
    {"d", ScalarKind::Float64},   {"", ScalarKind::Float32}};

/// Returns the scalar called \p name; matches whole names only.
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

/// Every kind has a name.
StringRef input::amberScalarName(ScalarKind kind) {
  return find_if(amberScalars, [&](const ScalarName &row) { return row.kind == kind; })->name;
}

/// Accepts a scalar, "vec3<int32>" and the like, each with "[]" after it. Nothing for other words.
std::optional<DataType> input::parseAmberType(StringRef name) {
  DataType type;
  StringRef scalar = name;
  type.isArray = scalar.consume_back("[]");
  if (scalar.consume_back(">")) {
    auto [shape, inner] = scalar.split('<');
    if (!parseShape(shape, false, type))
      return std::nullopt;
    scalar = inner;
  }
  std::optional<ScalarKind> kind = lookUp(amberScalars, scalar);
  if (!kind)
    return std::nullopt;
  type.scalar = *kind;
  return type;
}

/// The scalar of \p bits that holds a component as it is stored.
static ScalarKind storedScalar(TexelNumeric numeric, unsigned bits) {
  bool isSigned = numeric == TexelNumeric::Sint || numeric == TexelNumeric::Snorm ||
                  numeric == TexelNumeric::Sscaled;
  bool isReal = numeric == TexelNumeric::Sfloat && bits >= 16;
  for (const ScalarName &row : amberScalars) {
    bool sameKind =
        isReal ? row.kind >= ScalarKind::Float16
               : row.kind < ScalarKind::Float16 && (row.kind <= ScalarKind::Int64) == isSigned;
    if (sameKind && scalarBytes(row.kind) * 8 == bits)
      return row.kind;
  }
  llvm_unreachable("a component of this size is packed");
}

/// Packed texels, and those with components of different widths, are one unsigned integer each.
DataFormat input::dataFormatOf(TexelFormat format) {
  const TexelFormatInfo &info = getTexelFormatInfo(format);
  unsigned count = info.componentCount;
  bool isPacked = info.name.contains("_PACK") || info.bytes % count != 0 ||
                  any_of(ArrayRef(info.components).take_front(count), [&](const auto &component) {
                    return component.bits != info.bytes * 8 / count;
                  });
  ScalarKind scalar = isPacked ? storedScalar(TexelNumeric::Uint, info.bytes * 8)
                               : storedScalar(info.numeric, info.bytes * 8 / count);
  return {scalar, isPacked ? 1 : count, 1, info.bytes, info.bytes};
}

/// Nothing for matrices, for vectors of three, and where elements have padding.
std::optional<TexelFormat> input::texelFormatOf(const DataFormat &format) {
  unsigned bytes = scalarBytes(format.scalar);
  if (format.columns != 1 || format.rows == 3 || format.stride != bytes * format.rows)
    return std::nullopt;
  return vectorFormat(format.scalar, format.rows);
}

/// Returns the format of \p rows components without normalization. Nothing if there is none.
std::optional<TexelFormat> input::vectorFormat(ScalarKind scalar, unsigned rows) {
  std::string name;
  for (unsigned row = 0; row < rows; ++row)
    name += "RGBA"[row] + std::to_string(scalarBytes(scalar) * 8);
  name += scalar >= ScalarKind::Float16 ? "_SFLOAT"
          : scalar >= ScalarKind::Uint8 ? "_UINT"
                                        : "_SINT";
  return findTexelFormat(name);
}

DataFormat input::amberFormat(const DataType &type, BlockLayout layout) {
  bool spreads = type.isArray || type.columns > 1;
  return makeDataFormat(type.scalar, type.rows, type.columns,
                        spreads ? layout : BlockLayout::Std430);
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

/// Repeats tolerances that are written for the rows of a column in each column. With fewer than one
/// for each row, the first one counts for all.
std::vector<Tolerance> input::spreadTolerances(ArrayRef<Tolerance> written,
                                               const DataFormat &format) {
  if (written.size() <= 1)
    return written.vec();
  if (written.size() < format.rows)
    return {written.front()};
  std::vector<Tolerance> result;
  for (unsigned column = 0; column < format.columns; ++column)
    result.insert(result.end(), written.begin(), written.begin() + format.rows);
  return result;
}

/// Amber compares doubles with a relative tolerance even where the script writes none.
std::vector<Tolerance> input::impliedTolerances(const DataFormat &format, Comparator comparator) {
  constexpr double AmbersPercent = 0.000001;
  if (format.scalar != ScalarKind::Float64 || comparator != Comparator::Eq)
    return {};
  return {{AmbersPercent, true}};
}
