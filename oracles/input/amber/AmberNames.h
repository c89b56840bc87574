// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AmberScript's words for the values of a Case, for the reader and the writer alike. Where a value
// has two names, the first is the one that is written.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/ScriptLines.h"
#include "llvm/ADT/StringRef.h"

namespace assay::input {

template <typename T> struct NamedValue {
  llvm::StringRef name;
  T value;
};

/// The name of \p value, which must be in \p rows.
template <typename T, size_t N>
llvm::StringRef nameOfValue(const NamedValue<T> (&rows)[N], T value) {
  const NamedValue<T> *row = rows;
  while (row->value != value)
    ++row;
  return row->name;
}

/// The value in \p rows that the next word of \p line names. \p option is named in the error.
template <typename T, size_t N>
llvm::Error readNamed(LineCursor &line, llvm::StringRef option, const NamedValue<T> (&rows)[N],
                      T &value) {
  llvm::Expected<llvm::StringRef> word = line.word("a value of " + option);
  if (!word)
    return word.takeError();
  for (const NamedValue<T> &row : rows)
    if (row.name == *word) {
      value = row.value;
      return llvm::Error::success();
    }
  return line.error("unknown value '" + word->take_front(40) + "' of " + option);
}

inline constexpr NamedValue<Filter> filters[] = {{"nearest", Filter::Nearest},
                                                 {"linear", Filter::Linear}};
// The parser of Amber says mirror_, its documentation mirrored_.
inline constexpr NamedValue<AddressMode> addressModes[] = {
    {"repeat", AddressMode::Repeat},
    {"mirrored_repeat", AddressMode::MirroredRepeat},
    {"clamp_to_edge", AddressMode::ClampToEdge},
    {"clamp_to_border", AddressMode::ClampToBorder},
    {"mirror_clamp_to_edge", AddressMode::MirrorClampToEdge},
    {"mirrored_clamp_to_edge", AddressMode::MirrorClampToEdge}};
inline constexpr NamedValue<BorderColor> borderColors[] = {
    {"float_transparent_black", BorderColor::FloatTransparentBlack},
    {"int_transparent_black", BorderColor::IntTransparentBlack},
    {"float_opaque_black", BorderColor::FloatOpaqueBlack},
    {"int_opaque_black", BorderColor::IntOpaqueBlack},
    {"float_opaque_white", BorderColor::FloatOpaqueWhite},
    {"int_opaque_white", BorderColor::IntOpaqueWhite}};
inline constexpr NamedValue<CompareOp> compareOps[] = {
    {"never", CompareOp::Never},     {"less", CompareOp::Less},
    {"equal", CompareOp::Equal},     {"less_or_equal", CompareOp::LessOrEqual},
    {"greater", CompareOp::Greater}, {"not_equal", CompareOp::NotEqual},
    {"always", CompareOp::Always},   {"greater_or_equal", CompareOp::GreaterOrEqual}};
inline constexpr NamedValue<bool> switches[] = {{"on", true}, {"off", false}};
inline constexpr NamedValue<Comparator> comparators[] = {
    {"EQ", Comparator::Eq}, {"NE", Comparator::Ne}, {"LT", Comparator::Lt},
    {"LE", Comparator::Le}, {"GT", Comparator::Gt}, {"GE", Comparator::Ge}};
inline constexpr NamedValue<ExpectationKind> bufferComparisons[] = {
    {"EQ_BUFFER", ExpectationKind::EqualBuffers},
    {"RMSE_BUFFER", ExpectationKind::RmseBuffers},
    {"EQ_HISTOGRAM_EMD_BUFFER", ExpectationKind::HistogramBuffers}};

/// The stage called \p name; none for "multi".
std::optional<ShaderStage> findAmberStage(llvm::StringRef name);
llvm::StringRef amberStageName(ShaderStage stage);

/// "storage", "sampled_image", ...; of BIND BUFFER.
llvm::StringRef bindingKindName(BindingKind kind);

} // namespace assay::input
