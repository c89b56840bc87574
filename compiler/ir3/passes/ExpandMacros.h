// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Macros become blocks.
#pragma once

#include "compiler/ir3/ir/Program.h"

namespace assay::ir3 {

/// Replaces macro:ballot, macro:read and macro:scan, whose operands have registers, by branches.
/// They are whole until here because their results are registers that a wave shares, which only one
/// side of a branch writes: values in static single assignment form cannot say that. Source of the
/// sequences: Mesa 25.0, ir3_lower_subgroups.c.
void expandMacros(Program &program);

} // namespace assay::ir3
