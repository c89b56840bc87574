// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code with one way in and one way out, which can be wrapped or moved as a whole.
#pragma once

#include "fuzz/transform/Editing.h"

namespace assay::fuzz {

/// Everything from one place to another that is reached only through the first, and from which one
/// comes out only at the second; constructs (SPIR-V, "Structured Control Flow") lie inside of it or
/// around it as wholes. No function is left inside of it.
struct Region {
  Place begin; ///< An insertion: the first instruction.
  Place end;   ///< An insertion: the first one after.
  /// Blocks of which it has the whole, or, of the two blocks of begin and end, a part.
  llvm::BitVector blocks;

  /// True for an instruction of the region.
  bool contains(Place place) const;
};

/// Blocks on the ways from \p begin to \p end, both included, of \p count in all.
llvm::BitVector blocksBetween(const Flow &flow, size_t count, size_t begin, size_t end);
/// The region between two places; none where these are not the ends of one.
std::optional<Region> findRegion(const Context &context, Anchor begin, Anchor end);
/// The ends of some region, as four numbers for a step.
std::optional<std::vector<uint64_t>> pickRegion(const Context &context, Random &random);
inline std::optional<Region> regionIn(const Context &context, const Step &step, size_t index) {
  return findRegion(context, anchorIn(step, index), anchorIn(step, index + 2));
}
/// Values that the region makes and others use, in the order of their definitions.
std::vector<Id> escapingValues(const Context &context, const Region &region);
/// Whether every escaping value can go through a phi.
bool canEscapeByPhi(const Context &context, const Region &region);

/// The region cut out by splitting the blocks of its ends.
struct IsolatedRegion {
  size_t function = 0;
  Id before = 0; ///< Label of the block that ends with a branch to first.
  Id first = 0;  ///< Of the region's first block, without phis.
  Id last = 0;   ///< Of the region's last block, which ends with a branch to after.
  Id after = 0;  ///< Of the block after it, without phis.
};
/// Cuts the region out; it must be one of findRegion().
IsolatedRegion isolate(Context &context, const Region &region);

} // namespace assay::fuzz
