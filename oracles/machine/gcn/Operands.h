// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operand widths, constants, and the reading and writing of scalar operands.
#pragma once

#include "oracles/machine/gcn/MicroOp.h"

namespace assay::gcn {

/// 16, 32 or 64; the packed kinds have 32.
unsigned kindBits(OperandKind kind);
bool isFloatKind(OperandKind kind);

/// The bits of constant \p operand where an operand of \p kind is read.
uint64_t constantBits(const Operand &operand, OperandKind kind);
bool isConstant(const Operand &operand);

/// src_pops_exiting_wave_id (up to GFX10.3): the last wave to leave an ordered section of pixels.
bool isExitingWave(const Operand &operand);

/// The value of a uniform operand: a scalar register (pair), a constant, SCC, VCCZ, EXECZ or the
/// exiting wave: as if all waves that were launched before had left.
uint64_t readUniform(const Wave &wave, const Source &source);

/// Writes \p bits (32 or 64) of \p value to a scalar destination.
void writeScalarResult(Wave &wave, const Operand &destination, uint64_t value, unsigned bits);

/// True for a name in the '|'-separated list \p names.
bool isNamed(const char *names, llvm::StringRef name);

} // namespace assay::gcn
