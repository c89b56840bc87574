// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/Precision.h"

#include <array>

using namespace llvm;
using namespace assay;

static constexpr std::array<StringLiteral, 3> names = {"spirv", "spirv-practical", "spirv-ieee"};

StringRef assay::getReferenceName(Precision precision) {
  return names[static_cast<size_t>(precision)];
}
