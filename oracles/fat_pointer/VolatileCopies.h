// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Volatile copies and fills, whose bytes a lowering may move in any pieces and order.
#pragma once

#include "oracles/ir/Interpreter.h"

namespace assay {

/// An access and the fences in front of it.
struct FencedAccess {
  std::vector<ir::Event> fences;
  ir::Event access;
};

/// \p after with the pieces of each copy of \p before as the accesses of that copy; both are in
/// normal form. A copy's pieces stand together, are within its bytes, touch each byte once, and
/// store none before it was loaded; fences among them are left out. What is no such copy stays as
/// it is, but is cut where it goes beyond what \p before has in its place.
std::vector<FencedAccess> foldCopies(llvm::ArrayRef<FencedAccess> before,
                                     std::vector<FencedAccess> after);

} // namespace assay
