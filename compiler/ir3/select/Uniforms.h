// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data that is the same for all fibers and known before the launch: loads of it at constant offsets
// read the const file instead (Mesa's ir3_nir_analyze_ubo_ranges). The launch copies it there.
#pragma once

#include "compiler/ir3/isa/Compiler.h"
#include "compiler/ir3/select/Select.h"

namespace llvm {
class LoadInst;
} // namespace llvm

namespace assay::ir3 {

/// Chooses the ranges of buffers that the loads of \p function may read from the const file, and
/// adds them to \p interface, from its constDwords on. A load qualifies that nothing in the
/// dispatch can change (pass opt-invariant-loads), of one element of a binding, at an offset that
/// is constant. Ranges begin and end at multiples of the upload unit. Those that do not fit are
/// left out: immediates must have room, too.
void promoteUniforms(const llvm::Function &function, const Compiler &compiler,
                     Interface &interface);

/// The dword of the const file where the data of \p load begins; nothing where it stays a load.
std::optional<uint32_t> findPromoted(const Interface &interface, const llvm::LoadInst &load);

} // namespace assay::ir3
