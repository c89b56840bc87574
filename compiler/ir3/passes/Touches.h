// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cells of registers that an instruction with registers reads and writes, and what waits for
// its result.
#pragma once

#include "compiler/ir3/ir/Program.h"

namespace assay::ir3 {

/// Cells: halves of vector registers (two for a full one), of shared registers, then a0.x, a1.x and
/// p0. Where the files are separate, halves follow the full registers.
namespace cell {
constexpr unsigned Half = 2 * 4 * 48, Shared = Half + 4 * 48, Address = Shared + 2 * 4 * 8,
                   Address1 = Address + 1, Predicate = Address + 2, Count = Predicate + 4;
}

struct Touch {
  uint16_t cell; ///< The first of count.
  uint8_t count; ///< 1 or 2.
  bool writes;
  bool half;
  bool isThird = false; ///< The source of mad that the ALU reads later.
  uint8_t step = 0;     ///< Of a repeated instruction: when.
};

/// Appends what \p inst touches. Relative operands touch all of their array.
void collectTouches(const Instruction &inst, const Program &program,
                    llvm::SmallVectorImpl<Touch> &touches);

/// Slots that an instruction takes when it is counted to fill the delays of others, without its
/// (nopN). Registers are assigned. Mesa, ir3_legalize.c, count_instruction.
unsigned slotsOf(const Compiler &compiler, const Instruction &inst);

/// Slots that must separate the write of a cell by an ALU instruction from its use.
unsigned delayOf(const Compiler &compiler, const Instruction &reader, const Touch &touch,
                 bool writtenAsHalf);

} // namespace assay::ir3
