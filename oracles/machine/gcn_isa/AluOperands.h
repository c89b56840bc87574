// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources of the ALU formats, for all who have such a field.
#pragma once

#include "oracles/machine/gcn_isa/Codec.h"

namespace assay::gcn {

/// An eight-bit scalar source: register, constant, or literal where \p literalFits.
bool decodeScalarSource(DecodeState &state, const Slot &slot, unsigned code, bool literalFits,
                        Operand &operand);
/// The code of \p operand, -1 when it has none; a literal goes after the instruction.
int encodeScalarSource(EncodeState &state, const Operand &operand);
/// \p operand with its modifiers, constants as the slot's type has them.
void printSource(PrintState &state, const Operand &operand, const Slot &slot);

/// Whether sources of the slot's type may be negated.
bool hasFloatModifiers(const Slot &slot);
/// VOP3SD: the scalar destination is where others have abs, op_sel and (up to GFX9) clamp.
bool hasCarryField(const InstForm &form);

} // namespace assay::gcn
