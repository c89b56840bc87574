// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several reductions need: zeros of a type, other values for uses, instructions by place.
#pragma once

#include "fuzz/program/Pool.h"
#include "fuzz/program/Program.h"
#include <optional>

namespace assay::fuzz {

/// Whether there is a constant of every value of \p type: no pointers, images or functions in it.
bool isData(const Program &program, Id type);

/// The zero of \p type, which must be isData(); added where the program has none.
Id zeroOf(Pool &pool, Id type);

/// Bits of the number one in type \p type; nothing for types that are no numbers.
std::optional<uint64_t> oneOf(const Instruction &type);

/// Every use of \p from becomes one of \p to; names and decorations of \p from stay with it.
void replaceUses(Program &program, Id from, Id to);

/// The block with \p label, of any function; null where there is none.
Block *findBlock(Program &program, Id label);

/// Names and decorations of ids of which \p isGone says so go.
void dropAnnotations(Program &program, llvm::function_ref<bool(Id)> isGone);

/// Whether \p opcode says something about ids that is no use of them: OpName, OpDecorate, ...
bool isAnnotation(spv::Op opcode);

/// Whether an instruction that has a result does nothing else, so that it may go when the result is
/// unused.
bool isRemovableIfUnused(spv::Op opcode);

inline bool isAccessChain(spv::Op opcode) {
  return opcode == spv::Op::OpAccessChain || opcode == spv::Op::OpInBoundsAccessChain;
}

/// Turns \p instruction into OpNop, which repair() removes.
inline void drop(Instruction &instruction) {
  instruction = {};
}

/// Block \p block ends with an OpBranch to \p target and has no merge instruction any more.
void endWithBranch(Block &block, Id target);

} // namespace assay::fuzz
