// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes learn from the front-end about the memory of descriptors.
#pragma once

namespace llvm {
class Instruction;
}

namespace assay {

/// Notes of \p descriptor, an op that gives a buffer's address, that only accesses through its own
/// set and binding reach this memory: no variable of another binding, and no pointer from
/// elsewhere, is an alias (SPIR-V 1.6, 2.18.2 "Aliasing": only memory object declarations that are
/// decorated Aliased or AliasedPointer may alias each other). Metadata, which may be lost: without
/// it, anything may be an alias.
void markUnaliased(llvm::Instruction &descriptor);
bool isUnaliased(const llvm::Instruction &descriptor);

} // namespace assay
