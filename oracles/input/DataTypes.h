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
  bool isArray = false; ///< "float[]": std140 spreads its elements.
};

/// Amber's names: int8 ... uint64, float16, float, double, vecN<scalar>, matCxR<scalar>, and each
/// of them with [] after it.
std::optional<DataType> parseAmberType(llvm::StringRef name);
/// Amber's name of a scalar type: "float", where scalarName() says "float32".
llvm::StringRef amberScalarName(ScalarKind kind);

/// The format of \p rows components of \p scalar without padding: R32G32B32_SFLOAT.
std::optional<TexelFormat> vectorFormat(ScalarKind scalar, unsigned rows);

/// How Amber writes the values of a texel: one number of a packed format; else one number of a
/// component's bits for each, normalised ones as the integers they are stored as. Without padding.
DataFormat dataFormatOf(TexelFormat format);

/// The texel format that lies in memory as \p format does: float vec4s are R32G32B32A32_SFLOAT.
/// Nothing for matrices, vectors of three, and padded elements.
std::optional<TexelFormat> texelFormatOf(const DataFormat &format);

/// The layout of a buffer of \p type in AmberScript, where only arrays and matrices get std140's
/// spreading.
DataFormat amberFormat(const DataType &type, BlockLayout layout);

/// VkScript's names: int, uint8_t, float, vec3, i64vec2, dmat2x3, ...
std::optional<DataType> parseVkScriptType(llvm::StringRef name);

/// Components of one element of \p format.
unsigned componentsOf(const DataFormat &format);

/// Byte offset of the \p index-th component of an array of \p format.
uint64_t valueOffset(const DataFormat &format, uint64_t index);

/// Bytes from the first component to the end of the \p count-th: what \p count values take up.
uint64_t valuesExtent(const DataFormat &format, uint64_t count);

/// Tolerances for each component of an element of \p format, from what the script wrote: none, one,
/// or at least one per row (columns repeat them). Of fewer the first is for all, as in Amber.
std::vector<Tolerance> spreadTolerances(llvm::ArrayRef<Tolerance> written,
                                        const DataFormat &format);

/// The tolerance that Amber has where a script writes none: 1e-8 of a double that is equal.
/// Narrower types are not wide enough for it.
std::vector<Tolerance> impliedTolerances(const DataFormat &format, Comparator comparator);

} // namespace assay::input
