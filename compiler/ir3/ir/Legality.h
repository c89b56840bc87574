// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operand-legality oracle: what each source of an opcode can be.
#pragma once

#include "compiler/ir3/ir/Program.h"

namespace assay::ir3 {

/// Whether \p source can be source \p index (from 0) of \p inst, its other sources being as they
/// are. Values count as legal whether or not they have a register. Source: Mesa 25.0, ir3.c
/// (ir3_valid_flags, ir3_valid_immediate).
bool isLegalSource(const Instruction &inst, unsigned index, const Register &source);

} // namespace assay::ir3
