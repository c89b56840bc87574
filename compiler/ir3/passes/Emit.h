// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code with registers to words.
#pragma once

#include "compiler/ir3/ir/Program.h"
#include "compiler/ir3/isa/Encoder.h"

namespace assay::ir3 {

/// \p inst, whose operands have registers, as the encoder takes it.
MachineInstruction machineInstruction(const Instruction &inst);
/// InvalidInput, with the instruction, for what has no encoding.
llvm::Expected<std::vector<uint64_t>> emitWords(const Program &program);
/// The same code in the syntax of Mesa's assembler, an instruction a line; comments begin with ";".
std::string emitAssembly(const Program &program);

} // namespace assay::ir3
