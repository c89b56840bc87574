// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a function that remain in memory after all optimizations - an index is not constant
// - as arrays in registers, which a0.x selects from.
#pragma once

#include "compiler/ir3/select/Selector.h"

namespace assay::ir3 {

/// Whether the scalars of \p type are consecutive dwords in memory.
bool isPacked(const llvm::DataLayout &layout, llvm::Type *type);

/// Dwords of an array that can hold \p variable: what is accessed by loads and stores of
/// dwords alone, and is not larger than what Mesa keeps in registers. Nothing where it must be
/// memory.
std::optional<unsigned> findArraySize(const llvm::AllocaInst &variable);

/// \p count dwords from byte \p offset of array \p id on. What is known to be outside is undefined.
Scalars loadArray(Selector &selector, unsigned id, const Register &offset, unsigned count);
/// Stores \p values to the dwords from byte \p offset on. Stores that are known to be outside are
/// left out.
void storeArray(Selector &selector, unsigned id, const Register &offset,
                llvm::ArrayRef<Register> values);

} // namespace assay::ir3
