// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir3/ir/Instruction.h"

namespace assay::ir3 {

/// The largest unsigned number that \p value, a scalar of 32 bits during selection, can be; 2^32 -
/// 1 where nothing is known.
uint32_t upperBound(const Register &value);

} // namespace assay::ir3
