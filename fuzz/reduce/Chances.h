// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chances in lists whose elements may go one by one: index = the element's number.
#pragma once

#include "fuzz/reduce/Reduction.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace assay::fuzz {

/// One chance for each number below \p count.
inline std::vector<Chance> chancesBelow(size_t count) {
  std::vector<Chance> chances;
  for (size_t i = 0; i < count; ++i)
    chances.push_back({0, static_cast<uint32_t>(i)});
  return chances;
}

/// Removes the elements of \p list whose numbers \p chances have.
template <typename T> void dropElements(std::vector<T> &list, llvm::ArrayRef<Chance> chances) {
  llvm::BitVector gone(static_cast<unsigned>(list.size()));
  for (const Chance &chance : chances)
    gone.set(chance.index);
  std::vector<T> kept;
  for (auto [index, element] : llvm::enumerate(list))
    if (!gone[static_cast<unsigned>(index)])
      kept.push_back(std::move(element));
  list = std::move(kept);
}

} // namespace assay::fuzz
