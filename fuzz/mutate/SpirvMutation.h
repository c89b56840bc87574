// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of SPIR-V modules: small changes that do change the meaning, as a slip of the pen
// would. For asking whether a case would notice; not for making equivalent programs.
#pragma once

#include "compiler/spirv/Module.h"

namespace assay {

enum class MutationKind {
  Operator,   ///< Another operation of the same shape: + for -, | for &.
  Comparison, ///< Another relation: <= for <, != for ==.
  Index       ///< An array or vector index one too high.
};

/// One place that can be mutated in one way.
struct Mutation {
  MutationKind kind = MutationKind::Operator;
  uint32_t wordOffset = 0;   ///< Of the instruction.
  uint32_t replacement = 0;  ///< Operator, Comparison: the new opcode, or extended instruction.
  uint32_t operandIndex = 0; ///< Index: which operand (after result type and id).
  std::string description;   ///< "OpIAdd -> OpISub at word 120".
};

/// All mutations of kind \p kind that \p module offers, in the order of its instructions.
std::vector<Mutation> collectMutations(const spirv::Module &module, MutationKind kind);

/// \p words, the module that \p mutation was collected from, with the mutation applied. The result
/// is valid if the module was.
std::vector<uint32_t> applyMutation(llvm::ArrayRef<uint32_t> words, const spirv::Module &module,
                                    const Mutation &mutation);

} // namespace assay
