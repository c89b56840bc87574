// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The printed IR: text in the style of the ir3 notes, its parser, and graphs.
//
//   block 0 -> 1, 2
//   0000:0000:002:  meta:input ssa_0(r0.x)
//   0001:0001:001:  (sat)add.f ssa_1, ssa_0, c2.y
//   0002:0002:001:  mov.u32u32 ssa_2, arr[id=0, offset=1, size=4, rel], address=_[0001]
//
// The columns are the name of the instruction, its position and its number of uses. A value that
// has a register shows both. A line can end in "{size=2 off=4}": fields that differ from their
// initial value and have no place of their own in the text.
#pragma once

#include "compiler/ir3/ir/Program.h"
#include "llvm/Support/Error.h"

namespace assay::ir3 {

std::string print(const Program &program);
/// Without a newline.
std::string print(const Instruction &inst, const Program &program);
std::string print(const Register &reg, const Program &program);

/// What print() wrote. InvalidInput with the number of the line.
llvm::Expected<std::unique_ptr<Program>> parseProgram(llvm::StringRef text);

/// A graph of values for graphviz, with records like those of the notes: inputs, instructions with
/// a port for each source, outputs; \p label is that of the cluster.
std::string printGraph(const Program &program, llvm::StringRef label);

} // namespace assay::ir3
