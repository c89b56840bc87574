// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders the instructions of each block, on values.
#pragma once

#include "compiler/ir3/ir/Program.h"

namespace assay::ir3 {

enum class Schedule : uint8_t {
  None,         ///< The order of selection.
  DeepestFirst, ///< That of the ir3 notes: the deepest instruction first, after its sources.
  Pressure,     ///< A list scheduler that fills delays and keeps few values live.
};

/// Depth of each instruction of \p block: slots that must separate it from its sources plus one,
/// plus the greatest depth of those; meta instructions add nothing. With \p soft, results that a
/// flag waits for count as long as they are expected to take. In the order of the block.
std::vector<unsigned> computeDepths(const Block &block, const Compiler &compiler, bool soft);

/// Slots after which a result that a flag waits for is taken to be there. Of other instructions: a
/// result in a register that the wave shares.
unsigned softDelay(const Instruction &inst);

/// Slots between \p producer and its use as source \p index of \p consumer (delay_calc_srcn of the
/// notes); with \p soft, as computeDepths has it.
unsigned delaySlots(const Compiler &compiler, const Instruction &producer,
                    const Instruction &consumer, unsigned index, bool soft);

/// Values, barrier classes and arrays keep their order. lowerAddresses() and removeDeadCode()
/// follow: users of different values of a0.x can be mixed.
void scheduleProgram(Program &program, Schedule schedule);

} // namespace assay::ir3
