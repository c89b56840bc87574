// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// src_lds_direct, GFX9's and GFX10's way to read LDS as a source of a vector operation: one
// element, the same for all lanes, whose address (bits 15 to 0) and type (bits 18 to 16) M0 holds.
// (Vega and RDNA 2 manuals, "LDS Direct Reads".)
#pragma once

#include "oracles/machine/gcn/MicroOp.h"

namespace assay::gcn {

/// Whether \p operand is such a source.
bool isLdsDirect(const Operand &operand);

/// Runs a vector operation with such a source.
void runValuOnLds(Wave &wave, const MicroOp &op);

} // namespace assay::gcn
