// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of SPIR-V modules as a fuzz engine wants them: most results are valid, few mean the
// same. (fuzz/mutate has slips of the pen, fuzz/transform what keeps the meaning.)
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace assay::fuzz {

/// \p words with one or three changes that \p seed chooses, or none: an operand, a number, an
/// opcode to a neighbour in SPIR-V's numbering (which goes by families), an instruction more or
/// less, a step of fuzz/transform. The word of the tool (ShaderInput.h) may change, too. Words that
/// are no module come back as they are.
std::vector<uint32_t> mutateModule(llvm::ArrayRef<uint32_t> words, uint64_t seed);

/// \p into with some instructions of \p from, and the types, constants, variables and capabilities
/// that these need. \p into as it is where one of them is no module.
std::vector<uint32_t> mixModules(llvm::ArrayRef<uint32_t> into, llvm::ArrayRef<uint32_t> from,
                                 uint64_t seed);

} // namespace assay::fuzz
