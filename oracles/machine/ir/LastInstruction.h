// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An instruction of IR that ended something - the last to write a byte, the one a run stopped at -,
// and what its operands depend on, as a note.
#pragma once

#include "oracles/api/Verdict.h"
#include <array>

namespace llvm {
class Instruction;
} // namespace llvm

namespace assay::irm {

struct LastInstruction {
  const llvm::Instruction *instruction = nullptr;
  std::array<uint32_t, 3> group{};
  unsigned wave = 0, lane = 0;
};

/// Of rule \p rule: the instruction as message, group, wave and lane as location, and as
/// evidence the instructions that its operands depend on - through scratch, too -, in the order of
/// the module and cut to the nearest ones.
Finding describeInstruction(llvm::StringRef rule, const LastInstruction &last);

} // namespace assay::irm
