// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random operands for one subgroup, such that SPIR-V defines most results and floats stay exact.
#pragma once

#include "harness/system/subgroups/ShaderText.h"
#include <random>

namespace assay::subgroups {

/// Operands of \p operation for a subgroup whose lanes have \p selectors (as many as it has
/// invocations). What SPIR-V wants to be the same in all lanes that execute together is.
std::vector<LaneInput> makeInputs(const Operation &operation, Shape shape,
                                  llvm::ArrayRef<uint32_t> selectors, unsigned size,
                                  std::mt19937_64 &random);

} // namespace assay::subgroups
