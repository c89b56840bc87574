// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of data types in both script languages, and lists of values of such a type.
#pragma once

#include "oracles/api/Case.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::input {

/// A scalar, vector or matrix type before it has a layout.
struct DataType {
  ScalarKind scalar = ScalarKind::Uint32;
  unsigned rows = 1;
  unsigned columns = 1;
};

/// Amber's names: int8 ... uint64, float16, float, double, vecN<scalar>, matCxR<scalar>, and the
/// formats that say the same as one of them (R32G32_SFLOAT).
std::optional<DataType> parseAmberType(llvm::StringRef name);

/// A name that Amber knows as a type but Assay does not read: image formats, arrays.
bool isForeignAmberType(llvm::StringRef name);

/// VkScript's names: int, uint8_t, float, vec3, i64vec2, dmat2x3, ...
std::optional<DataType> parseVkScriptType(llvm::StringRef name);

/// Components of one element of \p format.
unsigned componentsOf(const DataFormat &format);

/// Byte offset of the \p index-th component of an array of \p format.
uint64_t valueOffset(const DataFormat &format, uint64_t index);

/// Bytes from the first component to the end of the \p count-th: what \p count values take up.
uint64_t valuesExtent(const DataFormat &format, uint64_t count);

/// Bytes of an array of whole elements; padding at its end counts.
std::optional<uint64_t> arrayBytes(const DataFormat &format, uint64_t elements);

/// Tolerances for each component of an element of \p format, from what the script wrote: none, one,
/// or at least one per row (columns repeat them). InvalidInput for fewer.
llvm::Expected<std::vector<Tolerance>> spreadTolerances(llvm::ArrayRef<Tolerance> written,
                                                        const DataFormat &format);

} // namespace assay::input
