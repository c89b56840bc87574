// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks with explicit layout: random structures of everything that memory may hold, where each
// part lies, and bytes to fill them with.
#pragma once

#include "fuzz/generate/Writer.h"

namespace assay::fuzz {

/// The rules for alignments and strides (Vulkan, "Offset and Stride Assignment").
enum class LayoutRules : uint8_t { Base, Extended }; ///< Storage and push constants; uniform.

/// An object inside of a block, as OpAccessChain reaches it.
struct LaidObject {
  /// A member's number with 0, or with the length of the array that any index below it may reach.
  std::vector<std::pair<uint32_t, uint32_t>> path;
  Id type = 0;
};

/// A number in memory, by its byte offset from the beginning of the layout.
struct LaidScalar {
  uint32_t offset = 0;
  Id type = 0;
};

/// A type with offsets, strides and majors decorated, new for each layout.
struct Layout {
  Id type = 0;
  uint32_t size = 0, alignment = 1; ///< In bytes.
  std::vector<LaidObject> objects;  ///< Scalars, vectors, matrices.
  std::vector<LaidScalar> scalars;  ///< Each place of each number.
};

/// A structure of \p members members, nested to \p depth.
Layout makeStructure(Writer &writer, LayoutRules rules, unsigned members, unsigned depth = 2);

/// \p count layouts of \p element's size one after the other, with small whole numbers as floats;
/// padding is not 0.
std::vector<uint8_t> fillLayout(Writer &writer, const Layout &element, unsigned count);

/// \p bytes, whose number must be a multiple of 4, as little-endian words.
std::vector<uint64_t> wordsOf(llvm::ArrayRef<uint8_t> bytes);

/// Asks for the capabilities that loads and stores of \p layout in \p kind need.
void requireStorage(Writer &writer, const Layout &layout, GeneratedBinding kind);

} // namespace assay::fuzz
