// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the modifiers of an instruction do to the bits of a source or of a result.
#pragma once

#include "oracles/machine/gcn/MicroOp.h"

namespace assay::gcn {

/// Flips or clears the sign of \p bits, first abs, then neg.
uint64_t applySign(uint64_t bits, OperandKind kind, bool neg, bool abs);

/// Rearranges a packed source by op_sel, op_sel_hi, neg_lo and neg_hi of source \p index.
uint32_t applyPacked(uint32_t bits, const Modifiers &mods, unsigned index, bool isFloat);

/// A source of v_fma_mix and the like: f32, or an f16 half of a register as f32.
uint32_t applyMix(uint32_t bits, const Modifiers &mods, unsigned index, const Operand &operand,
                  const AluMode &mode);

/// The part of \p bits that an SDWA selection names, extended to 32 bits.
uint32_t selectSdwa(uint32_t bits, Sdwa select, bool sext);
/// \p value as SDWA writes it over \p old.
uint32_t insertSdwa(uint32_t old, uint32_t value, Sdwa select, SdwaUnused unused);

/// Output modifier and clamp of a float result.
uint64_t applyResultModifiers(uint64_t bits, OperandKind kind, const Modifiers &mods,
                              const AluMode &mode);

} // namespace assay::gcn
