// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits of an encoding that are set although the instruction has no use for them: op_sel of a dot
// product of bytes, for instance. No manual says what the hardware makes of them.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "oracles/machine/gcn_isa/Isa.h"

namespace assay::gcn {

/// The set bits of \p inst, which must be decoded, that its form does not define. Op_sel_hi of the
/// third source of packed operations is not among them: LLVM sets it, whether there is such a
/// source or not.
Words findIgnoredBits(const Inst &inst, Chip chip, unsigned waveSize);

/// The modifiers of \p inst that have a bit in \p bits ("op_sel, clamp"), and the bits that are in
/// no field. An empty string when there is none: registers that the instruction does not have count
/// for nothing.
std::string describeIgnoredModifiers(const Inst &inst, const Words &bits);

} // namespace assay::gcn
