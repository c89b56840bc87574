// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/Inst.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Whether every further word is a cache hint, which changes no result here.
bool Modifiers::onlyHints() const {
  static constexpr StringLiteral Hints[] = {"slc", "dlc", "nv"};
  return all_of(other, [](StringRef word) {
    return word.starts_with("th:") || word.starts_with("scope:") || is_contained(Hints, word);
  });
}
