// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions with registers as text, in the syntax of Mesa's assembler.
#pragma once

#include "compiler/ir3/isa/Encoder.h"
#include <string>

namespace assay::ir3 {

/// One line, without its end: "(sy)(nop3) add.f r0.x, r0.y, c0.z". Targets of branches are
/// distances in instructions. Assembled, it is the word of encode(). \p instruction must be one
/// that encode() accepts.
std::string printAssembly(const MachineInstruction &instruction, const Compiler &compiler);

} // namespace assay::ir3
